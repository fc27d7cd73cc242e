// SPDX-License-Identifier: Apache-2.0
// Looking at a plan. What nodes are is copied while no other thread can compute them, and so let go of their inputs.
#include "exec/explain.hpp"

#include "exec/evaluate.hpp"
#include "exec/evaluation.hpp"
#include "exec/families.hpp"
#include "exec/host_step.hpp"
#include "exec/matmul.hpp"
#include "graph/families.hpp"

#include <algorithm>
#include <complex>
#include <mutex>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace koine::exec {
namespace {

using graph::Node;
using graph::NodeRef;
using graph::Op;

std::string constant_text(const Node& node) {
  const auto& value = node.get<Op::constant>();
  if (is_bool(node.dtype)) return value.integer != 0 ? "true" : "false";
  std::ostringstream text;
  if (is_complex(node.dtype)) {
    text << value.real;
  } else if (is_integer(node.dtype)) {
    text << value.integer;
  } else {
    text << value.real.real();
  }
  return text.str();
}

/// The word for what a node does: the public function's where there is one.
std::string operation_of(const Node& node) {
  if (node.op == Op::constant) return "constant";
  if (node.op == Op::iota) return "positions";
  if (node.op == Op::view) return node.get<Op::view>().reshape ? "reshape" : "view";
  const std::string_view function = graph::function_of(node);
  if (function == "eval") return node.op == Op::cast ? "copy" : std::string(graph::name(node.op));
  return std::string(function);
}

/// Gives values their numbers as they are met.
class Values {
 public:
  explicit Values(std::vector<ExplainedValue>& values) : values_(values) {}

  std::size_t of(const Node& node) {
    const auto known = numbers_.find(&node);
    if (known != numbers_.end()) return known->second;
    ExplainedValue value;
    value.in_memory = node.is_ready();
    value.constant = !value.in_memory && node.op == Op::constant;
    value.dtype = node.dtype;
    value.shape = node.shape;
    value.operation = value.in_memory ? "memory" : operation_of(node);
    if (!value.in_memory) {
      for (const NodeRef& input : node.inputs) value.inputs.push_back(of(*input));
    }
    value.name = value.constant    ? constant_text(node)
                 : value.in_memory ? "m" + std::to_string(++memory_)
                                   : "v" + std::to_string(++computed_);
    values_.push_back(std::move(value));
    numbers_.emplace(&node, values_.size() - 1);
    return values_.size() - 1;
  }

 private:
  std::vector<ExplainedValue>& values_;
  std::unordered_map<const Node*, std::size_t> numbers_;
  std::size_t memory_ = 0, computed_ = 0;
};

/// What a step moves: of one whose family runs kernels of its own its inputs and results, once each.
Traffic traffic_of_step(const codegen::Step& step, const std::vector<const Node*>& stored) {
  if (step.family == Op::view) return {};
  if (step.family == Op::scatter) return traffic_of(step.body);
  Traffic traffic;
  const Node* const product = codegen::finished_product(step);
  const bool computes_input = step.family == Op::fft && !step.body.outputs.empty();
  if (product) traffic.read = traffic_of(step.body).read - bytes_of(*product);
  if (step.folds() || step.family == Op::elementwise || step.family == Op::rows || computes_input) {
    traffic.read = traffic_of(step.body).read;
  } else {
    const Node& reader = product ? *product : *step.node;
    for (std::size_t i = 0; i < reader.inputs.size(); ++i) traffic.read += bytes_of(read_as(step, reader, i));
  }
  if (!step.finish.outputs.empty()) {
    const std::size_t results = step.family == Op::fft ? 1 : step.body.outputs.size();  // the first loads of a finish
    for (std::size_t k = results; k < step.finish.loads.size(); ++k) {
      traffic.read += bytes_of(*step.finish.loads[k].source);
    }
  }
  for (const Node* node : stored) traffic.written += bytes_of(*node);
  return traffic;
}

Explained explained(runtime::Context& context, std::span<Node* const> roots) {
  Explained result{&context.traits(), {}, {}};
  const std::lock_guard lock(context.evaluation_mutex());
  std::vector<Node*> pending;  // another thread may have computed some
  std::copy_if(roots.begin(), roots.end(), std::back_inserter(pending), [](Node* node) { return !node->is_ready(); });
  if (pending.empty()) return result;
  codegen::Planner planner;
  codegen::Limits limits{context.traits().max_parameter_bytes, false, next_evaluation()};
  limits.trial = true;
  limits.takes_code = takes_code;
  limits.takes_cast = takes_cast;
  const std::span<codegen::Step* const> steps = planner.plan(pending, limits);
  Values values(result.values);
  result.steps.resize(steps.size());
  std::vector<std::vector<const Node*>> stored(steps.size());
  for (const codegen::Note& note : planner.notes()) {
    const auto at = static_cast<std::size_t>(note.step);
    const std::size_t number = values.of(*note.node);
    ExplainedStep& step = result.steps[at];
    if (note.why == codegen::Why::unstored) {
      step.fused.push_back(number);
    } else {
      step.stored.push_back({number, note.why});
      // Of several results the operation itself has no memory.
      if (graph::wanted_results(*note.node).empty()) stored[at].push_back(note.node);
    }
  }
  HostSteps on_host(context);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    ExplainedStep& step = result.steps[k];
    step.family = graph::name(steps[k]->family);
    step.traffic = traffic_of_step(*steps[k], stored[k]);
    std::vector<Programs::Asked> asked;
    Programs programs(context, asked);
    runtime::Queue& queue = queue_of(*steps[k]->node);
    on_host.prepare(programs, queue, *steps[k]);
    step.doer = on_host.doer();
    if (step.doer == HostSteps::Doer::host_small) prepare(programs, queue, *steps[k]);
    for (Programs::Asked& each : asked) {
      step.kernels.push_back({std::move(each.kernel), std::move(each.text.options), std::move(each.text.source)});
    }
  }
  return result;
}

}  // namespace

std::vector<Explained> explain(std::span<const NodeRef> roots) {
  std::vector<Node*> pending;
  for (const NodeRef& root : roots) {
    if (!root->is_ready()) pending.push_back(root.get());
  }
  std::vector<Explained> result;
  while (!pending.empty()) {
    const graph::Place place = pending.front()->place;
    const auto rest =
        std::stable_partition(pending.begin(), pending.end(), [&](Node* node) { return node->place == place; });
    const runtime::Context::InUse in_use(*place.context, "explain");
    result.push_back(explained(
        *place.context, std::span<Node* const>(pending.data(), static_cast<std::size_t>(rest - pending.begin()))));
    pending.erase(pending.begin(), rest);
  }
  return result;
}

}  // namespace koine::exec
