// SPDX-License-Identifier: Apache-2.0
// The plan of an evaluation, without running it: kernels, what is fused into each, what is stored and why.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "koine/array.hpp"
#include "koine/export.hpp"
#include "koine/options.hpp"

namespace koine {

/// Options of explain: whether the kernels' OpenCL C is part of it, and the form, "text" or "dot" (Graphviz, which
/// draws it: `dot -Tsvg`).
struct ExplainOptions {
  detail::Named names_only = detail::named;
  bool source = false;
  std::string format = "text";
};

/// What eval() of the array would do, step by step: kernels by name, the operations fused into each with types and
/// shapes, what each stores and why, the bytes that it reads and writes, and the time that these take at the bandwidth
/// of the device's memory, if profile::bandwidth() has measured it. Computes nothing and compiles nothing; the array
/// stays as it is. ValueError for another format, or for the source in a drawing.
KOINE_API std::string explain(const Array& array, const ExplainOptions& options = {});
/// The same of several arrays that are evaluated together, as in eval(a, b).
KOINE_API std::string explain(const std::vector<Array>& arrays, const ExplainOptions& options = {});

}  // namespace koine
