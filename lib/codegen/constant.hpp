// SPDX-License-Identifier: Apache-2.0
// The bytes of a constant.
#pragma once

#include "graph/node.hpp"

#include <array>
#include <cstddef>

namespace koine::codegen {

/// Writes the value of a constant node as it is in registers, and tells how many bytes that is.
std::size_t write_constant(const graph::Node& constant, std::array<std::byte, 16>& to);

}  // namespace koine::codegen
