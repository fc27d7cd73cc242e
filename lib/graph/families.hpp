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
};

/// The record of a node's family; that of all rows of ops.def is `elementwise`.
const Family& family(Op op);

}  // namespace koine::graph
