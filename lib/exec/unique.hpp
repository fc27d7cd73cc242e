// SPDX-License-Identifier: Apache-2.0
// The distinct elements of a few, found by one launch on a card.
#pragma once

#include "graph/node.hpp"

#include <optional>
#include <string_view>

namespace koine::exec {

struct UniqueWanted {
  bool positions = false, inverse = false, counts = false;
};

/// Arrays of one axis: the distinct values in order, and where each first was, the number of each element's value among
/// them, and how often each value is there, of int64; null where they are not wanted.
struct Unique {
  graph::NodeRef values, positions, inverse, counts;
};

/// Those of x, of one axis and of a real type or bool_; none where one work-group of a card cannot have all elements.
/// NaN equals nothing. With positions or the inverse equal elements, zeros among them, keep their order; otherwise -0.0
/// comes before 0.0. How many values there are the host must know, so it waits for the device.
std::optional<Unique> unique_at_once(const graph::NodeRef& x, UniqueWanted wanted, std::string_view function);

}  // namespace koine::exec
