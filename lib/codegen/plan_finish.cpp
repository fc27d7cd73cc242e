// SPDX-License-Identifier: Apache-2.0
// What is made of a reduction's results element by element: computed by the kernel of its last pass, which stores that
// in their place.
#include "codegen/plan_state.hpp"
#include "codegen/print.hpp"
#include "graph/infer.hpp"

namespace koine::codegen {
namespace {

// Nodes between a result and reductions: to look through more would take long.
constexpr std::size_t most_behind = 32;
// Values that one kernel makes of its results.
constexpr std::uint8_t most_finishes = 4;

/// A node that a finish is made of.
struct Behind {
  Info* info;
  std::int32_t edges;   // that lead here
  bool stored = false;  // by another kernel
};

bool lies_in_order(const Node& node, const Node& result) {
  return node.shape == result.shape && graph::is_row_major(node.layout);
}

}  // namespace

/// Whether nothing but one kernel, which reads a node `edges` times, wants it.
static bool wanted_there_alone(const Info& info, std::int32_t edges) {
  return edges == info.edges && info.node->consumers.load(std::memory_order_relaxed) == edges && !info.requested &&
         !info.cut;
}

/// Whether the kernel of a reduction's last pass can go on with its results, and no other kernel computes it better.
bool Planner::State::can_be_finished(const Info& info) const {
  const Node& node = *info.node;
  const bool in_registers = register_type(node.dtype) == register_type(graph::accumulation_type(node.dtype));
  const graph::ReduceInfo& reduction = node.get<Op::reduce>();
  const bool plain = !is_complex(node.dtype) && in_registers && size_of(node.dtype) != 2 && !reduction.custom &&
                     graph::info(reduction.kind).state != graph::State::position;
  return plain && (!info.held || on_card(node)) && node.shape.elements() > 0 && node.inputs[0]->shape.elements() > 0 &&
         rows_to_join(info) < 0 && !begins_rows(info);
}

/// Whether an element-wise node that more than one kernel reads is stored.
static bool is_stored_for_others(const Info& info) {
  const bool dear = info.readings > 1 && !is_cheap(info);
  return graph::is_elementwise(info.node->op) && (info.requested || dear) && info.fold == nullptr;
}

/// Lets a reduction's kernel compute and store an element-wise node, where that is made of the reduction, of others
/// that the kernel computes too, of constants and of arrays that are in memory before. False where it is not.
bool Planner::State::finish(Info& info) {
  const Node& result = *info.node;
  // A reduction is a barrier.
  if (info.level == 0 || goes_elsewhere(info) || is_complex(result.dtype) || result.op == Op::custom) return false;
  std::vector<Behind> all = {{&info, 0}};
  std::vector<Info*> reductions;
  const auto look_behind = [&](std::size_t k) {
    const Node& node = *all[k].info->node;
    if (node.op == Op::reduce) {
      reductions.push_back(all[k].info);
      return true;
    }
    for (const NodeRef& input : node.inputs) {
      if (input->is_ready()) {
        if (!lies_in_order(*input, result) || is_complex(input->dtype)) return false;
        continue;
      }
      Info* in = find(input.get());
      if (input->op == Op::constant && !in->requested && !is_complex(input->dtype)) continue;
      const bool suits = input->op == Op::reduce || (graph::is_elementwise(input->op) && input->op != Op::custom);
      if (!suits || input->shape != result.shape || is_complex(input->dtype)) return false;
      const auto known = std::find_if(all.begin(), all.end(), [&](const Behind& each) { return each.info == in; });
      if (known != all.end()) {
        ++known->edges;
      } else if (all.size() == most_behind) {
        return false;
      } else {
        all.push_back({in, 1, is_stored_for_others(*in)});
      }
    }
    return true;
  };
  const auto look_from = [&](std::size_t k) {
    for (; k < all.size(); ++k) {
      if (!all[k].stored && !look_behind(k)) return false;
    }
    return true;
  };
  if (!look_from(0)) return false;
  // What all who read it are part of the finish is, too.
  for (std::size_t k = 0; k < all.size();) {
    if (!all[k].stored || !wanted_there_alone(*all[k].info, all[k].edges)) {
      ++k;
      continue;
    }
    const std::size_t next = all.size();
    all[k].stored = false;
    if (!look_behind(k) || !look_from(next)) return false;
    k = 0;
  }
  const auto edges_of = [&](const Info* each) {
    return std::find_if(all.begin(), all.end(), [&](const Behind& b) { return b.info == each; })->edges;
  };
  // Where it saves a launch the kernel stores results that others read, too; those of whole rows join kernels of these.
  const auto can_join = [&](const Info* each) {
    const bool alone = wanted_there_alone(*each, edges_of(each));
    return (alone || (on_card(result) && each->fold != each->node)) && !each->apart && !goes_elsewhere(*each) &&
           can_be_finished(*each) && each->node->place.queue == result.place.queue;
  };
  const auto finished = [](const Info* each) { return each->finisher >= 0; };
  auto begin = std::find_if(reductions.begin(), reductions.end(), finished);
  // Short reductions alone are loops of what reads them.
  if (begin == reductions.end()) {
    begin = std::find_if(reductions.begin(), reductions.end(),
                         [&](const Info* each) { return !loops_in_reader(*each->node) && can_join(each); });
  }
  if (begin == reductions.end() || (*begin)->node->place.queue != result.place.queue) return false;
  for (const Behind& each : all) {
    const Node& node = *each.info->node;
    if (each.info == &info || node.op == Op::reduce) continue;
    if (each.stored ? node.place.queue != result.place.queue
                    : !wanted_there_alone(*each.info, each.edges) || (node.recomputed(evaluation) && each.info->held)) {
      return false;
    }
  }
  const std::size_t steps_before = step_count;
  const std::int32_t s = step_to_finish(**begin);
  Step& step = steps[static_cast<std::size_t>(s)];
  if (step.finishes == most_finishes) return false;
  const std::uint32_t results = step.results;
  const std::uint8_t kinds = step.kinds;
  // Others are read from memory. That the kernels of these compute nothing else keeps two from waiting for each other.
  const std::int32_t level = infos[static_cast<std::size_t>(step.node->slot)].level;
  const auto read_from_memory = [&](const Info* each) {
    return each->level <= level && each->fold != each->node && !finished(each) && !loops_in_reader(*each->node);
  };
  std::vector<Info*> joined, beside;
  for (Info* each : reductions) {
    if (each->finisher == s) continue;
    const bool first = each->node == step.node && step.results == 0;
    if (!finished(each) && (first || (can_join(each) && takes_reduction(step, *each)))) {
      joined.push_back(each);
      step.add_result(*each->node);
    } else {
      beside.push_back(each);
    }
  }
  // A kernel behind a barrier before this one waits for nothing that this one makes.
  const auto stored_before = [&](const Behind& each) { return !each.stored || each.info->level < level; };
  if (!std::all_of(beside.begin(), beside.end(), read_from_memory) ||
      !std::all_of(all.begin(), all.end(), stored_before)) {
    step.results = results;
    step.kinds = kinds;
    step_count = steps_before;
    return false;
  }
  for (Info* each : joined) each->finisher = s;
  for (Info* each : beside) {
    each->request(Why::into_kernels);
    each->awaited = each->apart = true;
  }
  for (const Behind& each : all) {
    if (each.stored) {
      each.info->request(Why::into_kernels);
      each.info->awaited = true;
    } else if (each.info->node->op != Op::reduce && each.info != &info) {
      each.info->finisher = s;
    }
  }
  step.finished = true;
  ++step.finishes;
  info.step = s;
  return true;
}

/// The kernel whose results a finish of this reduction is made of: one that computes it already, or computes others
/// that it can join, or a new one.
std::int32_t Planner::State::step_to_finish(const Info& reduction) {
  if (reduction.finisher >= 0) return reduction.finisher;
  const std::int32_t s = on_card(*reduction.node) ? reduction_to_join(reduction, Op::reduce) : -1;
  // For one that computes nothing else another kernel waits.
  if (s >= 0 && !infos[static_cast<std::size_t>(steps[static_cast<std::size_t>(s)].node->slot)].apart) return s;
  return add_step(Op::reduce, reduction.node);
}

/// Whether others than a finish read a reduction that is computed for one, or may yet.
bool Planner::State::stored_beside_finish(const Info& info) {
  const bool outside = info.node->consumers.load(std::memory_order_relaxed) > info.edges;
  return on_card(*info.node) && (info.requested || info.cut || info.held || outside || !info.reads.empty());
}

/// The lines of a step's finishes, from the results and what is read beside them to the nodes that are stored.
void Planner::State::write_finish(std::int32_t at, std::span<const Info* const> stored) {
  Step& step = steps[static_cast<std::size_t>(at)];
  Body& body = step.finish;
  body.domain = stored[0]->node->shape;
  std::vector<std::pair<const Node*, std::int32_t>> written;
  const auto load = [&](const Node& node, const graph::Layout& layout) {
    const auto number = static_cast<std::int32_t>(body.loads.size());
    body.loads.push_back({&node, layout, node.dtype, false});
    body.lines.push_back({Op::leaf, node.dtype, node.dtype, {number, -1, -1}});
    return written.emplace_back(&node, static_cast<std::int32_t>(body.lines.size()) - 1).second;
  };
  for (const Output& output : step.body.outputs) load(*output.node, graph::row_major(output.node->shape));
  const auto line_of = [&](const auto& self, const Node& node) -> std::int32_t {
    for (const auto& [known, line] : written) {
      if (known == &node) return line;
    }
    std::int32_t args[3] = {-1, -1, -1};
    const Info* const in = node.is_ready() ? nullptr : find(&node);
    if (!in || node.op == Op::reduce || (in->stored() && in->step != at)) {
      need(at, node);
      return load(node, node.layout);
    }
    for (std::size_t i = 0; i < node.inputs.size(); ++i) args[i] = self(self, *node.inputs[i]);
    written.emplace_back(&node, add_line(body, node, args));
    return written.back().second;
  };
  for (const Info* each : stored) body.outputs.push_back({each->node, line_of(line_of, *each->node)});
}

/// The finishes, once it is known what their kernels compute.
void Planner::State::write_finishes() {
  std::vector<std::pair<std::int32_t, const Info*>> all;
  for (std::size_t i = 0; i < count; ++i) {
    const Info& info = infos[i];
    if (!info.stored()) continue;
    const Step& step = steps[static_cast<std::size_t>(info.step)];
    if (step.finished && step.family == Op::reduce) all.emplace_back(info.step, &info);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Info*> stored;
  for (std::size_t k = 0; k < all.size(); ++k) {
    stored.push_back(all[k].second);
    if (k + 1 < all.size() && all[k + 1].first == all[k].first) continue;
    write_finish(all[k].first, stored);
    stored.clear();
  }
}

}  // namespace koine::codegen
