// SPDX-License-Identifier: Apache-2.0
// What the functions of koine::linalg share: checks of stacks of matrices, the last two axes.
#pragma once

#include "api/build.hpp"
#include "api/choices.hpp"

#include <koine/array.hpp>

#include <string_view>
#include <utility>
#include <vector>

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

/// The results of a family that takes matrices in row-major order, which have elements.
template <graph::Op op>
std::vector<Array> results_of(const Array& matrices, graph::AttributesOf<op> attributes) {
  const graph::NodeRef input = in_order(matrices.node());
  std::vector<Array> results;
  for (const graph::NodeRef& node : graph::make_results(op, chosen_place(input->place), {&input, 1},
                                                        graph::make_attributes<op>(std::move(attributes)))) {
    results.push_back(pending(node));
  }
  return results;
}

/// The distance of 1 from the next number of a type, or of its parts.
double epsilon(DType type);

}  // namespace koine::api
