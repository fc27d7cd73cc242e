// SPDX-License-Identifier: Apache-2.0
// The words for the precision of products of float32, as users write them in options and in KOINE_MATMUL_PRECISION.
#pragma once

#include <cstddef>
#include <string_view>

namespace koine::base {

/// In the order of graph::MatmulPrecision.
inline constexpr std::string_view matmul_precisions[] = {"float32", "tf32", "3xtf32"};

/// The number of a word; ValueError, which begins with `asked` ("[matmul] .precision"), for one that is none of them.
std::size_t matmul_precision(std::string_view word, std::string_view asked);

/// What KOINE_MATMUL_PRECISION says; the first if it is unset. Throws ValueError if it is malformed.
std::size_t matmul_precision_of_environment();

}  // namespace koine::base
