// SPDX-License-Identifier: Apache-2.0
// Equations and factorisations: checks, and what is made of factors.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/factorisations.hpp"
#include "api/matrices.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/linalg_products.hpp>
#include <koine/linalg_solve.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <string_view>

namespace koine::linalg {
namespace {

Array square_of(const Array& x, std::string_view function) {
  api::require_square(x, function);
  return api::factorable(x, function);
}

}  // namespace

Array cholesky(const Array& x, const CholeskyOptions& options) {
  const base::NamedCall call("cholesky");
  const Array matrices = square_of(x, "cholesky");
  return options.upper ? api::adjoint(api::cholesky_factor(api::adjoint(matrices))) : api::cholesky_factor(matrices);
}

LuResult lu(const Array& x) {
  const base::NamedCall call("lu");
  api::require_matrices(x, "lu");
  const Array matrices = api::factorable(x, "lu");
  const std::int64_t m = matrices.shape(-2), n = matrices.shape(-1), k = std::min(m, n);
  const api::LuFactors lu = api::lu_factors(matrices);
  const Array rows = expand_dims(arange(m, {.dtype = int64, .device = x.device()}), -1);
  const Array lower = tril(lu.factors(ellipsis, all, slice(0, k)), -1);
  return {astype(rows == expand_dims(lu.order, -2), matrices.dtype()),
          lower + eye(m, k, {.dtype = matrices.dtype(), .device = x.device()}),
          triu(lu.factors(ellipsis, slice(0, k), all))};
}

Array solve(const Array& x1, const Array& x2) {
  const base::NamedCall call("solve");
  api::require_square(x1, "solve");
  const auto [matrices, right, vectors] = api::equations_of(x1, x2, "solve");
  return api::with_vectors(api::solved(matrices, right, "solve"), vectors);
}

Array solve_triangular(const Array& x1, const Array& x2, const SolveTriangularOptions& options) {
  const base::NamedCall call("solve_triangular");
  api::require_square(x1, "solve_triangular");
  const auto [matrices, right, vectors] = api::equations_of(x1, x2, "solve_triangular");
  const api::Triangle triangle{.upper = !options.lower, .unit = options.unit_diagonal};
  return api::with_vectors(api::solved_triangle(api::triangles_for(matrices, right), right, triangle), vectors);
}

Array inv(const Array& x) {
  const base::NamedCall call("inv");
  return api::inverses(square_of(x, "inv"), "inv");
}

Array det(const Array& x) {
  const base::NamedCall call("det");
  const api::LuFactors lu = api::lu_factors(square_of(x, "det"));
  const Array product = prod(diagonal(lu.factors), {.axis = -1});
  return where(lu.exchanges % 2 == 1, -product, product);
}

SlogdetResult slogdet(const Array& x) {
  const base::NamedCall call("slogdet");
  const api::LuFactors lu = api::lu_factors(square_of(x, "slogdet"));
  const Array pivots = diagonal(lu.factors), signs = prod(sign(pivots), {.axis = -1});
  return {where(lu.exchanges % 2 == 1, -signs, signs), sum(log(abs(pivots)), {.axis = -1})};
}

QrResult qr(const Array& x, const QrOptions& options) {
  const base::NamedCall call("qr");
  const bool complete = api::choice(options.mode, {"reduced", "complete"}, "qr", "mode") == 1;
  api::require_matrices(x, "qr");
  const auto [q, r] = api::qr_factors(api::factorable(x, "qr"), complete);
  return {q, r};
}

}  // namespace koine::linalg
