// SPDX-License-Identifier: Apache-2.0
// Types and shapes of results.
#include "graph/infer.hpp"

#include "base/dtypes.hpp"

#include <koine/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace koine::graph {
namespace {

std::string text(DType type) { return std::string(koine::name(type)); }

std::string text(const Scalar& scalar) {
  return visit(
      [](auto value) -> std::string {
        if constexpr (std::is_same_v<decltype(value), std::complex<double>>) {
          return fmt::format("{} + {}i", value.real(), value.imag());
        } else {
          return fmt::format("{}", value);
        }
      },
      scalar);
}

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
constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Throws for an integer that does not fit the type of an array beside it.
void require_integer_fits(const Scalar& scalar, DType array, std::string_view function) {
  if (fits(scalar, array)) return;
  throw ValueError(prefix(function) + "the integer " + text(scalar) + " does not fit the array's type " + text(array) +
                   "; convert the array with astype first");
}

/// The range of an integer type.
struct Range {
  std::int64_t least;
  std::uint64_t most;

  template <std::integral T>
  bool holds(T value) const {
    return std::cmp_greater_equal(value, least) && std::cmp_less_equal(value, most);
  }
  /// Of a number truncated toward zero.
  bool holds(double value) const {
    const double whole = std::trunc(value);
    return whole >= static_cast<double>(least) && whole < static_cast<double>(most) + 1;
  }
};

Range range_of(DType type) {
  const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  if (is_unsigned_integer(type)) return {0, most};
  return {-static_cast<std::int64_t>(most >> 1) - 1, most >> 1};
}

}  // namespace

DType accumulation_type(DType type) { return base::is_half(type) ? DType::float32 : type; }

DType real_part(DType type) { return base::row_of(type).part; }

DType promote(DType a, DType b, std::string_view function) {
  if (a == b) return a;
  const int ka = kind(a), kb = kind(b);
  if (ka == 1 && kb == 1) return promote_integers(a, b, function);
  if (ka >= 2 && kb >= 2) return promote_floating(a, b);
  return ka > kb ? a : b;
}

DType default_type(const Scalar& scalar, DType real) {
  switch (scalar.kind()) {
    case Scalar::Kind::boolean: return DType::bool_;
    case Scalar::Kind::signed_integer: return default_integer;
    case Scalar::Kind::unsigned_integer:
      return scalar.unsigned_integer() > std::uint64_t(std::numeric_limits<std::int64_t>::max()) ? DType::uint64
                                                                                                 : default_integer;
    case Scalar::Kind::real: return real;
    case Scalar::Kind::complex: break;
  }
  return complex_of(real);
}

DType complex_of(DType real) { return real == DType::float64 ? DType::complex128 : DType::complex64; }

bool is_integral(const Scalar& scalar) { return scalar.kind() <= Scalar::Kind::unsigned_integer; }
bool share_no_type(DType a, DType b) {
  return (a == DType::uint64 && is_signed_integer(b)) || (b == DType::uint64 && is_signed_integer(a));
}

DType promote(DType array, const Scalar& scalar, DType real, std::string_view function) {
  const DType own = default_type(scalar, real);
  if (kind(own) > kind(array)) return kind(own) == 3 && kind(array) == 2 ? complex_of(array) : own;
  if (kind(own) == 1) require_integer_fits(scalar, array, function);
  return array;
}

bool fits(const Scalar& scalar, DType type) {
  if (!is_integer(type)) return true;
  return visit(
      [&](auto value) {
        if constexpr (is_whole<decltype(value)> || std::is_same_v<decltype(value), double>) {
          return range_of(type).holds(value);
        } else {
          return true;
        }
      },
      scalar);
}

void require_fits(const Scalar& scalar, DType type, std::string_view function) {
  if (scalar.kind() == Scalar::Kind::complex && !is_complex(type) && !is_bool(type)) {
    throw DTypeError(prefix(function) + "a complex value does not convert to " + text(type));
  }
  if (is_integral(scalar)) require_integer_fits(scalar, type, function);
  if (fits(scalar, type)) return;
  const Range range = range_of(type);
  throw ValueError(prefix(function) + fmt::format("{} does not fit {}, which holds {} to {}", text(scalar), text(type),
                                                  range.least, range.most));
}

bool same_kind(DType from, DType to) {
  const auto rank = [](DType type) { return 2 * kind(type) - (is_unsigned_integer(type) ? 1 : 0); };
  return rank(from) <= rank(to);
}

Operand clamped(const Operand& operand, DType type) {
  if (!operand.is_scalar() || !is_integer(type)) return operand;
  return visit(
      [&](auto value) -> Operand {
        if constexpr (is_whole<decltype(value)>) {
          const Range range = range_of(type);
          if (std::cmp_less(value, range.least)) return range.least;
          if (std::cmp_greater(value, range.most)) return range.most;
        }
        return value;
      },
      operand.scalar());
}

DType compute_type(const OpInfo& row, DType common, DType real) {
  const auto refuse = [&](std::string_view takes) -> DType {
    throw DTypeError(prefix(row.name) + "does not take " + text(common) + "; it takes " + std::string(takes));
  };
  switch (row.domain) {
    case Domain::any: return common;
    case Domain::numeric:
      return is_bool(common) ? refuse(
                                   "numeric types; of bool arrays take logical_xor (^) or logical_not (!), or convert "
                                   "them with astype")
                             : common;
    case Domain::real:
      return is_bool(common) || is_complex(common) ? refuse("integers and real floating types") : common;
    case Domain::real_or_bool: return is_complex(common) ? refuse("real types, which have an order") : common;
    case Domain::floating: return kind(common) < 2 ? real : common;
    case Domain::real_floating: return is_complex(common) ? refuse("real types") : kind(common) < 2 ? real : common;
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
  check_sizes(result, function);
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
    if (size == 0) continue;
    too_many = too_many || product > most / size;
    if (!too_many) product *= size;
  }
  if (too_many) {
    throw ShapeError(prefix(function) + "shape " + to_string(shape) + " has more elements than 64 bits can count");
  }
}

void lengthen(Shape& shape, std::size_t axis, std::int64_t count, std::string_view function) {
  if (count > std::numeric_limits<std::int64_t>::max() - shape[axis]) {
    throw ShapeError(prefix(function) + "axis " + std::to_string(axis) + " of shape " + to_string(shape) + " with " +
                     std::to_string(count) + " more elements is longer than 64 bits can count");
  }
  shape[axis] += count;
}

}  // namespace koine::graph
