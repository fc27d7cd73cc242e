// SPDX-License-Identifier: Apache-2.0
// Who still needs an operand when a kernel is done.
#include "exec/donate.hpp"

#include <algorithm>

namespace koine::exec {
namespace {

using graph::Node;
using graph::NodeRef;

struct References {
  long freed = 0;  // that go when the inputs of the nodes looked at are let go of
  long held = 0;   // that there are in all; 0 if none was met
};

/// Looks through pending nodes that only one other holds; what more could be found is not worth the search.
void count_references(const Node& node, const Node* source, References& found) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeRef& input = node.inputs[i];
    if (input.get() == source) {
      ++found.freed;
      found.held = input.use_count();
    } else if (!input->is_ready() && input.use_count() == 1) {
      count_references(*input, source, found);
    }
  }
}

bool dies_with(const codegen::Body& body, const Node* source) {
  References found;
  for (const codegen::Output& output : body.outputs) count_references(*output.node, source, found);
  return found.freed > 0 && found.freed == found.held;
}

}  // namespace

runtime::BufferRef donated(const codegen::Body& body, std::size_t output) {
  const DType type = body.outputs[output].node->dtype;
  if (body.of_row(body.outputs[output])) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(body.domain.elements()) * size_of(type);
  for (const codegen::Load& load : body.loads) {
    if (load.iota || size_of(load.dtype) != size_of(type) || load.layout.offset != 0 || !load.in_order()) {
      continue;
    }
    const runtime::BufferRef& storage = load.source->storage;
    if (storage.use_count() != 1 || storage->size() != bytes || storage->borrowed()) continue;
    const auto readers = std::count_if(body.loads.begin(), body.loads.end(), [&](const codegen::Load& other) {
      return !other.iota && other.source->storage == storage;
    });
    if (readers == 1 && dies_with(body, load.source)) return storage;
  }
  return nullptr;
}

bool dies_with(const Node& node, const NodeRef& input) {
  if (input->storage.use_count() != 1 || input->storage->borrowed()) return false;
  References found;
  count_references(node, input.get(), found);
  return found.freed == found.held;
}

runtime::BufferRef donated(const Node& node, const NodeRef& x, std::uint64_t bytes) {
  return dies_with(node, x) && x->layout.offset == 0 && x->storage->size() == bytes ? x->storage : nullptr;
}

}  // namespace koine::exec
