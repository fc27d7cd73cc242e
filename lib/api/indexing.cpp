// SPDX-License-Identifier: Apache-2.0
// Elements picked by arrays of positions.
#include "api/build.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/types.hpp>

#include <limits>

namespace koine {
Array take(const Array& x, const Array& indices, const TakeOptions& options) {
  const Operand first(x), second(indices);
  api::common_place("take", {&first, &second});
  if (!is_integer(indices.dtype())) {
    throw DTypeError("[take] indices are " + std::string(name(indices.dtype())) + "; they must be integers");
  }
  if (!options.axis.given()) return take(reshape(x, {-1}), indices, {.axis = 0});
  if (options.axis.axes().size() != 1) throw ValueError("[take] takes one axis, or none for the flattened array");
  const std::size_t axis = graph::normal_axis(options.axis.axes()[0], x.shape(), "take");
  Shape shape;
  for (std::size_t i = 0; i < axis; ++i) shape.push_back(x.shape()[i]);
  for (const std::int64_t size : indices.shape()) shape.push_back(size);
  for (std::size_t i = axis + 1; i < x.shape().size(); ++i) shape.push_back(x.shape()[i]);
  graph::check_sizes(shape, "take");
  // Beyond int64 an index is out of range whatever it is, and must not come to be one below zero.
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const Array positions = astype(indices.dtype() == uint64 ? minimum(indices, last) : indices, int64);
  return api::pending(graph::Op::take, x.dtype(), shape, {api::in_order(x.node()), api::in_order(positions.node())},
                      graph::TakeInfo{axis});
}

}  // namespace koine
