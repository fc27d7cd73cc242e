// SPDX-License-Identifier: Apache-2.0
// Rows reduced by ids: what segments, updates through a subscript, and bincount are made of.
#pragma once

#include "api/build.hpp"

#include <optional>

namespace koine::api {

/// What the values of a reduction are.
struct Segments {
  Array values;  // of rows, or one real value for all
  Array ids;     // of one axis
  Shape shape;   // of the result
  graph::ScatterReduceInfo info;
  std::optional<Array> start;  // of the result's shape and type
  bool sorted = false;
};
/// The sum (of integers wide enough for the result's type), prod, max or min of the values of each id.
Array reduced_by_ids(const Segments& segments, DType type);

}  // namespace koine::api
