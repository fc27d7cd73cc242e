// SPDX-License-Identifier: Apache-2.0
// Terms of exact sums as multiples of one unit in 64 bits, in vectors. Compiled once for each set of instructions, so
// nothing here calls functions of the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// Writes what `up`, a power of two, times each value is, and tells in `largest` the bits that any of these integers
/// has apart from its sign. False if one is no integer (NaN and infinities of more than 16 bits are none).
///
/// Of float16 `up` is 2^112 times as much, and what is not finite is an integer of 2^16 or more.
using WholeTerms = bool (*)(const void* values, std::size_t count, double up, std::int64_t* terms,
                            std::uint64_t* largest);

struct WholeTermFunctions {
  WholeTerms of_float16, of_bfloat16, of_float32, of_float64;
};

extern const WholeTermFunctions whole_terms_plain, whole_terms_avx2, whole_terms_avx512;

/// Those that suit this processor.
const WholeTermFunctions& whole_terms();

}  // namespace koine::host
