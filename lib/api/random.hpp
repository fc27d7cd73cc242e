// SPDX-License-Identifier: Apache-2.0
// What the functions of random::Generator share.
#pragma once

#include "api/build.hpp"

#include <koine/random.hpp>

#include <cstdint>
#include <string_view>

namespace koine::random {

/// A pending draw of `shape`; moves `counter` past the words it takes.
Array draw(const Shape& shape, DType type, const graph::Place& place, graph::RandomInfo info, std::uint64_t& counter);

/// Throws DTypeError unless the type is one of integers.
void require_integer(DType type, std::string_view function);
/// The largest int64 that fits the integer type.
std::int64_t largest(DType type);

}  // namespace koine::random
