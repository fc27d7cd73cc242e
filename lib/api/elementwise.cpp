// SPDX-License-Identifier: Apache-2.0
// The element-wise functions, made from the table of operations, and where and clip.
#include "api/build.hpp"
#include "exec/at_once.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <type_traits>

namespace koine {
namespace {

using graph::Op;

/// The operation `row` on operands of these types and of this common shape. Of single elements that are there already,
/// on a device that works in the host's memory, it is the number.
template <class... Operands>
Array element_wise(Op op, const graph::OpInfo& row, DType type, Shape shape, const graph::Place& place,
                   const Operands&... operands) {
  const DType result = graph::result_type(row, type);
  if (shape.empty()) {
    if (const auto number = exec::number_at_once(op, type, result, place, {&operands...})) {
      return Array(graph::make_constant(result, *number, place));
    }
  }
  return api::pending(op, result, std::move(shape), place, {api::to_node(operands, type, place)...});
}

Array unary(Op op, const Operand& x) {
  const graph::OpInfo& row = graph::info(op);
  const graph::Place place = api::common_place(row.name, {&x});
  const DType type = graph::compute_type(row, api::common_type(row.name, {&x}), default_dtype());
  api::require_type(place, type, row.name);
  return element_wise(op, row, type, api::shape_of(x), place, x);
}

Array paired(Op op, const Operand& x1, const Operand& x2, DType common) {
  const graph::OpInfo& row = graph::info(op);
  const graph::Place place = api::common_place(row.name, {&x1, &x2});
  const DType type = graph::compute_type(row, common, default_dtype());
  api::require_type(place, type, row.name);
  Shape shape = graph::broadcast_shapes(api::shape_of(x1), api::shape_of(x2), row.name);
  return element_wise(op, row, type, std::move(shape), place, x1, x2);
}

/// A comparison of int64 with uint64: what is below 0 is less than all others, which compare as uint64.
Array compared_mixed(Op op, const Operand& x1, const Operand& x2, const api::Compared& types) {
  const std::string_view function = graph::info(op).name;
  const graph::Place place = api::common_place(function, {&x1, &x2});
  const bool first = types.x1 == int64;
  const Array signed_one(api::to_node(first ? x1 : x2, int64, place));
  const bool below = op == Op::not_equal || op == (first ? Op::less : Op::greater) ||
                     op == (first ? Op::less_equal : Op::greater_equal);
  const Array others = first ? paired(op, signed_one, x2, uint64) : paired(op, x1, signed_one, uint64);
  return where(signed_one < 0, below, others);
}

/// x to a power that products, a root or a quotient give within 1.5 units in the last place, in a fraction of the time;
/// nothing for other exponents. Of float16 and bfloat16, which are rounded after each operation, only what is one; of
/// complex numbers only the square, as in NumPy.
std::optional<Array> simple_power(const Operand& base, const Operand& exponent) {
  if (base.is_scalar() || !exponent.is_scalar()) return std::nullopt;
  const graph::OpInfo& row = graph::info(Op::pow);
  const DType type = graph::compute_type(row, api::common_type(row.name, {&base, &exponent}), default_dtype());
  const double power = graph::visit(
      [](auto value) {
        if constexpr (std::is_arithmetic_v<decltype(value)>) return static_cast<double>(value);
        return std::numeric_limits<double>::quiet_NaN();
      },
      exponent.scalar());
  const bool real = is_real_floating(type), one = is_complex(type) || (size_of(type) == 2 && real);
  const bool product = power == 2 || (!one && (power == 3 || power == 4));
  const bool inverse = real && (power == 0.5 || power == -1 || (!one && (power == -0.5 || power == -2)));
  if (!(product || inverse)) return std::nullopt;
  const graph::Place place = api::common_place(row.name, {&base, &exponent});
  api::require_type(place, type, row.name);
  const Array x(api::to_node(base, type, place));
  if (power == 2) return square(x);
  if (power == 3) return square(x) * x;
  if (power == 4) return square(square(x));
  if (power == -1) return reciprocal(x);
  if (power == -2) return square(reciprocal(x));
  // Unlike its root, the power of -0.0 is 0 and that of minus infinity infinite.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Array root = where(x == -infinity, infinity, abs(sqrt(x)));
  return power < 0 ? reciprocal(root) : root;
}

Array binary(Op op, const Operand& x1, const Operand& x2) {
  const graph::OpInfo& row = graph::info(op);
  if (op == Op::pow) {
    if (std::optional<Array> power = simple_power(x1, x2)) return *std::move(power);
  }
  // Logical functions read each input by itself, so their types need not have anything in common.
  if (row.domain == graph::Domain::logical) return paired(op, x1, x2, DType::bool_);
  if (!graph::is_comparison(op)) return paired(op, x1, x2, api::common_type(row.name, {&x1, &x2}));
  const api::Compared types = api::compared_types(row.name, x1, x2);
  return types.mixed() ? compared_mixed(op, x1, x2, types) : paired(op, x1, x2, types.x1);
}

// Selected by the row's arity, which the table gives as a token. (Why operands are moved: api::array_of.)
#define KN_DEFINE_1(name)               \
  Array name(Operand given) {           \
    const Operand x = std::move(given); \
    return unary(Op::name, x);          \
  }
#define KN_DEFINE_2(name)                                        \
  Array name(Operand first, Operand second) {                    \
    const Operand x1 = std::move(first), x2 = std::move(second); \
    return binary(Op::name, x1, x2);                             \
  }

}  // namespace

#define KN_OP(name, arity, ...) KN_DEFINE_##arity(name)
#include "graph/ops.def"
#undef KN_DEFINE_1
#undef KN_DEFINE_2

Array where(Operand given_condition, Operand given_x1, Operand given_x2) {
  const Operand condition = std::move(given_condition), x1 = std::move(given_x1), x2 = std::move(given_x2);
  const graph::Place place = api::common_place("where", {&condition, &x1, &x2});
  const DType type = api::common_type("where", {&x1, &x2});
  api::require_type(place, type, "where");
  Shape shape = graph::broadcast_shapes(api::shape_of(x1), api::shape_of(x2), "where");
  shape = graph::broadcast_shapes(api::shape_of(condition), shape, "where");
  return api::pending(
      Op::where, type, std::move(shape), place,
      {api::to_node(condition, DType::bool_, place), api::to_node(x1, type, place), api::to_node(x2, type, place)});
}

Array clip(Operand given, const ClipBound& min, const ClipBound& max) {
  const base::NamedCall call("clip");
  const Operand x = std::move(given);
  Operand low = min.operand().value_or(x), high = max.operand().value_or(x);
  const graph::Place place = api::common_place("clip", {&x, &low, &high});
  // An integer past the type that it bounds is the end of its range.
  const Operand &first = low.is_scalar() ? x : low, &second = high.is_scalar() ? x : high;
  const DType arrays = api::common_type("clip", {&x, &first, &second});
  low = graph::clamped(low, arrays);
  high = graph::clamped(high, arrays);
  const DType type = api::common_type("clip", {&x, &low, &high});
  api::require_order(type, "clip");
  api::require_type(place, type, "clip");
  Array result(api::to_node(x, type, place));
  if (min.operand()) result = maximum(result, low);
  if (max.operand()) result = minimum(result, high);
  return result;
}

Array nan_to_num(Operand given, const NanToNumOptions& options) {
  const base::NamedCall call("nan_to_num");
  const Array x = api::array_of(std::move(given), "nan_to_num");
  if (is_complex(x.dtype())) {
    throw DTypeError("[nan_to_num] does not take " + std::string(name(x.dtype())) +
                     "; it takes real types: take real(x) and imag(x)");
  }
  if (!is_real_floating(x.dtype())) return x;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const FloatInfo range = finfo(x.dtype());
  const Array low = where(x == -infinity, options.neginf.value_or(range.min), x);
  const Array finite = where(x == infinity, options.posinf.value_or(range.max), low);
  return where(isnan(x), options.nan, finite);
}

namespace {

/// x1 as what an operator gave, which may be of a wider type of the same kind.
Array& update(Array& x1, Array result, std::string_view function, std::string_view symbol) {
  if (result.shape() != x1.shape()) {
    throw ShapeError(api::prefix(function) + "shape " + to_string(x1.shape()) + " cannot become " +
                     to_string(result.shape()) + " in place; the right side must broadcast to the left");
  }
  if (!graph::same_kind(result.dtype(), x1.dtype())) {
    symbol.remove_suffix(1);
    throw DTypeError(fmt::format(
        "{}{} cannot become {} in place; write x = x {} y for a new array of that type, or astype(x {} y, {})",
        api::prefix(function), name(x1.dtype()), name(result.dtype()), symbol, symbol, name(x1.dtype())));
  }
  return x1 = result.dtype() == x1.dtype() ? std::move(result) : astype(result, x1.dtype());
}

}  // namespace

#define KN_IN_PLACE(op, function)                                    \
  Array& operator op(Array& x1, const Operand& x2) {                 \
    return update(x1, function(x1, x2), #function " in place", #op); \
  }                                                                  \
  void Subscript::operator op(Operand value)&& {                     \
    Array part = *this;                                              \
    part op value;                                                   \
    value = Operand(false); /* only the result needs it now */       \
    std::move(*this) = Operand(std::move(part));                     \
  }
KN_IN_PLACE(+=, add)
KN_IN_PLACE(-=, subtract)
KN_IN_PLACE(*=, multiply)
KN_IN_PLACE(/=, divide)
KN_IN_PLACE(%=, remainder)
KN_IN_PLACE(&=, bitwise_and)
KN_IN_PLACE(|=, bitwise_or)
KN_IN_PLACE(^=, bitwise_xor)
KN_IN_PLACE(<<=, bitwise_left_shift)
KN_IN_PLACE(>>=, bitwise_right_shift)
#undef KN_IN_PLACE

}  // namespace koine
