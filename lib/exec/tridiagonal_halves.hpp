// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and -vectors of a tridiagonal matrix by several threads: those of its halves side by side, by LAPACK, and
// what their sum with a matrix of rank one makes of these (Cuppen, 1981; Gu and Eisenstat, 1995), as LAPACK's stedc
// does it, whose parts are called.
#pragma once

#include "exec/halves_or_whole.hpp"
#include "exec/share_parts.hpp"
#include "exec/spectra_calls.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace koine::exec {

/// Matrices are in column-major order, in the type T, float or double, with LAPACK's integers of type I.
template <class T, class I, class Calls = SpectraCalls<T, I>>
class TridiagonalHalves {
 public:
  TridiagonalHalves(const Calls& calls, int threads) : calls_(calls), threads_(threads) {}

  /// Elements of memory and integers that solve() takes.
  static std::int64_t room(std::int64_t n) { return shared_room(n) + 2 * n; }
  static std::int64_t integers(std::int64_t n) { return 2 * (3 + 5 * n); }

  /// The eigenvalues, which rise, in d, and the vectors as columns of z. Where a root is not found, LAPACK does it all.
  /// Gives its info.
  I solve(std::int64_t n, T* d, T* e, T* z, T* memory, I* integers) const {
    return halves_or_whole(
        n >= least && largest_of(n, d, e) != 0, n, d, e, memory + shared_room(n),
        [&] { return shared(n, d, e, z, memory, integers); },
        [&] { return halves(1, n, n, d, e, z, memory, integers); });
  }

 private:
  static std::int64_t shared_room(std::int64_t n) { return 3 * n * n + 16 * n; }

  I shared(std::int64_t n, T* d, T* e, T* z, T* memory, I* integers) const {
    const T largest = largest_of(n, d, e);
    for (std::int64_t i = 0; i < n; ++i) d[i] /= largest;
    for (std::int64_t i = 0; i + 1 < n; ++i) e[i] /= largest;
    const std::int64_t cut = n / 2;
    const T rho = e[cut - 1];
    d[cut - 1] -= std::abs(rho);
    d[cut] -= std::abs(rho);
    T *const q = memory, *const rest = memory + n * n;
    if (const I info = halves(2, cut, n, d, e, q, rest, integers); info != 0) return info;
    if (const I info = merge(n, cut, rho, d, q, z, rest, integers); info != 0) return info;
    for (std::int64_t i = 0; i < n; ++i) d[i] *= largest;
    return 0;
  }

  static constexpr std::int64_t least = 128;

  /// Of one matrix, or of two, of which the first has `cut` rows.
  I halves(int count, std::int64_t cut, std::int64_t n, T* d, T* e, T* z, T* memory, I* integers) const {
    I infos[2] = {};
    std::fill_n(z, n * n, T(0));
    share_parts(threads_, count, n * n * n, [&](std::int64_t half) {
      const std::int64_t first = half * cut, rows = half == 0 ? cut : n - cut, room = 1 + 4 * n + rows * rows;
      infos[half] =
          calls_.stedc(rows, d + first, e + first, z + first * (n + 1), n, memory + half * (1 + 4 * n + cut * cut),
                       room, integers + half * (3 + 5 * cut), 3 + 5 * rows);
    });
    return infos[0] != 0 ? infos[0] : infos[1];
  }

  /// Of both halves' matrices together plus rho times the product of a vector with itself, whose elements are those of
  /// the last row of the one half's vectors and the first one of the other's.
  I merge(std::int64_t n, std::int64_t cut, T rho, T* d, T* q, T* z, T* memory, I* integers) const {
    T *const row = memory, *const poles = row + n, *const weights = poles + n, *const vectors = weights + n;
    I *const order = integers, *const index = order + n, *const of_kinds = index + n, *const places = of_kinds + n,
             *const kinds = places + n;
    for (std::int64_t j = 0; j < n; ++j) {
      row[j] = q[j * n + (j < cut ? cut - 1 : cut)];
      order[j] = static_cast<I>(j < cut ? j + 1 : j - cut + 1);
    }
    I kept = 0;
    if (const I info = calls_.laed2(&kept, n, cut, d, q, order, &rho, row, poles, weights, vectors, index, of_kinds,
                                    places, kinds);
        info != 0) {
      return info;
    }
    const std::int64_t k = kept;
    if (k > 0) {
      // Columns of vectors: of the upper half alone, of both, of the lower one.
      const std::int64_t upper = kinds[0] + kinds[1], lower = kinds[1] + kinds[2];
      T* const some = vectors + cut * upper + (n - cut) * lower;
      if (const I info = roots(n, k, rho, d, q, poles, weights); info != 0) return info;
      find_vectors(n, k, q, poles, weights, some, of_kinds);
      share_ranges(threads_, k, k * (cut * upper + (n - cut) * lower),
                   [&](std::int64_t, std::int64_t first, std::int64_t count) {
                     T *const columns = q + first * n, *const own = some + first * std::max(upper, lower);
                     copy(lower, count, columns + kinds[0], n, own);
                     calls_.multiply(n - cut, count, lower, vectors + cut * upper, n - cut, own, lower, T(0),
                                     columns + cut, n);
                     copy(upper, count, columns, n, own);
                     calls_.multiply(cut, count, upper, vectors, cut, own, upper, T(0), columns, n);
                   });
      calls_.lamrg(k, n - k, d, order);
    } else {
      for (std::int64_t i = 0; i < n; ++i) order[i] = static_cast<I>(i + 1);
    }
    std::copy_n(d, n, row);
    share_ranges(threads_, n, n * n, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      for (std::int64_t j = first; j < first + count; ++j) {
        d[j] = row[order[j] - 1];
        std::copy_n(q + (order[j] - 1) * n, n, z + j * n);
      }
    });
    return 0;
  }

  /// The roots of 1 + rho sum of weights^2 / (poles - x) in d; column j gets what the poles are away from root j.
  I roots(std::int64_t n, std::int64_t k, T rho, T* d, T* q, const T* poles, const T* weights) const {
    std::atomic<I> wrong{0};
    share_ranges(threads_, k, k * k * 64, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      for (std::int64_t j = first; j < first + count; ++j) {
        if (const I info = calls_.laed4(k, j, poles, weights, q + j * n, rho, d + j); info != 0) wrong = info;
      }
    });
    return wrong;
  }

  /// Of the weights that have exactly these roots, the vectors, whose elements are ordered by kinds.
  void find_vectors(std::int64_t n, std::int64_t k, T* q, const T* poles, T* weights, T* memory, const I* order) const {
    if (k == 2) {  // They are there, in the other order.
      for (T* column : {q, q + n}) {
        const T both[] = {column[0], column[1]};
        for (int i : {0, 1}) column[i] = both[order[i] - 1];
      }
    }
    if (k <= 2) return;
    share_ranges(threads_, k, k * k * 4, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) memory[i] = q[i * (n + 1)];
      for (std::int64_t j = 0; j < k; ++j) {
        const T *const away = q + j * n, pole = poles[j];
        const auto times = [&](std::int64_t from, std::int64_t to) {
          for (std::int64_t i = from; i < to; ++i) memory[i] *= away[i] / (poles[i] - pole);
        };
        times(first, std::min(j, first + count));
        times(std::max(first, j + 1), first + count);
      }
      for (std::int64_t i = first; i < first + count; ++i)
        weights[i] = std::copysign(std::sqrt(-memory[i]), weights[i]);
    });
    share_ranges(threads_, k, k * k * 4, [&](std::int64_t part, std::int64_t first, std::int64_t count) {
      T* const x = memory + part * k;
      for (std::int64_t j = first; j < first + count; ++j) {
        T* const column = q + j * n;
        for (std::int64_t i = 0; i < k; ++i) x[i] = weights[i] / column[i];
        const T norm = norm_of(k, x);
        for (std::int64_t i = 0; i < k; ++i) column[i] = x[order[i] - 1] / norm;
      }
    });
  }

  /// From a matrix of n rows to one of `rows`.
  static void copy(std::int64_t rows, std::int64_t columns, const T* from, std::int64_t n, T* to) {
    for (std::int64_t j = 0; j < columns; ++j) std::copy_n(from + j * n, rows, to + j * rows);
  }

  const Calls& calls_;
  const int threads_;
};

}  // namespace koine::exec
