// SPDX-License-Identifier: Apache-2.0
// Custom operations: functions that a user wrote in OpenCL C, for given types.
#pragma once

#include <koine/dtype.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace koine::graph {

/// What a kernel needs of a custom operation. `text` defines, for single elements in registers, what its kind takes:
///   of an element-wise one  void <function>(inputs..., outputs*...)
///   of a fold  <function>_identity(), <function>_combine(a, b) and, if it finishes, <function>_finish(a)
/// All names that it defines end with the digest, so the texts of several stand in one kernel. Messages of a compiler
/// name the lines of the user's own text by `#line` directives.
struct CustomCode {
  std::string name;  ///< the kernel's, for messages
  std::string word;  ///< for the names of kernels that it is part of
  std::string text, function;
  std::vector<DType> outputs;  ///< of a fold the type that values are combined in, and that of its results
  bool finishes = false;       ///< of a fold
  /// Of name, text and types: equal digests, equal operations.
  std::array<std::uint64_t, 2> digest{};
};
using CustomRef = std::shared_ptr<const CustomCode>;

}  // namespace koine::graph
