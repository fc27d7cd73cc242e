// SPDX-License-Identifier: Apache-2.0
// How reductions and scans combine two values, as OpenCL C.
#pragma once

#include "graph/node.hpp"

#include <string>

namespace koine::codegen {

struct Combine {
  std::string identity;  // of one value
  std::string text;      // of a and b, values or vectors
};

/// For values of `type` in registers; empty for argmax and argmin, which are no single values.
Combine combine_of(graph::ReduceKind kind, DType type);

}  // namespace koine::codegen
