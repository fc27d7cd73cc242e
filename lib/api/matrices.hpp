// SPDX-License-Identifier: Apache-2.0
// What the functions of koine::linalg share: checks of stacks of matrices, the last two axes.
#pragma once

#include <koine/array.hpp>

#include <string_view>

namespace koine::api {

/// Throws ShapeError for fewer than two axes.
void require_matrices(const Array& x, std::string_view function);
/// The same, and LinAlgError for matrices that are not square.
void require_square(const Array& x, std::string_view function);

/// x in the type that it is factorised in: default_dtype() for integers and bool_. DTypeError for floating types of 16
/// bits.
Array factorable(const Array& x, std::string_view function);

/// Equations of a stack of matrices and right sides that fit, which are vectors where they have one axis. Both get one
/// type, right sides two axes at least, and the stack that both broadcast to.
struct Equations {
  Array matrices, right;
  bool vectors;
};
Equations equations_of(const Array& x1, const Array& x2, std::string_view function);
/// Solutions as the right sides were.
Array with_vectors(const Array& x, bool vectors);

/// The transpose of each matrix, conjugated.
Array adjoint(const Array& x);

/// The distance of 1 from the next number of a type, or of its parts.
double epsilon(DType type);

}  // namespace koine::api
