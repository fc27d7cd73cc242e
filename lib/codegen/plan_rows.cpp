// SPDX-License-Identifier: Apache-2.0
// Reductions of rows that share a kernel with what reads them element by element, or row by row (codegen/rows.hpp).
#include "codegen/plan_state.hpp"
#include "codegen/rows.hpp"

namespace koine::codegen {
namespace {

// Reductions alone of shorter rows have kernels that take many rows at once: on a GPU, and on a CPU.
constexpr std::int64_t shortest_row = 32, shortest_row_of_cpu = 512;

bool on_card(const Node& node) { return node.place.traits != nullptr && !node.place.traits->long_loops(); }
std::int64_t shortest(const Node& node) { return on_card(node) ? shortest_row : shortest_row_of_cpu; }

const Shape& domain_of(const Node& fold) { return fold.inputs[0]->shape; }

/// Whether `shape` has one element for each row of `domain`, whose last axis it lacks or has with size one.
bool has_rows_of(const Shape& shape, const Shape& domain) {
  if (shape.size() + 1 != domain.size() && shape.size() != domain.size()) return false;
  if (shape.size() == domain.size() && shape.back() != 1) return false;
  return std::equal(domain.begin(), domain.end() - 1, shape.begin());
}

}  // namespace

/// Follows what is made of reductions of rows, element by element.
void Planner::State::follow_rows(Info& info) {
  const Node& node = *info.node;
  info.fold = nullptr;
  info.phases = 0;
  info.reads_rows = false;
  if (graph::has_own_kernel(node.op)) {
    if (!folds_rows(node)) return;
    const Info* in = node.inputs[0]->is_ready() ? nullptr : find(node.inputs[0].get());
    const int phases = (in ? in->phases : 0) + fold_phases(node);
    if (phases >= most_phases || (in && in->wraps > 0)) return;
    info.fold = &node;
    info.phases = phases;
    return;
  }
  bool one_domain = true;
  for (const NodeRef& input : node.inputs) {
    const Info* in = input->is_ready() ? nullptr : find(input.get());
    if (!in) continue;
    info.phases = std::max(info.phases, in->phases);
    info.reads_rows = info.reads_rows || in->reads_rows;
    if (!in->fold) continue;
    if (input->shape.elements() == node.shape.elements()) {
      one_domain = one_domain && (!info.fold || domain_of(*info.fold) == domain_of(*in->fold));
      info.fold = in->fold;
    } else {
      info.reads_rows = info.reads_rows || node.shape == domain_of(*in->fold);
    }
  }
  if (!one_domain || info.reads_rows) info.fold = nullptr;
}

/// Whether a chain leads from each element of the fold's domain to the result of its row.
bool Planner::State::leads_to_rows(std::int32_t chain, const Node& fold) const {
  const Shape& domain = domain_of(fold);
  const auto pieces = chains.apply(chain, graph::row_major(fold.shape));
  if (!pieces || !pieces->seams.empty() || pieces->layout.shape != domain || pieces->layout.offset != 0) return false;
  std::int64_t stride = 1;
  for (std::size_t axis = domain.size() - 1; axis-- > 0;) {
    if (domain[axis] != 1 && pieces->layout.strides[axis] != stride) return false;
    stride *= domain[axis];
  }
  return pieces->layout.strides.back() == 0;
}

/// Whether all that reads a node does so in one step, which takes elements of the fold's domain, and nobody else will.
bool Planner::State::read_by_rows(const Info& info, const Node& fold) const {
  const Node& node = *info.node;
  if (!rows_allowed || info.requested || info.cut || info.reads.empty()) return false;
  if (node.consumers.load(std::memory_order_relaxed) > info.edges || (node.recomputed(evaluation) && info.held)) {
    return false;
  }
  const std::int32_t s = info.reads[0].step;
  const Step& step = steps[static_cast<std::size_t>(s)];
  const bool suits =
      step.family == Op::rows || (step.family == Op::elementwise && !step.looped && !step.wrapped && !step.fine);
  return suits && step.body.domain == domain_of(fold) &&
         std::all_of(info.reads.begin(), info.reads.end(), [&](const Read& read) { return read.step == s; });
}

/// Whether a reduction is computed in the kernel that reads it, which takes whole rows because of it.
bool Planner::State::joins_rows(const Info& info) const {
  if (info.fold != info.node || !read_by_rows(info, *info.node)) return false;
  return std::all_of(info.reads.begin(), info.reads.end(),
                     [&](const Read& read) { return leads_to_rows(read.chain, *info.node); });
}

/// Whether a reduction that is stored is better computed by a kernel of whole rows than by one of its own: on a GPU,
/// where it takes two loops over a row, which is read once, or where it reads reductions of the same rows.
bool Planner::State::begins_rows(const Info& info) const {
  if (!rows_allowed || info.fold != info.node) return false;
  // Combining two sums of exponentials takes exponentials again.
  const Node& node = *info.node;
  if (graph::info(node.get<Op::reduce>().kind).state == graph::State::exponentials) return true;
  if (domain_of(node).back() < shortest(node)) return false;
  const Info* in = node.inputs[0]->is_ready() ? nullptr : infos.data() + node.inputs[0]->slot;
  return on_card(node) || fold_phases(node) > 1 || (in && in->reads_rows);
}

/// Whether what is made of reductions of rows is all that reads them: then their kernel can go on to compute it.
bool Planner::State::only_reader(const Info& info, bool first) const {
  const Node& node = *info.node;
  const bool alone = info.edges == 1 && node.consumers.load(std::memory_order_relaxed) == 1 &&
                     !(node.recomputed(evaluation) && info.held);
  if (!first && (!alone || info.requested || info.cut)) return false;
  if (info.fold == &node) return true;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const NodeRef& input) {
    if (input->is_ready() || graph::is_source(input->op)) return true;
    const Info& in = infos[static_cast<std::size_t>(input->slot)];
    return in.fold != nullptr && only_reader(in, false);
  });
}

/// The domain of the rows whose reductions a node that is stored row by row is made of, if one kernel can compute all;
/// else null.
const Shape* Planner::State::row_domain(const Info& info) const {
  if (!rows_allowed || !info.fold || info.fold == info.node) return nullptr;
  const Shape& domain = domain_of(*info.fold);
  const bool suits = domain.back() >= shortest(*info.fold) && has_rows_of(info.node->shape, domain) && info.wraps == 0;
  return suits && only_reader(info, true) ? &domain : nullptr;
}

/// Whether kernels of whole rows read what lies side by side, and keep to the parameter limit.
bool Planner::State::rows_fit() const {
  for (std::size_t s = 0; s < step_count; ++s) {
    const Step& step = steps[s];
    if (step.family != Op::rows) continue;
    if (!fits(step)) return false;
    for (const Load& load : step.body.loads) {
      const std::int64_t stride = load.layout.strides.back();
      if (!load.iota && stride != 0 && stride != 1 && stride != -1) return false;
    }
  }
  return true;
}

}  // namespace koine::codegen
