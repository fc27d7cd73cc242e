// SPDX-License-Identifier: Apache-2.0
// Computing pending nodes.
#include "exec/evaluate.hpp"

#include "base/log.hpp"
#include "codegen/constant.hpp"
#include "codegen/plan.hpp"
#include "exec/evaluation.hpp"
#include "exec/families.hpp"
#include "exec/host_run.hpp"
#include "exec/host_step.hpp"
#include "exec/matmul.hpp"
#include "exec/programs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace koine::exec {

using graph::Node;
using graph::NodeRef;
using graph::Op;

namespace {

/// A planner for one evaluation. One is kept for the next; evaluations at the same time, on several devices, make
/// their own. Nothing is destroyed at exit: arrays may be evaluated while the process ends.
class PlannerLease {
 public:
  PlannerLease() : planner_(spare.exchange(nullptr, std::memory_order_acquire)) {
    if (!planner_) planner_ = new codegen::Planner;
  }
  ~PlannerLease() { delete spare.exchange(planner_, std::memory_order_acq_rel); }
  PlannerLease(const PlannerLease&) = delete;
  PlannerLease& operator=(const PlannerLease&) = delete;

  codegen::Planner* operator->() const { return planner_; }

 private:
  static inline std::atomic<codegen::Planner*> spare{nullptr};
  codegen::Planner* planner_;
};

/// The memory of an array that the calling thread fills by `fill(memory)`, whose `count` elements are all there is to
/// do; null where the thread may not, or where somebody wants to be told of steps.
template <class Fill>
runtime::BufferRef made_on_host(const runtime::Context& context, const Node& node, std::int64_t count,
                                const runtime::Buffer* from, Fill fill) {
  if (!host_does_small(context, static_cast<std::uint64_t>(count))) return nullptr;
  if (runtime::recording() || base::log_enabled(base::LogTopic::launch)) return nullptr;
  runtime::Queue& queue = queue_of(node);
  auto memory = queue.allocate(static_cast<std::uint64_t>(count) * size_of(node.dtype), function_of(node));
  const runtime::Use uses[] = {{memory.get(), true}, {from, false}};
  if (!queue.on_host(std::span(uses, from == nullptr ? 1 : 2), [&] { fill(memory->host()); })) return nullptr;
  queue.context().did_on_host();
  return memory;
}

/// Makes an array that is filled with a number: one element, which all of them are. Whether it did.
bool filled_on_host(const runtime::Context& context, Node& node) {
  const Node& value = *node.inputs[0];
  std::array<std::byte, 16> number;
  if (value.op != Op::constant || value.is_ready()) return false;
  const std::size_t size = codegen::write_constant(value, number);
  if (size != size_of(node.dtype)) return false;  // float16 is float32 in registers
  auto layout = graph::apply(node.get<Op::view>(), node.shape, graph::row_major({}));
  if (!layout) return false;
  auto memory = made_on_host(context, node, 1, nullptr, [&](std::byte* to) { std::memcpy(to, number.data(), size); });
  if (memory == nullptr) return false;
  graph::fulfil(node, std::move(memory), std::move(*layout));
  return true;
}

/// Makes a copy of an array whose elements lie in order. Whether it did.
bool copied_on_host(const runtime::Context& context, Node& node) {
  const Node& from = *node.inputs[0];
  if (!from.is_ready() || from.dtype != node.dtype || from.shape != node.shape || !is_row_major(from.layout)) {
    return false;
  }
  const runtime::Buffer* const source = from.storage.get();
  if (source == nullptr || source->host() == nullptr) return false;
  auto memory = made_on_host(context, node, node.shape.elements(), source, [&](std::byte* to) {
    const auto size = static_cast<std::int64_t>(size_of(node.dtype));
    std::memcpy(to, source->host() + from.layout.offset * size, static_cast<std::size_t>(node.shape.elements() * size));
  });
  if (memory == nullptr) return false;
  graph::fulfil(node, std::move(memory), graph::row_major(node.shape));
  return true;
}

/// Has the calling thread make what is not worth a plan, which would take most of the time. Under the evaluation mutex.
/// Whether it did.
bool made_without_plan(const runtime::Context& context, Node& node) {
  // Another thread may have computed it meanwhile.
  if (node.is_ready() || node.shape.elements() == 0) return false;
  return node.op == Op::view ? filled_on_host(context, node) : node.op == Op::cast && copied_on_host(context, node);
}

}  // namespace

std::uint64_t next_evaluation() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void run_all(runtime::Context& context, Programs& programs, std::uint64_t evaluation, std::span<Node* const> roots,
             std::span<const graph::Destination> destinations) {
  std::optional<runtime::SpanOfHost> planning(std::in_place, "plan");
  const PlannerLease planner;
  codegen::Limits limits{context.traits().max_parameter_bytes, !destinations.empty(), evaluation};
  limits.takes_code = takes_code;
  const std::span<codegen::Step* const> steps = planner->plan(roots, limits);
  HostSteps on_host(context);
  std::vector<Work> prepared;
  prepared.reserve(steps.size());
  for (codegen::Step* step : steps) {
    for (codegen::Output& output : step->body.outputs) {
      const auto root = std::find(roots.begin(), roots.end(), output.node);
      if (!destinations.empty() && root != roots.end()) output.destination = &destinations[root - roots.begin()];
    }
    prepared.push_back(on_host.prepare(programs, queue_of(*step->node), *step));
  }
  planning.reset();
  programs.complete();
  for (Work& work : prepared) std::exchange(work, nullptr)();
}

void run_root(runtime::Context& context, Programs& programs, std::uint64_t evaluation, const NodeRef& root,
              std::span<const graph::Destination> destination) {
  Node* node = root.get();
  run_all(context, programs, evaluation, {&node, 1}, destination);
}

runtime::Queue& queue_of(const Node& node) {
  return node.place.queue != nullptr ? *node.place.queue : node.place.context->queue();
}

void evaluate(std::span<const NodeRef> roots) {
  std::vector<Node*> pending;
  for (const NodeRef& root : roots) {
    if (!root->is_ready()) pending.push_back(root.get());
  }
  while (!pending.empty()) {
    const graph::Place place = pending.front()->place;
    const auto rest =
        std::stable_partition(pending.begin(), pending.end(), [&](Node* node) { return node->place == place; });
    {
      runtime::Context& context = *place.context;
      const runtime::Context::InUse in_use(context, "eval");
      const std::span<Node* const> together(pending.data(), static_cast<std::size_t>(rest - pending.begin()));
      evaluated(context,
                [&, number = next_evaluation()](Programs& programs) { run_all(context, programs, number, together); });
    }
    pending.erase(pending.begin(), rest);
  }
}

void evaluate(const NodeRef& root) {
  if (root->is_ready()) return;
  runtime::Context& context = *root->place.context;
  const runtime::Context::InUse in_use(context, "eval");
  evaluated(context, [&, number = next_evaluation()](Programs& programs) {
    if (!made_without_plan(context, *root)) run_root(context, programs, number, root);
  });
}

NodeRef row_major(const NodeRef& node) {
  evaluate(node);
  if (is_row_major(node->layout)) return node;
  NodeRef copy = graph::make_copy(node, node->shape, node->place);
  evaluate(copy);
  return copy;
}

}  // namespace koine::exec
