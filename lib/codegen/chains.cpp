// SPDX-License-Identifier: Apache-2.0
// Interning of view chains.
#include "codegen/chains.hpp"

namespace koine::codegen {
namespace {

bool same_map(const graph::ViewMap* a, const graph::ViewMap* b) { return a == b || (a && b && *a == *b); }

}  // namespace

std::int32_t Chains::extend(std::int32_t chain, const graph::Node& node, const graph::Node& input) {
  const graph::ViewMap* map = node.op == graph::Op::view ? &node.get<graph::Op::view>() : nullptr;
  if (!map && input.shape == node.shape) return chain;
  const auto count = static_cast<std::int32_t>(links_.size());
  for (std::int32_t k = count; k-- > 0;) {
    const Link& link = links_[static_cast<std::size_t>(k)];
    if (link.outer == chain && !link.fold && !link.rows && same_map(link.map, map) && *link.shape == node.shape)
      return k;
  }
  // What a wrapped view reads twice are its ends.
  const std::int64_t few = map && !map->wrap.empty() ? 2 * input.shape.elements() : 0;
  const bool expands = map ? !reads_once(*map, node.shape) && node.shape.elements() > few
                           : input.shape.elements() < node.shape.elements();
  links_.push_back({chain, map, &node.shape, repeats(chain) || expands, nullptr, 0, in_loop(chain)});
  return count;
}

std::int32_t Chains::fold(std::int32_t chain, const graph::Node& node, std::size_t axis) {
  const auto count = static_cast<std::int32_t>(links_.size());
  for (std::int32_t k = 0; k < count; ++k) {
    const Link& link = links_[static_cast<std::size_t>(k)];
    if (link.outer == chain && link.fold == &node) return k;
  }
  links_.push_back({chain, nullptr, &node.shape, repeats(chain), &node, axis, true});
  return count;
}

std::int32_t Chains::rows(const Shape& domain) {
  links_.push_back({.outer = identity, .map = nullptr, .shape = &domain, .repeats = true, .rows = true});
  return static_cast<std::int32_t>(links_.size()) - 1;
}

std::pair<const graph::Node*, std::int32_t> Chains::loop_of(std::int32_t chain) const {
  while (true) {
    const Link& link = links_[static_cast<std::size_t>(chain)];
    if (link.fold) return {link.fold, link.outer};
    chain = link.outer;
  }
}

graph::Pieces Chains::apply(std::int32_t chain, const graph::Layout& layout) const {
  graph::Pieces pieces{layout, {}};
  while (chain != identity) {
    const Link& link = links_[static_cast<std::size_t>(chain)];
    if (link.fold) {
      pieces.loop = pieces.layout.strides[link.axis];
      pieces.layout.shape.erase(link.axis);
      pieces.layout.strides.erase(link.axis);
      chain = link.outer;
      continue;
    }
    if (link.rows) {
      if (pieces.layout.shape.size() < link.shape->size()) pieces.layout.strides.push_back(0);
      pieces.layout.strides[link.shape->size() - 1] = 0;
      pieces.layout.shape = *link.shape;
      chain = link.outer;
      continue;
    }
    pieces = link.map ? *graph::apply(*link.map, *link.shape, pieces) : graph::broadcast(pieces, *link.shape);
    chain = link.outer;
  }
  return pieces;
}

}  // namespace koine::codegen
