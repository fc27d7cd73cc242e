// SPDX-License-Identifier: Apache-2.0
// The planner without a device: a graph of known structure gets the plan that it would get anew.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "codegen/plan.hpp"
#include "graph/node.hpp"

namespace kn = koine;
using kn::DType;
using kn::Shape;
using kn::codegen::Body;
using kn::codegen::Limits;
using kn::codegen::Planner;
using kn::codegen::Step;
using kn::graph::Node;
using kn::graph::NodeRef;
using kn::graph::Op;

namespace {

kn::graph::Place place;  // of the nodes that are built

/// A queue that nobody uses.
kn::runtime::Queue* other_queue() {
  static char byte;
  return reinterpret_cast<kn::runtime::Queue*>(&byte);
}

/// Memory that nobody touches.
std::shared_ptr<kn::runtime::Buffer> memory() {
  const auto byte = std::make_shared<char>();
  return {byte, reinterpret_cast<kn::runtime::Buffer*>(byte.get())};
}

NodeRef leaf(kn::graph::Layout layout, std::shared_ptr<kn::runtime::Buffer> storage = memory()) {
  return kn::graph::make_leaf(DType::float32, std::move(layout), std::move(storage), place);
}

NodeRef binary(Op op, const NodeRef& a, const NodeRef& b) {
  const NodeRef inputs[] = {a, b};
  return kn::graph::make_node(op, DType::float32, a->shape.size() < b->shape.size() ? b->shape : a->shape, place,
                              inputs);
}

NodeRef constant(double value) { return kn::graph::make_constant(DType::float32, {0, value}, place); }

NodeRef sum(const NodeRef& x, std::size_t axis) {
  Shape shape = x->shape;
  shape.erase(axis);
  return kn::graph::make_node(Op::reduce, DType::float32, shape, place, {&x, 1},
                              kn::graph::make_attributes<Op::reduce>({kn::graph::ReduceKind::sum, {axis}}));
}

/// Sums of rows, which each element of them can read.
NodeRef sums_of_rows(const NodeRef& x) {
  kn::graph::ViewMap map;
  map.reshape = true;
  return kn::graph::make_view(sum(x, 1), Shape{x->shape[0], 1}, map, place);
}

/// Rows or columns in reverse, or rolled by `shift`.
NodeRef moved(const NodeRef& x, std::size_t axis, std::int64_t shift) {
  kn::graph::ViewMap map;
  map.start = map.source = Shape::filled(2, 0);
  map.step = Shape::filled(2, 1);
  map.source[1] = 1;
  if (shift == 0) {
    map.start[axis] = x->shape[axis] - 1;
    map.step[axis] = -1;
  } else {
    map.start[axis] = shift;
    map.bounds = Shape::filled(2, 0);
    map.bounds[axis] = x->shape[axis];
  }
  return kn::graph::make_view(x, x->shape, map, place);
}

/// The same elements in row-major order under another shape.
NodeRef reshaped(const NodeRef& x, const Shape& shape) {
  kn::graph::ViewMap map;
  map.reshape = true;
  return kn::graph::make_view(x, shape, map, place);
}

/// The values of sorted rows, or where they were.
NodeRef sorted(const NodeRef& x, std::size_t result) {
  const auto results = kn::graph::make_results(
      Op::sort, place, {&x, 1}, kn::graph::make_attributes<Op::sort>({kn::graph::SortGives::both, false}));
  return kn::graph::make_cast(results[result], DType::float32, place);
}

/// What pending nodes compute of what is in memory, as text.
std::string expression_of(const Node& node) {
  if (node.is_ready()) {
    std::string text = std::to_string(reinterpret_cast<std::uintptr_t>(node.storage.get())) + "+";
    for (const std::int64_t stride : node.layout.strides) text += std::to_string(stride) + ",";
    return text + std::to_string(node.layout.offset);
  }
  if (node.op == Op::constant) return std::to_string(node.get<Op::constant>().real.real());
  std::string text = std::to_string(static_cast<int>(node.op)) + "(";
  for (const NodeRef& input : node.inputs) text += expression_of(*input) + " ";
  return text + ")";
}

std::vector<std::string> expressions_of(const std::vector<NodeRef>& values) {
  std::vector<std::string> texts;
  for (const NodeRef& value : values) texts.push_back(expression_of(*value));
  return texts;
}

/// A graph drawn from few, so that structures come again, and the values of it that somebody holds.
struct Drawn {
  std::vector<NodeRef> leaves, held;
  std::vector<Node*> roots;

  explicit Drawn(std::mt19937& random) {
    const auto below = [&](unsigned n) { return random() % n; };
    place.reproducible = below(3) == 0;
    const Shape shape = below(2) ? Shape{8, 100} : Shape{300, 400};
    const auto storage = memory();
    leaves = {leaf(kn::graph::row_major(shape), storage)};
    leaves.push_back(below(2) ? leaf(kn::graph::row_major(shape)) : leaf(kn::graph::row_major(shape), storage));
    leaves.push_back(leaf({shape, below(2) ? Shape{1, shape[0]} : Shape{2 * shape[1], 2}, 0}));
    leaves.push_back(leaf(kn::graph::row_major(Shape{shape[1]})));
    leaves.push_back(leaf({Shape{shape[1], shape[0]}, Shape{1, shape[1]}, 0}));
    std::vector<NodeRef> values(leaves.begin(), leaves.end() - 2);
    const auto any = [&] { return values[below(static_cast<unsigned>(values.size()))]; };
    const unsigned count = 1 + below(6);
    for (unsigned k = 0; k < count; ++k) {
      place.queue = below(4) == 0 ? other_queue() : nullptr;
      switch (below(10)) {
        case 0: values.push_back(binary(Op::add, any(), any())); break;
        case 1: values.push_back(binary(Op::multiply, any(), constant(below(2)))); break;
        case 2: values.push_back(binary(Op::add, binary(Op::multiply, any(), constant(1)), constant(below(2)))); break;
        case 3: values.push_back(moved(any(), below(2), static_cast<std::int64_t>(below(2)) * 3)); break;
        case 4: values.push_back(binary(Op::subtract, any(), sum(any(), 0))); break;
        case 5: values.push_back(binary(Op::divide, any(), sums_of_rows(any()))); break;
        case 6: values.push_back(reshaped(leaves[4], shape)); break;
        case 7: values.push_back(sorted(any(), below(2))); break;
        case 8: held.push_back(binary(Op::multiply, sum(any(), 0), leaves[3])); break;
        default: values.push_back(binary(Op::divide, any(), leaves[3])); break;
      }
    }
    for (const NodeRef& value : held) roots.push_back(value.get());
    for (const NodeRef& value : values) {
      if (value->is_ready() || (value != values.back() && below(3) != 0)) continue;
      held.push_back(value);
      if (value == values.back() || below(2)) roots.push_back(value.get());
    }
  }
};

void check_same(const Body& a, const Body& b) {
  CHECK(a.domain == b.domain);
  REQUIRE(a.loads.size() == b.loads.size());
  for (std::size_t k = 0; k < a.loads.size(); ++k) {
    const kn::codegen::Load &x = a.loads[k], &y = b.loads[k];
    CHECK(x.source == y.source);
    CHECK(x.layout == y.layout);
    CHECK(x.seams == y.seams);
    CHECK(x.loop == y.loop);
    CHECK(x.loop_stride == y.loop_stride);
  }
  CHECK(a.constants == b.constants);
  REQUIRE(a.lines.size() == b.lines.size());
  for (std::size_t k = 0; k < a.lines.size(); ++k) {
    CHECK(a.lines[k].op == b.lines[k].op);
    CHECK(std::equal(std::begin(a.lines[k].args), std::end(a.lines[k].args), std::begin(b.lines[k].args)));
    CHECK(a.lines[k].loop == b.lines[k].loop);
  }
  REQUIRE(a.loops.size() == b.loops.size());
  for (std::size_t k = 0; k < a.loops.size(); ++k) CHECK(a.loops[k].node == b.loops[k].node);
  REQUIRE(a.folds.size() == b.folds.size());
  for (std::size_t k = 0; k < a.folds.size(); ++k) CHECK(a.folds[k].node == b.folds[k].node);
  REQUIRE(a.outputs.size() == b.outputs.size());
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    CHECK(a.outputs[k].node == b.outputs[k].node);
    CHECK(a.outputs[k].line == b.outputs[k].line);
  }
}

}  // namespace

TEST_CASE("a graph of known structure gets the plan that it would get anew") {
  std::mt19937 random(3);
  Planner knowing, forgetful;
  std::uint64_t evaluation = 0;
  for (int round = 0; round < 20'000; ++round) {
    CAPTURE(round);
    const Drawn graph(random);
    const std::vector<std::string> expressions = expressions_of(graph.held);
    // Planned again as if it had been computed before, too: other values are worth storing then.
    for (int time = 0; time < 2; ++time) {
      Limits limits{.parameter_bytes = random() % 4 == 0 ? 400u : 1024u, .evaluation = ++evaluation};
      const std::span<Step* const> plan = knowing.plan(graph.roots, limits);
      std::vector<std::uint64_t> unstored;
      for (const NodeRef& value : graph.held) unstored.push_back(value->unstored_by);
      limits.reuse = false;
      const std::span<Step* const> anew = forgetful.plan(graph.roots, limits);
      for (std::size_t k = 0; k < unstored.size(); ++k) CHECK(graph.held[k]->unstored_by == unstored[k]);
      REQUIRE(plan.size() == anew.size());
      for (std::size_t k = 0; k < plan.size(); ++k) {
        CHECK(plan[k]->family == anew[k]->family);
        CHECK(plan[k]->node == anew[k]->node);
        check_same(plan[k]->body, anew[k]->body);
        // What a kernel stores is all of its queue's.
        for (const kn::codegen::Output& output : plan[k]->body.outputs) {
          CHECK(output.node->place.queue == plan[k]->node->place.queue);
        }
      }
    }
    CHECK(expressions_of(graph.held) == expressions);  // the graph is the user's
  }
}

TEST_CASE("results that one operation computes are one step, which what reads them waits for") {
  place = {};
  const NodeRef x = leaf(kn::graph::row_major(Shape{8, 100}));
  const auto sort = [&] {
    return kn::graph::make_results(Op::sort, place, {&x, 1},
                                   kn::graph::make_attributes<Op::sort>({kn::graph::SortGives::both, false}));
  };
  Planner planner;
  std::uint64_t evaluation = 0;
  // The third time the plan of before is followed.
  for (int time = 0; time < 3; ++time) {
    std::vector<NodeRef> results = sort();
    const NodeRef sum = binary(Op::add, results[0], kn::graph::make_cast(results[1], DType::float32, place));
    const std::array<Node*, 2> roots{sum.get(), results[1].get()};
    const std::span<Step* const> plan = planner.plan(roots, {.evaluation = ++evaluation});
    REQUIRE(plan.size() == 2);
    CHECK(plan[0]->family == Op::sort);
    CHECK(plan[1]->node == sum.get());
    CHECK(plan[1]->body.loads.size() == 2);
    CHECK(results[1]->layout == kn::graph::row_major(x->shape));
    CHECK(kn::graph::wanted_results(*plan[0]->node) == results);
  }
  // One that is let go of is no longer wanted, and the other stands for itself.
  std::vector<NodeRef> results = sort();
  results[0].reset();
  const std::array<Node*, 1> roots{results[1].get()};
  const std::span<Step* const> plan = planner.plan(roots, {.evaluation = ++evaluation});
  REQUIRE(plan.size() == 1);
  CHECK(kn::graph::wanted_results(*plan[0]->node) == results);
}

TEST_CASE("an operation over arrays in memory gets the plan that the long way comes to") {
  place = {};
  const NodeRef x = leaf(kn::graph::row_major(Shape{8, 8}));
  const auto flat = [](const NodeRef& node) {
    kn::graph::ViewMap map;
    map.reshape = true;
    return kn::graph::make_view(node, Shape{node->shape.elements()}, map, place);
  };
  const auto transposed = [](const NodeRef& node) {
    kn::graph::ViewMap map;
    map.start = Shape{0, 0};
    map.source = Shape{1, 0};
    map.step = Shape{1, 1};
    return kn::graph::make_view(node, node->shape, map, place);
  };
  std::vector<NodeRef> sorted = kn::graph::make_results(
      Op::sort, place, {&x, 1}, kn::graph::make_attributes<Op::sort>({kn::graph::SortGives::both, false}));
  const NodeRef order = kn::graph::make_node(Op::cholesky, DType::float32, x->shape, place, {&x, 1},
                                             kn::graph::make_attributes<Op::cholesky>({}));
  const NodeRef waits = kn::graph::make_copy(x, x->shape, place);  // is computed first
  const NodeRef later = kn::graph::make_node(Op::cholesky, DType::float32, x->shape, place, {&waits, 1},
                                             kn::graph::make_attributes<Op::cholesky>({}));
  for (const NodeRef& root : {sorted[1], flat(sorted[0]), order, transposed(order), flat(transposed(order)), later}) {
    Planner planner;
    const std::array<Node*, 1> roots{root.get()};
    const auto planned = [&](bool trial) {
      std::vector<std::pair<Op, const Node*>> steps;
      for (const Step* step : planner.plan(roots, {.evaluation = 7, .trial = trial})) {
        steps.emplace_back(step->family, step->node);
        CHECK((step->body.outputs.empty() || step->family == Op::elementwise));
        CHECK(step->finish.outputs.empty());
      }
      return steps;
    };
    const auto steps = planned(false);
    CHECK(steps == planned(true));
    CHECK(!steps.empty());
    CHECK(root->layout.shape == root->shape);
  }
}

TEST_CASE("values that are computed twice are one where kernels of their own compute or read them") {
  place = {};
  const NodeRef x = leaf(kn::graph::row_major(Shape{300, 400})), y = leaf(kn::graph::row_major(Shape{300, 400}));
  const auto mean = [](const NodeRef& input) {
    return kn::graph::make_node(Op::reduce, DType::float32, Shape{400}, place, {&input, 1},
                                kn::graph::make_attributes<Op::reduce>({kn::graph::ReduceKind::sum, {0}, 300}));
  };
  const auto drawn = [](std::uint64_t seed) {
    return kn::graph::make_node(
        Op::random, DType::float32, Shape{400}, place, {},
        kn::graph::make_attributes<Op::random>({.kind = kn::graph::RandomKind::gamma, .seed = seed}));
  };
  Planner planner;
  std::uint64_t evaluation = 0;
  // The third time the plan of before is followed.
  for (int time = 0; time < 3; ++time) {
    CAPTURE(time);
    const auto steps_of = [&](const NodeRef& root, Op family) {
      const std::array<Node*, 1> roots{root.get()};
      const auto plan = planner.plan(roots, {.evaluation = ++evaluation});
      return std::count_if(plan.begin(), plan.end(), [&](const Step* step) { return step->family == family; });
    };
    const auto reversed = [](const NodeRef& input) { return moved(input, 0, 0); };
    const auto product = [&](double factor) {
      return binary(Op::multiply, binary(Op::multiply, x, constant(factor)), reversed(y));
    };
    const auto twice = [&](const NodeRef& a, const NodeRef& b) { return binary(Op::add, binary(Op::sin, a, a), b); };
    CHECK(steps_of(twice(sorted(product(2), 0), sorted(product(2), 1)), Op::elementwise) == 2);
    const NodeRef other = twice(sum(product(2), 0), sum(product(3), 0)), scaled = twice(sum(x, 0), mean(x));
    const auto sums_of = [&](const NodeRef& root) {
      const std::array<Node*, 1> roots{root.get()};
      std::size_t outputs = 0;
      for (const Step* step : planner.plan(roots, {.evaluation = ++evaluation})) {
        if (step->family == Op::reduce) outputs += step->body.outputs.size();
      }
      return outputs;
    };
    CHECK(sums_of(twice(sum(product(2), 0), sum(product(2), 0))) == 1);
    CHECK(sums_of(other) == 2);
    CHECK(sums_of(scaled) == 2);
    CHECK(steps_of(twice(drawn(1), drawn(2)), Op::random) == 2);
    // One that was asked for is computed by itself.
    const NodeRef asked = sum(product(2), 0), reads = binary(Op::multiply, sum(product(2), 0), constant(2));
    const std::array<Node*, 2> roots{asked.get(), reads.get()};
    planner.plan(roots, {.evaluation = ++evaluation});
    CHECK(asked->consumers == 0);
    CHECK(reads->inputs[0]->consumers == 1);
  }
}
