// SPDX-License-Identifier: Apache-2.0
// Host time for each node of a lazy expression: to build it, to plan a graph that is new or one of known structure, and
// to plan and launch one.
#include "bench.hpp"

#include "codegen/plan.hpp"
#include "graph/node.hpp"

#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace koine::bench {

namespace {

using benchmark::State;

struct Operands {
  Array x = uniform({16, 16}), y = uniform({16, 16}), row = uniform({16});
};
using Expression = Array (*)(const Operands&, int nodes);

/// About `nodes` nodes of all sorts, in several kernels.
Array mix(const Operands& operands, int nodes) {
  Array z = operands.x;
  for (int count = 0; count < nodes;) {
    z = where(z > 0.25, z * 0.5 + operands.row, operands.y);
    count += 6;
    if (count % 4 == 0) {
      z = flip(z) - z;
      count += 2;
    }
    if (count % 50 == 0) {
      z = z - sum(z, {.axis = 1, .keepdims = true});
      count += 2;
    }
  }
  return z;
}

/// About `nodes` nodes in one kernel, with as many views and constants as it can take.
Array one_kernel(const Operands& operands, int nodes) {
  Array z = operands.x;
  for (int count = 0; count < nodes; count += 10) {
    const int turn = count / 10 % 12;
    z = sin(z) * (0.5 + turn) + roll(operands.y, turn, {.axis = 0}) * (z + operands.row + 1.5);
  }
  return z;
}

/// About `nodes` nodes, whose operands and constants are more than a kernel can take.
Array many_operands(const Operands& operands, int nodes) {
  Array z = operands.x;
  for (int count = 0; count < nodes; count += 5) {
    z = z * (0.5 + count) + operands.row(count % 16);
  }
  return z;
}

/// About `nodes` nodes, each third of which is another view.
Array many_views(const Operands& operands, int nodes) {
  const Array whole = reshape(operands.x, {256}) * 2.0;
  Array z = operands.row;
  for (int count = 0; count < nodes; count += 3) {
    const int start = count / 3 % 240;
    z = sqrt(z) + whole(slice(start, start + 16));
  }
  return z;
}

std::size_t nodes_behind(const Array& x) {
  std::unordered_set<const graph::Node*> seen;
  std::vector<const graph::Node*> stack{x.node().get()};
  while (!stack.empty()) {
    const graph::Node* node = stack.back();
    stack.pop_back();
    if (node->is_ready() || !seen.insert(node).second) continue;
    for (const graph::NodeRef& input : node->inputs) stack.push_back(input.get());
  }
  return seen.size();
}

/// For each expression and size: `work(state, make)`, whose time is also given for each of the nodes.
template <class Work>
void add_each(const std::string& name, Work work) {
  const std::pair<const char*, Expression> kinds[] = {{"nodes", mix},
                                                      {"nodes in one kernel", one_kernel},
                                                      {"nodes of many operands", many_operands},
                                                      {"nodes of many views", many_views}};
  for (const auto& [kind, expression] : kinds) {
    for (const int nodes : {10, 100, 1000}) {
      const std::string full = "planning/" + name + " " + std::to_string(nodes) + " " + kind + "/koine";
      const auto run = [=, expression = expression](State& state) {
        const Operands operands;
        const auto make = [&] { return expression(operands, nodes); };
        const auto count = static_cast<double>(nodes_behind(make()));
        work(state, make, static_cast<std::size_t>(nodes));
        using Counter = benchmark::Counter;
        state.counters["seconds_per_node"] = Counter(count, Counter::kIsIterationInvariantRate | Counter::kInvert);
      };
      benchmark::RegisterBenchmark(full.c_str(), run)->UseRealTime()->Unit(benchmark::kMicrosecond);
    }
  }
}

/// A loop that nobody evaluates: everything that the host does for a node, launches too.
void run_loop(State& state) {
  const Array a = uniform({16, 16}), b = uniform({16, 16});
  Array x = a, y = b, count = zeros_like(a);
  constexpr int nodes_of_step = 17;
  const auto run = [&] {
    for (int nodes = 0; nodes < 1000; nodes += nodes_of_step) {
      const Array inside = x * x + y * y < 4.0, next = x * x - y * y + a;
      y = where(inside, 2.0 * x * y + b, y);
      x = where(inside, next, x);
      count = count + astype(inside, float32);
    }
  };
  for (int k = 0; k < 4; ++k) run();  // compiles
  finish();
  for (auto _ : state) run();
  finish();
}

}  // namespace

void add_planning() {
  add_each("build", [](State& state, auto make, std::size_t) {
    for (auto _ : state) benchmark::DoNotOptimize(make());
  });
  for (const bool reuse : {false, true}) {
    add_each(reuse ? "plan again" : "plan", [reuse](State& state, auto make, std::size_t) {
      const Array z = make();
      const std::array<graph::Node*, 1> roots{z.node().get()};
      codegen::Planner planner;
      const codegen::Limits limits{.parameter_bytes = context().traits().max_parameter_bytes, .reuse = reuse};
      for (auto _ : state) benchmark::DoNotOptimize(planner.plan(roots, limits));
    });
  }
  // Graphs that were built before, as many as are evaluated between two waits.
  add_each("evaluate", [](State& state, auto make, std::size_t nodes) {
    std::vector<Array> built(20'000 / nodes);
    std::size_t next = 0;
    const auto rebuild = [&] {
      finish();
      for (Array& z : built) z = make();
      next = 0;
    };
    rebuild();
    built[next++].eval();  // compiles, PoCL at the launch
    finish();
    for (auto _ : state) {
      if (next == built.size()) {
        state.PauseTiming();
        rebuild();
        state.ResumeTiming();
      }
      built[next++].eval();
    }
    finish();
  });
  benchmark::RegisterBenchmark("planning/a loop of 1000 nodes, never evaluated/koine", run_loop)
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace koine::bench
