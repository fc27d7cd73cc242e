// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and singular values of one large real matrix by several threads: LAPACK's steps, as its syevd and gesdd
// take them, of which the products with vectors' reflections divide into columns, or rows, of the result.
#pragma once

#include "exec/host_lapack.hpp"
#include "exec/lapack_blocks.hpp"
#include "koine/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace koine::exec {

/// Matrices are in column-major order, in the type T, float or double, with LAPACK's integers of type I.
template <class T, class I>
class SpectraParts {
 public:
  /// Rows from which several threads are worth their start.
  static constexpr std::int64_t least = 256;

  SpectraParts(const HostLapack& lapack, DType type)
      : sytrd_(lapack.find(type, "sytrd")),
        stedc_(lapack.find(type, "stedc")),
        ormtr_(lapack.find(type, "ormtr")),
        gebrd_(lapack.find(type, "gebrd")),
        bdsdc_(lapack.find(type, "bdsdc")),
        ormbr_(lapack.find(type, "ormbr")) {}

  bool complete() const {
    return sytrd_ != nullptr && stedc_ != nullptr && ormtr_ != nullptr && gebrd_ != nullptr && bdsdc_ != nullptr &&
           ormbr_ != nullptr;
  }

  /// Whether elements of that magnitude, the largest, need no scaling before their squares are added up.
  static bool in_range(T largest) {
    // As LAPACK has it.
    const T least_number = std::sqrt(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon());
    return largest >= least_number && largest <= 1 / least_number;
  }

  /// Elements of work and integers that eigen() takes, for n rows, ...
  static std::size_t eigen_work(std::size_t n) { return 2 * n + std::max(1 + 4 * n + n * n, n * of_reflections); }
  static std::size_t eigen_integers(std::size_t n) { return 3 + 5 * n; }
  /// ... and singular(), for n columns and m >= n rows.
  static std::size_t singular_work(std::size_t m, std::size_t n) {
    return 3 * n + std::max(3 * n * n + 4 * n, m * of_reflections);
  }
  static std::size_t singular_integers(std::size_t n) { return 8 * n; }

  /// Of a symmetric matrix, of which the upper triangle is read and lost, the eigenvalues, which rise, and the vectors
  /// as columns of z. Gives LAPACK's info.
  I eigen(int threads, std::int64_t n, T* a, T* values, T* z, T* memory, I* integers) const {
    T *const off_diagonal = memory, *const tau = memory + n, *const work = memory + 2 * n;
    const I size = static_cast<I>(n), length = static_cast<I>(eigen_work(static_cast<std::size_t>(n)) - 2 * n),
            count = static_cast<I>(eigen_integers(static_cast<std::size_t>(n)));
    I info = 0;
    reinterpret_cast<void (*)(const char*, const I*, T*, const I*, T*, T*, T*, T*, const I*, I*, std::size_t)>(sytrd_)(
        "U", &size, a, &size, values, off_diagonal, tau, work, &length, &info, 1);
    reinterpret_cast<void (*)(const char*, const I*, T*, T*, T*, const I*, T*, const I*, I*, const I*, I*,
                              std::size_t)>(stedc_)("I", &size, values, off_diagonal, z, &size, work, &length, integers,
                                                    &count, &info, 1);
    if (info != 0) return info;
    share_columns(threads, n, [&](std::int64_t first, std::int64_t columns) {
      const I width = static_cast<I>(columns), room = static_cast<I>(columns * of_reflections);
      I none = 0;
      reinterpret_cast<void (*)(const char*, const char*, const char*, const I*, const I*, const T*, const I*, const T*,
                                T*, const I*, T*, const I*, I*, std::size_t, std::size_t, std::size_t)>(ormtr_)(
          "L", "U", "N", &size, &width, a, &size, tau, z + first * n, &size, work + first * of_reflections, &room,
          &none, 1, 1, 1);
    });
    return 0;
  }

  /// Of an m x n matrix with m >= n, which is lost, the singular values, which fall, U, m x n, and V^T, n x n. Gives
  /// LAPACK's info.
  I singular(int threads, std::int64_t m, std::int64_t n, T* a, T* values, T* u, T* vt, T* memory, I* integers) const {
    T *const off_diagonal = memory, *const tau_q = memory + n, *const tau_p = memory + 2 * n,
             *const work = memory + 3 * n;
    const I rows = static_cast<I>(m), columns = static_cast<I>(n),
            length = static_cast<I>(singular_work(static_cast<std::size_t>(m), static_cast<std::size_t>(n)) - 3 * n);
    I info = 0;
    reinterpret_cast<void (*)(const I*, const I*, T*, const I*, T*, T*, T*, T*, T*, const I*, I*)>(gebrd_)(
        &rows, &columns, a, &rows, values, off_diagonal, tau_q, tau_p, work, &length, &info);
    std::fill_n(u, m * n, T(0));
    T unused{};
    I unused_integer{};
    reinterpret_cast<void (*)(const char*, const char*, const I*, T*, T*, T*, const I*, T*, const I*, T*, I*, T*, I*,
                              I*, std::size_t, std::size_t)>(bdsdc_)("U", "I", &columns, values, off_diagonal, u, &rows,
                                                                     vt, &columns, &unused, &unused_integer, work,
                                                                     integers, &info, 1, 1);
    if (info != 0) return info;
    const auto reflect = [&](const char* which, const char* side, const char* turn, I result_rows, I result_columns,
                             I reflections, const T* tau, T* result, I leading, T* room, I room_length) {
      I none = 0;
      reinterpret_cast<void (*)(const char*, const char*, const char*, const I*, const I*, const I*, const T*, const I*,
                                const T*, T*, const I*, T*, const I*, I*, std::size_t, std::size_t, std::size_t)>(
          ormbr_)(which, side, turn, &result_rows, &result_columns, &reflections, a, &rows, tau, result, &leading, room,
                  &room_length, &none, 1, 1, 1);
    };
    share_columns(threads, n, [&](std::int64_t first, std::int64_t count) {
      reflect("Q", "L", "N", rows, static_cast<I>(count), columns, tau_q, u + first * m, rows,
              work + first * of_reflections, static_cast<I>(count * of_reflections));
    });
    share_columns(threads, n, [&](std::int64_t first, std::int64_t count) {
      reflect("P", "R", "T", static_cast<I>(count), columns, columns, tau_p, vt + first, columns,
              work + first * of_reflections, static_cast<I>(count * of_reflections));
    });
    return 0;
  }

 private:
  /// Elements of work for each column that reflections are applied to: LAPACK takes 64, and for each call 65 * 64, of
  /// at least 32 columns.
  static constexpr std::int64_t of_reflections = 256;

  void *sytrd_, *stedc_, *ormtr_, *gebrd_, *bdsdc_, *ormbr_;
};

}  // namespace koine::exec
