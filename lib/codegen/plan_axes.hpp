// SPDX-License-Identifier: Apache-2.0
// Operands that lie in so many ways that a kernel's parameters cannot describe them.
#pragma once

#include "codegen/plan.hpp"

#include <cstddef>

namespace koine::codegen {

/// The axes that a step's kernel walks at the most, once those of size one are dropped and neighbours along which every
/// load moves evenly are merged; `elsewhere`: a result may lie in any layout.
std::size_t walked_axes(const Step& step, bool elsewhere);

/// Lets a pending node read another array of the same values.
void replace_input(graph::Node& node, std::size_t number, graph::NodeRef input);

/// Makes the nodes of a step read row-major copies of their inputs: element-wise ones of the step's domain, reductions
/// and the like of two or three axes.
void read_in_order(const Step& step);

}  // namespace koine::codegen
