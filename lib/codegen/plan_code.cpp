// SPDX-License-Identifier: Apache-2.0
// Writing the lines of each kernel, and putting the steps in order.
#include "codegen/plan_state.hpp"

#include <koine/error.hpp>

namespace koine::codegen {
namespace {

// So many of a kernel's constants are parameters of their own even where some are equal: with other numbers, of which
// others are equal, an expression takes the same program. Of more, as a chain has them, equal ones share a parameter.
constexpr std::size_t constants_apart = 8;

const void* memory_of(const Node& source, bool iota) {
  if (iota) return source.op == Op::random ? &source : nullptr;
  return source.is_ready() ? static_cast<const void*>(source.storage.get()) : &source;
}

std::uint64_t hash_of_load(const Body& body, const void* memory, const graph::Layout& layout) {
  const std::uint64_t hash =
      base::hash_combine(reinterpret_cast<std::uintptr_t>(&body), reinterpret_cast<std::uintptr_t>(memory));
  return graph::hash_of(layout.strides, hash + static_cast<std::uint64_t>(layout.offset));
}

std::uint64_t hash_of(const Body& body, const Node& constant) {
  return base::hash_combine(hash_of_constant(constant), reinterpret_cast<std::uintptr_t>(&body));
}

}  // namespace

/// Says how a node will lie in memory that is stored, or, `alias`, a view of one that is; or its several results.
void Planner::State::lay_out(Node& node, bool alias) {
  for (const NodeRef& result : wanted_results(node)) {
    if (result) result->layout = graph::row_major(result->shape);
  }
  node.layout = alias ? graph::layout_of_alias(node) : graph::row_major(node.shape);
}

void Planner::State::lay_out() {
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    if (info.node->op == Op::result) info.step = find(info.node->inputs[0].get())->step;
    if (info.stored()) lay_out(*info.node, steps[static_cast<std::size_t>(info.step)].family == Op::view);
  }
}

void Planner::State::need(std::int32_t step, const Node& input) {
  if (input.is_ready()) return;
  auto& needs = steps[static_cast<std::size_t>(step)].needs;
  const std::int32_t maker = find(&input)->step;
  if (std::find(needs.begin(), needs.end(), maker) == needs.end()) needs.push_back(maker);
}

/// The same of what an operation that runs kernels of its own reads.
void Planner::State::need_inputs(std::int32_t step, const Node& node) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    need(step, read_as(steps[static_cast<std::size_t>(step)], node, i));
  }
}

/// The line of `step` that loads `source`, which lies as `pieces` say over the domain.
std::int32_t Planner::State::load(Step& step, const Node& source, graph::Pieces pieces, bool iota, std::int32_t loop,
                                  const Taken& taken) {
  Body& body = step.body;
  auto& loads = body.loads;
  const void* const memory = memory_of(source, iota);
  const std::int64_t size = taken.take ? take_size(*taken.take) : 0;
  const auto same = [&](std::size_t k) {
    const Load& load = loads[k];
    return (load.source == &source || memory_of(*load.source, load.iota) == memory) && load.dtype == source.dtype &&
           load.layout == pieces.layout && load.seams == pieces.seams && load.loop == loop &&
           load.loop_stride == pieces.loop && load.take_stride == taken.stride && load.take_size() == size &&
           body.lines[static_cast<std::size_t>(load.line)].args[1] == taken.positions;
  };
  const std::int32_t found = found_loads.find(
      loads.size(), [&] { return hash_of_load(body, memory, pieces.layout); }, same);
  if (found >= 0) return loads[static_cast<std::size_t>(found)].line;
  const auto number = static_cast<std::int32_t>(loads.size()), line = static_cast<std::int32_t>(body.lines.size());
  body.lines.push_back({iota ? Op::iota : Op::leaf, source.dtype, source.dtype, {number, taken.positions, -1}, loop});
  loads.push_back({&source, std::move(pieces.layout), source.dtype, iota, std::move(pieces.seams), loop, pieces.loop,
                   line, taken.take, taken.stride});
  const std::size_t most = parameter_limit / buffer_bytes;
  overfull = overfull || (loads.size() > most && buffers_read(body) > most);
  found_loads.added(loads.size(), [&](std::size_t k) {
    return hash_of_load(body, memory_of(*loads[k].source, loads[k].iota), loads[k].layout);
  });
  return line;
}

graph::Pieces lies_through(const Chains& chains, std::int32_t chain, const graph::Layout& layout) {
  std::optional<graph::Pieces> pieces = chains.apply(chain, layout);
  if (!pieces) throw LaunchError("[eval] a kernel of this evaluation cannot find the elements of an operand");
  return std::move(*pieces);
}

/// The line of `step` that holds an input's value, read through `chain`.
std::int32_t Planner::State::value_of(const NodeRef& input, std::int32_t s, std::int32_t chain) {
  Step& step = steps[static_cast<std::size_t>(s)];
  const bool ready = input->is_ready();
  if (ready && chain == Chains::identity) return load(step, *input, {input->layout, {}}, false);
  Info* info = ready ? nullptr : find(input.get());
  if (info && input->op == Op::constant && !info->stored()) chain = Chains::identity;
  if (info && (!info->stored() || (info->step == s && chain == Chains::identity))) {
    if (const Read* read = find_read(*info, s, chain)) return read->line;
  }
  need(s, *input);
  return load(step, *input, lies_through(chains, chain, input->layout), false, loop_of(step.body, chain));
}

/// The number of the loop that what is read through `chain` is read in, -1 for none.
std::int32_t Planner::State::loop_of(Body& body, std::int32_t chain) {
  if (!chains.in_loop(chain)) return -1;
  const auto [node, outer] = chains.loop_of(chain);
  std::size_t k = 0;
  while (k < body.loops.size() && (body.loops[k].node != node || body.loops[k].chain != outer)) ++k;
  if (k == body.loops.size()) body.loops.push_back({node, outer, node->inputs[0]->shape[*short_axis(*node)]});
  return static_cast<std::int32_t>(k);
}

/// The line that computes `node` from the lines `args`, or, for a constant, from the next parameter.
std::int32_t Planner::State::add_line(Body& body, const Node& node, std::span<std::int32_t> args, std::int32_t loop) {
  DType in_type = node.dtype;
  const auto line = static_cast<std::int32_t>(body.lines.size());
  if (node.op == Op::custom) {
    body.lines.push_back({node.op, node.dtype, in_type, {static_cast<std::int32_t>(body.calls.size()), -1, -1}, loop});
    body.calls.push_back({&node, {args.begin(), args.end()}});
    return line;
  }
  if (node.op == Op::constant) {
    auto& constants = body.constants;
    const std::int32_t found = constants.size() < constants_apart
                                   ? -1
                                   : found_constants.find(
                                         constants.size(), [&] { return hash_of(body, node); },
                                         [&](std::size_t k) { return same_constant(*constants[k], node); });
    if (found >= 0) return body.constant_lines[static_cast<std::size_t>(found)];
    args[0] = static_cast<std::int32_t>(constants.size());
    constants.push_back(&node);
    body.constant_lines.push_back(line);
    found_constants.added(constants.size(), [&](std::size_t k) { return hash_of(body, *constants[k]); });
  } else {
    in_type = node.inputs[node.op == Op::where ? 1 : 0]->dtype;
  }
  body.lines.push_back({node.op, node.dtype, in_type, {args[0], args[1], args[2]}, loop, node.place.reproducible});
  return line;
}

/// The chain through which a view, itself read through `chain`, reads its input: the last is kept, since it is asked
/// for when it is decided what is read and when that is written.
std::int32_t Planner::State::extend(Info& view, std::int32_t chain) {
  if (!view.viewed_through || view.viewed_through->first != chain) {
    view.viewed_through = {chain, chains.extend(chain, *view.node, 0)};
  }
  return view.viewed_through->second;
}

std::int32_t Planner::State::write_line(Info& info, std::int32_t s, std::int32_t chain) {
  Node& node = *info.node;
  Step& step = steps[static_cast<std::size_t>(s)];
  if (node.op == Op::view) return value_of(node.inputs[0], s, extend(info, chain));
  if (node.op == Op::take) return write_take(node, s, chain);
  if (node.op == Op::iota || node.op == Op::random) {
    return load(step, node, lies_through(chains, chain, graph::row_major(node.shape)), true, loop_of(step.body, chain));
  }
  std::int32_t args[3] = {-1, -1, -1};
  if (node.op == Op::reduce && step.family == Op::rows) return write_fold(info, s);
  if (node.op == Op::reduce) {
    const std::int32_t inside = chains.fold(chain, node, *short_axis(node));
    args[1] = loop_of(step.body, inside);
    args[0] = value_of(node.inputs[0], s, inside);
    return add_line(step.body, node, args);
  }
  arguments.assign(std::max<std::size_t>(node.inputs.size(), std::size(args)), -1);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    arguments[i] = value_of(node.inputs[i], s, chains.extend(chain, node, i));
  }
  return add_line(step.body, node, arguments, node.op == Op::constant ? -1 : loop_of(step.body, chain));
}

/// The line that holds the result of a reduction of rows.
std::int32_t Planner::State::write_fold(Info& info, std::int32_t s) {
  Node& node = *info.node;
  Body& body = steps[static_cast<std::size_t>(s)].body;
  for (const RowFold& fold : body.folds) {
    if (fold.node == &node) return fold.line;
  }
  std::int32_t args[3] = {value_of(node.inputs[0], s, Chains::identity), -1,
                          static_cast<std::int32_t>(body.folds.size())};
  const std::int32_t line = add_line(body, node, args);
  body.folds.push_back({&node, line});
  return line;
}

/// Splits the axes of the domain and of all loads where a reshape lies in one of them in split axes.
void Planner::State::split_domain(Step& step) {
  Body& body = step.body;
  Shape domain = body.domain;
  for (const Load& load : body.loads) {
    if (load.layout.shape == domain) continue;
    const auto split = graph::common_split(domain, load.layout.shape);
    if (!split) throw LaunchError("[eval] a kernel of this evaluation reads an array in an order that it cannot walk");
    domain = *split;
  }
  if (domain == body.domain) return;
  for (Load& load : body.loads) {
    graph::Pieces fine = *graph::split({std::move(load.layout), std::move(load.seams)}, domain);
    load.layout = std::move(fine.layout);
    load.seams = std::move(fine.seams);
  }
  body.domain = std::move(domain);
}

/// False where a kernel reads more than the device takes, as soon as that is known. What takes whole rows is written to
/// the end all the same, since whether that fits is asked first.
bool Planner::State::write_code() {
  overfull = false;
  const bool to_the_end = std::any_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(step_count),
                                      [](const Step& step) { return step.family == Op::rows; });
  if (has_products) load_products();
  for (std::size_t i = 0; i < count; ++i) {
    if (overfull && !to_the_end) return false;
    Info& info = infos[i];
    Node& node = *info.node;
    if (info.finisher >= 0) {
      if (node.op != Op::reduce) continue;
      Body& body = steps[static_cast<std::size_t>(info.finisher)].body;
      body.outputs.push_back({&node, value_of(node.inputs[0], info.finisher, Chains::identity)});
      continue;
    }
    if (!info.stored()) {
      for (Read& read : info.reads) read.line = write_line(info, read.step, read.chain);
      continue;
    }
    if (node.op == Op::result) continue;
    Step& step = steps[static_cast<std::size_t>(info.step)];
    const bool finishes_product = step.by_strides() && node.op != step.family;
    if (step.family == Op::elementwise || step.family == Op::rows || finishes_product) {
      const std::int32_t line =
          info.copied ? value_of(node.inputs[0], info.step, Chains::identity) : write_line(info, info.step, info.chain);
      step.body.outputs.push_back({&node, line});
      for (Read& read : info.reads) {
        if (read.step == info.step && read.chain == Chains::identity) read.line = line;
      }
    } else if (step.family == Op::scatter) {
      need(info.step, *node.inputs[0]);
      const std::int32_t positions = value_of(node.inputs[1], info.step, Chains::identity);
      const std::int32_t values = value_of(node.inputs[2], info.step, Chains::identity);
      step.body.outputs.push_back({&node, values, nullptr, positions});
    } else if (step.folds()) {
      if (node.op != Op::reduce && step.finished) continue;  // see write_finishes
      step.body.outputs.push_back({&node, value_of(node.inputs[0], info.step, Chains::identity)});
    } else {
      need_inputs(info.step, node);
    }
  }
  write_finishes();
  for (std::size_t s = 0; s < step_count; ++s) split_domain(steps[s]);
  return true;
}

/// A node computed here without being kept is worth keeping if somebody asks for it again.
void Planner::State::remember_unstored() {
  for (std::size_t i = 0; i < count; ++i) {
    if (!infos[i].stored()) infos[i].node->computed_unstored(evaluation);
  }
}

void Planner::State::order() {
  ordered.clear();
  todo.clear();
  enum : std::uint8_t { unseen, entered, done };
  marks.assign(step_count, unseen);
  for (std::size_t s = 0; s < step_count; ++s) {
    if (steps[s].joined >= 0) continue;
    todo.push_back(static_cast<std::int32_t>(s));
    while (!todo.empty()) {
      const auto at = static_cast<std::size_t>(todo.back());
      if (marks[at] == unseen) {
        marks[at] = entered;
        for (std::int32_t n : steps[at].needs) {
          const std::uint8_t mark = marks[static_cast<std::size_t>(n)];
          if (mark == entered) throw LaunchError("[eval] two kernels of one evaluation wait for each other's results");
          if (mark == unseen) todo.push_back(n);
        }
        continue;
      }
      todo.pop_back();
      if (marks[at] == entered) {
        if (steps[at].family == Op::elementwise || steps[at].family == Op::scatter) move_bits(steps[at].body);
        ordered.push_back(&steps[at]);
      }
      marks[at] = done;
    }
  }
}

}  // namespace koine::codegen
