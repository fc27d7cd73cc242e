// SPDX-License-Identifier: Apache-2.0
// Functions of LAPACK and of the BLAS for eigenvalues and singular values, as C++: matrices in column-major order, in
// the type T, float or double, with integers of type I.
#pragma once

#include "exec/host_lapack.hpp"
#include "koine/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace koine::exec {

/// The norm of a vector whose squares are within double's range.
template <class T>
T norm_of(std::int64_t n, const T* x) {
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return static_cast<T>(std::sqrt(squares));
}

template <class T, class I>
class SpectraCalls {
 public:
  SpectraCalls(const HostLapack& lapack, DType type)
      : larfg_(lapack.find(type, "larfg")),
        stedc_(lapack.find(type, "stedc")),
        laed2_(lapack.find(type, "laed2")),
        laed4_(lapack.find(type, "laed4")),
        lamrg_(lapack.find(type, "lamrg")),
        bdsdc_(lapack.find(type, "bdsdc")),
        lasd0_(lapack.find(type, "lasd0")),
        lasd2_(lapack.find(type, "lasd2")),
        lasd4_(lapack.find(type, "lasd4")),
        gemv_(lapack.find(type, "gemv")),
        gemm_(lapack.find(type, "gemm")) {}

  bool complete() const {
    const void* const all[] = {larfg_, stedc_, laed2_, laed4_, lamrg_, bdsdc_, lasd0_, lasd2_, lasd4_, gemv_, gemm_};
    return std::find(std::begin(all), std::end(all), nullptr) == std::end(all);
  }

  /// y += scale A x, or A^T x for "T"; A is m x n.
  void add_product(const char* turn, std::int64_t m, std::int64_t n, T scale, const T* a, std::int64_t a_leading,
                   const T* x, std::int64_t x_step, T* y, std::int64_t y_step) const {
    using Function = void (*)(const char*, const I*, const I*, const T*, const T*, const I*, const T*, const I*,
                              const T*, T*, const I*, std::size_t);
    if (m == 0 || n == 0) return;
    const I rows = to(m), columns = to(n), leading = to(a_leading), x_by = to(x_step), y_by = to(y_step);
    const T one(1);
    reinterpret_cast<Function>(gemv_)(turn, &rows, &columns, &scale, a, &leading, x, &x_by, &one, y, &y_by, 1);
  }
  /// C = A B + keep C; C is m x n, the depth k. ...
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_leading, const T* b,
                std::int64_t b_leading, T keep, T* c, std::int64_t c_leading) const {
    gemm("N", "N", m, n, k, T(1), a, a_leading, b, b_leading, keep, c, c_leading);
  }
  /// ... A^T B, ...
  void multiply_transposed(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_leading,
                           const T* b, std::int64_t b_leading, T keep, T* c, std::int64_t c_leading) const {
    gemm("T", "N", m, n, k, T(1), a, a_leading, b, b_leading, keep, c, c_leading);
  }
  /// ... C -= A B, and A B^T.
  void take_away(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_leading, const T* b,
                 std::int64_t b_leading, T* c, std::int64_t c_leading) const {
    gemm("N", "N", m, n, k, T(-1), a, a_leading, b, b_leading, T(1), c, c_leading);
  }
  void take_away_turned(std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_leading, const T* b,
                        std::int64_t b_leading, T* c, std::int64_t c_leading) const {
    gemm("N", "T", m, n, k, T(-1), a, a_leading, b, b_leading, T(1), c, c_leading);
  }
  /// A reflection I - tau v v^T that takes the n elements (head, tail) to (beta, 0), with v = (1, tail as it is then);
  /// head becomes beta. Gives tau.
  T reflect(std::int64_t n, T& head, T* tail, std::int64_t step) const {
    using Function = void (*)(const I*, T*, T*, const I*, T*);
    const I size = to(n), by = to(step);
    T tau = 0;
    reinterpret_cast<Function>(larfg_)(&size, &head, tail, &by, &tau);
    return tau;
  }
  /// The eigenvalues of a tridiagonal matrix, which rise, in d, and its vectors as columns of z. Gives LAPACK's info.
  I stedc(std::int64_t n, T* d, T* e, T* z, std::int64_t z_leading, T* work, std::int64_t length, I* integers,
          std::int64_t count) const {
    using Function = void (*)(const char*, const I*, T*, T*, T*, const I*, T*, const I*, I*, const I*, I*, std::size_t);
    const I size = to(n), z_step = to(z_leading), room = to(length), integer_room = to(count);
    I info = 0;
    reinterpret_cast<Function>(stedc_)("I", &size, d, e, z, &z_step, work, &room, integers, &integer_room, &info, 1);
    return info;
  }
  /// What LAPACK's manual says, of a matrix q of n rows and columns; gives info.
  I laed2(I* k, std::int64_t n, std::int64_t cut, T* d, T* q, I* order, T* rho, T* row, T* poles, T* weights,
          T* vectors, I* index, I* of_kinds, I* places, I* kinds) const {
    using Function = void (*)(I*, const I*, const I*, T*, T*, const I*, I*, T*, T*, T*, T*, T*, I*, I*, I*, I*, I*);
    const I size = to(n), first = to(cut);
    I info = 0;
    reinterpret_cast<Function>(laed2_)(k, &size, &first, d, q, &size, order, rho, row, poles, weights, vectors, index,
                                       of_kinds, places, kinds, &info);
    return info;
  }
  /// Root j of k, from 0, of 1 + rho sum of weights^2 / (poles - x), and what the poles are away from it. Gives info.
  I laed4(std::int64_t k, std::int64_t j, const T* poles, const T* weights, T* away, T rho, T* root) const {
    using Function = void (*)(const I*, const I*, const T*, const T*, T*, const T*, T*, I*);
    const I size = to(k), number = to(j + 1);
    I info = 0;
    reinterpret_cast<Function>(laed4_)(&size, &number, poles, weights, away, &rho, root, &info);
    return info;
  }
  /// The order, from 1, in which k rising values and `others` falling ones behind them rise.
  void lamrg(std::int64_t k, std::int64_t others, const T* values, I* order) const {
    using Function = void (*)(const I*, const I*, const T*, const I*, const I*, I*);
    const I first = to(k), second = to(others), rising = 1, falling = -1;
    reinterpret_cast<Function>(lamrg_)(&first, &second, values, &rising, &falling, order);
  }
  /// The singular values of an upper bidiagonal matrix, which fall, in d, and its vectors as columns of u and as rows
  /// of vt. Gives LAPACK's info.
  I bdsdc(std::int64_t n, T* d, T* e, T* u, std::int64_t u_leading, T* vt, T* work, I* integers) const {
    using Function = void (*)(const char*, const char*, const I*, T*, T*, T*, const I*, T*, const I*, T*, I*, T*, I*,
                              I*, std::size_t, std::size_t);
    const I size = to(n), u_step = to(u_leading);
    T unused{};
    I unused_integer{}, info = 0;
    reinterpret_cast<Function>(bdsdc_)("U", "I", &size, d, e, u, &u_step, vt, &size, &unused, &unused_integer, work,
                                       integers, &info, 1, 1);
    return info;
  }
  /// The singular values of an n x (n + more) bidiagonal matrix in d, in some order, and its vectors as columns of u
  /// and as rows of vt, which were identities. Gives LAPACK's info.
  I lasd0(std::int64_t n, bool more, T* d, T* e, T* u, std::int64_t u_leading, T* vt, std::int64_t vt_leading, T* work,
          I* integers) const {
    using Function = void (*)(const I*, const I*, T*, T*, T*, const I*, T*, const I*, const I*, I*, T*, I*);
    const I size = to(n), columns_more = more ? 1 : 0, u_step = to(u_leading), vt_step = to(vt_leading), smallest = 25;
    I info = 0;
    reinterpret_cast<Function>(lasd0_)(&size, &columns_more, d, e, u, &u_step, vt, &vt_step, &smallest, integers, work,
                                       &info);
    return info;
  }
  /// What LAPACK's manual says, of square matrices of all rows; gives info.
  I lasd2(std::int64_t above, std::int64_t below, I* k, T* d, T* weights, T alpha, T beta, T* u, T* vt, T* poles, T* u2,
          T* vt2, I* places, I* index, I* of_kinds, I* order, I* kinds) const {
    using Function = void (*)(const I*, const I*, const I*, I*, T*, T*, const T*, const T*, T*, const I*, T*, const I*,
                              T*, T*, const I*, T*, const I*, I*, I*, I*, I*, I*, I*);
    const I upper = to(above), lower = to(below), none = 0, size = to(above + 1 + below);
    I info = 0;
    reinterpret_cast<Function>(lasd2_)(&upper, &lower, &none, k, d, weights, &alpha, &beta, u, &size, vt, &size, poles,
                                       u2, &size, vt2, &size, places, index, of_kinds, order, kinds, &info);
    return info;
  }
  /// The square root of root j of k, from 0, of 1 + rho sum of weights^2 / (poles^2 - x), what the poles are away from
  /// it, and the sums of both. Gives info.
  I lasd4(std::int64_t k, std::int64_t j, const T* poles, const T* weights, T* away, T rho, T* root, T* sums) const {
    using Function = void (*)(const I*, const I*, const T*, const T*, T*, const T*, T*, T*, I*);
    const I size = to(k), number = to(j + 1);
    I info = 0;
    reinterpret_cast<Function>(lasd4_)(&size, &number, poles, weights, away, &rho, root, sums, &info);
    return info;
  }

 private:
  static I to(std::int64_t value) { return static_cast<I>(value); }

  void gemm(const char* turn_a, const char* turn_b, std::int64_t m, std::int64_t n, std::int64_t k, T scale, const T* a,
            std::int64_t a_leading, const T* b, std::int64_t b_leading, T keep, T* c, std::int64_t c_leading) const {
    using Function = void (*)(const char*, const char*, const I*, const I*, const I*, const T*, const T*, const I*,
                              const T*, const I*, const T*, T*, const I*, std::size_t, std::size_t);
    if (m == 0 || n == 0) return;
    // Leading dimensions are 1 at least, also of what is empty.
    const auto at_least_one = [](std::int64_t step) { return to(std::max<std::int64_t>(1, step)); };
    const I rows = to(m), columns = to(n), depth = to(k), a_step = at_least_one(a_leading),
            b_step = at_least_one(b_leading), c_step = at_least_one(c_leading);
    reinterpret_cast<Function>(gemm_)(turn_a, turn_b, &rows, &columns, &depth, &scale, a, &a_step, b, &b_step, &keep, c,
                                      &c_step, 1, 1);
  }

  void *larfg_, *stedc_, *laed2_, *laed4_, *lamrg_, *bdsdc_, *lasd0_, *lasd2_, *lasd4_, *gemv_, *gemm_;
};

}  // namespace koine::exec
