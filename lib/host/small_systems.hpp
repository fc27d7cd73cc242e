// SPDX-License-Identifier: Apache-2.0
// Elimination in stacks of small matrices: the functions that suit this processor.
#pragma once

#include "host/small_systems_core.hpp"

#include <cstdint>

namespace koine::host {

/// Rows of the largest matrices.
inline constexpr std::int64_t largest_small_system = 64;

/// Of float or double.
template <class T>
const SmallSystemFunctions<T>& small_systems();

/// Whether lanes eliminate such a stack with right sides of so many columns faster than LAPACK does one matrix after
/// the other, which was measured on two cores of an AMD EPYC with OpenBLAS. No row of tuning: it decides the order of
/// sums.
template <class T>
bool small_systems_suit(std::int64_t matrices, std::int64_t n, std::int64_t columns) {
  constexpr std::int64_t always = 16, most = 2 * 48 * 48;  // rows of which some lanes may be idle; elements of a lane
  if (n > largest_small_system || columns > n || n * (n + columns) > most) return false;
  return n <= always || matrices >= small_systems<T>().lanes;
}

/// The same of QR factorisations of m x n matrices.
template <class T>
bool small_reflections_suit(std::int64_t matrices, std::int64_t m, std::int64_t n) {
  if (m > largest_small_system || n > largest_small_system) return false;
  return (m <= 16 && n <= 16) || matrices >= small_systems<T>().lanes;
}

}  // namespace koine::host
