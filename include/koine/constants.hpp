// SPDX-License-Identifier: Apache-2.0
// The standard's constants. (newaxis stands in index.hpp.)
#pragma once

#include <koine/export.hpp>

#include <limits>

namespace koine {

inline constexpr double pi = 3.141592653589793238462643383279502884;
inline constexpr double e = 2.718281828459045235360287471352662498;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace koine
