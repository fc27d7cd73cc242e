// SPDX-License-Identifier: Apache-2.0
// koine.linalg but for what the main namespace has, too: products, norms, eigenvalues and singular values.
#include "module.hpp"

namespace koine::python {
namespace {

linalg::MatrixOrd ord_of(const Arguments& a, std::size_t i) {
  if (!a.given(i)) return "fro";
  if (PyUnicode_Check(a[i].ptr())) return a.text(i);
  return a.real(i);
}

}  // namespace

void bind_matrices(nb::module_& m) {
  nb::module_ sub = m.def_submodule("_linalg");
  sub.attr("__home__") = "koine.linalg";
  function(sub, "cross", "(x1, x2, /, *, axis=-1)",
           [](const Arguments& a) { return linalg::cross(a.array(0), a.array(1), {.axis = a.integer(2, -1)}); });
  function(sub, "diagonal", "(x, /, *, offset=0)",
           [](const Arguments& a) { return linalg::diagonal(a.array(0), {.offset = a.integer_anywhere(1, 0)}); });
  function(sub, "trace", "(x, /, *, offset=0, dtype=None)", [](const Arguments& a) {
    return linalg::trace(a.array(0), {.offset = a.integer_anywhere(1, 0), .dtype = a.dtype(2)});
  });
  function(sub, "matrix_power", "(x, n, /)",
           [](const Arguments& a) { return linalg::matrix_power(a.array(0), a.integer(1)); });
  function(sub, "vector_norm", "(x, /, *, axis=None, keepdims=False, ord=2)", [](const Arguments& a) {
    return linalg::vector_norm(a.array(0), {.axis = a.axis(1), .keepdims = a.flag(2, false), .ord = a.real(3, 2.0)});
  });
  function(sub, "matrix_norm", "(x, /, *, keepdims=False, ord='fro')", [](const Arguments& a) {
    return linalg::matrix_norm(a.array(0), {.keepdims = a.flag(1, false), .ord = ord_of(a, 2)});
  });
  function(sub, "_eigh", "(x, /)", [](const Arguments& a) {
    linalg::EighResult result = linalg::eigh(a.array(0));
    return std::vector{std::move(result.eigenvalues), std::move(result.eigenvectors)};
  });
  function(sub, "_eig", "(x, /)", [](const Arguments& a) {
    linalg::EigResult result = linalg::eig(a.array(0));
    return std::vector{std::move(result.eigenvalues), std::move(result.eigenvectors)};
  });
  function(sub, "eigvals", "(x, /)", [](const Arguments& a) { return linalg::eigvals(a.array(0)); });
  function(sub, "eigvalsh", "(x, /)", [](const Arguments& a) { return linalg::eigvalsh(a.array(0)); });
  function(sub, "_schur", "(x, /, *, output='real')", [](const Arguments& a) {
    const std::string output = a.text(1, "real");
    linalg::SchurResult result = linalg::schur(a.array(0), {.output = output});
    return std::vector{std::move(result.T), std::move(result.Z)};
  });
  function(sub, "expm", "(x, /)", [](const Arguments& a) { return linalg::expm(a.array(0)); });
  function(sub, "_svd", "(x, /, *, full_matrices=True)", [](const Arguments& a) {
    linalg::SvdResult result = linalg::svd(a.array(0), {.full_matrices = a.flag(1, true)});
    return std::vector{std::move(result.U), std::move(result.S), std::move(result.Vh)};
  });
  function(sub, "svdvals", "(x, /)", [](const Arguments& a) { return linalg::svdvals(a.array(0)); });
  function(sub, "cholesky", "(x, /, *, upper=False)",
           [](const Arguments& a) { return linalg::cholesky(a.array(0), {.upper = a.flag(1, false)}); });
  function(sub, "_lu", "(x, /)", [](const Arguments& a) {
    linalg::LuResult result = linalg::lu(a.array(0));
    return std::vector{std::move(result.P), std::move(result.L), std::move(result.U)};
  });
  function(sub, "_ldl", "(x, /, *, lower=True, hermitian=True)", [](const Arguments& a) {
    linalg::LdlResult result = linalg::ldl(a.array(0), {.lower = a.flag(1, true), .hermitian = a.flag(2, true)});
    return std::vector{std::move(result.lu), std::move(result.d), std::move(result.perm)};
  });
  function(sub, "_qr", "(x, /, *, mode='reduced')", [](const Arguments& a) {
    const std::string mode = a.text(1, "reduced");
    linalg::QrResult result = linalg::qr(a.array(0), {.mode = mode});
    return std::vector{std::move(result.Q), std::move(result.R)};
  });
  function(sub, "solve", "(x1, x2, /)", [](const Arguments& a) { return linalg::solve(a.array(0), a.array(1)); });
  function(sub, "solve_triangular", "(x1, x2, /, *, lower=False, unit_diagonal=False)", [](const Arguments& a) {
    return linalg::solve_triangular(a.array(0), a.array(1),
                                    {.lower = a.flag(2, false), .unit_diagonal = a.flag(3, false)});
  });
  function(sub, "inv", "(x, /)", [](const Arguments& a) { return linalg::inv(a.array(0)); });
  function(sub, "det", "(x, /)", [](const Arguments& a) { return linalg::det(a.array(0)); });
  function(sub, "_slogdet", "(x, /)", [](const Arguments& a) {
    linalg::SlogdetResult result = linalg::slogdet(a.array(0));
    return std::vector{std::move(result.sign), std::move(result.logabsdet)};
  });
  function(sub, "cond", "(x, /)", [](const Arguments& a) { return linalg::cond(a.array(0)); });
  function(sub, "pinv", "(x, /, *, rtol=None)",
           [](const Arguments& a) { return linalg::pinv(a.array(0), {.rtol = a.maybe_operand(1)}); });
  function(sub, "_lstsq", "(x1, x2, /, *, rtol=None)", [](const Arguments& a) {
    linalg::LstsqResult result = linalg::lstsq(a.array(0), a.array(1), {.rtol = a.maybe_operand(2)});
    return std::vector{std::move(result.x), std::move(result.residuals), std::move(result.rank),
                       std::move(result.singular_values)};
  });
  function(sub, "matrix_rank", "(x, /, *, rtol=None)",
           [](const Arguments& a) { return linalg::matrix_rank(a.array(0), {.rtol = a.maybe_operand(1)}); });
}

}  // namespace koine::python
