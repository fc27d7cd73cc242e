// SPDX-License-Identifier: Apache-2.0
// The QR factorisation of one matrix by several threads: LAPACK factorises blocks of columns, and products do to other
// columns what the reflections of a block, I - V T V^H (Schreiber and Van Loan, 1989), do to them. The matrix and its
// factors are in row-major order, whose transposes products take as they lie; only blocks are copied, column by column.
#pragma once

#include "exec/column_step.hpp"
#include "exec/conjugate.hpp"
#include "exec/lapack_calls.hpp"
#include "exec/share_parts.hpp"

#include <algorithm>
#include <cstdint>

namespace koine::exec {

template <class T, class I>
class QrParts {
 public:
  /// Elements of memory for m x n matrices of which Q has so many columns, n or more, or m.
  static std::int64_t room(std::int64_t m, std::int64_t n, std::int64_t columns) {
    return 2 * column_step<T>(m) * std::min(m, n) + block * (block + std::max(n, columns));
  }

  QrParts(const LapackCalls<T, I>& lapack, int threads, std::int64_t m, std::int64_t n, std::int64_t columns, T* memory)
      : lapack_(lapack),
        threads_(threads),
        m_(m),
        n_(n),
        columns_(columns),
        reflected_(std::min(m, n)),
        step_(column_step<T>(m)),
        v_(memory),
        vt_(v_ + step_ * reflected_),
        t_(vt_ + step_ * reflected_),
        room_(t_ + block * block) {}

  /// x = Q R; Q is m x columns, R columns x n.
  void factorise(const T* x, T* q, T* r) const {
    T* const left = m_ > n_ ? q : r;  // of x, with R above it: the one of its size, or with room for it
    std::copy_n(x, m_ * n_, left);
    reduce(left);
    if (left == q) {
      for (std::int64_t i = 0; i < columns_; ++i) {
        const std::int64_t zeros = std::min(i, n_);
        std::fill_n(r + i * n_, zeros, T(0));
        std::copy_n(q + i * n_ + zeros, n_ - zeros, r + i * n_ + zeros);
      }
    }
    multiply_out(q);
  }

 private:
  // Columns of a block, and of what a thread takes of the others. They decide the order of sums.
  static constexpr std::int64_t block = 64, strip = 128;

  /// Reflections of a block, from the row of their first column on.
  struct Block {
    Block(const QrParts& all, std::int64_t begin)
        : first(begin),
          width(std::min(block, all.reflected_ - first)),
          rows(all.m_ - first),
          v(all.v_ + first * all.step_ + first),
          vt(all.vt_ + first * all.step_ + first) {}
    const std::int64_t first, width, rows;
    T *const v, *const vt;  ///< V, and V T, in column-major order
  };

  void reduce(T* left) const {
    find(left, 0);
    for (std::int64_t first = 0; first < reflected_; first += block) {
      const Block b(*this, first);
      const std::int64_t next = first + b.width, wide = std::min(block, reflected_ - next), others = next + wide;
      // The thread with the next block's columns goes on to find their reflections, while others are at work.
      share_parts(threads_, 1 + (n_ - others + strip - 1) / strip, b.rows * b.width * (n_ - next),
                  [&](std::int64_t part) {
                    if (part > 0) {
                      const std::int64_t column = others + (part - 1) * strip;
                      reflect(b, left, column, std::min(strip, n_ - column));
                    } else if (wide > 0) {
                      reflect(b, left, next, wide);
                      find(left, next);
                    }
                  });
    }
  }

  /// Those of the block whose first column and row that is, which leave R on and above the diagonal.
  void find(T* left, std::int64_t first) const {
    const Block b(*this, first);
    T* const corner = left + first * n_ + first;
    for (std::int64_t i = 0; i < b.rows; ++i) {
      for (std::int64_t j = 0; j < b.width; ++j) b.v[j * step_ + i] = corner[i * n_ + j];
    }
    lapack_.geqrt3(b.rows, b.width, b.v, step_, t_, block);
    for (std::int64_t i = 0; i < b.rows; ++i) {
      std::fill_n(corner + i * n_, std::min(i, b.width), T(0));
      for (std::int64_t j = i; j < b.width; ++j) {
        corner[i * n_ + j] = b.v[j * step_ + i];
        b.v[j * step_ + i] = T(j == i ? 1 : 0);
        if (j > i) t_[i * block + j] = T(0);
      }
    }
    lapack_.multiply("N", "N", b.rows, b.width, b.width, T(1), b.v, step_, t_, block, T(0), b.vt, step_);
  }

  /// The adjoint of a block's reflections times `count` columns.
  void reflect(const Block& b, T* left, std::int64_t column, std::int64_t count) const {
    T *const some = left + b.first * n_ + column, *const w = room_ + block * column;
    lapack_.multiply("C", "T", b.width, count, b.rows, T(1), b.vt, step_, some, n_, T(0), w, block);
    lapack_.multiply("T", "T", count, b.rows, b.width, T(-1), w, block, b.v, step_, T(1), some, n_);
  }

  /// All reflections times the first columns of the identity. Rows before a block's are zeros where it begins.
  void multiply_out(T* q) const {
    const std::int64_t strips = (columns_ + block - 1) / block, blocks = (reflected_ + block - 1) / block;
    share_parts(threads_, strips, m_ * reflected_ * columns_, [&](std::int64_t part) {
      const std::int64_t number = strips - 1 - part;  // the one that takes longest first
      const std::int64_t column = number * block, count = std::min(block, columns_ - column);
      T* const w = room_ + block * column;
      for (std::int64_t i = 0; i < m_; ++i) std::fill_n(q + i * columns_ + column, count, T(0));
      for (std::int64_t j = column; j < column + count; ++j) q[j * columns_ + j] = T(1);
      const std::int64_t last = std::min(number, blocks - 1);
      for (std::int64_t k = last; k >= 0; --k) {
        const Block b(*this, k * block);
        T* const some = q + b.first * columns_ + column;
        if (k == last) {  // V^H times ones and zeros
          for (std::int64_t j = 0; j < count; ++j) {
            for (std::int64_t i = 0; i < b.width; ++i) {
              w[j * block + i] = conjugate(b.v[i * step_ + column - b.first + j]);
            }
          }
        } else {
          lapack_.multiply("C", "T", b.width, count, b.rows, T(1), b.v, step_, some, columns_, T(0), w, block);
        }
        lapack_.multiply("T", "T", count, b.rows, b.width, T(-1), w, block, b.vt, step_, T(1), some, columns_);
      }
    });
  }

  const LapackCalls<T, I>& lapack_;
  const int threads_;
  const std::int64_t m_, n_, columns_, reflected_, step_;
  T *const v_, *const vt_, *const t_, *const room_;
};

}  // namespace koine::exec
