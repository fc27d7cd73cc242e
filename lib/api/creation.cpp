// SPDX-License-Identifier: Apache-2.0
// Making arrays.
#include "api/build.hpp"
#include "runtime/context.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <cmath>

namespace koine {
namespace {

using graph::Op;

bool is_complex_scalar(const Scalar& scalar) { return scalar.kind() == Scalar::Kind::complex; }

double real_value(const Scalar& scalar, std::string_view function) {
  if (is_complex_scalar(scalar)) {
    throw DTypeError(api::prefix(function) + "takes real numbers, not complex ones");
  }
  return graph::constant_value(scalar, DType::float64).real.real();
}

Array constant_array(const Shape& shape, const Scalar& value, const CreationOptions& options, const char* function) {
  graph::check_sizes(shape, function);
  const graph::Place place = api::place_of(options.device);
  const DType type = options.dtype.value_or(graph::default_type(value, default_dtype()));
  api::require_type(place, type, function);
  graph::require_fits(value, type, function);
  const auto constant = graph::make_constant(type, graph::constant_value(value, type), place);
  return Array(api::broadcast_node(constant, shape));
}

/// Memory as it comes. Kernels count on it that bytes of bool_ are 0 or 1.
Array uninitialised(const Shape& shape, DType type, const std::optional<Device>& device, const char* function) {
  if (is_bool(type)) return constant_array(shape, false, {.dtype = type, .device = device}, function);
  graph::check_sizes(shape, function);
  const graph::Place place = api::place_of(device);
  api::require_type(place, type, function);
  return api::unwritten(shape, type, place, function);
}

CreationOptions like(const Array& x, const CreationOptions& options) {
  return {.dtype = options.dtype.value_or(x.dtype()), .device = options.device.value_or(x.device())};
}

/// start + step·i for i from 0, computed in `wide` and converted.
Array progression(const Scalar& start, const Scalar& step, std::int64_t count, DType wide, DType type,
                  const graph::Place& place) {
  const auto constant = [&](const Scalar& s) {
    return graph::make_constant(wide, graph::constant_value(s, wide), place);
  };
  auto values = graph::make_cast(graph::make_iota({count}, place), wide, place);
  const auto then = [&](Op op, const Scalar& with) {
    const graph::NodeRef inputs[] = {values, constant(with)};
    values = graph::make_node(op, wide, {count}, place, inputs);
  };
  if (real_value(step, "arange") != 1) then(Op::multiply, step);
  if (real_value(start, "arange") != 0) then(Op::add, start);
  return api::pending(graph::make_cast(values, type, place));
}

/// The type progressions are computed in: as wide as the device allows, so that a float32 result is rounded once.
DType wide_type(DType type, const graph::Place& place) {
  if (!is_real_floating(type)) return type;
  return place.traits->fp64 ? DType::float64 : DType::float32;
}

/// Row and column numbers of a matrix compared: column <= row + k (or >=, ==).
Array diagonal_mask(Op op, std::int64_t rows, std::int64_t columns, std::int64_t k, const graph::Place& place) {
  Array row(api::reshape_node(graph::make_iota({rows}, place), {rows, 1}));
  // Beyond the corners every diagonal is like the next.
  if (const std::int64_t by = std::clamp(k, -rows, columns); by != 0) row = row + by;
  return api::pending(op, DType::bool_, {rows, columns}, place, {graph::make_iota({columns}, place), row.node()});
}

Array triangle(Op op, const Array& x, const TriangleOptions& options, std::string_view function) {
  const base::NamedCall call(function);
  if (x.ndim() < 2) {
    throw ShapeError(api::prefix(function) + "needs at least two axes, got shape " + to_string(x.shape()));
  }
  const Array mask = diagonal_mask(op, x.shape(-2), x.shape(-1), options.k, api::place_of(x.device()));
  return where(mask, x, is_bool(x.dtype()) ? Operand(false) : Operand(0));
}

}  // namespace

Array asarray(const Array& x, const CreationOptions& options) {
  const base::NamedCall call("asarray");
  const Array typed = options.dtype ? astype(x, *options.dtype) : x;
  return options.device ? to_device(typed, *options.device) : typed;
}

Array empty(const Shape& shape, const CreationOptions& options) {
  return uninitialised(shape, options.dtype.value_or(default_dtype()), options.device, "empty");
}

Array zeros(const Shape& shape, const CreationOptions& options) {
  return constant_array(shape, 0, {.dtype = options.dtype.value_or(default_dtype()), .device = options.device},
                        "zeros");
}

Array ones(const Shape& shape, const CreationOptions& options) {
  return constant_array(shape, 1, {.dtype = options.dtype.value_or(default_dtype()), .device = options.device}, "ones");
}

Array full(const Shape& shape, const Scalar& value, const CreationOptions& options) {
  return constant_array(shape, value, options, "full");
}

Array empty_like(const Array& x, const CreationOptions& options) {
  const CreationOptions own = like(x, options);
  return uninitialised(x.shape(), *own.dtype, own.device, "empty_like");
}
Array zeros_like(const Array& x, const CreationOptions& options) {
  return constant_array(x.shape(), 0, like(x, options), "zeros_like");
}
Array ones_like(const Array& x, const CreationOptions& options) {
  return constant_array(x.shape(), 1, like(x, options), "ones_like");
}
Array full_like(const Array& x, const Scalar& value, const CreationOptions& options) {
  return constant_array(x.shape(), value, like(x, options), "full_like");
}

Array arange(const Scalar& start, const Scalar& stop, const Scalar& step, const CreationOptions& options) {
  const graph::Place place = api::place_of(options.device);
  const bool integral = graph::is_integral(start) && graph::is_integral(stop) && graph::is_integral(step);
  const DType type = options.dtype.value_or(integral ? graph::default_integer : default_dtype());
  api::require_type(place, type, "arange");
  const double by = real_value(step, "arange"), from = real_value(start, "arange"), to = real_value(stop, "arange");
  if (by == 0.0) throw ValueError("[arange] the step is 0; it must not be zero");
  if (!std::isfinite(by) || !std::isfinite(from) || !std::isfinite(to)) {
    throw ValueError("[arange] start, stop and step must be finite");
  }
  std::int64_t count = 0;
  if (integral) {
    // Of -2^63 to 2^64 - 1 as unsigned numbers, which wrap; the signs are those of the real numbers.
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    const auto bits = [](const Scalar& s) {
      return static_cast<std::uint64_t>(graph::constant_value(s, int64).integer);
    };
    const std::uint64_t first = bits(start), last = bits(stop), width = bits(step);
    const bool across = (from < 0) != (to < 0), rises = across ? from < 0 : first < last;
    const std::uint64_t low = rises ? first : last, high = rises ? last : first;
    // Across zero high - low is high and the magnitude of low, which may be more than 64 bits hold.
    const bool beyond = across && high > std::numeric_limits<std::uint64_t>::max() - (0 - low);
    const std::uint64_t distance = beyond ? std::numeric_limits<std::uint64_t>::max() : high - low;
    if (distance > 0 && rises == (by > 0)) {
      count = static_cast<std::int64_t>(std::min((distance - 1) / (by > 0 ? width : 0 - width), most - 1)) + 1;
    }
    if (count > 0 && is_integer(type)) {
      // Both ends must fit; promotion refuses those that do not.
      const std::uint64_t end = first + static_cast<std::uint64_t>(count - 1) * width;
      const bool below_zero = from + static_cast<double>(count - 1) * by < 0;
      graph::promote(type, start, default_dtype(), "arange");
      graph::promote(type, below_zero ? Scalar(static_cast<std::int64_t>(end)) : Scalar(end), default_dtype(),
                     "arange");
    }
  } else {
    const double steps = std::ceil((to - from) / by);
    if (steps > 0x1p62) throw ValueError("[arange] would have more than 2^62 elements");
    if (steps > 0) count = static_cast<std::int64_t>(steps);
    if (count > 0) {
      graph::require_fits(from, type, "arange");
      graph::require_fits(from + by * static_cast<double>(count - 1), type, "arange");
    }
  }
  graph::check_sizes({count}, "arange");
  return progression(start, step, count, integral ? int64 : wide_type(float32, place), type, place);
}

Array arange(const Scalar& stop, const CreationOptions& options) { return arange(0, stop, 1, options); }

namespace {

/// By its parts, each evenly spaced.
Array complex_linspace(const Scalar& start, const Scalar& stop, std::int64_t num, const LinspaceOptions& options) {
  const DType type = options.dtype.value_or(graph::complex_of(default_dtype()));
  if (!is_complex(type)) {
    throw DTypeError("[linspace] complex ends need a complex .dtype, not " + std::string(name(type)));
  }
  const auto from = graph::constant_value(start, complex128).real, to = graph::constant_value(stop, complex128).real;
  LinspaceOptions parts = options;
  parts.dtype = type == complex128 ? float64 : float32;
  const Array real = linspace(from.real(), to.real(), num, parts), imag = linspace(from.imag(), to.imag(), num, parts);
  return astype(real, type) + astype(imag, type) * std::complex<double>(0, 1);
}

/// Evenly spaced integers, rounded down but otherwise exact, as `type`, to which they are cut.
Array integer_linspace(const Scalar& start, const Scalar& stop, std::int64_t num, std::int64_t gaps, DType type,
                       const Device& device) {
  // As unsigned numbers, which wrap on the way and hold every distance.
  const auto bits = [](const Scalar& s) { return static_cast<std::uint64_t>(graph::constant_value(s, int64).integer); };
  const double across = real_value(stop, "linspace") - real_value(start, "linspace");
  const bool falls = across < 0 || (across == 0 && static_cast<std::int64_t>(bits(stop) - bits(start)) < 0);
  const std::uint64_t distance = falls ? bits(start) - bits(stop) : bits(stop) - bits(start);
  const auto parts = static_cast<std::uint64_t>(std::max<std::int64_t>(gaps, 1));
  const Array position = arange(num, {.dtype = uint64, .device = device});
  const Array rest = floor_divide(position * (distance % parts) + (falls ? parts - 1 : 0), parts);
  const Array way = position * (distance / parts) + rest;
  return astype(falls ? bits(start) - way : way + bits(start), type);
}

Scalar rounded_down(const Scalar& value) {
  return value.kind() == Scalar::Kind::real ? Scalar(std::floor(value.real())) : value;
}

}  // namespace

Array linspace(const Scalar& start, const Scalar& stop, std::int64_t num, const LinspaceOptions& options) {
  const base::NamedCall call("linspace");
  graph::check_sizes({num}, "linspace");
  const graph::Place place = api::place_of(options.device);
  if (is_complex_scalar(start) || is_complex_scalar(stop)) return complex_linspace(start, stop, num, options);
  const DType type = options.dtype.value_or(default_dtype());
  api::require_type(place, type, "linspace");
  const double from = real_value(start, "linspace"), to = real_value(stop, "linspace");
  const std::int64_t gaps = options.endpoint ? num - 1 : num;
  if (is_integer(type) && num > 0) {
    graph::require_fits(rounded_down(start), type, "linspace");
    if (num > 1 && !graph::fits(rounded_down(stop), type)) {
      // Without `.endpoint` the values may all fit nevertheless.
      const double last = from + (to - from) / static_cast<double>(num) * static_cast<double>(num - 1);
      graph::require_fits(options.endpoint ? rounded_down(stop) : rounded_down(last), type, "linspace");
    }
    // What 64 bits hold on the way: positions times what a division by `gaps` leaves, and the distance of the ends.
    const bool past =
        graph::default_type(start, default_dtype()) == uint64 || graph::default_type(stop, default_dtype()) == uint64;
    if (graph::is_integral(start) && graph::is_integral(stop) && gaps < std::int64_t{1} << 32 &&
        !(past && (from < 0 || to < 0))) {
      return integer_linspace(start, stop, num, gaps, type, api::device_of(place));
    }
  }
  const DType wide = wide_type(float32, place);
  const auto parts = static_cast<double>(std::max<std::int64_t>(gaps, 1));
  Array values;
  if (std::isfinite(to - from) && std::abs(to - from) <= finfo(wide).max) {
    values = progression(from, gaps > 0 ? (to - from) / parts : 0.0, num, wide, wide, place);
  } else {
    // So far apart that steps from one end would pass the type's range: the ends are weighed instead.
    const Array part = progression(0, 1, num, wide, wide, place) / parts;
    values = from * (1 - part) + to * part;
  }
  if (is_integer(type)) values = floor(values);
  if (!options.endpoint || num < 2) return astype(values, type);
  // The last value is `stop` itself, whatever the steps rounded to.
  const Array last = arange(num, {.dtype = int64, .device = options.device}) == num - 1;
  return astype(where(last, is_integer(type) ? std::floor(to) : to, values), type);
}

Array eye(std::int64_t n_rows, std::int64_t n_cols, const EyeOptions& options) {
  const base::NamedCall call("eye");
  graph::check_sizes({n_rows, n_cols}, "eye");
  const Device device = options.device.value_or(default_device());
  const DType type = options.dtype.value_or(default_dtype());
  api::require_type(api::place_of(device), type, "eye");
  return astype(diagonal_mask(Op::equal, n_rows, n_cols, options.k, api::place_of(device)), type);
}

Array eye(std::int64_t n_rows, const EyeOptions& options) { return eye(n_rows, n_rows, options); }

Array tril(const Array& x, const TriangleOptions& options) { return triangle(Op::less_equal, x, options, "tril"); }
Array triu(const Array& x, const TriangleOptions& options) { return triangle(Op::greater_equal, x, options, "triu"); }

std::vector<Array> meshgrid(const std::vector<Array>& arrays, const MeshgridOptions& options) {
  const base::NamedCall call("meshgrid");
  const bool columns_first = api::choice(options.indexing, {"xy", "ij"}, "meshgrid", "indexing") == 0;
  const std::size_t count = arrays.size();
  const bool swapped = columns_first && count >= 2;
  const auto axis_of = [&](std::size_t k) { return swapped && k < 2 ? 1 - k : k; };
  Shape shape = Shape::filled(count, 1);
  for (std::size_t k = 0; k < count; ++k) {
    if (arrays[k].ndim() != 1) {
      throw ShapeError("[meshgrid] takes vectors; argument " + std::to_string(k) + " has shape " +
                       to_string(arrays[k].shape()));
    }
    shape[axis_of(k)] = arrays[k].size();
  }
  graph::check_sizes(shape, "meshgrid");
  std::vector<Array> result;
  for (std::size_t k = 0; k < count; ++k) {
    Shape own = Shape::filled(count, 1);
    own[axis_of(k)] = arrays[k].size();
    result.push_back(broadcast_to(reshape(arrays[k], own), shape));
  }
  return result;
}

}  // namespace koine
