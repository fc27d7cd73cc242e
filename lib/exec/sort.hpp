// SPDX-License-Identifier: Apache-2.0
// The sort engine: rows of numbers in order, or the positions that the numbers in order came from.
#pragma once

#include "graph/node.hpp"
#include "runtime/queue.hpp"

#include <cstdint>
#include <string>

namespace koine::exec {

/// Rows that lie one after another in memory, from element number `offset` of `values` on.
struct SortedRows {
  DType type;  // real or bool_
  std::uint64_t rows, count;
  const runtime::Buffer* values;
  std::uint64_t offset = 0;
  bool descending = false;
};

/// Each row in order: new memory. -0.0 comes before 0.0 (after, if descending), NaN last.
runtime::BufferRef sort_values(runtime::Queue& queue, const SortedRows& rows, graph::Node& node);
/// For each row the positions, of int64, of its elements in order: new memory. Equal elements keep their order, NaN
/// among themselves, and both zeros, being equal; NaN comes last.
runtime::BufferRef sort_places(runtime::Queue& queue, const SortedRows& rows, graph::Node& node);

/// Build options for kernels/common/sort.clh: how elements of a type become keys.
std::string key_options(DType type);

}  // namespace koine::exec
