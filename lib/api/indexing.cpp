// SPDX-License-Identifier: Apache-2.0
// Elements picked by arrays of positions.
#include "api/build.hpp"
#include "base/first_use.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <limits>
#include <memory>
#include <utility>

namespace koine {

void api::require_positions(const Array& positions, std::string_view function) {
  if (is_integer(positions.dtype())) return;
  throw DTypeError(prefix(function) + "indices are " + std::string(name(positions.dtype())) +
                   "; they must be integers");
}

namespace {

/// Of an array of so many axes, one of which has those of the positions in its place.
graph::TakeMaps take_maps(std::size_t axes, std::size_t axis, std::size_t axes_of_positions) {
  graph::TakeMaps maps;
  const auto add_axis = [&](std::int64_t of_array, std::int64_t of_positions) {
    maps.array.source.push_back(of_array);
    maps.positions.source.push_back(of_positions);
  };
  const auto add_axes = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) add_axis(static_cast<std::int64_t>(i), -1);
  };
  add_axes(0, axis);
  for (std::size_t i = 0; i < axes_of_positions; ++i) add_axis(-1, static_cast<std::int64_t>(i));
  add_axes(axis + 1, axes);
  maps.array.start = Shape::filled(axes, 0);
  maps.positions.start = Shape::filled(axes_of_positions, 0);
  maps.array.step = maps.positions.step = Shape::filled(axes - 1 + axes_of_positions, 1);
  return maps;
}

/// The same, made once for what is taken most often: elements of one row by one row of positions.
std::shared_ptr<const graph::TakeMaps> shared_take_maps(std::size_t axes, std::size_t axis,
                                                        std::size_t axes_of_positions) {
  const auto made = [&] { return std::make_shared<const graph::TakeMaps>(take_maps(axes, axis, axes_of_positions)); };
  if (axes != 1 || axes_of_positions != 1) return made();
  static constinit base::FirstUse<const std::shared_ptr<const graph::TakeMaps>> of_rows;
  return of_rows.get(made);
}

}  // namespace

Array api::picked(const Array& x, const Array& positions, graph::TakeInfo info) {
  const Shape& at = positions.shape();
  Shape shape = x.shape();
  shape.erase(info.axis);
  for (std::size_t i = 0; i < at.size(); ++i) shape.insert(info.axis + i, at[i]);
  graph::check_sizes(shape, info.name);
  info.maps = shared_take_maps(x.shape().size(), info.axis, at.size());
  const std::int64_t size = x.shape()[info.axis];
  info.within = graph::bounds_of(*positions.node()).within(-size, size - 1);
  // Beyond int64 an index is out of range whatever it is, and must not come to be one below zero.
  constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const Array& signed_ones = positions.dtype() == int64
                                 ? positions
                                 : astype(positions.dtype() == uint64 ? minimum(positions, last) : positions, int64);
  return pending(graph::Op::take, x.dtype(), std::move(shape), {in_order(x.node()), in_order(signed_ones.node())},
                 graph::make_attributes<graph::Op::take>(std::move(info)));
}

Array api::positions_within(std::int64_t size, const Array& positions, const graph::TakeInfo& info) {
  // What is known to be in range need not be looked at, and is none that counts from the end.
  if (graph::bounds_of(*positions.node()).within(0, size - 1)) return astype(positions, int64);
  return picked(Array(graph::make_iota({size}, place_of(positions.device()))), positions, info);
}

Array api::written(const Array& x, const Array& positions, const Array& values) {
  return pending(graph::Op::scatter, x.dtype(), x.shape(),
                 {in_order(x.node()), positions.node(), broadcast_node(values.node(), positions.shape())},
                 graph::make_attributes<graph::Op::scatter>({false}));
}

Array take(const Array& x, const Array& indices, const TakeOptions& options) {
  const base::NamedCall call("take");
  const Operand first(x), second(indices);
  api::common_place("take", {&first, &second});
  api::require_positions(indices, "take");
  if (!options.axis.given()) return take(reshape(x, {-1}), indices, {.axis = 0});
  if (options.axis.axes().size() != 1) throw ValueError("[take] takes one axis, or none for the flattened array");
  return api::picked(x, indices, {graph::normal_axis(options.axis.axes()[0], x.shape(), "take")});
}

Array take_along_axis(const Array& x, const Array& indices, const TakeAlongAxisOptions& options) {
  const base::NamedCall call("take_along_axis");
  constexpr const char* function = "take_along_axis";
  const Operand first(x), second(indices);
  api::common_place(function, {&first, &second});
  api::require_positions(indices, function);
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), function), axes = x.shape().size();
  Shape sizes = x.shape(), rows = indices.shape();
  bool fits = rows.size() == axes;
  for (std::size_t i = 0; fits && i < axes; ++i) {
    fits = i == axis || sizes[i] == rows[i] || sizes[i] == 1 || rows[i] == 1;
  }
  if (!fits) {
    throw ShapeError(api::prefix(function) + "indices of shape " + to_string(rows) + " do not fit an array of shape " +
                     to_string(sizes) + "; but for axis " + std::to_string(axis) +
                     " their sizes must be the same or 1");
  }
  const Shape strides = graph::row_major_strides(sizes);
  const Array along = api::positions_within(sizes[axis], indices, {0, function, axis}) * strides[axis];
  Array position = along;
  for (std::size_t i = 0; i < axes; ++i) {
    if (i == axis || sizes[i] == 1) continue;
    Shape shape = Shape::filled(axes, 1);
    shape[i] = sizes[i];
    position = position + reshape(arange(sizes[i], {.device = x.device()}) * strides[i], shape);
  }
  // What was reported as wrong stays below zero.
  const bool reports = graph::bounds_of(*along.node()).least < 0;
  return api::picked(reshape(x, {-1}), reports ? where(along < 0, -1, position) : position, {0, function, axis});
}

}  // namespace koine
