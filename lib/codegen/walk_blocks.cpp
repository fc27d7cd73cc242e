// SPDX-License-Identifier: Apache-2.0
// Choosing a walk by square blocks, for bodies some of whose operands are transposed.
#include "codegen/walk.hpp"

#include <algorithm>

namespace koine::codegen {
namespace {

// A block's rows are vectors of their own, each with the body's code on a card: more of them would be a large program.
constexpr int widest_card_block = 4;

/// Whether all of the body can be computed block by block: numbers are drawn in the order of rows, loops and pieces
/// have offsets of their own, and stores are contiguous.
bool takes_blocks(const Body& body, const Walk& walk) {
  if (walk.width == 1 || !walk.seams.empty() || !body.loops.empty()) return false;
  for (const Load& load : body.loads) {
    if (load.draw()) return false;
  }
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    if (body.outputs[k].at >= 0 || walk.access[body.loads.size() + k] != Access::contiguous) return false;
  }
  return true;
}

bool is_transposed(const Body& body, const Walk& walk, std::size_t k, std::size_t axis) {
  return walk.access[k] == Access::strided && !body.loads[k].iota && !body.loads[k].take &&
         walk.axes.stride(k, axis) == 1;
}

/// Takes an axis out of the list.
void take_out(Walk& walk, std::size_t axis) {
  const std::size_t operands = walk.access.size();
  graph::Collapsed rest;
  rest.layouts = operands;
  for (std::size_t at = 0; at < walk.axes.shape.size(); ++at) {
    const auto strides = walk.axes.strides.begin() + static_cast<std::ptrdiff_t>(at * operands);
    const auto end = strides + static_cast<std::ptrdiff_t>(operands);
    if (at == axis) {
      walk.depth = walk.axes.shape[at];
      walk.deep_strides.assign(strides, end);
    } else {
      rest.shape.push_back(walk.axes.shape[at]);
      rest.strides.insert(rest.strides.end(), strides, end);
    }
  }
  walk.axes = std::move(rest);
}

/// Whether every vector of the blocks begins where one may.
bool all_aligned(const Body& body, const Walk& walk) {
  const auto along_rows = [&](std::size_t k) {
    return k >= body.loads.size() || body.loads[k].iota || loops_aligned(body.loads[k], walk.width);
  };
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    const std::int64_t across = walk.access[k] == Access::transposed   ? walk.axes.step(k)
                                : walk.access[k] == Access::contiguous ? walk.deep_strides[k]
                                                                       : 0;
    const bool in_vectors = walk.access[k] == Access::transposed || walk.access[k] == Access::contiguous;
    if (in_vectors && (walk.offsets[k] % walk.width != 0 || across % walk.width != 0 || !along_rows(k) ||
                       !starts_aligned(walk.axes, k, walk.outer_axes(), walk.width))) {
      return false;
    }
  }
  return true;
}

}  // namespace

void choose_blocks(const Body& body, Walk& walk) {
  walk.depth = 0;
  walk.deep_strides.clear();
  if (!takes_blocks(body, walk)) return;
  const int width = walk.cpu ? walk.width : std::min(walk.width, widest_card_block);
  // Of a shorter axis too little of a block would exist to read it in vectors.
  const std::int64_t shortest = walk.cpu ? width / 2 : 2;
  if (walk.inner() < width) return;
  // The axis that most loads are contiguous along; of equal ones the innermost.
  std::size_t most = 0, deep = 0;
  for (std::size_t axis = walk.outer_axes(); axis-- > 0;) {
    if (walk.axes.shape[axis] < shortest) continue;
    std::size_t count = 0;
    for (std::size_t k = 0; k < body.loads.size(); ++k) count += is_transposed(body, walk, k, axis) ? 1 : 0;
    if (count > most) most = count, deep = axis;
  }
  if (most == 0) return;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (is_transposed(body, walk, k, deep)) walk.access[k] = Access::transposed;
  }
  take_out(walk, deep);
  walk.width = width;
  walk.aligned = !walk.cpu && all_aligned(body, walk);
}

}  // namespace koine::codegen
