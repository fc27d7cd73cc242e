// SPDX-License-Identifier: Apache-2.0
// Donation: a result takes over the memory of an operand that nobody will read again.
#pragma once

#include "codegen/body.hpp"
#include "runtime/buffer.hpp"

namespace koine::exec {

/// The memory of one of the body's loads that its output number `output` can be written to in place; null if there is
/// none. Each element is read and written by the same work-item and nowhere else, and with the body's outputs the last
/// reader of the load's source goes. Inside evaluated().
runtime::BufferRef donated(const codegen::Body& body, std::size_t output);
/// Whether that input of a node, which is in memory, and its memory die with the node.
bool dies_with(const graph::Node& node, const graph::NodeRef& input);
/// The memory of an input, of so many bytes, if that dies with the node.
runtime::BufferRef donated(const graph::Node& node, const graph::NodeRef& input, std::uint64_t bytes);

}  // namespace koine::exec
