// SPDX-License-Identifier: Apache-2.0
// Types and shapes of results.
#include "graph/infer.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace koine::graph {
namespace {

std::string text(DType type) { return std::string(koine::name(type)); }

std::string prefix(std::string_view function) { return "[" + std::string(function) + "] "; }

/// 0 bool, 1 integer, 2 real floating, 3 complex.
int kind(DType type) {
  if (is_bool(type)) return 0;
  if (is_integer(type)) return 1;
  return is_complex(type) ? 3 : 2;
}

DType promote_integers(DType a, DType b, std::string_view function) {
  if (is_signed_integer(a) == is_signed_integer(b)) return std::max(a, b);
  const DType s = is_signed_integer(a) ? a : b, u = is_signed_integer(a) ? b : a;
  if (size_of(s) > size_of(u)) return s;
  switch (u) {
    case DType::uint8: return DType::int16;
    case DType::uint16: return DType::int32;
    case DType::uint32: return DType::int64;
    default:
      throw DTypeError(prefix(function) + text(a) + " and " + text(b) +
                       " have no common integer type; convert one of them with astype");
  }
}

DType promote_floating(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    const bool wide = std::max(size_of(real_part(a)), size_of(real_part(b))) == 8;
    return wide ? DType::complex128 : DType::complex64;
  }
  if (a == DType::float64 || b == DType::float64) return DType::float64;
  return DType::float32;  // also for float16 beside bfloat16: neither holds the other
}

template <class T>
bool fits(T value, DType type) {
  const auto in = [value]<class I>(I) {
    return std::cmp_greater_equal(value, std::numeric_limits<I>::min()) &&
           std::cmp_less_equal(value, std::numeric_limits<I>::max());
  };
  switch (type) {
    case DType::int8: return in(std::int8_t{});
    case DType::int16: return in(std::int16_t{});
    case DType::int32: return in(std::int32_t{});
    case DType::int64: return in(std::int64_t{});
    case DType::uint8: return in(std::uint8_t{});
    case DType::uint16: return in(std::uint16_t{});
    case DType::uint32: return in(std::uint32_t{});
    case DType::uint64: return in(std::uint64_t{});
    default: return true;
  }
}

}  // namespace

DType accumulation_type(DType type) {
  return type == DType::float16 || type == DType::bfloat16 ? DType::float32 : type;
}

DType real_part(DType type) {
  if (type == DType::complex64) return DType::float32;
  return type == DType::complex128 ? DType::float64 : type;
}

DType promote(DType a, DType b, std::string_view function) {
  if (a == b) return a;
  const int ka = kind(a), kb = kind(b);
  if (ka == 1 && kb == 1) return promote_integers(a, b, function);
  if (ka >= 2 && kb >= 2) return promote_floating(a, b);
  return ka > kb ? a : b;
}

DType default_type(const Scalar& scalar) {
  switch (scalar.kind()) {
    case Scalar::Kind::boolean: return DType::bool_;
    case Scalar::Kind::signed_integer: return default_integer;
    case Scalar::Kind::unsigned_integer:
      return scalar.unsigned_integer() > std::uint64_t(std::numeric_limits<std::int64_t>::max()) ? DType::uint64
                                                                                                 : default_integer;
    case Scalar::Kind::real: return default_dtype();
    case Scalar::Kind::complex: break;
  }
  return default_complex();
}

DType default_complex() { return default_dtype() == DType::float64 ? DType::complex128 : DType::complex64; }

bool is_integral(const Scalar& scalar) { return scalar.kind() <= Scalar::Kind::unsigned_integer; }
bool holds(DType type, const Scalar& scalar) {
  if (scalar.kind() == Scalar::Kind::signed_integer) return fits(scalar.integer(), type);
  return scalar.kind() != Scalar::Kind::unsigned_integer || fits(scalar.unsigned_integer(), type);
}

bool share_no_type(DType a, DType b) {
  return (a == DType::uint64 && is_signed_integer(b)) || (b == DType::uint64 && is_signed_integer(a));
}

DType promote(DType array, const Scalar& scalar, std::string_view function) {
  const DType own = default_type(scalar);
  if (kind(own) > kind(array)) {
    if (kind(own) == 3 && kind(array) == 2) return array == DType::float64 ? DType::complex128 : DType::complex64;
    return own;
  }
  if (is_integer(array) && !holds(array, scalar)) {
    const bool is_signed = scalar.kind() == Scalar::Kind::signed_integer;
    const std::string value =
        is_signed ? std::to_string(scalar.integer()) : std::to_string(scalar.unsigned_integer());
    throw ValueError(prefix(function) + "the integer " + value + " does not fit the array's type " + text(array) +
                     "; convert the array with astype first");
  }
  return array;
}

DType compute_type(const OpInfo& row, DType common) {
  const auto refuse = [&](std::string_view takes) -> DType {
    throw DTypeError(prefix(row.name) + "does not take " + text(common) + "; it takes " + std::string(takes));
  };
  switch (row.domain) {
    case Domain::any: return common;
    case Domain::numeric:
      return is_bool(common) ? refuse("numeric types: convert a bool array with astype, or use the logical functions")
                             : common;
    case Domain::real:
      return is_bool(common) || is_complex(common) ? refuse("integers and real floating types") : common;
    case Domain::real_or_bool: return is_complex(common) ? refuse("real types, which have an order") : common;
    case Domain::floating: return kind(common) < 2 ? default_dtype() : common;
    case Domain::real_floating:
      return is_complex(common) ? refuse("real types") : kind(common) < 2 ? default_dtype() : common;
    case Domain::integer: return is_integer(common) ? common : refuse("integers");
    case Domain::bits:
      if (kind(common) < 2) return common;
      return refuse(row.name == "bitwise_xor" ? "integers and bool; for a power write pow(x, 2)" : "integers and bool");
    case Domain::logical: return DType::bool_;
  }
  return common;
}

DType result_type(const OpInfo& row, DType compute) {
  switch (row.result) {
    case Result::boolean: return DType::bool_;
    case Result::real: return real_part(compute);
    default: return compute;
  }
}

Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view function) {
  if (a == b) return a;
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& size = result[axis + shift];
    if (size == shorter[axis] || shorter[axis] == 1) continue;
    if (size != 1) {
      throw ShapeError(prefix(function) + "shapes " + to_string(a) + " and " + to_string(b) +
                       " do not broadcast: axis sizes must be equal or 1, counted from the last axis");
    }
    size = shorter[axis];
  }
  return result;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const std::size_t shift = to.size() - from.size();
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1 && from[axis] != to[axis + shift]) return false;
  }
  return true;
}

std::size_t normal_axis(std::int64_t axis, const Shape& shape, std::string_view function) {
  const auto count = static_cast<std::int64_t>(shape.size());
  if (axis < -count || axis >= count) {
    throw IndexError(
        prefix(function) + "axis " + std::to_string(axis) + " is out of range for shape " + to_string(shape) +
        (count ? "; it can be " + std::to_string(-count) + " to " + std::to_string(count - 1) : ", which has no axes"));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::vector<std::size_t> normal_axes(const Axis& axis, const Shape& shape, std::string_view function) {
  std::vector<std::size_t> axes;
  if (!axis.given()) {
    for (std::size_t a = 0; a < shape.size(); ++a) axes.push_back(a);
    return axes;
  }
  for (std::int64_t a : axis.axes()) axes.push_back(normal_axis(a, shape, function));
  std::sort(axes.begin(), axes.end());
  if (const auto twice = std::adjacent_find(axes.begin(), axes.end()); twice != axes.end()) {
    throw IndexError(prefix(function) + "axis " + std::to_string(*twice) + " is named twice in " +
                     to_string(axis.axes()));
  }
  return axes;
}

void check_sizes(const Shape& shape, std::string_view function) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;  // so that bytes fit too
  std::int64_t product = 1;
  bool too_many = false;
  for (std::int64_t size : shape) {
    if (size < 0) {
      throw ShapeError(prefix(function) + "shape " + to_string(shape) + " has the negative size " +
                       std::to_string(size) + "; sizes are 0 or more");
    }
    if (size != 0 && product > most / size) too_many = true;
    if (!too_many) product *= size;
  }
  if (too_many && std::find(shape.begin(), shape.end(), 0) == shape.end()) {
    throw ShapeError(prefix(function) + "shape " + to_string(shape) + " has more elements than 64 bits can count");
  }
}

}  // namespace koine::graph
