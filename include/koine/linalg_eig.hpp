// SPDX-License-Identifier: Apache-2.0
// koine::linalg: eigenvalues and eigenvectors of square matrices that need not be Hermitian.
#pragma once

#include <koine/array.hpp>

namespace koine::linalg {

// Lazy, as eigh is: what the device alone can notice is an error of whoever observes a result, LinAlgError for a NaN or
// an infinity in a matrix, and for an iteration that does not converge, with how far it came.

struct EigResult {
  Array eigenvalues, eigenvectors;
};
/// The eigenvalues of square matrices (…, N, N), in no order that is promised, as (…, N), and eigenvectors of 2-norm 1,
/// the columns of (…, N, N), where the same column belongs to the same eigenvalue: x V = V diag(w). Both are complex,
/// of real matrices too. Where an eigenvalue has fewer independent eigenvectors than it counts, some columns are
/// parallel but for rounding. The largest element of an eigenvector is real, but for rounding; its sign may be another
/// on another device. By LAPACK on CPUs, else by the QR algorithm with single shifts (Francis 1961; Golub and Van Loan,
/// Matrix Computations, 7.5), in complex numbers. Takes what eigh takes; gives a complex type. ShapeError for fewer
/// than two axes, LinAlgError for matrices that are not square, DTypeError for float16 and bfloat16.
KOINE_API EigResult eig(const Array& x);
/// The eigenvalues alone, which eig gives. Takes what eigh takes; gives a complex type.
KOINE_API Array eigvals(const Array& x);

}  // namespace koine::linalg
