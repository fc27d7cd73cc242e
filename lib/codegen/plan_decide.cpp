// SPDX-License-Identifier: Apache-2.0
// Choosing which nodes are stored, and which kernel computes each.
#include "codegen/plan_state.hpp"
#include "graph/infer.hpp"

namespace koine::codegen {
namespace {

// No rows of tuning: what is stored decides what a fold loads, and so how wide it is and in which order it adds up.
// Costs beside which a store and a load are cheaper than computing again: a load counts like about 16 additions.
constexpr int cheap_operations = 16;
constexpr int cheap_operations_without_loads = 64;
// Read through a broadcast, each element is computed once for every repetition.
constexpr int cheap_repeated_operations = 2;
constexpr std::int64_t few_elements = 1 << 16;
constexpr std::size_t most_readers = 8, most_readings = 32;
constexpr std::uint32_t few_results = 4;
// Of a domain that is split for a reshape: axes, and elements of the innermost one.
constexpr std::size_t most_split_axes = 8;
constexpr std::int64_t shortest_split_row = 16;
// Readings of each element by a kernel, past which it is better stored than walked in split axes.
constexpr std::int64_t most_split_readings = 4;

/// Whether a CPU's kernel reads what it computes with row by row: a reduction does of rows that are not short.
bool reads_in_order(const Step& step) {
  constexpr std::int64_t short_row = 64;
  if (step.family != Op::reduce) return step.family == Op::elementwise;
  const std::vector<std::size_t>& axes = step.node->get<Op::reduce>().axes;
  const Shape& shape = step.node->inputs[0]->shape;
  std::int64_t row = 1;
  for (std::size_t k = axes.size(), axis = shape.size(); k-- > 0 && axes[k] == --axis;) row *= shape[axis];
  return row >= short_row;
}

}  // namespace

/// Whether a CPU computes this in vectors of complex numbers, which only element-wise kernels do, and takes longer for
/// each number alone than for a store and a load.
static bool gains_by_pairs(const Node& node) {
  constexpr int least_cost = 10;
  constexpr std::int64_t many_elements = 1 << 12;
  if (!graph::in_table(node.op) || !is_complex(node.inputs[0]->dtype) || node.shape.elements() < many_elements)
    return false;
  const graph::OpInfo& row = graph::info(node.op);
  return row.expressions.pairs && row.cost >= least_cost && node.place.traits &&
         pairs_at_once(*node.place.traits, size_of(node.inputs[0]->dtype)) > 1;
}

bool is_cheap(const Info& info) {
  return info.loads == 0 ? info.operations <= cheap_operations_without_loads
                         : info.loads == 1 && info.operations <= cheap_operations;
}

std::int32_t Planner::State::add_step(Op family, Node* node) {
  if (step_count == steps.size()) steps.emplace_back();
  Step& step = steps[step_count];
  step.family = family;
  step.node = node;
  step.body.domain = step.folds() ? node->inputs[0]->shape : node->shape;
  step.body.loads.clear();
  step.body.loops.clear();
  step.body.folds.clear();
  step.body.calls.clear();
  step.body.constants.clear();
  step.body.constant_lines.clear();
  step.body.lines.clear();
  step.body.outputs.clear();
  if (!step.finish.outputs.empty()) step.finish = {};
  step.needs.clear();
  step.results = 0;
  step.joined = -1;
  step.last = step.mixed = step.looped = step.finished = false;
  step.kinds = step.finishes = 0;
  step.draws.reset();
  step.operands = {};
  step.fine.reset();
  return static_cast<std::int32_t>(step_count++);
}

void Planner::State::add_read(Node& input, std::int32_t step, std::int32_t chain) {
  Info* info = input.is_ready() ? nullptr : find(&input);
  if (!info) return;
  // One that was asked for is read from memory, as arrays are.
  if (input.op == Op::constant && !info->requested) chain = Chains::identity;
  if (find_read(*info, step, chain)) return;
  info->reads.push_back({step, chain});
  found_reads.added(info->reads.size(), [&](std::size_t k) { return info->hash_of(info->reads[k]); });
}

void Planner::State::read_inputs(Info& info, std::int32_t step, std::int32_t chain) {
  Node& node = *info.node;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeRef& input = node.inputs[i];
    if (node.op == Op::take && i == 0) {
      // What a kernel takes elements of by their positions lies in memory.
      if (input->is_ready() || is_counted(*input)) continue;
      Info& array = *find(input.get());
      array.request(Why::taken);
      array.awaited = true;
      continue;
    }
    add_read(*input, step, node.op == Op::view ? extend(info, chain) : chains.extend(chain, node, i));
  }
}

/// Whether random numbers are made by the one kernel that reads them, each once and where it lies, and nobody else
/// wants them. A kernel makes those of one law. On a CPU it makes many ahead, and has to read them in their order; on a
/// card a scan reads element by element, and would make each of four numbers by itself that one block of bits gives.
bool Planner::State::drawn_in_reader(const Info& info) const {
  const Node& node = *info.node;
  if (node.op != Op::random || !drawn_in_place(node.get<Op::random>(), node.dtype)) return false;
  if (node.place.traits == nullptr) return false;
  if (info.requested || info.cut || info.reads.size() != 1 || info.reads[0].chain != Chains::identity) return false;
  const Step& step = steps[static_cast<std::size_t>(info.reads[0].step)];
  if (step.by_strides()) return false;
  if (node.place.traits->cpu_loops() ? !reads_in_order(step) : step.family == Op::scan) return false;
  return step.body.domain == node.shape && (!step.draws || *step.draws == node.get<Op::random>().kind) &&
         node.consumers.load(std::memory_order_relaxed) <= info.edges && !(node.recomputed(evaluation) && info.held);
}

/// Why it is better stored than computed again, if it is.
Why Planner::State::worth_storing(const Info& info) const {
  const Node& node = *info.node;
  if (info.shared) return Why::dear;
  const auto alone = [&](const Read& read) {
    return steps[static_cast<std::size_t>(read.step)].family != Op::elementwise;
  };
  if (gains_by_pairs(node) && std::any_of(info.reads.begin(), info.reads.end(), alone)) return Why::pairs;
  const bool outside = node.consumers.load(std::memory_order_relaxed) > info.edges;
  const bool again = info.reads.size() > 1 || outside, before = info.before && info.held;
  bool repeated = false;
  std::int64_t repetitions = 0;
  for (const Read& read : info.reads) {
    if (chains.repeats(read.chain)) {
      repeated = true;
      repetitions = std::max(repetitions, steps[static_cast<std::size_t>(read.step)].body.domain.elements());
    }
  }
  if (!again && !before && !repeated) return Why::unstored;
  if (info.fold && read_by_rows(info, *info.fold)) return Why::unstored;  // computed once for a row
  // One kernel reads the parts of a stencil at more positions, each of which is computed as cheaply as loaded.
  const bool stencil = info.wraps > 0 && info.loads <= 1 && info.operations <= cheap_repeated_operations;
  if (info.reads.size() > (stencil ? most_readings : most_readers)) return Why::readers;
  if (repeated && repetitions > few_elements && info.operations > cheap_repeated_operations) return Why::repeated;
  return is_cheap(info) ? Why::unstored : again ? Why::dear : before ? Why::again : Why::repeated;
}

/// Whether a kernel can store this node too, which is computed on the same queue. Results take half of the parameters
/// at the most, so that there is room for what they are made of.
bool Planner::State::takes_result(const Step& step, const Node& node) const {
  return (step.family == Op::elementwise || step.family == Op::rows) && step.body.domain == node.shape &&
         step.node->place.queue == node.place.queue && (step.results + 1) * buffer_bytes <= parameter_limit / 2;
}

/// A kernel that can store this node beside its own results, or -1. One that reads it in place can if nobody else
/// does (a product or an alias neither, whose result the kernel may need), if all others lie behind more barriers than
/// the kernel, which therefore does not wait for them, or if no barrier lies between and it is the last step of those
/// that read it: of the steps between two barriers, those with lower numbers wait for those with higher ones alone, so
/// that no two wait for each other.
std::int32_t Planner::State::kernel_to_join(const Info& info, bool merge) const {
  if (info.cut || info.apart) return -1;
  const bool last_of_all = info.edges == 0;
  const auto first_of = [&](std::int32_t s) -> const Info& {
    return infos[static_cast<std::size_t>(steps[static_cast<std::size_t>(s)].node->slot)];
  };
  const auto fits = [&](std::int32_t s) {
    const Step& step = steps[static_cast<std::size_t>(s)];
    return !first_of(s).apart && (!step.mixed || last_of_all) && takes_result(step, *info.node);
  };
  const auto level = [&](std::int32_t s) { return first_of(s).level; };
  std::int32_t last = -1;
  for (const Read& read : info.reads) {
    if (level(read.step) == info.level) last = std::max(last, read.step);
  }
  const auto read_later_by_others = [&](std::int32_t s) {
    return std::all_of(info.reads.begin(), info.reads.end(), [&](const Read& read) {
      return read.step == s ? read.chain == Chains::identity : level(read.step) > level(s);
    });
  };
  for (const Read& read : info.reads) {
    if (read.chain == Chains::identity && fits(read.step) &&
        (read.step == last || (!info.awaited && read_later_by_others(read.step)))) {
      return read.step;
    }
  }
  if (merge) {
    const auto end = static_cast<std::int32_t>(step_count);
    for (std::int32_t step = std::max(last + 1, end - static_cast<std::int32_t>(most_steps)); step < end; ++step) {
      const Info& first = first_of(step);
      if (first.requested != info.requested) continue;
      // What nobody asked for is given back soon: much of it together would take memory at once.
      if (!info.requested && steps[static_cast<std::size_t>(step)].results >= few_results) continue;
      // Results that nothing reads can be stored together wherever they stand: nothing waits for them.
      const bool together = level(step) == info.level || (last_of_all && steps[static_cast<std::size_t>(step)].last);
      // A kernel of whole rows is worth joining for what it reads.
      if (first.node->op == Op::reduce && source_of(*first.node) != info.source) continue;
      if (together && fits(step)) return step;
    }
  }
  return -1;
}

/// Whether no axis of the input is walked by two of the view.
static bool reads_simply(const graph::ViewMap& map) {
  for (std::size_t axis = 0; axis < map.source.size(); ++axis) {
    const auto before = map.source.begin() + static_cast<std::ptrdiff_t>(axis);
    if (map.source[axis] >= 0 && std::find(map.source.begin(), before, map.source[axis]) != before) return false;
  }
  return map.diagonals.empty();
}

/// Whether the axis that a step's kernel walks as one, if there is one, is not split where its domain is to `fine`.
static bool keeps_whole(const Step& step, const Shape& fine) {
  const Shape& domain = step.body.domain;
  if (step.family == Op::rows) return graph::whole_part(domain, fine, domain.size() - 1).has_value();
  if (step.family == Op::scan) return graph::whole_part(domain, fine, step.node->get<Op::scan>().axis).has_value();
  return true;
}

/// Whether rows of `size` elements, of which one was `whole`, are long enough for a step's kernel. A card's
/// element-wise kernel takes shorter ones, too, in vectors that they are a whole number of, as the equal elements of a
/// repeated axis.
static bool is_long_row(const Step& step, std::int64_t size, std::int64_t whole) {
  constexpr std::int64_t shortest_vector = 8;  // bytes
  if (size >= std::min(shortest_split_row, whole)) return true;
  const auto bytes = size * static_cast<std::int64_t>(size_of(step.node->dtype));
  return step.family == Op::elementwise && on_card(*step.node) && size % 2 == 0 && bytes >= shortest_vector;
}

/// Whether a step's kernel can read what lies so over its domain, beside what it reads already: axes that a reshape
/// splits are split for all of it. The innermost axis stays long, since each of its rows takes index arithmetic.
bool Planner::State::takes(std::int32_t s, const std::optional<graph::Pieces>& pieces) {
  if (!pieces) return false;
  Step& step = steps[static_cast<std::size_t>(s)];
  const Shape& domain = step.body.domain;
  if (pieces->seams.empty() && pieces->layout.shape == domain) return true;
  if (domain.elements() == 0) return pieces->layout.shape == domain;
  if (step.by_strides()) return false;
  const graph::Pieces before = step.fine ? *step.fine : graph::Pieces{graph::row_major(domain), {}};
  const auto shape = graph::common_split(before.layout.shape, pieces->layout.shape);
  if (!shape) return false;
  const Shape whole = *graph::common_split(domain, domain);
  if (*shape != whole) {
    const bool apart = shape->size() > most_split_axes || !is_long_row(step, shape->back(), whole.back());
    if (apart || !keeps_whole(step, *shape)) return false;
  }
  auto fine = graph::split(before, *shape);
  auto other = graph::split(*pieces, *shape);
  if (!fine || !other) return false;
  for (const graph::Seam& seam : other->seams) {
    if (std::find(fine->seams.begin(), fine->seams.end(), seam) == fine->seams.end()) fine->seams.push_back(seam);
  }
  step.fine = std::move(fine);
  return true;
}

/// Whether all kernels that read a view can read its input through it, wherever that lies.
bool Planner::State::readable(const Info& info, bool flat) {
  const std::int64_t most = most_split_readings * info.node->shape.elements();
  return std::all_of(info.reads.begin(), info.reads.end(), [&](const Read& read) {
    const std::int64_t readings = steps[static_cast<std::size_t>(read.step)].body.domain.elements();
    return (flat || readings <= most) && takes(read.step, through(*info.node, read.chain));
  });
}

/// How a kernel that reads a node through `chain` finds what that is a view of, or is taken from, wherever it lies.
std::optional<graph::Pieces> Planner::State::through(const Node& node, std::int32_t chain, std::size_t number) {
  const Node& input = *node.inputs[number];
  // No two of these strides let axes merge.
  const graph::Layout any{input.shape, Shape::filled(input.shape.size(), 1)};
  return chains.apply(chains.extend(chain, node, number), input.is_ready() ? input.layout : any);
}

/// Whether a view reads its input by strides under whatever shape, wherever the input comes to be computed.
bool Planner::State::reads_flat(const Info& info) const {
  const Node& node = *info.node;
  const graph::ViewMap& map = node.get<Op::view>();
  if (!map.reshape) return true;
  const Node& input = *node.inputs[0];
  if (input.is_ready()) return apply(map, node.shape, input.layout).has_value();
  const Info& in = infos[static_cast<std::size_t>(input.slot)];
  // A reduction that is computed in a loop where it is read, or what is made of one, is not flat either.
  const bool repeats = !info.reads.empty() && std::all_of(info.reads.begin(), info.reads.end(),
                                                          [&](const Read& read) { return chains.repeats(read.chain); });
  return in.flat && (!in.loops || repeats);
}

/// What views that stay within the axes of what they read lead to: what they are views of once that is in memory.
Info* Planner::State::viewed(Info* info) {
  while (info->node->op == Op::view && info->node->get<Op::view>().bounds.empty() && !info->requested && !info->cut) {
    const Node& input = *info->node->inputs[0];
    if (input.is_ready() || graph::is_source(input.op)) break;
    info = find(&input);
  }
  return info;
}

void Planner::State::decide_view(Info& info) {
  Node& node = *info.node;
  const graph::ViewMap& map = node.get<Op::view>();
  const NodeRef& input = node.inputs[0];
  Info* in = input->is_ready() ? nullptr : find(input.get());
  const bool flat = reads_flat(info), bounded = !map.bounds.empty();
  // Pieces of pieces of pieces would be many, and two axes cannot walk one in pieces.
  const bool apart = bounded ? in && in->wraps > 1 : !reads_simply(map);
  if (in && in->wraps > 0 && (apart || !flat)) viewed(in)->request(Why::seams);
  const bool stored = info.requested || info.cut;
  const bool computed = in && (in->requested || in->loops);  // and stored as the reshape has it
  if (!flat && (stored || computed || !readable(info, flat))) {
    // Of what is pending the input is stored, so that the reshape is a view of it.
    if (!in) return copy_reshape(info);
    in->request(Why::order);
    in->row_major = true;
  }
  if (stored || (bounded && !readable(info, flat))) {
    // A part alone is computed without the rest, unless the whole is, or will be, in memory anyway.
    const bool whole = !in || in->requested || in->always_stored();
    const bool part = !whole && reads_once(map, node.shape) && !reads_all_once(map, node.shape, input->shape);
    if (info.row_major || part || bounded) {
      info.step = add_step(Op::elementwise, &node);
      read_inputs(info, info.step, Chains::identity);
      if (bounded) takes(info.step, through(node, Chains::identity));
    } else {
      info.step = add_step(Op::view, &node);
      if (in) {
        in->request(Why::part);
        in->awaited = true;
      }
    }
    return;
  }
  for (const Read& read : info.reads) read_inputs(info, read.step, read.chain);
}

/// Copies memory to row-major order: under either shape the elements have the same positions in that.
void Planner::State::copy_reshape(Info& info) {
  info.copied = true;
  info.step = add_step(Op::elementwise, info.node);
  steps[static_cast<std::size_t>(info.step)].body.domain = info.node->inputs[0]->shape;
}

/// Stores what is computed element by element, beside what a kernel stores already if one can.
void Planner::State::store_in_kernel(Info& info, bool merge) {
  info.step = kernel_to_join(info, merge && results_together);
  const bool joins = info.step >= 0;
  if (!joins) info.step = add_step(Op::elementwise, info.node);
  Step& step = steps[static_cast<std::size_t>(info.step)];
  step.last = info.edges == 0 && (step.last || !joins);
  const bool other_level = joins && infos[static_cast<std::size_t>(step.node->slot)].level != info.level;
  step.mixed = step.mixed || (other_level && info.edges == 0);
  ++step.results;
  read_inputs(info, info.step, Chains::identity);
}

/// Whether a copy in row-major order has the elements of its input, which is a reshape or the like of what a kernel of
/// its own stores, in the order in which they lie there.
bool Planner::State::copies_in_order(const Node& copy) {
  if (copy.op != Op::cast) return false;
  const Node& view = *copy.inputs[0];
  if (view.is_ready() || view.op != Op::view || view.dtype != copy.dtype || view.shape != copy.shape) return false;
  const Node& stored = *view.inputs[0];
  if (stored.is_ready() || stored.place.queue != copy.place.queue) return false;
  const auto layout = apply(view.get<Op::view>(), view.shape, graph::row_major(stored.shape));
  return layout && graph::is_row_major(*layout) && view.shape.elements() == stored.shape.elements() &&
         find(&stored)->always_stored();
}

void Planner::State::decide_elementwise(Info& info, bool merge) {
  Node& node = *info.node;
  if ((info.requested || info.cut) && !goes_elsewhere(info) && copies_in_order(node)) {
    info.step = add_step(Op::view, &node);
    Info& view = *find(node.inputs[0].get());
    view.request(Why::part);
    view.awaited = true;
    return;
  }
  if (!info.requested && !info.cut) info.why = worth_storing(info);
  if (info.requested || info.cut || info.why != Why::unstored) {
    if (const Shape* domain = row_domain(info)) {
      info.step = add_step(Op::rows, &node);
      steps[static_cast<std::size_t>(info.step)].body.domain = *domain;
      info.chain = chains.rows(*domain);
      return read_inputs(info, info.step, info.chain);
    }
    if (!merge || !(finish(info) || finish_product(info))) store_in_kernel(info, merge);
    return;
  }
  for (const Read& read : info.reads) read_inputs(info, read.step, read.chain);
}

/// Stores what kernels of a node's own read.
void Planner::State::request_inputs(const Info& info) {
  const Node& node = *info.node;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeRef& input = node.inputs[i];
    Info* in = find(input.get());
    if (!in || input->is_ready() || reads_through_cast(info, i)) continue;
    in->request(Why::into_kernels);
    in->awaited = true;
    // What a transform can begin with.
    const bool alone = in->edges == 1 && input->consumers.load(std::memory_order_relaxed) == 1;
    if (node.op == Op::fft && alone && graph::is_elementwise(input->op) && finishes(node)) in->apart = true;
  }
}

/// From the roots down, so that every reader of a node is known when the node's turn comes: what lies behind the most
/// barriers first, so that steps between the same two have numbers side by side, and the later they run the lower ones.
/// Between two barriers reductions that nothing reads come last: they join kernels of whole rows that are there by
/// then.
void Planner::State::decide(bool merge) {
  step_count = 0;
  chains.clear();
  found_reads.clear();
  found_loads.clear();
  found_constants.clear();
  turns.clear();
  for (std::size_t i = 0; i < count; ++i) turns.push_back(&infos[i]);
  const auto turn = [](const Info& info) {
    return std::pair(info.level, info.node->op != Op::reduce || info.edges > 0);
  };
  std::stable_sort(turns.begin(), turns.end(), [&](const Info* a, const Info* b) { return turn(*a) < turn(*b); });
  for (std::size_t i = count; i-- > 0;) {
    Info& info = *turns[i];
    Node& node = *info.node;
    if (info.finisher >= 0) {
      if (node.op == Op::reduce) {
        if (stored_beside_finish(info)) info.step = info.finisher;
        add_read(*node.inputs[0], info.finisher, Chains::identity);
      }
      if (node.op == Op::matmul || node.op == Op::fft) request_inputs(info);
    } else if (computed_in_reader(info)) {
      const Read read = info.reads[0];
      steps[static_cast<std::size_t>(read.step)].looped = true;
      add_read(*node.inputs[0], read.step, chains.fold(read.chain, node, *short_axis(node)));
    } else if (drawn_in_reader(info)) {
      steps[static_cast<std::size_t>(info.reads[0].step)].draws = node.get<Op::random>().kind;
    } else if (taken_in_reader(info)) {
      read_inputs(info, info.reads[0].step, info.reads[0].chain);
    } else if (takes_in_kernel(info)) {
      store_in_kernel(info, merge);
    } else if (node.op == Op::scatter) {
      decide_scatter(info);
    } else if (joins_rows(info)) {
      steps[static_cast<std::size_t>(info.reads[0].step)].family = Op::rows;
      add_read(*node.inputs[0], info.reads[0].step, Chains::identity);
    } else if (const std::int32_t rows = rows_to_join(info); rows >= 0 || begins_rows(info)) {
      info.step = rows >= 0 ? rows : rows_to_begin_with(info);
      if (info.step < 0) {
        info.step = add_step(Op::rows, &node);
        steps[static_cast<std::size_t>(info.step)].body.domain = node.inputs[0]->shape;
      }
      Step& step = steps[static_cast<std::size_t>(info.step)];
      step.family = Op::rows;
      step.last = info.edges == 0 && (step.last || step.results == 0);
      ++step.results;
      add_read(*node.inputs[0], info.step, Chains::identity);
    } else if (node.op == Op::result) {
      // The step of its operation, whose turn comes later, stores it, too (lay_out).
    } else if (looped_in_own_kernel(info)) {
      info.step = add_step(Op::elementwise, &node);
      Step& step = steps[static_cast<std::size_t>(info.step)];
      step.looped = true;
      ++step.results;
      add_read(*node.inputs[0], info.step, chains.fold(Chains::identity, node, *short_axis(node)));
    } else if (has_own_kernel(node.op)) {
      info.step = merge && !info.apart ? reduction_to_join(info, Op::reduce) : -1;
      if (info.step < 0) info.step = add_step(node.op, &node);
      steps[static_cast<std::size_t>(info.step)].add_result(node);
      if (steps[static_cast<std::size_t>(info.step)].folds()) {
        add_read(*node.inputs[0], info.step, Chains::identity);
      } else {
        request_inputs(info);
      }
    } else if (info.copies) {
      copy_reshape(info);
    } else if (node.op == Op::view) {
      decide_view(info);
    } else if (graph::is_source(node.op)) {
      if (info.requested) info.step = add_step(Op::elementwise, &node);
    } else {
      decide_elementwise(info, merge);
    }
  }
}

}  // namespace koine::codegen
