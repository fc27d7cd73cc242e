// SPDX-License-Identifier: Apache-2.0
// Functions of LAPACK and of the BLAS as C++: matrices in column-major order, in the type T, with integers of type I.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace koine::exec {

/// The addresses of what factorisations call, of one type.
struct FactorFunctions {
  void *potrf, *getrf, *laswp, *sytrf, *hetrf, *geqrt3, *trsm, *trsv, *gemm;
};

template <class T, class I>
class LapackCalls {
 public:
  explicit LapackCalls(const FactorFunctions& functions) : f_(functions) {}

  /// A's upper triangle becomes U of A = U^H U. The order of the first leading minor that is not positive, or 0.
  std::int64_t potrf(std::int64_t n, T* a, std::int64_t leading) const {
    using Function = void (*)(const char*, const I*, T*, const I*, I*, std::size_t);
    const I size = to(n), step = to(leading);
    I info = 0;
    reinterpret_cast<Function>(f_.potrf)("U", &size, a, &step, &info, 1);
    return info;
  }
  /// L and U of A = P L U; row i was exchanged with row pivots[i], which counts from 1.
  void getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t leading, I* pivots) const {
    using Function = void (*)(const I*, const I*, T*, const I*, I*, I*);
    const I rows = to(m), columns = to(n), step = to(leading);
    I info = 0;
    reinterpret_cast<Function>(f_.getrf)(&rows, &columns, a, &step, pivots, &info);
  }
  /// Exchanges rows of n columns: row i with row pivots[i], for i from `first` to before `last`.
  void laswp(std::int64_t n, T* a, std::int64_t leading, std::int64_t first, std::int64_t last, const I* pivots) const {
    using Function = void (*)(const I*, T*, const I*, const I*, const I*, const I*, const I*);
    const I columns = to(n), step = to(leading), from = to(first + 1), until = to(last), one = 1;
    reinterpret_cast<Function>(f_.laswp)(&columns, a, &step, &from, &until, pivots, &one);
  }
  /// L and D of A = L D L^T, or L D L^H if `hermitian`, of A's lower triangle; pivots as LAPACK's manual has them.
  /// `room` has n * 64 elements.
  void sytrf(bool hermitian, std::int64_t n, T* a, I* pivots, T* room) const {
    using Function = void (*)(const char*, const I*, T*, const I*, I*, T*, const I*, I*, std::size_t);
    const I size = to(n), length = to(n * 64);
    I info = 0;
    reinterpret_cast<Function>(hermitian ? f_.hetrf : f_.sytrf)("L", &size, a, &size, pivots, room, &length, &info, 1);
  }
  /// Vectors V of reflections below the diagonal, whose ones are left out, R on and above it, and on and above that of
  /// T the triangle with Q = I - V T V^H; m >= n.
  void geqrt3(std::int64_t m, std::int64_t n, T* a, std::int64_t leading, T* t, std::int64_t t_leading) const {
    using Function = void (*)(const I*, const I*, T*, const I*, T*, const I*, I*);
    const I rows = to(m), columns = to(n), step = to(leading), t_step = to(t_leading);
    I info = 0;
    reinterpret_cast<Function>(f_.geqrt3)(&rows, &columns, a, &step, t, &t_step, &info);
  }
  /// The m x n matrix B becomes A^-1 B (side "L") or B A^-1 ("R"), A a triangle, "U" or "L", of which "N" A itself, or
  /// "C" A^H is meant, "U" with a diagonal of ones or "N" without.
  void trsm(const char* side, const char* triangle, const char* turn, const char* diagonal, std::int64_t m,
            std::int64_t n, const T* a, std::int64_t a_leading, T* b, std::int64_t b_leading) const {
    using Function = void (*)(const char*, const char*, const char*, const char*, const I*, const I*, const T*,
                              const T*, const I*, T*, const I*, std::size_t, std::size_t, std::size_t, std::size_t);
    const I rows = to(m), columns = to(n), a_step = to(a_leading), b_step = to(b_leading);
    const T one(1);
    reinterpret_cast<Function>(f_.trsm)(side, triangle, turn, diagonal, &rows, &columns, &one, a, &a_step, b, &b_step,
                                        1, 1, 1, 1);
  }
  /// x becomes (A^T)^-1 x, A a triangle, as for trsm.
  void trsv_transposed(const char* triangle, const char* diagonal, std::int64_t n, const T* a, T* x) const {
    using Function = void (*)(const char*, const char*, const char*, const I*, const T*, const I*, T*, const I*,
                              std::size_t, std::size_t, std::size_t);
    const I size = to(n), one = 1;
    reinterpret_cast<Function>(f_.trsv)(triangle, "T", diagonal, &size, a, &size, x, &one, 1, 1, 1);
  }
  /// C = scale A B + keep C, of A and B as they lie, "N", their transposes, "T", or adjoints, "C"; C is m x n, the
  /// depth k.
  void multiply(const char* turn_a, const char* turn_b, std::int64_t m, std::int64_t n, std::int64_t k, T scale,
                const T* a, std::int64_t a_leading, const T* b, std::int64_t b_leading, T keep, T* c,
                std::int64_t c_leading) const {
    using Function = void (*)(const char*, const char*, const I*, const I*, const I*, const T*, const T*, const I*,
                              const T*, const I*, const T*, T*, const I*, std::size_t, std::size_t);
    const I rows = to(m), columns = to(n), depth = to(k), a_step = to(a_leading), b_step = to(b_leading),
            c_step = to(c_leading);
    reinterpret_cast<Function>(f_.gemm)(turn_a, turn_b, &rows, &columns, &depth, &scale, a, &a_step, b, &b_step, &keep,
                                        c, &c_step, 1, 1);
  }
  /// C -= A B, or A^H B for "C".
  void take_away(const char* turn, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t a_leading,
                 const T* b, std::int64_t b_leading, T* c, std::int64_t c_leading) const {
    multiply(turn, "N", m, n, k, T(-1), a, a_leading, b, b_leading, T(1), c, c_leading);
  }

 private:
  static I to(std::int64_t value) { return static_cast<I>(value); }

  const FactorFunctions f_;
};

}  // namespace koine::exec
