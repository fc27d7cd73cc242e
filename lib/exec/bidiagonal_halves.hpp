// SPDX-License-Identifier: Apache-2.0
// Singular values and vectors of an upper bidiagonal matrix by several threads: those of the rows above and below its
// middle side by side, by LAPACK, and what the row between them makes of these (Gu and Eisenstat, 1995), as LAPACK's
// bdsdc does it, whose parts are called.
#pragma once

#include "exec/halves_or_whole.hpp"
#include "exec/share_parts.hpp"
#include "exec/spectra_calls.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

namespace koine::exec {

/// Matrices are in column-major order, in the type T, float or double, with LAPACK's integers of type I.
template <class T, class I, class Calls = SpectraCalls<T, I>>
class BidiagonalHalves {
 public:
  BidiagonalHalves(const Calls& calls, int threads) : calls_(calls), threads_(threads) {}

  /// Elements of memory and integers that solve() takes.
  static std::int64_t room(std::int64_t n) { return shared_room(n) + 2 * n; }
  static std::int64_t integers(std::int64_t n) { return 16 * n; }

  /// The singular values, which fall, in d, and the vectors as columns of u, of n rows, and as rows of vt. Where a root
  /// is not found, LAPACK does it all. Gives its info.
  I solve(std::int64_t n, T* d, T* e, T* u, std::int64_t u_leading, T* vt, T* memory, I* integers) const {
    return halves_or_whole(
        divides(n, d, e), n, d, e, memory + shared_room(n),
        [&] { return shared(n, d, e, u, u_leading, vt, memory, integers); },
        [&] { return calls_.bdsdc(n, d, e, u, u_leading, vt, memory, integers); });
  }

 private:
  static std::int64_t shared_room(std::int64_t n) { return 4 * n * n + 40 * n; }

  // As LAPACK has it.
  static constexpr T small = std::numeric_limits<T>::epsilon() / 2 * T(0.9);

  /// Whether it is worth dividing, and nothing in it is apart, which LAPACK takes apart itself.
  static bool divides(std::int64_t n, const T* d, const T* e) {
    if (n < least) return false;
    const T largest = largest_of(n, d, e);
    return std::all_of(e, e + n - 1, [&](T x) { return std::abs(x) / largest >= small; });
  }

  I shared(std::int64_t n, T* d, T* e, T* u, std::int64_t u_leading, T* vt, T* memory, I* integers) const {
    const T largest = largest_of(n, d, e);
    for (std::int64_t i = 0; i < n; ++i) {
      d[i] /= largest;
      if (std::abs(d[i]) < small) d[i] = std::copysign(small, d[i]);
      if (i + 1 < n) e[i] /= largest;
    }
    const Cut cut{n / 2, n - n / 2 - 1};
    T *const left = memory, *const rest = memory + n * n;
    identity(n, left);
    identity(n, vt);
    I infos[2] = {};
    share_parts(threads_, 2, n * n * n, [&](std::int64_t half) {
      const std::int64_t first = half == 0 ? 0 : cut.above + 1, rows = half == 0 ? cut.above : cut.below;
      infos[half] = calls_.lasd0(rows, half == 0, d + first, e + first, left + first * (n + 1), n, vt + first * (n + 1),
                                 n, rest + half * n * n, integers + half * 8 * n);
    });
    if (const I info = infos[0] != 0 ? infos[0] : infos[1]; info != 0) return info;
    I* const order = integers;
    if (const I info = merge(cut, d, d[cut.above], e[cut.above], left, vt, rest, order); info != 0) return info;

    T* const values = rest;
    for (std::int64_t i = 0; i < n; ++i) values[i] = d[order[n - 1 - i] - 1] * largest;
    std::copy_n(values, n, d);
    share_ranges(threads_, n, n * n, [&](std::int64_t part, std::int64_t first, std::int64_t count) {
      T* const column = rest + part * n;
      for (std::int64_t j = first; j < first + count; ++j) {
        std::copy_n(left + (order[n - 1 - j] - 1) * n, n, u + j * u_leading);
        std::copy_n(vt + j * n, n, column);
        for (std::int64_t i = 0; i < n; ++i) vt[j * n + i] = column[order[n - 1 - i] - 1];
      }
    });
    return 0;
  }

  static constexpr std::int64_t least = 128;

  /// Rows above and below the one in the middle.
  struct Cut {
    std::int64_t above, below;
  };

  /// What the secular equation has of each row: poles of its squares, their weights, and rho.
  struct Secular {
    std::int64_t k;
    T *poles, *weights;
    T rho;
  };

  static void identity(std::int64_t n, T* x) {
    std::fill_n(x, n * n, T(0));
    for (std::int64_t i = 0; i < n; ++i) x[i * (n + 1)] = 1;
  }

  /// Of both halves and the row between them, whose elements are alpha and beta: `order` is that in which values rise.
  I merge(const Cut& cut, T* d, T alpha, T beta, T* u, T* vt, T* memory, I* order) const {
    const std::int64_t n = cut.above + 1 + cut.below;
    T *const poles = memory, *const weights = poles + n, *const u2 = weights + n, *const vt2 = u2 + n * n,
             *const q = vt2 + n * n;
    I *const places = order + n, *const index = places + n, *const of_kinds = index + n, *const kinds = of_kinds + n;
    d[cut.above] = 0;
    T largest = std::max(std::abs(alpha), std::abs(beta));
    for (std::int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(d[i]));
    for (std::int64_t i = 0; i < n; ++i) d[i] /= largest;
    rising(cut.above, d, order);
    rising(cut.below, d + cut.above + 1, order + cut.above + 1);

    I kept = 0;
    if (const I info = calls_.lasd2(cut.above, cut.below, &kept, d, weights, alpha / largest, beta / largest, u, vt,
                                    poles, u2, vt2, places, index, of_kinds, order, kinds);
        info != 0) {
      return info;
    }
    Secular s{kept, poles, weights, 0};
    if (const I info = s.k == 1 ? one_root(s, n, d, u, vt, u2, vt2) : roots(s, n, d, u, vt, memory + 3 * n * n + 2 * n);
        info != 0) {
      return info;
    }
    if (s.k > 1) {
      left_vectors(s, cut, u, vt, u2, q, of_kinds, kinds);
      right_vectors(s, cut, vt, vt2, q, of_kinds, kinds);
    }
    for (std::int64_t i = 0; i < n; ++i) d[i] *= largest;
    calls_.lamrg(s.k, n - s.k, d, order);
    return 0;
  }

  static void rising(std::int64_t n, const T* d, I* order) {
    std::iota(order, order + n, I(1));
    std::stable_sort(order, order + n, [&](I a, I b) { return d[a - 1] < d[b - 1]; });
  }

  static I one_root(const Secular& s, std::int64_t n, T* d, T* u, T* vt, const T* u2, const T* vt2) {
    const T sign = std::copysign(T(1), s.weights[0]);
    d[0] = std::abs(s.weights[0]);
    for (std::int64_t i = 0; i < n; ++i) {
      u[i] = u2[i] * sign;
      vt[i * n] = vt2[i * n];
    }
    return 0;
  }

  /// The roots in d; column j of u and of vt gets the differences and the sums of poles and root j. Weights become
  /// those that have exactly these roots.
  I roots(Secular& s, std::int64_t n, T* d, T* u, T* vt, T* memory) const {
    const std::int64_t k = s.k;
    const T norm = norm_of(k, s.weights);
    for (std::int64_t i = 0; i < k; ++i) s.weights[i] /= norm;
    s.rho = norm * norm;
    std::atomic<I> wrong{0};
    share_ranges(threads_, k, k * k * 64, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      for (std::int64_t j = first; j < first + count; ++j) {
        const I info = calls_.lasd4(k, j, s.poles, s.weights, u + j * n, s.rho, d + j, vt + j * n);
        if (info != 0) wrong = info;
      }
    });
    if (wrong != 0) return wrong;
    share_ranges(threads_, k, k * k * 8, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      const std::int64_t end = first + count, last = k - 1;
      T* const product = memory;
      for (std::int64_t i = first; i < end; ++i) product[i] = u[last * n + i] * vt[last * n + i];
      for (std::int64_t j = 0; j < last; ++j) {
        const T *const differences = u + j * n, *const sums = vt + j * n;
        const auto times = [&](std::int64_t from, std::int64_t to, T pole) {
          for (std::int64_t i = from; i < to; ++i) {
            product[i] *= differences[i] * sums[i] / (s.poles[i] - pole) / (s.poles[i] + pole);
          }
        };
        times(first, std::min(j + 1, end), s.poles[j + 1]);
        times(std::max(first, j + 1), end, s.poles[j]);
      }
      for (std::int64_t i = first; i < end; ++i) {
        s.weights[i] = std::copysign(std::sqrt(std::abs(product[i])), s.weights[i]);
      }
    });
    return 0;
  }

  /// Column i of q becomes column i of x, ordered by kinds and normalised.
  static void put_column(std::int64_t k, const T* x, const I* order, T* q) {
    const T norm = norm_of(k, x);
    q[0] = x[0] / norm;
    for (std::int64_t j = 1; j < k; ++j) q[j] = x[order[j] - 1] / norm;
  }

  void left_vectors(const Secular& s, const Cut& cut, T* u, T* vt, const T* u2, T* q, const I* order,
                    const I* kinds) const {
    const std::int64_t k = s.k, above = cut.above, below = cut.below, n = above + 1 + below;
    // Columns of u2 behind the first one: of the rows above, of those below, of both.
    const std::int64_t of_above = kinds[0], of_below = kinds[1], of_both = kinds[2];
    share_ranges(threads_, k, k * k * n, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) {
        T *const x = u + i * n, *const y = vt + i * n;
        for (std::int64_t j = 0; j < k; ++j) {
          y[j] = s.weights[j] / x[j] / y[j];
          x[j] = s.poles[j] * y[j];
        }
        x[0] = -1;
        put_column(k, x, order, q + i * k);
      }
      T *const to = u + first * n, *const from = q + first * k;
      if (k == 2) return calls_.multiply(n, count, k, u2, n, from, k, T(0), to, n);
      const std::int64_t both = 1 + of_above + of_below;
      calls_.multiply(above, count, of_above, u2 + n, n, from + 1, k, T(0), to, n);
      calls_.multiply(above, count, of_both, u2 + both * n, n, from + both, k, T(1), to, n);
      for (std::int64_t i = 0; i < count; ++i) to[i * n + above] = from[i * k];
      calls_.multiply(below, count, of_below + of_both, u2 + (1 + of_above) * n + above + 1, n, from + 1 + of_above, k,
                      T(0), to + above + 1, n);
    });
  }

  /// Of what left_vectors() made of vt.
  void right_vectors(const Secular& s, const Cut& cut, T* vt, const T* vt2, T* q, const I* order,
                     const I* kinds) const {
    const std::int64_t k = s.k, n = cut.above + 1 + cut.below;
    const std::int64_t of_above = kinds[0], of_below = kinds[1], of_both = kinds[2];
    share_ranges(threads_, k, k * k, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) put_column(k, vt + i * n, order, q + i * k);
    });
    share_ranges(threads_, n, k * k * n, [&](std::int64_t, std::int64_t first, std::int64_t count) {
      const auto add = [&](std::int64_t from, std::int64_t columns, std::int64_t row, std::int64_t rows, T keep) {
        calls_.multiply_transposed(k, columns, rows, q + row, k, vt2 + from * n + row, n, keep, vt + from * n, n);
      };
      if (k == 2) return add(first, count, 0, k, T(0));
      const std::int64_t middle = std::clamp(cut.above + 1, first, first + count), right = first + count - middle;
      add(first, middle - first, 0, 1 + of_above, T(0));
      add(first, middle - first, 1 + of_above + of_below, of_both, T(1));
      add(middle, right, 0, 1, T(0));
      add(middle, right, 1 + of_above, of_below + of_both, T(1));
    });
  }

  const Calls& calls_;
  const int threads_;
};

}  // namespace koine::exec
