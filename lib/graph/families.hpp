// SPDX-License-Identifier: Apache-2.0
// The families of operations as data: what the planner, the evaluator and messages read of each.
#pragma once

#include "graph/node.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace koine::graph {

struct Family {
  std::string_view name;
  Role role;
  /// Arithmetic for an element beside one load, where it is computed inside the kernels of others.
  int cost;
  /// The public function that a node is work of, for messages.
  std::string_view (*function)(const Node&);
  /// What several results are; null of others.
  std::vector<ResultType> (*results)(const Attributes&, std::span<const NodeRef> inputs);
};

/// The record of a node's family; that of all rows of ops.def is `elementwise`.
const Family& family(Op op);
/// The cost of an operation: its row's in ops.def, or its family's.
inline int cost(Op op) { return in_table(op) ? info(op).cost : family(op).cost; }

}  // namespace koine::graph
