// SPDX-License-Identifier: Apache-2.0
// koine::linalg: triangles that have the eigenvalues of square matrices.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <string_view>

namespace koine::linalg {

struct SchurOptions {
  detail::Named names_only = detail::named;
  std::string_view output = "real";  ///< or "complex": of real matrices, too, T is a triangle
};
struct SchurResult {
  Array T, Z;
};
/// Schur's form of square matrices (…, N, N): x = Z T Z^H, where the columns of Z are orthonormal and T is an upper
/// triangle, both of x's shape; the eigenvalues of x are on T's diagonal, in no order that is promised. Of a real
/// matrix T has blocks of two rows on its diagonal besides, one for each pair of complex eigenvalues, with equal
/// elements on the diagonal and others of different signs; with `.output = "complex"` all is complex, and T a triangle.
/// Lazy, as eig is, with eig's errors where a result is observed. By LAPACK's gees on CPUs, else by the QR algorithm,
/// of real matrices with double shifts, of complex ones with single ones (Francis 1961; Golub and Van Loan, Matrix
/// Computations, 7.5). Takes what eig takes; gives the same type, default_dtype() for integers and bool_, or the
/// complex type of it. ShapeError for fewer than two axes, LinAlgError for matrices that are not square, ValueError for
/// another `.output`, DTypeError for float16 and bfloat16.
KOINE_API SchurResult schur(const Array& x, const SchurOptions& options = {});

}  // namespace koine::linalg
