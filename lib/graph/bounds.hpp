// SPDX-License-Identifier: Apache-2.0
// What is known of integers before they are computed: between which numbers they lie.
#pragma once

#include <koine/array.hpp>
#include <koine/dtype.hpp>

#include <cstdint>
#include <limits>

namespace koine::graph {

struct Node;

/// All integers from `least` to `most`. Of uint64, and of what are no integers, nothing is known.
struct Bounds {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  bool within(std::int64_t first, std::int64_t last) const noexcept { return first <= least && most <= last; }
};

/// Between what a pending node's elements lie, by its operation and what is known of its inputs, if no fault is
/// reported. Of memory, which assignments change, no more than the type says.
Bounds bounds_of(const Node& node) noexcept;
/// The same of a node that is being built, from its inputs.
Bounds made_bounds(const Node& node) noexcept;

}  // namespace koine::graph
