// SPDX-License-Identifier: Apache-2.0
// Factorisations, by the product of their factors, and equations and exponentials, by what undoes them. Elements that
// are not finite, or large, count as 1, so that every matrix has factors.
//
// A call's `which` is the function.

#include <koine/linalg_eig.hpp>
#include <koine/linalg_expm.hpp>
#include <koine/linalg_ldl.hpp>
#include <koine/linalg_schur.hpp>
#include <koine/linalg_solve.hpp>
#include <koine/linalg_spectra.hpp>

#include <algorithm>
#include <cmath>

#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"
#include "support/judge.hpp"

namespace koine::fuzz {
namespace {

enum Function : std::size_t { lu, qr, svd, schur, eig, eigh, ldl, cholesky, solve, expm, functions };

/// What each function's factors are multiplied to: of `x`, or of `s`, its largest leading square, or of `d`, which that
/// is with so much on its diagonal that it is definite and far from singular.
constexpr std::string_view products[functions] = {
    "const auto [P, L, U] = kn::linalg::lu(x); return kn::matmul(P, kn::matmul(L, U));",
    "const auto [Q, R] = kn::linalg::qr(x); return kn::matmul(Q, R);",
    "const auto [U, S, Vh] = kn::linalg::svd(x, {.full_matrices = false}); "
    "return kn::matmul(U * kn::expand_dims(S, -2), Vh);",
    "const auto [T, Z] = kn::linalg::schur(s); return kn::matmul(kn::matmul(Z, T), kn::conj(Z).mT());",
    "const auto [w, V] = kn::linalg::eig(s); return kn::matmul(s, V) - V * kn::expand_dims(w, -2);",
    "const auto [w, V] = kn::linalg::eigh(s); return kn::matmul(V * kn::expand_dims(w, -2), kn::conj(V).mT());",
    "const auto [L, D, order] = kn::linalg::ldl(s); return kn::matmul(kn::matmul(L, D), kn::conj(L).mT());",
    "const kn::Array L = kn::linalg::cholesky(d); return kn::matmul(L, kn::conj(L).mT());",
    "return kn::matmul(d, kn::linalg::solve(d, s));",
    "return kn::matmul(kn::linalg::expm(s / scale), kn::linalg::expm(s / -scale));"};

constexpr double large = 1024;

DType factored(DType type) {
  if (is_complex(type)) return type;
  return type == float64 ? float64 : float32;
}

class Factoring : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    constexpr std::int64_t most_work = 1 << 20;
    call_.which = step_.p[0] % functions;
    const std::size_t source = x(step_.a);
    const Shape& shape = face(source).shape;
    if (shape.size() < 2) return {};
    const std::int64_t longest = std::max({shape[shape.size() - 2], shape.back(), std::int64_t{1}});
    if (shape.elements() * longest > most_work) return {};
    put({source});
    return std::move(calls_);
  }
};

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array y = sources[0].array().astype(factored(sources[0].array().dtype()));
  const Array size = is_complex(y.dtype()) ? maximum(abs(real(y)), abs(imag(y))) : abs(y);
  const Array x = where(size < large, y, 1);
  const std::int64_t k = std::min(x.shape(-2), x.shape(-1));
  const Array s = x(ellipsis, slice(0, k), slice(0, k));
  const double scale = 2 * large * static_cast<double>(std::max<std::int64_t>(k, 1));
  const Array d = s + scale * eye(k, k, {.dtype = s.dtype(), .device = s.device()});
  switch (call.which) {
    case lu: {
      const auto [P, L, U] = linalg::lu(x);
      return matmul(P, matmul(L, U));
    }
    case qr: {
      const auto [Q, R] = linalg::qr(x);
      return matmul(Q, R);
    }
    case svd: {
      const auto [U, S, Vh] = linalg::svd(x, {.full_matrices = false});
      return matmul(U * expand_dims(S, -2), Vh);
    }
    case schur: {
      const auto [T, Z] = linalg::schur(s);
      return matmul(matmul(Z, T), conj(Z).mT());
    }
    case eig: {
      const auto [w, V] = linalg::eig(s);
      return matmul(s, V) - V * expand_dims(w, -2);
    }
    case eigh: {
      const auto [w, V] = linalg::eigh(s);
      return matmul(V * expand_dims(w, -2), conj(V).mT());
    }
    case ldl: {
      const auto [L, D, order] = linalg::ldl(s);
      return matmul(matmul(L, D), conj(L).mT());
    }
    case cholesky: {
      const Array L = linalg::cholesky(d);
      return matmul(L, conj(L).mT());
    }
    case solve: return matmul(d, linalg::solve(d, s));
    default: return matmul(linalg::expm(s / scale), linalg::expm(s / -scale));
  }
}

using Wide = std::complex<long double>;

std::vector<Wide> numbers_of(const Plain& x) {
  std::vector<Wide> all;
  with_type(x.type, [&]<class T>(Tag<T>) {
    for (std::size_t i = 0; i < x.count(); ++i) all.emplace_back(test::widened(x.at<T>(i)));
  });
  return all;
}

/// What a function's product should be, of an m x n matrix whose leading k x k square counts.
std::vector<Wide> wanted(std::size_t function, const Wide* x, std::size_t m, std::size_t n) {
  const std::size_t k = std::min(m, n);
  const bool whole = function <= svd, hermitian = function == eigh || function == ldl || function == cholesky;
  const std::size_t rows = whole ? m : k, columns = whole ? n : k;
  const long double diagonal = 2 * static_cast<long double>(large) * static_cast<long double>(k);
  std::vector<Wide> values;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      Wide value = hermitian && j > i ? std::conj(x[j * n + i]) : x[i * n + j];
      if (hermitian && i == j) value = value.real();
      if (function == cholesky && i == j) value += diagonal;
      if (function == expm) value = i == j ? 1 : 0;
      if (function == eig) value = 0;
      values.push_back(value);
    }
  }
  return values;
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const DType type = factored(sources[0].type);
  const bool wide = type == float64 || type == complex128;
  Shape shape = sources[0].shape;
  const auto m = static_cast<std::size_t>(shape[shape.size() - 2]), n = static_cast<std::size_t>(shape.back()),
             k = std::min(m, n);
  if (call.which > svd) shape[shape.size() - 2] = shape[shape.size() - 1] = static_cast<std::int64_t>(k);
  const DType gives = call.which == eig ? (wide ? complex128 : complex64) : type;
  if (const std::string wrong = unlike(got, gives, shape); !wrong.empty()) return {wrong};
  std::vector<Wide> x = numbers_of(converted(sources[0], type)), results = numbers_of(got);
  for (Wide& value : x) {
    if (!(std::abs(value.real()) < large) || !(std::abs(value.imag()) < large)) value = 1;
  }
  const std::size_t each = static_cast<std::size_t>(shape[shape.size() - 2]) * static_cast<std::size_t>(shape.back());
  const long double epsilon = wide ? test::epsilon<double>() : test::epsilon<float>();
  const long double smallest = wide ? test::smallest<double>() : test::smallest<float>();
  const auto longest = static_cast<long double>(std::max(m, n));
  for (std::size_t matrix = 0; each > 0 && matrix < results.size() / each; ++matrix) {
    const Wide* const from = x.data() + matrix * m * n;
    const std::vector<Wide> want = wanted(call.which, from, m, n);
    long double norm = call.which == expm ? 10 : 0, off = 0;
    for (std::size_t i = 0; i < m * n; ++i) norm += std::norm(from[i]);
    for (const Wide& value : want) norm += std::norm(value);
    for (std::size_t i = 0; i < each; ++i) off += std::norm(results[matrix * each + i] - want[i]);
    if (std::sqrt(off) <= 30 * longest * (epsilon * std::sqrt(norm) + smallest)) continue;
    return {"matrix " + std::to_string(matrix) + " is off by " + test::shown(Wide(std::sqrt(off))) + " beside " +
            test::shown(Wide(std::sqrt(norm)))};
  }
  return {"", true};
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  return "[](const kn::Array& given) { const kn::Array y = given.astype(kn::is_complex(given.dtype()) || given.dtype() "
         "== "
         "kn::float64 ? given.dtype() : kn::float32), size = kn::is_complex(y.dtype()) ? "
         "kn::maximum(kn::abs(kn::real(y)), kn::abs(kn::imag(y))) : kn::abs(y), x = kn::where(size < 1024.0, y, 1); "
         "const std::int64_t k = std::min(x.shape(-2), x.shape(-1)); "
         "[[maybe_unused]] const double scale = 2048.0 * static_cast<double>(std::max<std::int64_t>(k, 1)); "
         "const kn::Array s = x(kn::ellipsis, kn::slice(0, k), kn::slice(0, k)); "
         "const kn::Array d = s + scale * kn::eye(k, k, {.dtype = s.dtype(), .device = s.device()}); " +
         std::string(products[call.which]) + " }(" + sources[0] + ")";
}

}  // namespace

const Family factoring = {resolved<Factoring>, result, check, text};

}  // namespace koine::fuzz
