// SPDX-License-Identifier: Apache-2.0
// Differences of neighbours, made of views.
#include "api/build.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/utilities.hpp>

namespace koine {
namespace {

/// What stands beside x, of `shape` but for the axis; a scalar stands there once.
Array beside(const Operand& operand, DType type, const graph::Place& place, Shape shape, std::size_t axis) {
  const graph::NodeRef node = api::to_node(operand, type, place);
  if (operand.is_scalar()) {
    shape[axis] = 1;
    return Array(api::broadcast_node(node, shape));
  }
  const Array array(node);
  Shape expected = shape;
  if (array.shape().size() == shape.size()) expected[axis] = array.shape()[axis];
  if (array.shape() == expected) return array;
  throw ShapeError("[diff] shape " + to_string(array.shape()) + " does not fit beside shape " + to_string(shape) +
                   " along axis " + std::to_string(axis) + "; all other sizes must be equal");
}

}  // namespace

Array diff(Operand given, const DiffOptions& options) {
  const base::NamedCall call("diff");
  const Operand operand = std::move(given);
  const Operand* const before = options.prepend ? &*options.prepend : &operand;
  const Operand* const after = options.append ? &*options.append : &operand;
  const graph::Place place = api::common_place("diff", {&operand, before, after});
  Array x = api::array_of(operand, "diff");
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), "diff");
  if (options.n < 0) throw ValueError("[diff] .n is " + std::to_string(options.n) + "; it must be 0 or more");
  if (options.n == 0) return x;
  const DType type = api::common_type("diff", {&operand, before, after});
  std::vector<Array> parts;
  if (options.prepend) parts.push_back(beside(*options.prepend, type, place, x.shape(), axis));
  parts.push_back(x);
  if (options.append) parts.push_back(beside(*options.append, type, place, x.shape(), axis));
  if (parts.size() > 1) x = concat(parts, {.axis = static_cast<std::int64_t>(axis)});
  std::vector<Index> low(axis, all), high(axis, all);
  low.push_back(slice(none, -1));
  high.push_back(slice(1, none));
  for (std::int64_t i = 0; i < options.n && x.shape()[axis] > 0; ++i) {
    x = is_bool(type) ? x.get(high) != x.get(low) : x.get(high) - x.get(low);
  }
  return x;
}

}  // namespace koine
