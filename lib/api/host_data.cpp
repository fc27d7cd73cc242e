// SPDX-License-Identifier: Apache-2.0
// Arrays of what lies in the host's memory: copied in, borrowed, or written out as literals.
#include "api/build.hpp"
#include "base/convert.hpp"
#include "base/named_call.hpp"
#include "exec/evaluate.hpp"
#include "runtime/borrow.hpp"
#include "runtime/context.hpp"

#include <koine/creation.hpp>
#include <koine/error.hpp>

#include <algorithm>
#include <cstring>

namespace koine {
namespace {

/// Whether `count` values of `type` on the host can become an array of `target` and of that shape.
void check_host(DType type, DType target, std::size_t count, const Shape& shape, const graph::Place& place,
                const char* function) {
  graph::check_sizes(shape, function);
  if (static_cast<std::int64_t>(count) != shape.elements()) {
    throw ShapeError(api::prefix(function) + "shape " + to_string(shape) + " needs " +
                     std::to_string(shape.elements()) + " elements, the range has " + std::to_string(count));
  }
  if (is_complex(type) && !is_complex(target) && !is_bool(target)) {
    throw DTypeError(api::prefix(function) + "complex values do not convert to " + std::string(name(target)));
  }
  api::require_type(place, target, function);
}

/// The shape of a literal, by its first elements. ShapeError for inner lists of different lengths or depths.
void add_shape(const Literal& literal, Shape& shape) {
  if (!literal.is_list()) return;
  shape.push_back(static_cast<std::int64_t>(literal.list().size()));
  if (!literal.list().empty()) add_shape(literal.list().front(), shape);
}

void add_scalars(const Literal& literal, const Shape& shape, std::size_t axis, std::vector<Scalar>& scalars) {
  if (literal.is_list() != (axis < shape.size())) detail::throw_ragged();
  if (!literal.is_list()) return scalars.push_back(literal.scalar());
  if (static_cast<std::int64_t>(literal.list().size()) != shape[axis]) detail::throw_ragged();
  for (const Literal& inner : literal.list()) add_scalars(inner, shape, axis + 1, scalars);
}

}  // namespace

Array detail::from_host(const void* values, DType type, std::size_t count, const Shape& shape,
                        const CreationOptions& options, const char* function) {
  const graph::Place place = api::place_of(options.device);
  const DType target = options.dtype.value_or(type);
  check_host(type, target, count, shape, place, function);
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(target);
  auto node = graph::make_leaf(target, graph::row_major(shape), nullptr, place);
  runtime::Queue& queue = exec::queue_of(*node);
  node->storage = queue.allocate(bytes, function);
  if (target == type) {
    queue.write(*node->storage, 0, values, bytes, function);
  } else {
    std::vector<std::byte> converted(bytes);
    base::convert(values, type, converted.data(), target, count);
    queue.write(*node->storage, 0, converted.data(), bytes, function);
  }
  return Array(std::move(node));
}

Array detail::borrow_host(const void* values, DType type, std::size_t count, const Shape& shape,
                          const CreationOptions& options) {
  const graph::Place place = api::place_of(options.device);
  const DType target = options.dtype.value_or(type);
  check_host(type, target, count, shape, place, "borrow");
  const runtime::Context::InUse in_use(*place.context, "borrow");
  if (target == type) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * size_of(type);
    if (auto borrowed = runtime::borrow(*place.context, values, bytes, size_of(type))) {
      graph::Layout layout = graph::row_major(shape);
      layout.offset = borrowed->offset;
      return Array(graph::make_leaf(type, std::move(layout), std::move(borrowed->buffer), place));
    }
  }
  return from_host(values, type, count, shape, options, "borrow");
}

std::size_t detail::elements_in(std::size_t bytes, DType type, const char* function) {
  if (bytes % size_of(type) == 0) return bytes / size_of(type);
  throw ValueError(api::prefix(function) + "got " + std::to_string(bytes) + " bytes; an element of " +
                   std::string(name(type)) + " has " + std::to_string(size_of(type)));
}

void detail::throw_ragged() {
  throw ShapeError("[array] the inner lists differ in length; each must have as many values as the first");
}

Array detail::from_strided(const void* values, DType type, const Shape& shape, const Shape& strides,
                           const CreationOptions& options) {
  graph::check_sizes(shape, "asarray");
  if (strides.size() != shape.size()) {
    throw ShapeError("[asarray] shape " + to_string(shape) + " has " + std::to_string(shape.size()) +
                     " axes, and there are " + std::to_string(strides.size()) + " strides");
  }
  const std::size_t bytes = size_of(type);
  std::vector<std::byte> elements(static_cast<std::size_t>(shape.elements()) * bytes);
  std::byte* to = elements.data();
  const auto copy = [&](const auto& self, const std::byte* from, std::size_t axis) -> void {
    if (axis == shape.size()) {
      std::memcpy(to, from, bytes);
      to += bytes;
      return;
    }
    for (std::int64_t i = 0; i < shape[axis]; ++i) self(self, from + i * strides[axis], axis + 1);
  };
  if (!elements.empty()) copy(copy, static_cast<const std::byte*>(values), 0);
  return from_host(elements.data(), type, elements.size() / bytes, shape, options, "asarray");
}

Array array(const Literal& values, const CreationOptions& options) {
  Shape shape;
  add_shape(values, shape);
  std::vector<Scalar> scalars;
  add_scalars(values, shape, 0, scalars);
  // An empty list says nothing of a kind; of integers those decide that only uint64 holds.
  Scalar highest = scalars.empty() ? Scalar(0.0) : scalars.front();
  for (const Scalar& scalar : scalars) {
    if (scalar.kind() > highest.kind() || graph::default_type(scalar, default_dtype()) == DType::uint64) {
      if (scalar.kind() >= highest.kind()) highest = scalar;
    }
  }
  const DType type = options.dtype.value_or(graph::default_type(highest, default_dtype()));
  CreationOptions typed = options;
  typed.dtype = type;
  const auto gather = [&]<class T>(T (*value)(const Scalar&), DType wide) {
    std::vector<T> wide_values(scalars.size());
    std::transform(scalars.begin(), scalars.end(), wide_values.begin(), value);
    return detail::from_host(wide_values.data(), wide, wide_values.size(), shape, typed, "array");
  };
  for (const Scalar& scalar : scalars) graph::require_fits(scalar, type, "array");
  if (graph::is_integral(highest) && (is_integer(type) || is_bool(type))) {
    // int64 and uint64 share their bits, and each number has been found to fit.
    return gather.operator()<std::int64_t>(
        [](const Scalar& s) { return graph::constant_value(s, DType::int64).integer; },
        type == DType::uint64 ? DType::uint64 : DType::int64);
  }
  if (highest.kind() != Scalar::Kind::complex) {
    return gather.operator()<double>(
        [](const Scalar& s) { return graph::constant_value(s, DType::float64).real.real(); }, DType::float64);
  }
  return gather.operator()<std::complex<double>>(
      [](const Scalar& s) { return graph::constant_value(s, DType::complex128).real; }, DType::complex128);
}

Array asarray(const Literal& values, const CreationOptions& options) {
  const base::NamedCall call("asarray");
  return array(values, options);
}

}  // namespace koine
