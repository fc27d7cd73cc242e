// SPDX-License-Identifier: Apache-2.0
// Common subexpressions: of nodes that compute the same value one is left to compute it for all.
#include "codegen/plan_state.hpp"

#include <algorithm>
#include <utility>

namespace koine::codegen {
namespace {

template <Op... ops>
bool same_attributes(const Node& a, const Node& b) {
  return ((a.op != ops || a.get<ops>() == b.get<ops>()) && ...);
}

/// Whether nodes of the operation with equal inputs and attributes have equal values, and a plan's structure tells
/// these attributes.
bool has_equals(Op op) {
  const bool computed = graph::is_elementwise(op) && op != Op::custom;
  return computed || op == Op::iota || op == Op::view || op == Op::reduce || op == Op::scan || op == Op::matmul ||
         op == Op::take;
}

}  // namespace

/// Lets the node read another one, of equal value, in place of its input. That is held until the plan is done with.
void Planner::State::read_instead(Node& node, std::size_t input, const NodeRef& other) {
  NodeRef before = std::exchange(node.inputs[input], other);
  before->consumers.fetch_sub(1, std::memory_order_relaxed);
  other->consumers.fetch_add(1, std::memory_order_relaxed);
  replaced.push_back(std::move(before));
}

/// Whether two inputs of collected nodes have equal values, as far as that is known.
bool Planner::State::same_input(const Node& a, const Node& b) const {
  if (&a == &b) return true;
  if (a.is_ready() != b.is_ready()) return false;
  if (a.is_ready()) return a.dtype == b.dtype && a.storage == b.storage && a.layout == b.layout;
  if (a.op == Op::constant && b.op == Op::constant) return a.shape == b.shape && same_constant(a, b);
  const std::int32_t value = value_of_node[static_cast<std::size_t>(a.slot)];
  return value >= 0 && value == value_of_node[static_cast<std::size_t>(b.slot)];
}

/// Equal where all of same_value is.
std::uint64_t Planner::State::hash_of_value(const Node& node) const {
  const auto of_input = [&](const Node& input) {
    if (input.is_ready()) return std::uint64_t{reinterpret_cast<std::uintptr_t>(input.storage.get())};
    if (input.op == Op::constant) return hash_of_constant(input);
    const std::int32_t value = value_of_node[static_cast<std::size_t>(input.slot)];
    return value >= 0 ? static_cast<std::uint64_t>(value) : reinterpret_cast<std::uintptr_t>(&input);
  };
  std::uint64_t hash = graph::hash_of(node.shape, static_cast<std::uint64_t>(node.op));
  hash = base::hash_combine(hash, static_cast<std::uint64_t>(node.dtype));
  for (const NodeRef& input : node.inputs) hash = base::hash_combine(hash, of_input(*input));
  return hash;
}

bool Planner::State::same_value(const Node& a, const Node& b) const {
  return a.op == b.op && a.dtype == b.dtype && a.shape == b.shape && a.place.queue == b.place.queue &&
         a.place.reproducible == b.place.reproducible &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                    [&](const NodeRef& x, const NodeRef& y) { return same_input(*x, *y); }) &&
         same_attributes<Op::view, Op::reduce, Op::scan, Op::matmul, Op::take>(a, b);
}

/// Gives nodes of equal value the same number, as far as they are looked at: one that was asked for stays one of its
/// own.
void Planner::State::number_values() {
  values.clear();
  found_values.clear();
  value_of_node.assign(count, -1);
  read_as_input.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = *infos[i].node;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k]->is_ready()) continue;
      read_as_input[static_cast<std::size_t>(node.inputs[k]->slot)] = {static_cast<std::int32_t>(i),
                                                                       static_cast<std::int32_t>(k)};
    }
    if (infos[i].requested || !has_equals(node.op)) continue;
    std::int32_t& value = value_of_node[i];
    value = found_values.find(
        values.size(), [&] { return hash_of_value(node); },
        [&](std::size_t k) { return same_value(*infos[static_cast<std::size_t>(values[k])].node, node); });
    if (value >= 0) continue;
    value = static_cast<std::int32_t>(values.size());
    values.push_back(static_cast<std::int32_t>(i));
    found_values.added(values.size(),
                       [&](std::size_t k) { return hash_of_value(*infos[static_cast<std::size_t>(values[k])].node); });
  }
}

/// Of the collected nodes that have equal values and kernels of their own, or are read by such, the first is read in
/// place of the others. Those are no longer collected unless something else reads them. (What is computed where it is
/// read is left to the compiler, which knows equal lines.)
void Planner::State::unite_equals() {
  replacements.clear();
  number_values();
  for (std::size_t i = count; i-- > 0;) {
    const Info& info = infos[i];
    if (!info.requested && info.edges == 0) continue;
    Node& node = *info.node;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k]->is_ready()) continue;
      std::int32_t slot = node.inputs[k]->slot;
      const std::int32_t value = value_of_node[static_cast<std::size_t>(slot)];
      const bool stored = graph::has_own_kernel(node.op) || graph::has_own_kernel(node.inputs[k]->op);
      if (stored && value >= 0 && values[static_cast<std::size_t>(value)] != slot) {
        slot = values[static_cast<std::size_t>(value)];
        const auto [reader, input] = read_as_input[static_cast<std::size_t>(slot)];
        replacements.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(k), reader, input});
        read_instead(node, k, infos[static_cast<std::size_t>(reader)].node->inputs[static_cast<std::size_t>(input)]);
      }
      ++infos[static_cast<std::size_t>(slot)].edges;
    }
  }
  forget_unread();
}

/// Takes nodes that nothing reads out of those that are collected, and forgets how often the others are read.
void Planner::State::forget_unread() {
  std::size_t left = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool read = infos[i].requested || infos[i].edges > 0;
    infos[i].edges = 0;
    if (!read) {
      infos[i].node->epoch = 0;
      continue;
    }
    if (left != i) std::swap(infos[left], infos[i]);
    infos[left].node->slot = static_cast<std::int32_t>(left);
    ++left;
  }
  count = left;
}

}  // namespace koine::codegen
