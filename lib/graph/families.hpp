// SPDX-License-Identifier: Apache-2.0
// The families of operations as data: what the planner, the evaluator and messages read of each.
#pragma once

#include "graph/node.hpp"

#include <cstddef>
#include <string_view>

namespace koine::graph {

struct Family {
  std::string_view name;
  Role role;
  /// The public function that a node is work of, for messages.
  std::string_view (*function)(const Node&);
  /// Of a fold: the nested loops in which its kernel walks the input's axes, which of them takes an axis, and the
  /// step to an input that has one axis for each loop. 0 and null of others.
  std::size_t loops;
  std::size_t (*loop_of)(const Node&, std::size_t axis);
  void (*merge_loops)(Node&);
};

/// The record of a node's family; that of all rows of ops.def is `elementwise`.
const Family& family(Op op);

}  // namespace koine::graph
