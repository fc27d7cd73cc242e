// SPDX-License-Identifier: Apache-2.0
// Decomposing a matrix of two diagonals by halves, or as a whole where that cannot be or fails.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace koine::exec {

/// The largest element's absolute value, of n in d and n - 1 in e beside them.
template <class T>
T largest_of(std::int64_t n, const T* d, const T* e) {
  T largest = 0;
  for (std::int64_t i = 0; i < n; ++i) largest = std::max({largest, std::abs(d[i]), i + 1 < n ? std::abs(e[i]) : T(0)});
  return largest;
}

/// halves(), if `divides`; where that gives another info than 0, and where the matrix does not divide, whole(), which
/// finds the same elements in d and e. These are kept in `memory`, of 2 n elements, meanwhile. Gives the last info.
template <class T, class Halves, class Whole>
auto halves_or_whole(bool divides, std::int64_t n, T* d, T* e, T* memory, Halves halves, Whole whole) {
  if (!divides) return whole();
  std::copy_n(d, n, memory);
  std::copy_n(e, n - 1, memory + n);
  if (const auto info = halves(); info == 0) return info;
  std::copy_n(memory, n, d);
  std::copy_n(memory + n, n - 1, e);
  return whole();
}

}  // namespace koine::exec
