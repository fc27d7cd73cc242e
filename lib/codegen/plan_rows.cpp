// SPDX-License-Identifier: Apache-2.0
// Reductions of rows that share a kernel with what reads them element by element, or row by row (codegen/rows.hpp).
#include "codegen/plan_state.hpp"
#include "codegen/rows.hpp"

namespace koine::codegen {
namespace {

// Reductions alone of shorter rows have kernels that take many rows at once: on a GPU, and on a CPU.
constexpr std::int64_t shortest_row = 32, shortest_row_of_cpu = 512;
// Between reductions and what is made of them row by row: to look through more would take long.
constexpr std::size_t most_behind = 32;

std::int64_t shortest(const Node& node) { return on_card(node) ? shortest_row : shortest_row_of_cpu; }

const Shape& domain_of(const Node& fold) { return fold.inputs[0]->shape; }

/// Whether the rows of a step's domain are not split where it is.
bool whole_rows(const Step& step) {
  const Shape& domain = step.body.domain;
  return !step.fine || graph::whole_part(domain, step.fine->layout.shape, domain.size() - 1).has_value();
}

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
  if (node.op == Op::take && !node.inputs[1]->is_ready()) info.phases = find(node.inputs[1].get())->phases;
  if (graph::has_own_kernel(node.op)) {
    if (!folds_rows(node)) return;
    const Info* in = node.inputs[0]->is_ready() ? nullptr : find(node.inputs[0].get());
    const int phases = (in ? in->phases : 0) + fold_phases(node);
    if (phases >= most_phases) return;
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
  const bool suits = step.family == Op::rows || (step.family == Op::elementwise && !step.looped && whole_rows(step));
  return suits && step.body.domain == domain_of(fold) &&
         std::all_of(info.reads.begin(), info.reads.end(), [&](const Read& read) { return read.step == s; });
}

/// Whether a reduction is computed in the kernel that reads it, which takes whole rows because of it.
bool Planner::State::joins_rows(const Info& info) const {
  if (info.fold != info.node || !read_by_rows(info, *info.node)) return false;
  return std::all_of(info.reads.begin(), info.reads.end(),
                     [&](const Read& read) { return leads_to_rows(read.chain, *info.node); });
}

/// The kernel of whole rows that can compute a reduction that is stored too, or -1.
std::int32_t Planner::State::rows_to_join(const Info& info) const {
  return rows_allowed && info.fold == info.node ? reduction_to_join(info, Op::rows) : -1;
}

/// The kernel of a reduction of the same rows, which becomes one of whole rows for this one to join it, or -1.
std::int32_t Planner::State::rows_to_begin_with(const Info& info) const {
  for (std::size_t s = step_count; s-- > 0 && s + most_steps > step_count;) {
    const Step& step = steps[s];
    if (step.family != Op::reduce || step.finished || step.results != 1 || step.looped || !whole_rows(step) ||
        !beside(step, info))
      continue;
    const Info& other = infos[static_cast<std::size_t>(step.node->slot)];
    if (other.fold == other.node && other.level == info.level) return static_cast<std::int32_t>(s);
  }
  return -1;
}

/// Whether a reduction that is stored is better computed by a kernel of whole rows than by one of its own: on a GPU,
/// where it takes two loops over a row, which is read once, or where it reads reductions of the same rows.
bool Planner::State::begins_rows(const Info& info) const {
  if (!rows_allowed || info.fold != info.node) return false;
  const Node& node = *info.node;
  const Info* in = node.inputs[0]->is_ready() ? nullptr : infos.data() + node.inputs[0]->slot;
  const bool reads_rows = in && in->reads_rows;
  // Kernels of whole rows have no loops in them.
  if (in && in->loops && !reads_rows) return false;
  // Kernels of reductions alone read long rows once.
  if (!has_row_at_hand(node)) return reads_rows;
  const graph::State state = graph::info(node.get<Op::reduce>().kind).state;
  // Combining two sums of exponentials takes exponentials again.
  if (state == graph::State::exponentials) return true;
  // Random numbers can be made where they are read once.
  const Node& source = *source_of(node);
  if (state == graph::State::position && source.op == Op::random && !source.is_ready() && !reads_rows) return false;
  return domain_of(node).back() >= shortest(node) && (reads_rows || on_card(node) || fold_phases(node) > 1);
}

/// Whether what is made of reductions of rows, and nodes on the way to it, are all that reads them: then their kernel
/// can go on to compute it. Among the readers are elements that one of the reductions takes, as the exponentials of
/// logsumexp, which read the largest of their row.
bool Planner::State::only_reader(const Info& info) const {
  struct Behind {
    const Info* info;
    bool way, elements;      // whether it is on the way to a reduction; whether it is not one for each row
    std::int32_t edges = 0;  // that lead here
  };
  const auto wanted = [&](const Info& each) {
    const bool outside = each.node->consumers.load(std::memory_order_relaxed) != each.edges;
    return outside || (each.node->recomputed(evaluation) && each.held) || each.requested || each.cut;
  };
  std::vector<Behind> all = {{&info, true, false}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all.size() > most_behind) return false;
    const Behind at = all[k];
    const bool of_elements = at.elements || at.info->fold == at.info->node, way = at.way && !of_elements;
    for (const NodeRef& input : at.info->node->inputs) {
      if (input->is_ready() || graph::is_source(input->op)) continue;
      const Info* in = infos.data() + input->slot;
      if (way && !in->fold) return false;
      if (in->fold ? domain_of(*in->fold) != domain_of(*info.fold) : !in->reads_rows || !of_elements || wanted(*in)) {
        continue;
      }
      auto known = std::find_if(all.begin(), all.end(), [&](const Behind& each) { return each.info == in; });
      if (known == all.end()) {
        all.push_back({in, false, !in->fold});
        known = all.end() - 1;
      }
      known->way = known->way || way;
      ++known->edges;
    }
  }
  return std::all_of(all.begin() + 1, all.end(), [&](const Behind& each) {
    return !each.way || (each.edges == each.info->edges && !wanted(*each.info));
  });
}

/// The domain of the rows whose reductions a node that is stored row by row is made of, if one kernel can compute all;
/// else null.
const Shape* Planner::State::row_domain(const Info& info) const {
  if (!rows_allowed || !info.fold || info.fold == info.node) return nullptr;
  const Shape& domain = domain_of(*info.fold);
  const bool suits = domain.back() >= shortest(*info.fold) && has_rows_of(info.node->shape, domain);
  return suits && only_reader(info) ? &domain : nullptr;
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
