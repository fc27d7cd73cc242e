// SPDX-License-Identifier: Apache-2.0
// Products of a matrix with many reflections, which threads share: blocks of them are I - V T V^T (Schreiber and Van
// Loan, 1989), so that matrix products do the work.
#pragma once

#include "exec/share_parts.hpp"
#include "exec/spectra_calls.hpp"

#include <algorithm>
#include <cstdint>

namespace koine::exec {

/// Q = (I - tau_0 v_0 v_0^T) (I - tau_1 v_1 v_1^T) ..., of `count` vectors of n elements. Matrices are in column-major
/// order.
template <class T, class I>
class Reflections {
 public:
  /// Elements of memory for these and for a product with a matrix of so many columns or rows.
  static std::int64_t room(std::int64_t n, std::int64_t count, std::int64_t others) {
    return 2 * n * count + block * (others + 2 * (count + block));
  }

  /// put(k, v) writes v_k over zeros and gives tau_k. Elements of v_k and those behind it lie from `begin + k` on, or,
  /// if `shrinking`, before n - 1 - k.
  template <class Put>
  Reflections(const SpectraCalls<T, I>& calls, int threads, std::int64_t n, std::int64_t count, std::int64_t begin,
              bool shrinking, T* memory, const Put& put)
      : calls_(calls),
        threads_(threads),
        n_(n),
        count_(count),
        begin_(begin),
        shrinking_(shrinking),
        v_(memory),
        vt_(v_ + n * count),
        room_(vt_ + n * count) {
    share_parts(threads, (count + block - 1) / block, n * n * count, [&](std::int64_t number) {
      const Block b(*this, number);
      T *const squares = room_ + 2 * b.first * block, *const t = squares + block * block;
      T taus[block];
      std::fill_n(v_ + b.first * n, b.width * n, T(0));
      for (std::int64_t k = 0; k < b.width; ++k) taus[k] = put(b.first + k, v_ + (b.first + k) * n);
      calls.multiply_transposed(b.width, b.width, b.rows, b.v, n, b.v, n, T(0), squares, block);
      for (std::int64_t j = 0; j < b.width; ++j) {
        for (std::int64_t i = 0; i < b.width; ++i) {
          T sum = 0;
          for (std::int64_t l = i; l < j; ++l) sum += t[l * block + i] * squares[j * block + l];
          t[j * block + i] = i < j ? -taus[j] * sum : i == j ? taus[j] : T(0);
        }
      }
      calls.multiply(b.rows, b.width, b.width, b.v, n, t, block, T(0), b.vt, n);
    });
  }

  /// X becomes Q X, ...
  void from_left(std::int64_t columns, T* x, std::int64_t leading) const {
    share_strips(columns, [&](std::int64_t first, std::int64_t width, const Block& b, T* some) {
      T* const at = x + first * leading + b.row;
      calls_.multiply_transposed(b.width, width, b.rows, b.v, n_, at, leading, T(0), some, block);
      calls_.take_away(b.rows, width, b.width, b.vt, n_, some, block, at, leading);
    });
  }
  /// ... or X Q^T.
  void from_right(std::int64_t rows, T* x, std::int64_t leading) const {
    share_strips(rows, [&](std::int64_t first, std::int64_t width, const Block& b, T* some) {
      T* const at = x + b.row * leading + first;
      calls_.multiply(width, b.width, b.rows, at, leading, b.v, n_, T(0), some, width);
      calls_.take_away_turned(width, b.rows, b.width, some, width, b.vt, n_, at, leading);
    });
  }

 private:
  // Vectors of a block, and columns or rows of what is multiplied. They decide the order of sums.
  static constexpr std::int64_t block = 64, strip = 128;

  /// Where the vectors of a block are not 0.
  struct Block {
    Block(const Reflections& all, std::int64_t number)
        : first(number * block),
          width(std::min(block, all.count_ - first)),
          row(all.shrinking_ ? 0 : all.begin_ + first),
          rows(all.shrinking_ ? all.n_ - 1 - first : all.n_ - row),
          v(all.v_ + first * all.n_ + row),
          vt(all.vt_ + first * all.n_ + row) {}
    const std::int64_t first, width, row, rows;
    T *const v, *const vt;
  };

  /// Calls work(first, width, block, room) for strips of what has so many columns or rows: for all blocks, the last one
  /// first.
  template <class Work>
  void share_strips(std::int64_t all, const Work& work) const {
    share_parts(threads_, (all + strip - 1) / strip, n_ * count_ * all, [&](std::int64_t number) {
      const std::int64_t first = number * strip, width = std::min(strip, all - first);
      for (std::int64_t b = (count_ + block - 1) / block; b-- > 0;) {
        work(first, width, Block(*this, b), room_ + first * block);
      }
    });
  }

  const SpectraCalls<T, I>& calls_;
  const int threads_;
  const std::int64_t n_, count_, begin_;
  const bool shrinking_;
  T *const v_, *const vt_, *const room_;
};

}  // namespace koine::exec
