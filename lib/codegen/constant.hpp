// SPDX-License-Identifier: Apache-2.0
// The bytes of a constant.
#pragma once

#include "graph/node.hpp"

#include <array>
#include <cstddef>

namespace koine::codegen {

/// Writes a value as it is in registers, and tells how many bytes that is.
std::size_t write_constant(DType type, const graph::ConstantValue& value, std::array<std::byte, 16>& to);
/// The same of a constant node.
inline std::size_t write_constant(const graph::Node& constant, std::array<std::byte, 16>& to) {
  return write_constant(constant.dtype, constant.get<graph::Op::constant>(), to);
}

}  // namespace koine::codegen
