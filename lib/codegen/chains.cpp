// SPDX-License-Identifier: Apache-2.0
// Interning of view chains.
#include "codegen/chains.hpp"

#include "base/hash.hpp"

namespace koine::codegen {
namespace {

bool same_map(const graph::ViewMap* a, const graph::ViewMap* b) { return a == b || (a && b && *a == *b); }

/// How a node sees an input; null for a broadcast, and for one that is read in place.
const graph::ViewMap* map_of(const graph::Node& node, std::size_t number) {
  if (node.op == graph::Op::view) return &node.get<graph::Op::view>();
  if (node.op != graph::Op::take) return nullptr;
  const graph::TakeMaps& maps = *node.get<graph::Op::take>().maps;
  const graph::ViewMap& map = number == 0 ? maps.array : maps.positions;
  const Shape& shape = node.inputs[number]->shape;
  return shape == node.shape && keeps_order(map, node.shape, shape) ? nullptr : &map;
}

}  // namespace

std::uint64_t Chains::hash_of(const Link& link) {
  const auto outer = static_cast<std::uint64_t>(link.outer);
  if (link.fold) return base::hash_combine(outer, reinterpret_cast<std::uintptr_t>(link.fold));
  // What views of one input most often differ by.
  const std::uint64_t hash = graph::hash_of(*link.shape, outer);
  return link.map ? graph::hash_of(link.map->start, graph::hash_of(link.map->step, hash)) : hash;
}

std::int32_t Chains::find(const Link& link) const {
  const auto same = [&](std::size_t k) {
    const Link& other = links_[k];
    return other.outer == link.outer && other.fold == link.fold && other.rows == link.rows &&
           same_map(other.map, link.map) && *other.shape == *link.shape;
  };
  return found_.find(
      links_.size(), [&] { return hash_of(link); }, same);
}

std::int32_t Chains::add(const Link& link) {
  links_.push_back(link);
  found_.added(links_.size(), [&](std::size_t k) { return hash_of(links_[k]); });
  return static_cast<std::int32_t>(links_.size()) - 1;
}

std::int32_t Chains::extend(std::int32_t chain, const graph::Node& node, std::size_t number) {
  const graph::Node& input = *node.inputs[number];
  const graph::ViewMap* const map = map_of(node, number);
  if (!map && input.shape == node.shape) return chain;
  Link link{chain, map, &node.shape};
  if (const std::int32_t found = find(link); found >= 0) return found;
  // What a view that goes beyond an axis' ends reads twice are those, as a rule.
  const std::int64_t few = map && !map->bounds.empty() ? 2 * input.shape.elements() : 0;
  const bool expands = map ? !reads_once(*map, node.shape) && node.shape.elements() > few
                           : input.shape.elements() < node.shape.elements();
  link.repeats = repeats(chain) || expands;
  link.folded = in_loop(chain);
  link.reads_all = reads_all(chain) && (!map || graph::reads_all(*map, node.shape, input.shape));
  return add(link);
}

std::int32_t Chains::fold(std::int32_t chain, const graph::Node& node, std::size_t axis) {
  const Link link{chain, nullptr, &node.shape, repeats(chain), &node, axis, true, false, reads_all(chain)};
  const std::int32_t found = find(link);
  return found >= 0 ? found : add(link);
}

std::int32_t Chains::rows(const Shape& domain) {
  const Link link{.outer = identity, .map = nullptr, .shape = &domain, .repeats = true, .rows = true};
  const std::int32_t found = find(link);
  return found >= 0 ? found : add(link);
}

std::pair<const graph::Node*, std::int32_t> Chains::loop_of(std::int32_t chain) const {
  while (true) {
    const Link& link = links_[static_cast<std::size_t>(chain)];
    if (link.fold) return {link.fold, link.outer};
    chain = link.outer;
  }
}

std::optional<graph::Pieces> Chains::apply(std::int32_t chain, const graph::Layout& layout) const {
  graph::Pieces pieces{layout, {}};
  for (; chain != identity; chain = links_[static_cast<std::size_t>(chain)].outer) {
    const Link& link = links_[static_cast<std::size_t>(chain)];
    if (link.fold) {
      std::size_t axis = link.axis;
      if (!pieces.parts.empty()) {
        if (pieces.parts[link.axis] != 1) return std::nullopt;
        axis = 0;
        for (std::size_t before = 0; before < link.axis; ++before) axis += std::size_t(pieces.parts[before]);
        pieces.parts.erase(link.axis);
      }
      if (!pieces.seams.empty()) return std::nullopt;
      pieces.loop = pieces.layout.strides[axis];
      pieces.layout.shape.erase(axis);
      pieces.layout.strides.erase(axis);
    } else if (link.rows) {
      if (!pieces.parts.empty()) return std::nullopt;
      if (pieces.layout.shape.size() < link.shape->size()) pieces.layout.strides.push_back(0);
      pieces.layout.strides[link.shape->size() - 1] = 0;
      pieces.layout.shape = *link.shape;
    } else if (link.map) {
      auto viewed = graph::apply(*link.map, *link.shape, pieces);
      if (!viewed) return std::nullopt;
      pieces = std::move(*viewed);
    } else {
      pieces = graph::broadcast(pieces, *link.shape);
    }
  }
  return pieces;
}

}  // namespace koine::codegen
