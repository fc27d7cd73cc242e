// SPDX-License-Identifier: Apache-2.0
// Who still needs an operand when a kernel is done.
#include "exec/donate.hpp"

#include <algorithm>

namespace koine::exec {
namespace {

using graph::Node;
using graph::NodeRef;

/// How many of the references to `source` go when the inputs of `node` are let go of. Looks through pending nodes that
/// only one other holds; what more could be found is not worth the search.
long references_freed(const Node& node, const Node* source) {
  long count = 0;
  for (std::size_t i = 0; i < node.arity(); ++i) {
    const NodeRef& input = node.inputs[i];
    if (input.get() == source) {
      ++count;
    } else if (!input->is_ready() && input.use_count() == 1) {
      count += references_freed(*input, source);
    }
  }
  return count;
}

/// The reference that is asked for its count: any will do.
const NodeRef* find_reference(const Node& node, const Node* source) {
  for (std::size_t i = 0; i < node.arity(); ++i) {
    const NodeRef& input = node.inputs[i];
    if (input.get() == source) return &input;
    if (input->is_ready() || input.use_count() != 1) continue;
    if (const NodeRef* found = find_reference(*input, source)) return found;
  }
  return nullptr;
}

bool dies_with(const codegen::Body& body, const Node* source) {
  long freed = 0, held = -1;
  for (const codegen::Output& output : body.outputs) {
    freed += references_freed(*output.node, source);
    if (held >= 0) continue;
    if (const NodeRef* reference = find_reference(*output.node, source)) held = reference->use_count();
  }
  return freed == held;
}

}  // namespace

runtime::BufferRef donated(const codegen::Body& body, std::size_t output) {
  const DType type = body.outputs[output].node->dtype;
  const auto bytes = static_cast<std::uint64_t>(body.domain.elements()) * size_of(type);
  for (const codegen::Load& load : body.loads) {
    if (load.iota || size_of(load.dtype) != size_of(type) || load.layout.offset != 0 ||
        !graph::is_row_major(load.layout)) {
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

}  // namespace koine::exec
