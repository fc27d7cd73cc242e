// SPDX-License-Identifier: Apache-2.0
// Element-wise code around a transform: its kernels begin with what makes the input, which is not stored then, and end
// with what is made of the results (plan_product.cpp).
#include "codegen/epilogue.hpp"
#include "codegen/plan_state.hpp"
#include "graph/families.hpp"

namespace koine::codegen {
namespace {

// A work-item computes the code for up to 16 elements at once: what takes much longer than their transform has room
// elsewhere.
constexpr int most_operations = 64;

bool is_short(const Body& body) {
  int operations = 0;
  for (const Line& line : body.lines) operations += graph::cost(line.op);
  return body.calls.empty() && operations <= most_operations;
}

/// Whether neighbours read neighbours: a copy that turns axes has kernels for that.
bool lies_well(const EpilogueWalk& walk) {
  if (walk.axes.shape.empty()) return true;
  return std::all_of(walk.number.begin(), walk.number.end(), [&](std::int32_t number) {
    return number < 0 || walk.axes.stride(static_cast<std::size_t>(number), walk.axes.shape.size() - 1) <= 1;
  });
}

void forget(std::vector<std::int32_t>& needs, std::int32_t step) {
  needs.erase(std::remove(needs.begin(), needs.end(), step), needs.end());
}

}  // namespace

/// Turns a step that goes on with a transform into one of the transform with a finish, or, where no kernel can go on
/// so, into one of element-wise code behind it.
void Planner::State::end_transform(Info& info) {
  const auto at = static_cast<std::size_t>(info.finisher);
  if (is_short(steps[at].body) && make_epilogue_walk(steps[at].body) &&
      2 * epilogue_bytes(steps[at].body) <= parameter_limit) {
    Step& step = steps[at];
    step.finish = std::move(step.body);
    step.body = {};
    step.node = info.node;
    step.finished = true;
    return;
  }
  info.step = add_step(Op::fft, info.node);
  lay_out(*info.node, false);
  for (const NodeRef& input : info.node->inputs) need(info.step, *input);
  Step& rest = steps[static_cast<std::size_t>(std::exchange(info.finisher, -1))];
  rest.family = Op::elementwise;
  rest.needs.push_back(info.step);
}

/// Lets a transform compute its input, where nothing else wants that.
void Planner::State::lead_transform(Info& info) {
  const NodeRef& input = info.node->inputs[0];
  Info* const in = input->is_ready() ? nullptr : find(input.get());
  if (!in || !in->apart || !in->stored() || in->why != Why::into_kernels || !in->reads.empty()) return;
  if (input->recomputed(evaluation) && in->held) return;
  const std::int32_t from = in->step, to = info.stored() ? info.step : info.finisher;
  Step &made = steps[static_cast<std::size_t>(from)], &step = steps[static_cast<std::size_t>(to)];
  if (made.family != Op::elementwise || made.body.outputs.size() != 1 || input->shape.elements() == 0) return;
  const auto walk = make_epilogue_walk(made.body, 0);
  if (!walk || !lies_well(*walk) || !is_short(made.body) || 2 * epilogue_bytes(made.body) > parameter_limit) return;
  step.body = std::move(made.body);
  made.body = {};
  forget(step.needs, from);
  for (const std::int32_t other : made.needs) {
    forget(step.needs, other);
    step.needs.push_back(other);
  }
  made.joined = to;
  in->step = -1;
  in->finisher = to;
}

void Planner::State::join_transforms(bool merge) {
  for (std::size_t i = count; i-- > 0;) {
    if (infos[i].node->op != Op::fft || !finishes(*infos[i].node)) continue;
    if (infos[i].finisher >= 0) end_transform(infos[i]);
    if (merge) lead_transform(infos[i]);
  }
}

}  // namespace koine::codegen
