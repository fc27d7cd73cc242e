// SPDX-License-Identifier: Apache-2.0
// Factorisations of one matrix by several threads: LAPACK factorises blocks of columns, and the threads divide what
// these mean for the other columns among them. Matrices are in column-major order.
#pragma once

#include "base/parallel.hpp"
#include "exec/lapack_calls.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>

namespace koine::exec {

/// Columns of a block. No row of tuning: it decides the order of sums.
inline constexpr std::int64_t lapack_block = 128;

/// Calls `work(first, count)` for parts of `columns` columns, several for each thread.
template <class Work>
void share_columns(int threads, std::int64_t columns, Work work) {
  constexpr std::int64_t least = 32;
  if (columns == 0) return;
  if (threads == 1) return work(std::int64_t{0}, columns);
  const std::int64_t parts = std::int64_t{threads} * 4;
  const std::int64_t each = std::max(least, (columns + parts - 1) / parts);
  std::atomic<std::int64_t> next{0};
  const auto some = [&] {
    for (std::int64_t first; (first = next.fetch_add(each)) < columns;) work(first, std::min(each, columns - first));
  };
  base::in_parallel(static_cast<int>(std::min<std::int64_t>(threads, (columns + each - 1) / each)), std::ref(some));
}

/// A's upper triangle becomes U of A = U^H U; what is below it is lost. The order of the first leading minor that is
/// not positive, or 0.
template <class T, class I>
std::int64_t potrf_in_parts(const LapackCalls<T, I>& lapack, int threads, std::int64_t n, T* a) {
  if (threads == 1) return lapack.potrf(n, a, n);
  for (std::int64_t k = 0; k < n; k += lapack_block) {
    const std::int64_t width = std::min(lapack_block, n - k), next = k + width, rest = n - next;
    T* const corner = a + k * n + k;
    if (const std::int64_t wrong = lapack.potrf(width, corner, n); wrong != 0) return k + wrong;
    share_columns(threads, rest, [&](std::int64_t first, std::int64_t count) {
      lapack.trsm("L", "U", "C", "N", width, count, corner, n, corner + (width + first) * n, n);
    });
    share_columns(threads, rest, [&](std::int64_t first, std::int64_t count) {
      // Down to the diagonal's end in these columns.
      T* const beside = corner + width * n;
      lapack.take_away("C", first + count, count, width, beside, n, beside + first * n, n,
                       a + (next + first) * n + next, n);
    });
  }
  return 0;
}

/// L and U of A = P L U, as LAPACK's getrf.
template <class T, class I>
void getrf_in_parts(const LapackCalls<T, I>& lapack, int threads, std::int64_t m, std::int64_t n, T* a, I* pivots) {
  if (threads == 1) return lapack.getrf(m, n, a, m, pivots);
  const std::int64_t pivoted = std::min(m, n);
  for (std::int64_t k = 0; k < pivoted; k += lapack_block) {
    const std::int64_t width = std::min(lapack_block, pivoted - k), next = k + width;
    T* const panel = a + k * m + k;
    lapack.getrf(m - k, width, panel, m, pivots + k);
    for (std::int64_t i = k; i < next; ++i) pivots[i] += static_cast<I>(k);
    // Columns on the left are only exchanged.
    share_columns(threads, n - width, [&](std::int64_t first, std::int64_t count) {
      const std::int64_t left = std::clamp<std::int64_t>(k - first, 0, count), right = count - left;
      if (left > 0) lapack.laswp(left, a + first * m, m, k, next, pivots);
      if (right == 0) return;
      T* const columns = a + (first + left + width) * m;
      lapack.laswp(right, columns, m, k, next, pivots);
      lapack.trsm("L", "L", "N", "U", width, right, panel, m, columns + k, m);
      if (next < m) {
        lapack.take_away("N", m - next, right, width, panel + width, m, columns + k, m, columns + next, m);
      }
    });
  }
}

}  // namespace koine::exec
