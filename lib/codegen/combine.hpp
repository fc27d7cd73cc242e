// SPDX-License-Identifier: Apache-2.0
// The expressions of the table of reductions, as OpenCL C for a type.
#pragma once

#include "graph/custom.hpp"
#include "graph/reductions.hpp"

#include <koine/dtype.hpp>

#include <string>
#include <string_view>

namespace koine::codegen {

struct Combine {
  std::string identity;  // of one value
  std::string text;      // of a and b, values or vectors
};

/// How a reduction or a scan combines two values of `type` in registers; of positions whether a goes before b.
/// `custom` is what a user wrote, of that kind.
Combine combine_of(graph::ReduceKind kind, DType type, const graph::CustomCode* custom = nullptr);
/// What the last state, $0, finishes as.
std::string finish_of(graph::ReduceKind kind, const graph::CustomCode* custom);
/// A map or a finish of `value`.
std::string applied(std::string_view expression, std::string_view value);

}  // namespace koine::codegen
