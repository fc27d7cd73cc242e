// SPDX-License-Identifier: Apache-2.0
// Elements set side by side several times, and moved round along an axis.
#include "api/build.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>

namespace koine {
namespace {

/// The axis to repeat along; x becomes flat where none is named.
std::size_t repeated_axis(Array& x, const Axis& axis) {
  if (!axis.given()) {
    x = reshape(x, {-1});
    return 0;
  }
  if (axis.axes().size() != 1) {
    throw ValueError("[repeat] repeats along one axis, or none for the flattened array, not " + to_string(axis.axes()));
  }
  return graph::normal_axis(axis.axes()[0], x.shape(), "repeat");
}

[[noreturn]] void throw_negative(std::string_view function, std::string_view what, const std::string& value) {
  throw ValueError(api::prefix(function) + std::string(what) + " cannot be below zero; got " + value);
}

}  // namespace

Array repeat(const Array& x, std::int64_t repeats, const RepeatOptions& options) {
  const base::NamedCall call("repeat");
  if (repeats < 0) throw_negative("repeat", "repeats", std::to_string(repeats));
  Array parts = x;
  const std::size_t axis = repeated_axis(parts, options.axis);
  Shape copies = parts.shape(), result = parts.shape();
  copies.insert(axis + 1, repeats);
  graph::check_sizes(copies, "repeat");
  result[axis] *= repeats;
  return reshape(broadcast_to(expand_dims(parts, axis + 1), copies), result);
}

Array repeat(const Array& x, const Array& repeats, const RepeatOptions& options) {
  const base::NamedCall call("repeat");
  const Operand first(x), second(repeats);
  api::common_place("repeat", {&first, &second});
  if (!is_integer(repeats.dtype())) {
    throw DTypeError("[repeat] repeats are " + std::string(name(repeats.dtype())) + "; they must be integers");
  }
  Array parts = x;
  const std::size_t axis = repeated_axis(parts, options.axis);
  const std::int64_t size = parts.shape()[axis];
  if (repeats.ndim() != 1 || (repeats.size() != size && repeats.size() != 1)) {
    throw ShapeError("[repeat] repeats of shape " + to_string(repeats.shape()) + " do not fit an axis of size " +
                     std::to_string(size) + "; there must be one for each part, or one alone");
  }
  if (repeats.size() == 1 && size != 1) return repeat(parts, repeats.item<std::int64_t>(), {.axis = axis});
  if (size == 0) return repeat(parts, 1, {.axis = axis});
  const Array ends = cumulative_sum(repeats, {.dtype = int64}), least = min(repeats), most = max(repeats);
  eval(ends, least, most);
  if (least.item<double>() < 0) throw_negative("repeat", "repeats", std::to_string(least.item<std::int64_t>()));
  if (most.item<double>() * static_cast<double>(size) > 0x1p62) {
    throw ShapeError("[repeat] " + std::to_string(size) + " repeats of up to " +
                     std::to_string(most.item<std::uint64_t>()) + " make more than 2^62 parts");
  }
  const std::int64_t count = ends(-1).item<std::int64_t>();
  // The part of a place is the first that ends behind it.
  const Array from = searchsorted(ends, arange(count, {.device = x.device()}), {.side = "right"});
  return take(parts, from, {.axis = axis});
}

Array tile(const Array& x, const Shape& repetitions) {
  const base::NamedCall call("tile");
  for (const std::int64_t each : repetitions) {
    if (each < 0) throw_negative("tile", "repetitions", to_string(repetitions));
  }
  Shape sizes = x.shape(), times = repetitions;
  while (sizes.size() < times.size()) sizes.insert(0, 1);
  while (times.size() < sizes.size()) times.insert(0, 1);
  Shape apart, copies, result;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    for (const std::int64_t size : {std::int64_t{1}, sizes[axis]}) apart.push_back(size);
    for (const std::int64_t size : {times[axis], sizes[axis]}) copies.push_back(size);
  }
  graph::check_sizes(copies, "tile");
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) result.push_back(sizes[axis] * times[axis]);
  return reshape(broadcast_to(reshape(x, apart), copies), result);
}

Array tile(const Array& x, std::int64_t repetitions) { return tile(x, Shape{repetitions}); }

Array roll(const Array& x, const Shape& shift, const RollOptions& options) {
  const base::NamedCall call("roll");
  if (!options.axis.given()) {
    std::int64_t total = 0;
    for (const std::int64_t each : shift) total = x.size() == 0 ? 0 : (total + each % x.size()) % x.size();
    return reshape(roll(reshape(x, {-1}), total, {.axis = 0}), x.shape());
  }
  const Shape& axes = options.axis.axes();
  if (shift.size() != axes.size()) {
    throw ValueError("[roll] got " + std::to_string(shift.size()) + " shifts for " + std::to_string(axes.size()) +
                     " axes; they must be as many");
  }
  Shape moved = Shape::filled(x.shape().size(), 0);  // by 0 up to the axis' size
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = graph::normal_axis(axes[i], x.shape(), "roll");
    const std::int64_t size = std::max<std::int64_t>(x.shape()[axis], 1);
    moved[axis] = ((moved[axis] + shift[i] % size) % size + size) % size;
  }
  graph::ViewMap map = api::identity_map(x.shape());
  map.bounds = Shape::filled(x.shape().size(), 0);
  for (std::size_t axis = 0; axis < moved.size(); ++axis) {
    if (moved[axis] == 0) continue;
    map.start[axis] = x.shape()[axis] - moved[axis];
    map.bounds[axis] = x.shape()[axis];
  }
  return api::view(x.node(), x.shape(), map);
}

Array roll(const Array& x, std::int64_t shift, const RollOptions& options) {
  return roll(x, Shape::filled(options.axis.given() ? options.axis.axes().size() : 1, shift), options);
}

}  // namespace koine
