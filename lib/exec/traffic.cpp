// SPDX-License-Identifier: Apache-2.0
// Counting the bytes that a body's loads and results are.
#include "exec/traffic.hpp"

#include "runtime/buffer.hpp"

#include <algorithm>
#include <map>

namespace koine::exec {
namespace {

/// Different elements that a load reads; of what is taken by positions, as if all of these differ.
std::uint64_t elements_of(const codegen::Body& body, const codegen::Load& load) {
  std::uint64_t count = 1;
  const Shape& shape = load.layout.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (load.layout.strides[axis] != 0 || shape[axis] == 0 || load.take)
      count *= static_cast<std::uint64_t>(shape[axis]);
  }
  const bool moves = load.loop >= 0 && load.loop_stride != 0;
  return moves ? count * static_cast<std::uint64_t>(body.loops[static_cast<std::size_t>(load.loop)].count) : count;
}

}  // namespace

std::uint64_t bytes_of(const graph::Node& node) {
  return static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype);
}

Traffic traffic_of(const codegen::Body& body) {
  struct Memory {
    std::uint64_t read = 0, size = 0;
  };
  std::map<const void*, Memory> memories;
  for (const codegen::Load& load : body.loads) {
    if (load.iota) continue;
    const graph::Node& source = *load.source;
    const bool there = source.storage != nullptr;
    Memory& memory = memories[there ? static_cast<const void*>(source.storage.get()) : &source];
    memory.read += elements_of(body, load) * size_of(load.dtype);
    memory.size = there ? source.storage->size() : bytes_of(source);
  }
  Traffic result;
  for (const auto& [key, memory] : memories) result.read += std::min(memory.read, memory.size);
  for (const codegen::Output& output : body.outputs) {
    const graph::Node& node = *output.node;
    const auto values = static_cast<std::uint64_t>(body.domain.elements());
    result.written += output.at < 0 ? bytes_of(node) : values * size_of(node.dtype);
  }
  return result;
}

}  // namespace koine::exec
