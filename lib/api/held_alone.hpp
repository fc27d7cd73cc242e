// SPDX-License-Identifier: Apache-2.0
// The rule of assignment for memory that code outside the library writes.
#pragma once

#include "graph/node.hpp"
#include "runtime/buffer.hpp"

namespace koine::api {

/// Whether the elements begin where the memory does, and follow each other in row-major order.
inline bool begins_in_order(const graph::Node& node) { return is_row_major(node.layout) && node.layout.offset == 0; }

/// Whether the memory of a computed array may be written where it lies: it is in order, and nobody holds it but those
/// `holders` of the node.
inline bool held_alone(const graph::NodeRef& node, long holders) {
  return node.use_count() == holders && node->storage.use_count() == 1 && !node->storage->borrowed() &&
         begins_in_order(*node);
}

}  // namespace koine::api
