// SPDX-License-Identifier: Apache-2.0
// What a plan depends on, as words, and plans made of kept ones.
#include "codegen/plan_state.hpp"
#include "codegen/print.hpp"

#include <bit>
#include <utility>

namespace koine::codegen {
namespace {

void append(Structure& words, const Shape& shape) {
  words.push_back(shape.size());
  for (const std::int64_t size : shape) words.push_back(static_cast<std::uint64_t>(size));
}

void append(Structure& words, const graph::ViewMap& map) {
  words.push_back(map.diagonals.size() << 8 | static_cast<std::uint64_t>(map.beyond) << 1 | (map.reshape ? 1 : 0));
  for (const Shape* part : {&map.start, &map.source, &map.step, &map.bounds}) append(words, *part);
  for (const graph::ViewMap::Diagonal& diagonal : map.diagonals) {
    words.push_back(diagonal.axis);
    words.push_back(diagonal.input_axis);
  }
}

void append(Structure& words, const graph::CustomRef& code) {
  if (code) words.insert(words.end(), code->digest.begin(), code->digest.end());
}

void append_attributes(Structure& words, const Node& node) {
  if (node.op == Op::view) return append(words, node.get<Op::view>());
  if (node.op == Op::reduce) {
    const graph::ReduceInfo& info = node.get<Op::reduce>();
    words.push_back(static_cast<std::uint64_t>(info.kind));
    words.push_back(info.axes.size());
    words.insert(words.end(), info.axes.begin(), info.axes.end());
    words.push_back(std::bit_cast<std::uint64_t>(info.divisor));
    words.push_back(std::bit_cast<std::uint64_t>(info.scale));
    append(words, info.custom);
  }
  if (node.op == Op::random) words.push_back(static_cast<std::uint64_t>(node.get<Op::random>().kind));
  if (node.op == Op::result) words.push_back(node.get<Op::result>().number);
  if (node.op == Op::scan) {
    const graph::ScanInfo& info = node.get<Op::scan>();
    words.push_back(info.axis << 16 | static_cast<std::uint64_t>(info.kind) << 1 | (info.exclusive ? 1 : 0));
    append(words, info.custom);
  }
  if (node.op == Op::take) {
    const graph::TakeInfo& info = node.get<Op::take>();
    words.push_back(info.axis << 16 | info.named_axis << 1 | (info.within ? 1 : 0));
    words.push_back(reinterpret_cast<std::uintptr_t>(info.name));
  }
  if (node.op == Op::scatter) {
    words.push_back(scatters_together(*node.place.traits, node.inputs[1]->shape.elements()) ? 1 : 0);
  }
  if (node.op == Op::custom) {
    words.push_back(node.get<Op::custom>().output);
    append(words, node.get<Op::custom>().code);
  }
}

}  // namespace

/// The number of a leaf, which is described when it is met first.
std::int32_t Planner::State::leaf_number(Node& leaf) {
  if (leaf.epoch == leaf_epoch) return leaf.slot;
  leaf.epoch = leaf_epoch;
  leaf.slot = static_cast<std::int32_t>(leaves.size());
  leaves.push_back(&leaf);
  const void* const memory = leaf.storage.get();
  const auto hash = [&](const void* each) { return base::hash_combine(0, reinterpret_cast<std::uintptr_t>(each)); };
  std::int32_t storage = found_storages.find(
      storages.size(), [&] { return hash(memory); }, [&](std::size_t k) { return storages[k] == memory; });
  if (storage < 0) {
    storage = static_cast<std::int32_t>(storages.size());
    storages.push_back(memory);
    found_storages.added(storages.size(), [&](std::size_t k) { return hash(storages[k]); });
  }
  structure.push_back(static_cast<std::uint64_t>(storage) << 8 | static_cast<std::uint64_t>(leaf.dtype));
  structure.push_back(static_cast<std::uint64_t>(leaf.layout.offset));
  append(structure, leaf.layout.shape);
  append(structure, leaf.layout.strides);
  return leaf.slot;
}

/// Fills `structure` with all of the collected nodes that a plan depends on, and gives its hash.
std::uint64_t Planner::State::describe() {
  leaf_epoch = graph::next_epoch();
  structure.clear();
  leaves.clear();
  storages.clear();
  found_storages.clear();
  distinct.clear();
  found_constants.clear();
  const DeviceTraits* traits = count > 0 ? infos[0].node->place.traits : nullptr;
  structure.push_back(std::uint64_t{parameter_limit} << 2 | (traits && traits->cpu_loops() ? 2 : 0) |
                      (elsewhere ? 1 : 0));
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    const Node& node = *info.node;
    info.before = node.op != Op::constant && node.recomputed(evaluation);
    const std::uint64_t flags = (node.place.reproducible ? 1 : 0) | (info.requested ? 2 : 0);
    structure.push_back(static_cast<std::uint64_t>(node.op) | static_cast<std::uint64_t>(node.dtype) << 8 |
                        flags << 16 | static_cast<std::uint64_t>(node.consumers.load(std::memory_order_relaxed)) << 32);
    structure.push_back(reinterpret_cast<std::uintptr_t>(node.place.queue));
    append(structure, node.shape);
    if (node.op == Op::constant) {
      structure.push_back(static_cast<std::uint64_t>(distinct_constant(node)->slot));
      continue;
    }
    append_attributes(structure, node);
    if (node.op == Op::matmul || node.op == Op::fft) structure.push_back(finishes(node) ? 1 : 0);
    if (node.op == Op::matmul) structure.push_back(static_cast<std::uint64_t>(node.get<Op::matmul>().precision));
    for (const NodeRef& input : node.inputs) {
      // Whether somebody holds it counts where it, or what it is made of, was computed before, and of reductions,
      // products and transforms.
      const bool before = !input->is_ready() && find(input.get())->before;
      const bool counts = input->op == Op::reduce || input->op == Op::matmul || input->op == Op::fft || before;
      const bool held = counts && input.use_count() > input->consumers.load();
      const bool again = before && input->recomputed(evaluation);
      structure.push_back(static_cast<std::uint64_t>(number_of(*input)) << 2 | (again ? 2 : 0) | (held ? 1 : 0));
      info.before = info.before || before;
    }
  }
  return base::hash64(structure.data(), structure.size() * sizeof(std::uint64_t));
}

std::int32_t Planner::State::number_of(Node& node) { return node.is_ready() ? ~leaf_number(node) : node.slot; }

/// The kept plan with this graph's nodes.
void Planner::State::follow(const KnownPlan& plan) {
  const auto node_at = [&](std::int32_t number) {
    if (number >= 0) return infos[static_cast<std::size_t>(number)].node;
    const std::int32_t leaf = ~number;
    return leaves[static_cast<std::size_t>(leaf)];
  };
  const auto write = [&](const KnownPlan::Part::Code& code, Body& body) {
    body = code.body;
    for (std::size_t k = 0; k < body.loads.size(); ++k) {
      body.loads[k].source = node_at(code.sources[k]);
      if (body.loads[k].take) body.loads[k].take = node_at(code.takes[k]);
    }
    for (std::size_t k = 0; k < body.constants.size(); ++k) body.constants[k] = node_at(code.constants[k]);
    for (std::size_t k = 0; k < body.loops.size(); ++k) body.loops[k].node = node_at(code.loops[k]);
    for (std::size_t k = 0; k < body.folds.size(); ++k) body.folds[k].node = node_at(code.folds[k]);
    for (std::size_t k = 0; k < body.calls.size(); ++k) body.calls[k].node = node_at(code.calls[k]);
    for (std::size_t k = 0; k < body.outputs.size(); ++k) body.outputs[k].node = node_at(code.outputs[k]);
  };
  for (const KnownPlan::Replacement& each : plan.replacements) {
    read_instead(*node_at(each.node), static_cast<std::size_t>(each.input),
                 node_at(each.reader)->inputs[static_cast<std::size_t>(each.input_of_reader)]);
  }
  step_count = 0;
  ordered.clear();
  if (steps.size() < plan.parts.size()) steps.resize(plan.parts.size());
  for (const KnownPlan::Part& part : plan.parts) {
    Step& step = steps[step_count++];
    step.family = part.family;
    step.node = node_at(part.node);
    write(part.code, step.body);
    step.finished = !part.finish.body.outputs.empty();
    if (step.finished || !step.finish.outputs.empty()) write(part.finish, step.finish);
    step.operands = part.operands;
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      if (step.operands[k].source) step.operands[k].source = node_at(part.sources[k]);
    }
    lay_out(*step.node, step.family == Op::view);
    for (const Output& output : step.storing().outputs) lay_out(*output.node, false);
    ordered.push_back(&step);
  }
  for (const std::int32_t number : plan.unstored) node_at(number)->computed_unstored(evaluation);
}

/// The plan that was just made, to be followed by others.
std::unique_ptr<KnownPlan> Planner::State::known_plan() {
  auto plan = std::make_unique<KnownPlan>();
  plan->structure = structure;
  plan->nodes = count;
  plan->replacements = replacements;
  const auto number = [&](const Node* node) { return node->is_ready() ? ~node->slot : find(node)->number; };
  const auto numbered = [&](const Body& body) {
    KnownPlan::Part::Code code;
    code.body = body;
    for (const Load& load : body.loads) {
      code.sources.push_back(number(load.source));
      code.takes.push_back(load.take ? number(load.take) : 0);
    }
    for (const Node* constant : body.constants) code.constants.push_back(number(constant));
    for (const InnerLoop& loop : body.loops) code.loops.push_back(number(loop.node));
    for (const RowFold& fold : body.folds) code.folds.push_back(number(fold.node));
    for (const Call& call : body.calls) code.calls.push_back(number(call.node));
    for (const Output& output : body.outputs) code.outputs.push_back(number(output.node));
    return code;
  };
  for (const Step* step : ordered) {
    KnownPlan::Part part{step->family, number(step->node), numbered(step->body), numbered(step->finish),
                         step->operands};
    for (std::size_t k = 0; k < step->operands.size(); ++k) {
      if (step->operands[k].source) part.sources[k] = number(step->operands[k].source);
    }
    plan->parts.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!infos[i].stored()) plan->unstored.push_back(infos[i].number);
  }
  return plan;
}

}  // namespace koine::codegen
