// SPDX-License-Identifier: Apache-2.0
// Computing pending nodes.
#include "exec/evaluate.hpp"

#include "base/watch.hpp"
#include "codegen/plan.hpp"
#include "exec/evaluation.hpp"
#include "exec/families.hpp"
#include "exec/host_step.hpp"
#include "exec/matmul.hpp"
#include "exec/programs.hpp"
#include "exec/without_plan.hpp"

#include <algorithm>
#include <atomic>
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
  ~PlannerLease() {
    planner_->let_go();
    delete spare.exchange(planner_, std::memory_order_acq_rel);
  }
  PlannerLease(const PlannerLease&) = delete;
  PlannerLease& operator=(const PlannerLease&) = delete;

  codegen::Planner* operator->() const { return planner_; }

 private:
  static inline std::atomic<codegen::Planner*> spare{nullptr};
  codegen::Planner* planner_;
};

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
  limits.takes_cast = takes_cast;
  const std::span<codegen::Step* const> steps = planner->plan(roots, limits);
  HostSteps on_host(context);
  std::vector<Work> prepared;
  prepared.reserve(steps.size());
  // Memory that was there before is not written while something may still fail; and while something records, what the
  // host does is one span after the other.
  const bool at_once =
      planner->kept() && destinations.empty() && !context.works_in_host_memory() && !runtime::recording();
  for (codegen::Step* step : steps) {
    for (codegen::Output& output : step->body.outputs) {
      const auto root = std::find(roots.begin(), roots.end(), output.node);
      if (!destinations.empty() && root != roots.end()) output.destination = &destinations[root - roots.begin()];
    }
    prepared.push_back(on_host.prepare(programs, queue_of(*step->node), *step));
    // The device has something to do while the next step is prepared.
    if (at_once && programs.missing().empty()) std::exchange(prepared.back(), nullptr)();
  }
  planning.reset();
  programs.complete();
  for (Work& work : prepared) {
    if (work) std::exchange(work, nullptr)();
  }
}

void run_root(runtime::Context& context, Programs& programs, std::uint64_t evaluation, const NodeRef& root,
              std::span<const graph::Destination> destination) {
  Node* node = root.get();
  run_all(context, programs, evaluation, {&node, 1}, destination);
}

runtime::Queue& queue_of(const Node& node) {
  return node.place.queue != nullptr ? *node.place.queue : node.place.context->queue();
}

namespace {

/// Whether `run` has computed what it is to. Not where that takes a compiler and the caller may leave meanwhile: then a
/// thread of its own does it all (base/watch.hpp), since some drivers compile at a launch, too.
template <class Run>
bool computed_here(runtime::Context& context, const Run& run) {
  if (base::is_watching()) return evaluated_at_once(context, run);
  evaluated(context, run);
  return true;
}

}  // namespace

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
      const auto run = [&, number = next_evaluation()](Programs& programs) {
        run_all(context, programs, number, together);
      };
      if (!computed_here(context, run)) {
        return base::watching([kept = std::vector<NodeRef>(roots.begin(), roots.end())] { evaluate(kept); });
      }
    }
    pending.erase(pending.begin(), rest);
  }
}

void evaluate(const NodeRef& root) {
  if (root->is_ready()) return;
  runtime::Context& context = *root->place.context;
  const runtime::Context::InUse in_use(context, "eval");
  const auto run = [&, number = next_evaluation()](Programs& programs) {
    if (!made_without_plan(context, *root)) run_root(context, programs, number, root);
  };
  if (!computed_here(context, run)) base::watching([root] { evaluate(root); });
}

bool evaluate_at_once(const NodeRef& root) {
  if (root->is_ready()) return true;
  runtime::Context& context = *root->place.context;
  if (!context.works_in_host_memory()) return false;
  const runtime::Context::InUse in_use(context, "eval");
  const std::unique_lock lock(context.evaluation_mutex(), std::try_to_lock);
  return lock.owns_lock() && made_without_plan(context, *root);
}

NodeRef row_major(const NodeRef& node) {
  evaluate(node);
  if (is_row_major(node->layout)) return node;
  NodeRef copy = graph::make_copy(node, node->shape, node->place);
  evaluate(copy);
  return copy;
}

}  // namespace koine::exec
