// SPDX-License-Identifier: Apache-2.0
// Reductions of one real matrix to tridiagonal and to bidiagonal form by several threads. As in LAPACK's sytrd and
// gebrd (Dongarra, Sorensen and Hammarling, 1989), the reflections of a panel's columns are found first, and then taken
// from the rest of the matrix by products; a column of a panel costs a pass over that rest, whose columns the threads
// share in strips, the same ones whatever their number is.
#pragma once

#include "exec/column_step.hpp"
#include "exec/share_parts.hpp"
#include "exec/spectra_calls.hpp"
#include "host/two_sided.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace koine::exec {

/// Matrices are in column-major order. Columns begin at multiples of 64 bytes, if the first one does.
template <class T, class I>
class TwoSided {
 public:
  TwoSided(const SpectraCalls<T, I>& calls, int threads) : calls_(calls), threads_(threads) {}

  static std::int64_t leading(std::int64_t rows) { return column_step<T>(rows); }
  /// Elements of memory that a reduction takes.
  static std::int64_t room(std::int64_t rows) { return (2 * 2 * panel + strips + 2) * leading(rows); }

  /// The upper triangle of a symmetric matrix becomes what LAPACK's sytrd makes of it, with `leading(n)`. What lies
  /// below it is lost.
  void tridiagonal(std::int64_t n, T* a, T* diagonal, T* off_diagonal, T* tau, T* memory) const {
    const std::int64_t step = leading(n);
    const Panel p(step, step, memory);
    for (std::int64_t end = n; end > 0;) {
      const std::int64_t first = std::max<std::int64_t>(0, end - panel);
      for (std::int64_t i = end; i-- > first;) {
        const std::int64_t depth = 2 * (end - 1 - i);
        T* const column = a + i * step;
        calls_.add_product("N", i + 1, depth, T(-1), p.left, step, p.right + i, step, column, 1);
        diagonal[i] = column[i];
        if (i == 0) break;
        tau[i - 1] = calls_.reflect(i, column[i - 1], column, 1);
        off_diagonal[i - 1] = column[i - 1];
        T *const v = p.left + depth * step, *const w = p.right + depth * step;
        std::copy_n(column, i - 1, v);
        v[i - 1] = 1;
        std::fill(v + i, v + step, T(0));
        multiply(i, a, step, v, w, p);
        calls_.add_product("T", i, depth, T(1), p.left, step, v, 1, clear(p.some, depth), 1);
        calls_.add_product("N", i, depth, T(-1), p.right, step, p.some, 1, w, 1);
        T dot = 0;
        for (std::int64_t row = 0; row < i; ++row) dot += (w[row] *= tau[i - 1]) * v[row];
        const T of_v = -dot * tau[i - 1] / 2;
        for (std::int64_t row = 0; row < i; ++row) w[row] += of_v * v[row];
        std::copy_n(w, i, v + step);
        std::copy_n(v, i, w + step);
      }
      const Strips of_rest(first);
      share_parts(threads_, of_rest.count, first * first * panel, [&](std::int64_t strip) {
        const std::int64_t from = of_rest.begin[strip], to = of_rest.begin[strip + 1];
        calls_.take_away_turned(to, to - from, 2 * (end - first), p.left, step, p.right + from, step, a + from * step,
                                step);
      });
      end = first;
    }
  }

  /// An m x n matrix with m >= n, with `leading(m)` and zeros to the ends of its columns, becomes what LAPACK's gebrd
  /// makes of it.
  void bidiagonal(std::int64_t m, std::int64_t n, T* a, T* diagonal, T* off_diagonal, T* tau_q, T* tau_p,
                  T* memory) const {
    const std::int64_t step = leading(m), right_step = leading(n);
    const Panel p(step, right_step, memory);
    for (std::int64_t first = 0; first < n; first += panel) {
      const std::int64_t end = std::min(first + panel, n);
      for (std::int64_t i = first; i < end; ++i) {
        const std::int64_t depth = 2 * (i - first), next = i + 1, below = m - next, beside = n - next;
        T *const column = a + i * step, *const u = p.left + depth * step;
        calls_.add_product("N", m - i, depth, T(-1), p.left + i, step, p.right + i, right_step, column + i, 1);
        tau_q[i] = calls_.reflect(m - i, column[i], column + next, 1);
        diagonal[i] = column[i];
        tau_p[i] = 0;
        if (beside == 0) break;
        std::fill_n(u, i, T(0));
        u[i] = 1;
        std::copy_n(column + next, step - next, u + next);

        T *const y = p.right + depth * right_step, *const v = y + right_step, *const x = u + step, *const row = p.row;
        calls_.add_product("T", m - i, depth, T(1), p.left + i, step, u + i, 1, clear(p.some, depth), 1);
        calls_.add_product("N", beside, depth, T(1), p.right + next, right_step, p.some, 1, clear(y + next, beside), 1);
        calls_.add_product("N", beside, depth, T(1), p.right + next, right_step, p.left + i, step,
                           clear(row + next, beside), 1);
        multiply_both(i, m, n, a, step, u, tau_q[i], y, row, x, p);

        const T head = row[next];
        tau_p[i] = calls_.reflect(beside, row[next], row + next + 1, 1);
        const T beta = off_diagonal[i] = row[next];
        for (std::int64_t j = next; j < n; ++j) a[j * step + i] = row[j];
        v[next] = 1;
        std::copy_n(row + next + 1, beside - 1, v + next + 1);
        // A v out of A times the row itself, which is beta e + (head - beta) v.
        const T* const beside_it = a + next * step;
        if (std::abs(beta) >= least_) {
          const T by = tau_p[i] == 0 ? 0 : tau_p[i] / (head - beta);
          for (std::int64_t k = next; k < m; ++k) x[k] = by * (x[k] - beta * beside_it[k]);
        } else {
          calls_.add_product("N", below, beside, tau_p[i], beside_it + next, step, v + next, 1, clear(x + next, below),
                             1);
        }
        calls_.add_product("T", beside, depth + 1, tau_p[i], p.right + next, right_step, v + next, 1,
                           clear(p.some, depth + 1), 1);
        calls_.add_product("N", below, depth + 1, T(-1), p.left + next, step, p.some, 1, x + next, 1);
      }
      const std::int64_t rest = n - end, count = std::clamp<std::int64_t>(rest / 64, 1, strips);
      share_parts(threads_, count, (m - end) * rest * panel, [&](std::int64_t strip) {
        const std::int64_t from = end + rest * strip / count, to = end + rest * (strip + 1) / count;
        calls_.take_away_turned(m - end, to - from, 2 * (end - first), p.left + end, step, p.right + from, right_step,
                                a + from * step + end, step);
      });
    }
  }

 private:
  static constexpr std::int64_t line = 64 / sizeof(T);
  // Columns of a panel, and strips of columns. They decide the order of sums.
  static constexpr std::int64_t panel = 32, strips = 8;

  /// What is to be taken from the matrix, left * right^T. Of a symmetric one each reflection adds v and w on the left,
  /// w and v on the right.
  struct Panel {
    Panel(std::int64_t rows, std::int64_t columns, T* memory)
        : left(memory),
          right(left + 2 * panel * rows),
          sums(right + 2 * panel * columns),
          row(sums + strips * rows),
          some(row + rows) {}
    T *left, *right, *sums, *row, *some;
  };

  /// Columns of a triangle of n rows, about the same number of elements in each strip.
  struct Strips {
    explicit Strips(std::int64_t n) : count(std::clamp<std::int64_t>(n / 64, 1, strips)) {
      for (std::int64_t k = 0; k < count; ++k) {
        const double share = std::sqrt(static_cast<double>(k) / static_cast<double>(count));
        begin[static_cast<std::size_t>(k)] = static_cast<std::int64_t>(share * static_cast<double>(n)) / line * line;
      }
      begin[static_cast<std::size_t>(count)] = n;
    }
    std::int64_t count;
    std::array<std::int64_t, strips + 1> begin{};
  };

  static T* clear(T* x, std::int64_t n) {
    std::fill_n(x, n, T(0));
    return x;
  }

  /// y = A x, of a symmetric matrix of n rows.
  void multiply(std::int64_t n, const T* a, std::int64_t step, const T* x, T* y, const Panel& p) const {
    const Strips of_all(n);
    const std::int64_t padded = (n + line - 1) / line * line;
    share_parts(threads_, of_all.count, n * n, [&](std::int64_t strip) {
      T* const sums = clear(strip == 0 ? y : p.sums + strip * step, padded);
      host::two_sided<T>().symmetric(a, step, of_all.begin[strip], of_all.begin[strip + 1], x, sums);
    });
    for (std::int64_t strip = 1; strip < of_all.count; ++strip) {
      const T* const sums = p.sums + strip * step;
      for (std::int64_t row = 0, last = of_all.begin[strip + 1]; row < last; ++row) y[row] += sums[row];
    }
  }

  /// Of columns behind the i-th: y = scale (A^T u - y), row = A's row i - row - y, and x = A row.
  void multiply_both(std::int64_t i, std::int64_t m, std::int64_t n, const T* a, std::int64_t step, const T* u, T scale,
                     T* y, T* row, T* x, const Panel& p) const {
    const std::int64_t begin = i / line * line, rows = (m + line - 1) / line * line - begin, columns = n - i - 1;
    const std::int64_t count = std::clamp<std::int64_t>(columns / 64, 1, strips);
    const auto sums_of = [&](std::int64_t strip) { return strip == 0 ? x : p.sums + strip * step; };
    share_parts(threads_, count, rows * columns, [&](std::int64_t strip) {
      const std::int64_t from = i + 1 + columns * strip / count, to = i + 1 + columns * (strip + 1) / count;
      T* const sums = clear(sums_of(strip) + begin, rows);
      host::two_sided<T>().both_sides(a + from * step + begin, step, rows, to - from, i - begin, u + begin, scale,
                                      y + from, row + from, sums);
    });
    for (std::int64_t strip = 1; strip < count; ++strip) {
      const T* const sums = sums_of(strip);
      for (std::int64_t k = i + 1; k < m; ++k) x[k] += sums[k];
    }
  }

  // Of a row that is so small, products may be too small for their digits.
  static constexpr T least_ =
      std::numeric_limits<T>::min() / (std::numeric_limits<T>::epsilon() * std::numeric_limits<T>::epsilon());

  const SpectraCalls<T, I>& calls_;
  const int threads_;
};

}  // namespace koine::exec
