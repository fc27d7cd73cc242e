// SPDX-License-Identifier: Apache-2.0
// Partitioning a graph into kernels.
#include "codegen/plan.hpp"

#include "codegen/chains.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <atomic>
#include <string>

namespace koine::codegen {

using graph::Node;
using graph::NodeRef;
using graph::Op;

namespace {

// Costs beside which a store and a load are cheaper than computing again: a load counts like about 16 additions.
constexpr int cheap_operations = 16;
constexpr int cheap_operations_without_loads = 64;
// Read through a broadcast, each element is computed once for every repetition.
constexpr int cheap_repeated_operations = 2;
constexpr std::int64_t few_elements = 1 << 16;
constexpr std::size_t most_readers = 8;

/// A place that reads a node: a kernel, and the views between the node and the kernel's domain.
struct Read {
  std::int32_t step;
  std::int32_t chain;
  std::int32_t line = -1;
};

struct Info {
  Node* node;
  std::int32_t edges = 0;  // from nodes of this evaluation
  std::int32_t operations = 0;
  std::int32_t loads = 0;
  std::int32_t level = 0;  // barriers between the leaves and this node
  bool flat = false;       // its elements can be read in row-major order under any shape
  bool requested = false;
  bool row_major = false;  // must be stored in row-major order
  bool cut = false;        // stored so that a kernel keeps to the parameter limit
  std::int32_t step = -1;  // the step that stores it
  std::vector<Read> reads;

  bool stored() const { return step >= 0; }
};

bool has_own_kernel(Op op) { return op == Op::reduce || op == Op::matmul || op == Op::random; }

int saturated(int a, int b) { return std::min(a + b, 1 << 20); }

}  // namespace

struct Planner::State {
  std::uint64_t epoch = 0;
  std::vector<Info> infos;
  std::size_t count = 0;  // of infos in use; the rest keep their memory
  std::vector<Step> steps;
  std::size_t step_count = 0;
  std::vector<Step*> ordered;
  std::vector<std::uint8_t> marks;
  std::vector<std::int32_t> todo;
  Chains chains;
  std::vector<std::pair<Node*, bool>> stack;

  Info* find(const Node* node) { return node->epoch == epoch ? &infos[static_cast<std::size_t>(node->slot)] : nullptr; }

  void collect(std::span<Node* const> roots);
  void visit(Node* node);
  void analyse(Info& info);
  void cut(std::uint32_t budget);
  void decide(bool merge);
  void decide_view(Info& info);
  void decide_elementwise(Info& info, bool merge);
  bool worth_storing(const Info& info) const;
  std::int32_t kernel_to_join(const Info& info, bool merge) const;
  std::int32_t add_step(Step::Kind kind, Node* node);
  void add_read(Node& input, std::int32_t step, std::int32_t chain);
  void read_inputs(Info& info, std::int32_t step, std::int32_t chain);
  void write_code();
  std::int32_t write_line(Info& info, std::int32_t step, std::int32_t chain);
  std::int32_t value_of(const NodeRef& input, std::int32_t step, std::int32_t chain);
  std::int32_t load(Step& step, const Node& source, const graph::Layout& layout, bool iota);
  graph::Layout stored_layout(const Node& node);
  void need(std::int32_t step, const Node& input);
  void remember_unstored();
  void order();
};

Planner::Planner() : state_(new State) {}
Planner::~Planner() { delete state_; }

void Planner::State::visit(Node* node) {
  if (count == infos.size()) infos.emplace_back();
  Info& info = infos[count];
  auto reads = std::move(info.reads);
  reads.clear();
  info = Info{.node = node, .reads = std::move(reads)};
  node->slot = static_cast<std::int32_t>(count++);
}

/// The pending nodes behind the roots, inputs before what uses them.
void Planner::State::collect(std::span<Node* const> roots) {
  static std::atomic<std::uint64_t> last_epoch{0};  // no two evaluations of the process share one
  epoch = ++last_epoch;
  count = 0;
  stack.clear();
  for (Node* root : roots) {
    stack.emplace_back(root, false);
    while (!stack.empty()) {
      auto [node, entered] = stack.back();
      stack.pop_back();
      if (entered) {
        visit(node);
        analyse(infos[count - 1]);
        continue;
      }
      if (node->is_ready() || node->epoch == epoch) continue;
      node->epoch = epoch;
      stack.emplace_back(node, true);
      if (node->op == Op::view && node->inputs[0]->is_ready() &&
          !apply(node->view(), node->shape, node->inputs[0]->layout)) {
        // A reshape that strides cannot express: it reads a row-major copy instead.
        NodeRef copy =
            graph::make_node(Op::cast, node->dtype, node->inputs[0]->shape, node->place, {&node->inputs[0], 1});
        node->inputs[0]->consumers.fetch_sub(1, std::memory_order_relaxed);
        copy->consumers.fetch_add(1, std::memory_order_relaxed);
        node->inputs[0] = std::move(copy);
      }
      for (std::size_t i = 0; i < node->arity(); ++i) stack.emplace_back(node->inputs[i].get(), false);
    }
    if (Info* info = find(root); info && !root->is_ready()) info->requested = true;
  }
}

void Planner::State::analyse(Info& info) {
  Node& node = *info.node;
  const bool own_kernel = has_own_kernel(node.op);
  if (node.op == Op::constant || node.op == Op::iota) info.flat = true;
  if (graph::in_table(node.op)) info.operations = graph::info(node.op).cost;
  if (node.op == Op::where || node.op == Op::cast) info.operations = 1;
  bool flat = true;
  for (std::size_t i = 0; i < node.arity(); ++i) {
    const NodeRef& input = node.inputs[i];
    Info* in = find(input.get());
    const bool pending = in && !input->is_ready();
    const bool barrier = own_kernel || node.op == Op::view || input->shape != node.shape;
    if (pending) {
      ++in->edges;
      info.level = std::max(info.level, in->level + (barrier ? 1 : 0));
    } else {
      info.level = std::max(info.level, barrier ? 1 : 0);
    }
    const bool in_memory = !pending || has_own_kernel(input->op);
    info.operations = saturated(info.operations, in_memory ? 0 : in->operations);
    info.loads = saturated(info.loads, in_memory ? 1 : in->loads);
    flat = flat && (input->shape.elements() == node.shape.elements() || input->shape.elements() == 1) &&
           (pending ? in->flat : graph::is_row_major(input->layout));
  }
  if (own_kernel) {
    info.flat = true;
  } else if (node.op == Op::view) {
    info.flat = flat && node.view().reshape;
  } else if (graph::is_elementwise(node.op)) {
    info.flat = flat;
  }
}

/// Marks nodes to be stored so that no kernel reads more than `budget` bytes of parameters: greedily, from the leaves.
void Planner::State::cut(std::uint32_t budget) {
  std::vector<std::vector<const Node*>> sources(count);
  const auto bytes = [&](const std::vector<const Node*>& set, const Node& reader) {
    std::uint32_t total = 0;
    for (const Node* source : set) {
      const bool plain = source->shape == reader.shape || source->op == Op::constant;
      total += 16 + (plain ? 0 : 8 * static_cast<std::uint32_t>(reader.shape.size()));
    }
    return total;
  };
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    Node& node = *info.node;
    if (node.op == Op::constant || node.op == Op::iota || has_own_kernel(node.op)) {
      sources[i] = {&node};
      continue;
    }
    const auto gather = [&] {
      std::vector<const Node*> set;
      for (std::size_t k = 0; k < node.arity(); ++k) {
        const Node* input = node.inputs[k].get();
        Info* in = find(input);
        if (input->is_ready() || (in && in->cut)) {
          set.push_back(input);
        } else {
          const auto& below = sources[static_cast<std::size_t>(input->slot)];
          set.insert(set.end(), below.begin(), below.end());
        }
      }
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
      return set;
    };
    sources[i] = gather();
    while (bytes(sources[i], node) > budget) {
      Info* largest = nullptr;
      std::size_t most = 1;
      for (std::size_t k = 0; k < node.arity(); ++k) {
        Info* in = node.inputs[k]->is_ready() ? nullptr : find(node.inputs[k].get());
        if (!in || in->cut || in->node->op == Op::constant || in->node->op == Op::iota) continue;
        const std::size_t size = sources[static_cast<std::size_t>(in->node->slot)].size();
        if (size > most) {
          most = size;
          largest = in;
        }
      }
      if (!largest) break;
      largest->cut = true;
      sources[i] = gather();
    }
  }
}

std::int32_t Planner::State::add_step(Step::Kind kind, Node* node) {
  if (step_count == steps.size()) steps.emplace_back();
  Step& step = steps[step_count];
  step.kind = kind;
  step.node = node;
  step.body.domain = kind == Step::Kind::reduce ? node->inputs[0]->shape : node->shape;
  step.body.loads.clear();
  step.body.constants.clear();
  step.body.lines.clear();
  step.body.outputs.clear();
  step.needs.clear();
  return static_cast<std::int32_t>(step_count++);
}

void Planner::State::add_read(Node& input, std::int32_t step, std::int32_t chain) {
  Info* info = input.is_ready() ? nullptr : find(&input);
  if (!info) return;
  if (input.op == Op::constant) chain = Chains::identity;
  for (const Read& read : info->reads) {
    if (read.step == step && read.chain == chain) return;
  }
  info->reads.push_back({step, chain});
}

void Planner::State::read_inputs(Info& info, std::int32_t step, std::int32_t chain) {
  Node& node = *info.node;
  for (std::size_t i = 0; i < node.arity(); ++i) {
    add_read(*node.inputs[i], step, chains.extend(chain, node, *node.inputs[i]));
  }
}

bool Planner::State::worth_storing(const Info& info) const {
  const Node& node = *info.node;
  const bool outside = node.consumers.load(std::memory_order_relaxed) > info.edges;
  const bool again = info.reads.size() > 1 || outside || node.recomputed;
  bool repeated = false;
  std::int64_t repetitions = 0;
  for (const Read& read : info.reads) {
    if (chains.repeats(read.chain)) {
      repeated = true;
      repetitions = std::max(repetitions, steps[static_cast<std::size_t>(read.step)].body.domain.elements());
    }
  }
  if (!again && !repeated) return false;
  if (info.reads.size() > most_readers) return true;
  if (repeated && repetitions > few_elements && info.operations > cheap_repeated_operations) return true;
  const bool cheap = info.loads == 0 ? info.operations <= cheap_operations_without_loads
                                     : info.loads == 1 && info.operations <= cheap_operations;
  return !cheap;
}

/// A kernel that can store this node beside its own results, or -1. One that reads it in place can if nobody else
/// does, or if no barrier lies between: then nothing the kernel needs can depend on this node's memory.
std::int32_t Planner::State::kernel_to_join(const Info& info, bool merge) const {
  if (info.cut) return -1;
  const auto fits = [&](std::int32_t s) {
    const Step& step = steps[static_cast<std::size_t>(s)];
    return step.kind == Step::Kind::elementwise && step.body.domain == info.node->shape;
  };
  const auto level = [&](std::int32_t s) {
    const Node* first = steps[static_cast<std::size_t>(s)].node;
    return infos[static_cast<std::size_t>(first->slot)].level;
  };
  for (const Read& read : info.reads) {
    if (read.chain == Chains::identity && fits(read.step) &&
        (info.reads.size() == 1 || level(read.step) == info.level)) {
      return read.step;
    }
  }
  if (merge && info.requested) {
    for (std::size_t s = 0; s < step_count; ++s) {
      const auto step = static_cast<std::int32_t>(s);
      const Node* first = steps[s].node;
      if (fits(step) && level(step) == info.level && infos[static_cast<std::size_t>(first->slot)].requested) {
        return step;
      }
    }
  }
  return -1;
}

void Planner::State::decide_view(Info& info) {
  Node& node = *info.node;
  const graph::ViewMap& map = node.view();
  const NodeRef& input = node.inputs[0];
  Info* in = input->is_ready() ? nullptr : find(input.get());
  const auto store_input_flat = [&] {
    if (map.reshape && in && !in->flat) in->requested = in->row_major = true;
  };
  store_input_flat();
  if (info.requested || info.cut) {
    // A part alone is computed without the rest, unless the whole is, or will be, in memory anyway.
    const bool whole = !in || in->requested || has_own_kernel(input->op);
    const bool part = !whole && reads_once(map, node.shape) && !reads_all_once(map, node.shape, input->shape);
    if (info.row_major || part) {
      info.step = add_step(Step::Kind::elementwise, &node);
      read_inputs(info, info.step, Chains::identity);
    } else {
      info.step = add_step(Step::Kind::alias, &node);
      if (in) in->requested = true;
    }
    return;
  }
  for (const Read& read : info.reads) read_inputs(info, read.step, read.chain);
}

void Planner::State::decide_elementwise(Info& info, bool merge) {
  Node& node = *info.node;
  if (info.requested || info.cut || worth_storing(info)) {
    info.step = kernel_to_join(info, merge);
    if (info.step < 0) info.step = add_step(Step::Kind::elementwise, &node);
    read_inputs(info, info.step, Chains::identity);
    return;
  }
  for (const Read& read : info.reads) read_inputs(info, read.step, read.chain);
}

/// From the roots down, so that every reader of a node is known when the node's turn comes.
void Planner::State::decide(bool merge) {
  step_count = 0;
  chains.clear();
  for (std::size_t i = count; i-- > 0;) {
    Info& info = infos[i];
    Node& node = *info.node;
    if (has_own_kernel(node.op)) {
      const bool reduces = node.op == Op::reduce;
      info.step = add_step(reduces ? Step::Kind::reduce : Step::Kind::kernel, &node);
      if (reduces) {
        add_read(*node.inputs[0], info.step, Chains::identity);
      } else {
        for (std::size_t k = 0; k < node.arity(); ++k) {
          if (Info* in = find(node.inputs[k].get()); in && !node.inputs[k]->is_ready()) in->requested = true;
        }
      }
    } else if (node.op == Op::view) {
      decide_view(info);
    } else if (graph::is_source(node.op)) {
      if (info.requested) info.step = add_step(Step::Kind::elementwise, &node);
    } else {
      decide_elementwise(info, merge);
    }
  }
}

/// The layout a stored node has, or will have once its step has run.
graph::Layout Planner::State::stored_layout(const Node& node) {
  if (node.is_ready()) return node.layout;
  const Info& info = *find(&node);
  if (steps[static_cast<std::size_t>(info.step)].kind == Step::Kind::alias) {
    return *apply(node.view(), node.shape, stored_layout(*node.inputs[0]));
  }
  return graph::row_major(node.shape);
}

void Planner::State::need(std::int32_t step, const Node& input) {
  if (input.is_ready()) return;
  auto& needs = steps[static_cast<std::size_t>(step)].needs;
  const std::int32_t maker = find(&input)->step;
  if (std::find(needs.begin(), needs.end(), maker) == needs.end()) needs.push_back(maker);
}

/// The line of `step` that loads `source`, which lies as `layout` over the domain.
std::int32_t Planner::State::load(Step& step, const Node& source, const graph::Layout& layout, bool iota) {
  const auto same_memory = [&](const Load& l) {
    if (l.iota != iota || l.dtype != source.dtype) return false;
    if (l.source == &source || iota) return true;
    return source.is_ready() && l.source->is_ready() && l.source->storage == source.storage;
  };
  const Op op = iota ? Op::iota : Op::leaf;
  auto& loads = step.body.loads;
  auto& lines = step.body.lines;
  std::size_t index = 0;
  while (index < loads.size() && !(same_memory(loads[index]) && loads[index].layout == layout)) ++index;
  const auto number = static_cast<std::int32_t>(index);
  if (index == loads.size()) {
    loads.push_back({&source, layout, source.dtype, iota});
  } else {
    for (std::size_t k = 0; k < lines.size(); ++k) {
      if (lines[k].op == op && lines[k].args[0] == number) return static_cast<std::int32_t>(k);
    }
  }
  lines.push_back({op, source.dtype, source.dtype, {number, -1, -1}});
  return static_cast<std::int32_t>(lines.size()) - 1;
}

/// The line of `step` that holds an input's value, read through `chain`.
std::int32_t Planner::State::value_of(const NodeRef& input, std::int32_t s, std::int32_t chain) {
  Step& step = steps[static_cast<std::size_t>(s)];
  const bool ready = input->is_ready();
  if (ready && chain == Chains::identity) return load(step, *input, input->layout, false);
  Info* info = ready ? nullptr : find(input.get());
  if (info && input->op == Op::constant) chain = Chains::identity;
  if (info && (!info->stored() || (info->step == s && chain == Chains::identity))) {
    for (const Read& read : info->reads) {
      if (read.step == s && read.chain == chain) return read.line;
    }
  }
  need(s, *input);
  return load(step, *input, chains.apply(chain, stored_layout(*input)), false);
}

std::int32_t Planner::State::write_line(Info& info, std::int32_t s, std::int32_t chain) {
  Node& node = *info.node;
  Step& step = steps[static_cast<std::size_t>(s)];
  Body& body = step.body;
  if (node.op == Op::view) return value_of(node.inputs[0], s, chains.extend(chain, node, *node.inputs[0]));
  if (node.op == Op::iota) return load(step, node, chains.apply(chain, graph::row_major(node.shape)), true);
  Line line{node.op, node.dtype, node.dtype, {-1, -1, -1}};
  if (node.op == Op::constant) {
    line.args[0] = static_cast<std::int32_t>(body.constants.size());
    body.constants.push_back(&node);
  } else {
    for (std::size_t i = 0; i < node.arity(); ++i) {
      line.args[i] = value_of(node.inputs[i], s, chains.extend(chain, node, *node.inputs[i]));
    }
    line.in_type = node.inputs[node.op == Op::where ? 1 : 0]->dtype;
  }
  body.lines.push_back(line);
  return static_cast<std::int32_t>(body.lines.size()) - 1;
}

void Planner::State::write_code() {
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    Node& node = *info.node;
    if (!info.stored()) {
      for (Read& read : info.reads) read.line = write_line(info, read.step, read.chain);
      continue;
    }
    Step& step = steps[static_cast<std::size_t>(info.step)];
    switch (step.kind) {
      case Step::Kind::elementwise: {
        const std::int32_t line = write_line(info, info.step, Chains::identity);
        step.body.outputs.push_back({&node, line});
        for (Read& read : info.reads) {
          if (read.step == info.step && read.chain == Chains::identity) read.line = line;
        }
        break;
      }
      case Step::Kind::reduce:
        step.body.outputs.push_back({&node, value_of(node.inputs[0], info.step, Chains::identity)});
        break;
      default:
        for (std::size_t k = 0; k < node.arity(); ++k) need(info.step, *node.inputs[k]);
    }
  }
}

/// A node computed here without being kept is worth keeping if somebody asks for it again.
void Planner::State::remember_unstored() {
  for (std::size_t i = 0; i < count; ++i) {
    if (!infos[i].stored()) infos[i].node->recomputed = true;
  }
}

void Planner::State::order() {
  ordered.clear();
  todo.clear();
  enum : std::uint8_t { unseen, entered, done };
  marks.assign(step_count, unseen);
  for (std::size_t s = 0; s < step_count; ++s) {
    todo.push_back(static_cast<std::int32_t>(s));
    while (!todo.empty()) {
      const auto at = static_cast<std::size_t>(todo.back());
      if (marks[at] == unseen) {
        marks[at] = entered;
        for (std::int32_t n : steps[at].needs) {
          if (marks[static_cast<std::size_t>(n)] == unseen) todo.push_back(n);
        }
        continue;
      }
      todo.pop_back();
      if (marks[at] == entered) ordered.push_back(&steps[at]);
      marks[at] = done;
    }
  }
}

std::uint32_t parameter_bytes(const Body& body) {
  // A pointer and an offset for each array, strides where the axes do not merge into one, a value for each constant,
  // and the loop's own bounds (layout.hpp of codegen).
  std::uint32_t bytes = 64;
  const auto axes = static_cast<std::uint32_t>(body.domain.size());
  bool plain = true;
  for (const Load& load : body.loads) plain = plain && graph::is_row_major(load.layout);
  const auto operands = static_cast<std::uint32_t>(body.loads.size() + body.outputs.size());
  bytes += operands * 16 + static_cast<std::uint32_t>(body.constants.size()) * 16;
  if (!plain) bytes += 8 * axes * (operands + 1);
  return bytes;
}

std::span<Step* const> Planner::plan(std::span<Node* const> roots, const Limits& limits) {
  State& s = *state_;
  s.collect(roots);
  std::uint32_t budget = limits.parameter_bytes;
  for (int attempt = 0; attempt < 6; ++attempt) {
    s.decide(attempt == 0);
    s.write_code();
    const bool fits =
        std::all_of(s.steps.begin(), s.steps.begin() + static_cast<std::ptrdiff_t>(s.step_count),
                    [&](const Step& step) { return parameter_bytes(step.body) <= limits.parameter_bytes; });
    if (fits) {
      s.remember_unstored();
      s.order();
      return s.ordered;
    }
    budget = budget * 3 / 4;
    s.collect(roots);
    s.cut(budget);
  }
  throw LaunchError("[eval] one operation alone needs more kernel parameters than the device's " +
                    std::to_string(limits.parameter_bytes) + " bytes");
}

}  // namespace koine::codegen
