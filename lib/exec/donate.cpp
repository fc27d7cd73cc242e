// SPDX-License-Identifier: Apache-2.0
// Who still needs an operand when a kernel is done.
#include "exec/donate.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

namespace koine::exec {
namespace {

using graph::Node;
using graph::NodeRef;

/// Somebody's value in memory, and references to it.
struct References {
  const Node* source;
  long freed = 0;  // that go when the inputs of the nodes looked at are let go of
  long held = 0;   // that there are in all; 0 if none was met

  bool all_go() const { return freed > 0 && freed == held; }
};

/// Looks through pending nodes that only one other holds; what more could be found is not worth the search. The sources
/// are sorted.
void count_references(const Node& node, std::span<References> sources) {
  for (const NodeRef& input : node.inputs) {
    if (!input->is_ready()) {
      if (input.use_count() == 1) count_references(*input, sources);
      continue;
    }
    const auto found =
        std::lower_bound(sources.begin(), sources.end(), input.get(),
                         [](const References& each, const Node* sought) { return std::less<>()(each.source, sought); });
    if (found == sources.end() || found->source != input.get()) continue;
    ++found->freed;
    found->held = input.use_count();
  }
}

}  // namespace

runtime::BufferRef donated(const codegen::Body& body, std::size_t output) {
  const DType type = body.outputs[output].node->dtype;
  if (body.of_row(body.outputs[output])) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(body.domain.elements()) * size_of(type);
  const auto suits = [&](const codegen::Load& load) {
    if (load.iota || size_of(load.dtype) != size_of(type) || load.layout.offset != 0 || !load.in_order()) return false;
    const runtime::BufferRef& storage = load.source->storage;
    if (storage.use_count() != 1 || storage->size() != bytes || storage->borrowed()) return false;
    return std::count_if(body.loads.begin(), body.loads.end(), [&](const codegen::Load& other) {
             return !other.iota && other.source->storage == storage;
           }) == 1;
  };
  std::vector<References> sources;
  for (const codegen::Load& load : body.loads) {
    if (suits(load)) sources.push_back({load.source});
  }
  if (sources.empty()) return nullptr;
  // The first one of the kernel's parameters that can, whatever the order of addresses is.
  std::sort(sources.begin(), sources.end(),
            [](const References& a, const References& b) { return std::less<>()(a.source, b.source); });
  for (const codegen::Output& each : body.outputs) count_references(*each.node, sources);
  for (const codegen::Load& load : body.loads) {
    const auto found = std::find_if(sources.begin(), sources.end(),
                                    [&](const References& each) { return each.source == load.source; });
    if (found != sources.end() && found->all_go()) return load.source->storage;
  }
  return nullptr;
}

bool dies_with(const Node& node, const NodeRef& input) {
  if (input->storage.use_count() != 1 || input->storage->borrowed()) return false;
  References found{input.get()};
  count_references(node, {&found, 1});
  return found.freed == found.held;
}

runtime::BufferRef donated(const Node& node, const NodeRef& x, std::uint64_t bytes) {
  return dies_with(node, x) && x->layout.offset == 0 && x->storage->size() == bytes ? x->storage : nullptr;
}

}  // namespace koine::exec
