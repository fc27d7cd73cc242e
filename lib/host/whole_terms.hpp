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

/// Adds such integers of rows of `inner` values, or of those whose numbers are in `order` unless it is null, to those
/// of the table's rows that `groups` name, none where it is below zero; with `away` takes them away again. False if one
/// is no integer, and also if one has too many bits or a sum overflows, after which taking away leaves the table as it
/// was.
using WholeRows = bool (*)(const void* values, const std::uint32_t* order, const std::int64_t* groups, std::size_t rows,
                           std::size_t inner, double up, bool away, std::int64_t* table, std::uint64_t* largest);

/// Writes what each sum, of multiples of 1 / `up`, is together with the value of `base`, unless that is null, rounded
/// once; where the sum is 0, the value as it is. False if one has to be rounded otherwise.
using WholeSums = bool (*)(const std::int64_t* sums, const void* base, std::size_t count, double up, void* results);

template <class Function>
struct ByType {
  Function of_float16, of_bfloat16, of_float32, of_float64;
};

struct WholeTermFunctions {
  ByType<WholeTerms> terms;
  ByType<WholeRows> rows;
  ByType<WholeSums> sums;
};

extern const WholeTermFunctions whole_terms_plain, whole_terms_avx2, whole_terms_avx512;

/// Those that suit this processor.
const WholeTermFunctions& whole_terms();

}  // namespace koine::host
