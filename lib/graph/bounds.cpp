// SPDX-License-Identifier: Apache-2.0
// Ranges of integers, by the operations that make them. An operation that is not here gives what its type can hold.
#include "graph/bounds.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

#include "graph/node.hpp"

namespace koine::graph {
namespace {

using Limits = std::numeric_limits<std::int64_t>;

Bounds of_type(DType type) noexcept {
  if (is_bool(type)) return {0, 1};
  if (!is_integer(type) || size_of(type) == 8) return {};
  const std::int64_t count = std::int64_t{1} << 8 * size_of(type);
  return is_unsigned_integer(type) ? Bounds{0, count - 1} : Bounds{-count / 2, count / 2 - 1};
}

/// What a type that may be too narrow makes of numbers.
Bounds held(DType type, const Bounds& bounds) noexcept {
  const Bounds all = of_type(type);
  return bounds.within(all.least, all.most) ? bounds : all;
}

bool is_known(const Bounds& bounds) noexcept { return bounds.least != Limits::min() && bounds.most != Limits::max(); }

Bounds sum(const Bounds& a, const Bounds& b) noexcept {
  Bounds result;
  if (!is_known(a) || !is_known(b) || __builtin_add_overflow(a.least, b.least, &result.least) ||
      __builtin_add_overflow(a.most, b.most, &result.most)) {
    return {};
  }
  return result;
}

Bounds negated(const Bounds& a) noexcept { return is_known(a) ? Bounds{-a.most, -a.least} : Bounds{}; }

Bounds product(const Bounds& a, const Bounds& b) noexcept {
  if (!is_known(a) || !is_known(b)) return {};
  Bounds result{Limits::max(), Limits::min()};
  for (const std::int64_t x : {a.least, a.most}) {
    for (const std::int64_t y : {b.least, b.most}) {
      std::int64_t each = 0;
      if (__builtin_mul_overflow(x, y, &each)) return {};
      result = {std::min(result.least, each), std::max(result.most, each)};
    }
  }
  return result;
}

Bounds either(const Bounds& a, const Bounds& b) noexcept {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

/// Positions along axes of so many elements.
Bounds positions(std::int64_t count) noexcept { return {0, std::max<std::int64_t>(count - 1, 0)}; }

Bounds of_reduction(const Node& node) noexcept {
  const Node& input = *node.inputs[0];
  const ReduceInfo& info = node.get<Op::reduce>();
  std::int64_t count = 1;
  for (const std::size_t axis : info.axes) count *= input.shape[axis];
  switch (info.kind) {
    case ReduceKind::argmax:
    case ReduceKind::argmin: return positions(count);
    case ReduceKind::count_nonzero: return {0, count};
    case ReduceKind::max:
    case ReduceKind::min: return is_integer(input.dtype) ? bounds_of(input) : of_type(node.dtype);
    default: return of_type(node.dtype);
  }
}

/// Of operations with several results the positions that are the second.
Bounds of_result(const Node& node) noexcept {
  const Node& made = *node.inputs[0];
  const bool second = node.get<Op::result>().number == 1;
  if (second && (made.op == Op::sort || made.op == Op::topk)) return positions(made.inputs[0]->shape.back());
  return of_type(node.dtype);
}

Bounds of_random(const Node& node) noexcept {
  const RandomInfo& info = node.get<Op::random>();
  if (info.kind != RandomKind::integers || info.range == 0 || info.range > std::uint64_t{1} << 62) return {};
  return sum({info.low, info.low}, positions(static_cast<std::int64_t>(info.range)));
}

/// Of input k.
Bounds in(const Node& node, std::size_t k) noexcept { return bounds_of(*node.inputs[k]); }

Bounds of_cast(const Node& node) noexcept {
  const DType from = node.inputs[0]->dtype;
  return is_integer(from) || is_bool(from) ? in(node, 0) : of_type(node.dtype);
}

/// A position out of range gives -1 as it is reported.
Bounds of_take(const Node& node) noexcept {
  return node.get<Op::take>().within ? in(node, 0) : either(in(node, 0), held(node.dtype, {-1, -1}));
}

Bounds of_minimum(const Node& node) noexcept {
  const Bounds a = in(node, 0), b = in(node, 1);
  return {std::min(a.least, b.least), std::min(a.most, b.most)};
}

Bounds of_maximum(const Node& node) noexcept {
  const Bounds a = in(node, 0), b = in(node, 1);
  return {std::max(a.least, b.least), std::max(a.most, b.most)};
}

/// Of an integer divided by 0 it is 0.
Bounds of_remainder(const Node& node) noexcept {
  const Bounds by = in(node, 1);
  return by.least >= 0 && is_known(by) ? positions(by.most) : of_type(node.dtype);
}

/// The bits of one that is not below zero are those of no larger number.
Bounds of_bits(const Node& node) noexcept {
  const Bounds a = in(node, 0), b = in(node, 1);
  if (a.least < 0 && b.least < 0) return of_type(node.dtype);
  return {0, a.least < 0 ? b.most : b.least < 0 ? a.most : std::min(a.most, b.most)};
}

/// No bit is above the highest one of either.
Bounds of_joined_bits(const Node& node) noexcept {
  const Bounds a = in(node, 0), b = in(node, 1);
  if (a.least < 0 || b.least < 0) return of_type(node.dtype);
  const int bits = std::bit_width(static_cast<std::uint64_t>(a.most | b.most));
  const std::int64_t least = node.op == Op::bitwise_or ? std::max(a.least, b.least) : 0;
  return {least, static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1)};
}

/// How far bits are shifted to the right: a distance below zero is one that no type has, which leaves the sign.
Bounds of_right_shift(const Node& node) noexcept {
  const Bounds a = in(node, 0), by = in(node, 1);
  const bool any = by.least < 0;
  const std::int64_t first = any ? 0 : std::min<std::int64_t>(by.least, 63);
  const std::int64_t last = any ? 63 : std::min<std::int64_t>(by.most, 63);
  return {std::min(a.least >> first, a.least >> last), std::max(a.most >> first, a.most >> last)};
}

Bounds of_left_shift(const Node& node) noexcept {
  const Bounds by = in(node, 1);
  if (!by.within(0, 62)) return of_type(node.dtype);
  return product(in(node, 0), {std::int64_t{1} << by.least, std::int64_t{1} << by.most});
}

/// By numbers above zero, which keep the order of what they divide.
Bounds of_floor_divide(const Node& node) noexcept {
  const Bounds a = in(node, 0), by = in(node, 1);
  if (by.least < 1) return of_type(node.dtype);
  const auto quotient = [](std::int64_t x, std::int64_t y) noexcept { return x / y - (x % y < 0 ? 1 : 0); };
  return {std::min(quotient(a.least, by.least), quotient(a.least, by.most)),
          std::max(quotient(a.most, by.least), quotient(a.most, by.most))};
}

Bounds of_abs(const Node& node) noexcept {
  const Bounds a = in(node, 0);
  if (a.least >= 0 || !is_known(a)) return a.least >= 0 ? a : of_type(node.dtype);
  return {0, std::max(-a.least, a.most)};
}

Bounds of_sort(const Node& node) noexcept {
  const SortGives gives = node.get<Op::sort>().gives;
  if (gives == SortGives::positions) return positions(node.inputs[0]->shape.back());
  return gives == SortGives::values ? in(node, 0) : of_type(node.dtype);
}

struct Rule {
  Op op;
  Bounds (*bounds)(const Node&) noexcept;
};

constexpr Rule rules[] = {
    {Op::cast, of_cast},
    {Op::view, [](const Node& node) noexcept { return in(node, 0); }},
    {Op::take, of_take},
    {Op::where, [](const Node& node) noexcept { return either(in(node, 1), in(node, 2)); }},
    {Op::add, [](const Node& node) noexcept { return sum(in(node, 0), in(node, 1)); }},
    {Op::subtract, [](const Node& node) noexcept { return sum(in(node, 0), negated(in(node, 1))); }},
    {Op::multiply, [](const Node& node) noexcept { return product(in(node, 0), in(node, 1)); }},
    {Op::minimum, of_minimum},
    {Op::maximum, of_maximum},
    {Op::remainder, of_remainder},
    {Op::floor_divide, of_floor_divide},
    {Op::abs, of_abs},
    {Op::bitwise_and, of_bits},
    {Op::bitwise_or, of_joined_bits},
    {Op::bitwise_xor, of_joined_bits},
    {Op::bitwise_left_shift, of_left_shift},
    {Op::bitwise_right_shift, of_right_shift},
    {Op::reduce, of_reduction},
    {Op::result, of_result},
    {Op::random, of_random},
    {Op::sort, of_sort},
    {Op::search,
     [](const Node& node) noexcept {
       return Bounds{0, node.inputs[0]->shape.elements()};
     }},
};

}  // namespace

Bounds bounds_of(const Node& node) noexcept { return node.is_ready() ? of_type(node.dtype) : node.bounds; }

Bounds made_bounds(const Node& node) noexcept {
  if (!is_integer(node.dtype) || node.dtype == DType::uint64) return of_type(node.dtype);
  const auto* const rule =
      std::find_if(std::begin(rules), std::end(rules), [&](const Rule& each) { return each.op == node.op; });
  return rule == std::end(rules) ? of_type(node.dtype) : held(node.dtype, rule->bounds(node));
}

}  // namespace koine::graph
