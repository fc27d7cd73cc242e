// SPDX-License-Identifier: Apache-2.0
// Between what integers lie before they are computed.
#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>

#include "graph/node.hpp"

namespace kn = koine;
using kn::DType;
using kn::Shape;
using kn::graph::Bounds;
using kn::graph::NodeRef;
using kn::graph::Op;

namespace {

kn::graph::Place place;
constexpr Bounds unknown;

NodeRef leaf(DType type, const Shape& shape = {10}) {
  return kn::graph::make_leaf(type, kn::graph::row_major(shape), nullptr, place);
}

NodeRef number(std::int64_t value, DType type = DType::int64) {
  return kn::graph::make_constant(type, {value, static_cast<double>(value)}, place);
}

NodeRef made(Op op, DType type, std::initializer_list<NodeRef> inputs, const Shape& shape = {10}) {
  return kn::graph::make_node(op, type, shape, place, {inputs.begin(), inputs.size()});
}

void check(const NodeRef& node, const Bounds& expected) {
  const Bounds bounds = kn::graph::bounds_of(*node);
  CHECK(bounds.least == expected.least);
  CHECK(bounds.most == expected.most);
}

}  // namespace

TEST_CASE("of memory no more is known than its type says") {
  check(leaf(DType::bool_), {0, 1});
  check(leaf(DType::int8), {-128, 127});
  check(leaf(DType::uint16), {0, 65535});
  check(leaf(DType::int32), {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()});
  for (const DType type : {DType::int64, DType::uint64, DType::float32}) check(leaf(type), unknown);
}

TEST_CASE("operations keep integers within bounds") {
  const DType type = DType::int64;
  const NodeRef any = leaf(type), steps = kn::graph::make_iota({10}, place);
  check(steps, {0, 9});
  check(made(Op::remainder, type, {any, number(7)}), {0, 6});
  check(made(Op::remainder, type, {any, number(-7)}), unknown);
  check(made(Op::maximum, type, {made(Op::minimum, type, {any, number(255)}), number(0)}), {0, 255});
  check(made(Op::bitwise_and, type, {steps, number(6)}), {0, 6});
  check(made(Op::bitwise_and, type, {any, number(6)}), {0, 6});
  check(made(Op::bitwise_and, type, {any, number(-8)}), unknown);
  check(made(Op::bitwise_or, type, {steps, number(16)}), {16, 31});
  check(made(Op::bitwise_xor, type, {steps, number(6)}), {0, 15});
  check(made(Op::bitwise_or, type, {steps, any}), unknown);
  check(made(Op::bitwise_xor, type, {steps, number(-1)}), unknown);
  check(made(Op::add, type, {steps, number(5)}), {5, 14});
  check(made(Op::subtract, type, {number(5), steps}), {-4, 5});
  check(made(Op::multiply, type, {steps, made(Op::subtract, type, {steps, number(3)})}), {-27, 54});
  check(made(Op::where, type, {leaf(DType::bool_), steps, number(-1)}), {-1, 9});
  const NodeRef around = made(Op::subtract, type, {steps, number(6)});
  check(made(Op::floor_divide, type, {around, number(4)}), {-2, 0});
  check(made(Op::floor_divide, type, {around, made(Op::add, type, {steps, number(2)})}), {-3, 1});
  check(made(Op::floor_divide, type, {any, number(8)}),
        {std::numeric_limits<std::int64_t>::min() / 8, std::numeric_limits<std::int64_t>::max() / 8});
  check(made(Op::floor_divide, type, {steps, number(0)}), unknown);  // and so by numbers below 0
  check(made(Op::abs, type, {around}), {0, 6});
  check(made(Op::abs, type, {any}), unknown);
  check(made(Op::bitwise_left_shift, type, {around, number(3)}), {-48, 24});
  check(made(Op::bitwise_left_shift, type, {around, steps}), {-3072, 1536});
  check(made(Op::bitwise_left_shift, type, {steps, any}), unknown);
  check(made(Op::bitwise_right_shift, type, {around, number(1)}), {-3, 1});
  check(made(Op::bitwise_right_shift, type, {around, any}), {-6, 3});
  check(made(Op::bitwise_right_shift, type, {any, number(60)}), {-8, 7});
  check(made(Op::bitwise_right_shift, DType::uint8, {leaf(DType::uint8), number(5, DType::uint8)}), {0, 7});
  check(made(Op::add, type, {any, number(1)}), unknown);
  check(made(Op::multiply, type, {steps, number(std::int64_t{1} << 62)}), unknown);
  // What a narrower type does not hold wraps.
  check(made(Op::cast, DType::int8, {steps}), {0, 9});
  check(made(Op::cast, DType::int8, {made(Op::multiply, type, {steps, number(20)})}), {-128, 127});
  check(made(Op::cast, type, {leaf(DType::uint8)}), {0, 255});
  check(made(Op::bitwise_left_shift, DType::int8, {made(Op::cast, DType::int8, {steps}), number(4, DType::int8)}),
        {-128, 127});
  check(made(Op::cast, DType::int32, {leaf(DType::float32)}),
        {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()});
  check(made(Op::subtract, DType::uint64, {made(Op::cast, DType::uint64, {steps}), number(1, DType::uint64)}), unknown);
}

TEST_CASE("positions that operations find lie within what they were found in") {
  const NodeRef x = leaf(DType::float32, {4, 6});
  const auto reduced = [&](kn::graph::ReduceKind kind, std::vector<std::size_t> axes) {
    return kn::graph::make_node(Op::reduce, DType::int64, {4}, place, {&x, 1},
                                kn::graph::make_attributes<Op::reduce>({kind, std::move(axes)}));
  };
  check(reduced(kn::graph::ReduceKind::argmax, {1}), {0, 5});
  check(reduced(kn::graph::ReduceKind::argmin, {0, 1}), {0, 23});
  check(reduced(kn::graph::ReduceKind::count_nonzero, {1}), {0, 6});
  check(reduced(kn::graph::ReduceKind::sum, {1}), unknown);
  const auto sorted = kn::graph::make_results(Op::sort, place, {&x, 1},
                                              kn::graph::make_attributes<Op::sort>({kn::graph::SortGives::both}));
  check(sorted[1], {0, 5});
  const NodeRef sought[] = {leaf(DType::float32), x};
  check(kn::graph::make_node(Op::search, DType::int64, {4, 6}, place, sought,
                             kn::graph::make_attributes<Op::search>({false})),
        {0, 10});
  // Once it has been computed, the memory may be assigned to.
  const NodeRef found = reduced(kn::graph::ReduceKind::argmax, {1});
  kn::graph::fulfil(*found, nullptr, kn::graph::row_major({4}));
  check(found, unknown);
}

TEST_CASE("what is taken by positions that may be out of range may be -1") {
  const NodeRef steps = kn::graph::make_iota({10}, place), positions = leaf(DType::int64, {3});
  const auto taken = [&](bool within) {
    const NodeRef inputs[] = {steps, positions};
    kn::graph::TakeInfo info{0};
    info.within = within;
    return kn::graph::make_node(Op::take, DType::int64, {3}, place, inputs,
                                kn::graph::make_attributes<Op::take>(std::move(info)));
  };
  check(taken(true), {0, 9});
  check(taken(false), {-1, 9});
}
