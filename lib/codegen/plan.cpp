// SPDX-License-Identifier: Apache-2.0
// Partitioning a graph into kernels: the nodes behind the roots, and what computing each would cost.
#include "codegen/plan_state.hpp"
#include "graph/families.hpp"

#include <koine/error.hpp>

#include <array>
#include <bit>
#include <iterator>
#include <string>

namespace koine::codegen {
namespace {

int saturated(int a, int b) { return std::min(a + b, 1 << 20); }

// What is repeated so often comes from a cache, which costs about as much as some additions. No rows of tuning, as in
// plan_decide.cpp.
constexpr std::int64_t cached_repetitions = 8;
// So do neighbours of what is loaded anyway.
constexpr int cached_load_operations = 4;

/// Whether a node's elements read each one of an input so often that few of the reads go to memory.
bool reads_from_cache(const Node& node, const Node& input) {
  const std::int64_t elements = input.shape.elements();
  return elements > 0 && node.shape.elements() >= cached_repetitions * elements;
}

/// Whether a view has the elements of its input in their positions, but for a shift.
bool only_shifts(const graph::ViewMap& map) {
  if (map.reshape || !map.diagonals.empty() || map.source.size() != map.start.size()) return false;
  for (std::size_t axis = 0; axis < map.source.size(); ++axis) {
    if (map.source[axis] != static_cast<std::int64_t>(axis) || map.step[axis] != 1) return false;
  }
  return true;
}

/// Whether two nodes are parts of one array in memory, whose elements lie alike.
bool lie_alike(const Node& a, const Node& b) {
  const bool parts = a.is_ready() && b.is_ready() && a.storage == b.storage && a.layout.strides == b.layout.strides;
  return &a == &b || (parts && a.dtype == b.dtype);
}

}  // namespace

Planner::Planner() : state_(new State) {}
Planner::~Planner() { delete state_; }
bool Planner::kept() const noexcept { return state_->followed; }
void Planner::let_go() noexcept {
  state_->constants.clear();
  state_->replaced.clear();
}

void Planner::State::visit(Node* node) {
  if (count == infos.size()) infos.emplace_back();
  Info& info = infos[count];
  auto reads = std::move(info.reads);
  reads.clear();
  info = Info{.node = node, .number = static_cast<std::int32_t>(count), .reads = std::move(reads)};
  node->slot = static_cast<std::int32_t>(count++);
}

/// The pending nodes behind the roots, inputs before what uses them.
void Planner::State::collect(std::span<Node* const> roots) {
  epoch = graph::next_epoch();
  count = 0;
  asked = roots;
  stack.clear();
  for (Node* root : roots) {
    stack.emplace_back(root, false);
    while (!stack.empty()) {
      auto [node, entered] = stack.back();
      stack.pop_back();
      if (entered) {
        visit(node);
        continue;
      }
      if (node->is_ready() || node->epoch == epoch) continue;
      node->epoch = epoch;
      stack.emplace_back(node, true);
      for (const NodeRef& input : node->inputs) {
        stack.emplace_back(input.get(), false);
        if (input->op == Op::constant) constants.push_back(input);
      }
    }
  }
  request_roots();
}

void Planner::State::request_roots() {
  for (Node* root : asked) {
    if (Info* info = find(root); info && !root->is_ready()) info->request(Why::asked);
  }
}

/// Forgets what was decided, and keeps what is known of the nodes.
void Planner::State::decide_again() {
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    info.requested = info.copied = info.awaited = info.row_major = info.cut = info.apart = false;
    info.why = Why::unstored;
    info.step = info.finisher = -1;
    info.chain = Chains::identity;
    info.viewed_through.reset();
    info.reads.clear();
  }
  request_roots();
}

/// How many readings there are of each node, those that read it through views among them.
void Planner::State::count_readings() {
  for (std::size_t i = count; i-- > 0;) {
    const Info& info = infos[i];
    const std::int32_t readings = info.node->op == Op::view ? std::max(info.readings, 1) : 1;
    for (const NodeRef& input : info.node->inputs) {
      Info* in = input->is_ready() ? nullptr : find(input.get());
      if (!in) continue;
      in->readings = saturated(in->readings, readings);
      in->viewed = in->viewed || (info.node->op == Op::view && !info.node->get<Op::view>().reshape);
    }
  }
}

void Planner::State::analyse_all() {
  count_readings();
  has_products = false;
  for (std::size_t i = 0; i < count; ++i) {
    analyse(infos[i]);
    has_products = has_products || infos[i].node->op == Op::matmul || infos[i].node->op == Op::fft;
  }
  find_extremes();
}

void Planner::State::analyse(Info& info) {
  Node& node = *info.node;
  info.copies = node.op == Op::view && node.get<Op::view>().reshape && node.inputs[0]->is_ready() &&
                !apply(node.get<Op::view>(), node.shape, graph::Pieces{node.inputs[0]->layout, {}});
  const bool own_kernel = info.always_stored();
  info.before = false;
  info.flat = graph::is_source(node.op);
  info.operations = graph::cost(node.op);
  bool flat = true;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeRef& input = node.inputs[i];
    Info* in = find(input.get());
    const bool pending = in && !input->is_ready();
    // A constant that nobody asked for is computed wherever it is read.
    const bool constant = input->op == Op::constant && pending && !std::count(asked.begin(), asked.end(), input.get());
    const bool barrier =
        node.op != Op::result && (own_kernel || node.op == Op::view || (input->shape != node.shape && !constant));
    if (pending) {
      ++in->edges;
      in->held = input.use_count() > input->consumers.load(std::memory_order_relaxed);
      info.level = std::max(info.level, in->level + (barrier ? 1 : 0));
    } else {
      info.level = std::max(info.level, barrier ? 1 : 0);
    }
    // A loop that looks at a value of each round builds the next upon it: stored every second time at the latest, it
    // is not computed from the loop's beginning each time.
    const bool kept = pending && in->before && in->held && graph::is_elementwise(input->op) && !is_cheap(*in);
    const bool in_memory = !pending || in->always_stored() || in->requested || in->shared || kept;
    info.before = info.before || (!in_memory && in->before);
    // What is dear and read more than once will be, too, or one kernel computes it once.
    const bool from_memory = in_memory || (in->readings > 1 && graph::is_elementwise(input->op) && !is_cheap(*in));
    const int loads = from_memory ? 1 : in->loads;
    const Node* const loaded = from_memory ? input.get() : in->loaded;
    info.operations = saturated(info.operations, from_memory ? 0 : in->operations);
    const bool beside = info.loaded && loaded && lie_alike(*info.loaded, *loaded);
    if (beside || (!own_kernel && reads_from_cache(node, *input))) {
      info.operations = saturated(info.operations, cached_load_operations * loads);
    } else if (loads > 0) {
      info.loaded = info.loads == 0 ? loaded : nullptr;
      info.loads = saturated(info.loads, loads);
    }
    if (!in_memory) info.wraps = std::max(info.wraps, in->wraps);
    info.loops = info.loops || (pending && in->loops && !own_kernel);
    flat = flat && (input->shape.elements() == node.shape.elements() || input->shape.elements() == 1) &&
           (pending ? in->flat : graph::is_row_major(input->layout));
  }
  info.before = info.before || (node.recomputed(evaluation) && !is_cheap(info));
  if (node.op == Op::view && !node.get<Op::view>().bounds.empty()) ++info.wraps;
  if (node.op == Op::view && !only_shifts(node.get<Op::view>())) info.loaded = nullptr;
  if (short_axis(node)) info.loops = true;
  if (own_kernel) {
    info.flat = true;
  } else if (node.op == Op::view) {
    const graph::ViewMap& map = node.get<Op::view>();
    const NodeRef& input = node.inputs[0];
    const Info* in = input->is_ready() ? nullptr : find(input.get());
    info.flat = keeps_order(map, node.shape, input->shape) && (in ? in->flat : graph::is_row_major(input->layout));
  } else if (graph::is_elementwise(node.op)) {
    info.flat = flat;
  }
  follow_rows(info);
  info.source = &node;
  const bool elementwise = graph::is_elementwise(node.op);
  if (elementwise) info.shared = info.readings > 1 && info.viewed && !info.fold && !is_cheap(info);
  if (!elementwise && !(node.op == Op::view && info.flat)) return;
  for (const NodeRef& input : node.inputs) {
    if (!input->is_ready() && graph::is_source(input->op)) continue;
    const Info* in = input->is_ready() ? nullptr : find(input.get());
    info.source = in ? in->source : input.get();
    return;
  }
}

std::uint64_t hash_of_constant(const Node& constant) {
  const auto& value = constant.get<Op::constant>();
  return base::hash_combine(static_cast<std::uint64_t>(value.integer), std::bit_cast<std::uint64_t>(value.real.real()));
}

bool same_constant(const Node& a, const Node& b) {
  const auto &x = a.get<Op::constant>(), &y = b.get<Op::constant>();
  const auto bits = [](const graph::ConstantValue& c) {
    return std::array{static_cast<std::uint64_t>(c.integer), std::bit_cast<std::uint64_t>(c.real.real()),
                      std::bit_cast<std::uint64_t>(c.real.imag())};
  };
  return a.dtype == b.dtype && bits(x) == bits(y);
}

/// The first constant met of this one's type and value: the two are one parameter.
const Node* Planner::State::distinct_constant(const Node& node) {
  const std::int32_t found = found_constants.find(
      distinct.size(), [&] { return hash_of_constant(node); },
      [&](std::size_t k) { return same_constant(*distinct[k], node); });
  if (found >= 0) return distinct[static_cast<std::size_t>(found)];
  distinct.push_back(&node);
  found_constants.added(distinct.size(), [&](std::size_t k) { return hash_of_constant(*distinct[k]); });
  return &node;
}

/// What the kernel that computes a pending node reads; null of a node that is in memory, or will be.
std::vector<Planner::State::Source>* Planner::State::sources_of(const Node& node) {
  if (node.is_ready() || infos[static_cast<std::size_t>(node.slot)].cut) return nullptr;
  return &sources[static_cast<std::size_t>(node.slot)];
}

/// The inputs of a node that the kernel which computes it reads, or computes too: of what is taken the positions, since
/// the array lies in memory.
static std::span<const NodeRef> read_by_kernel(const Node& node) {
  return std::span(node.inputs.begin(), node.inputs.end()).subspan(node.op == Op::take ? 1 : 0);
}

/// Fills `set` with what the kernel that computes `node` reads, given that of the nodes before it. Where these are no
/// more than `most`, the list of an input that nothing else reads becomes the node's own: copying it for each node
/// would take time in proportion to its length.
void Planner::State::find_sources(const Node& node, std::vector<Source>& set, std::size_t most) {
  // The array that elements are taken from, and the word for a position out of range.
  constexpr std::size_t of_take = 2;
  std::size_t total = node.op == Op::take ? of_take : 0;
  const Node* continued = nullptr;
  const auto inputs = read_by_kernel(node);
  for (const NodeRef& input : inputs) {
    const auto* const known = sources_of(*input);
    total += known ? known->size() : 1;
    if (!known || node.op == Op::view || find(input.get())->edges > 1) continue;
    if (!continued || known->size() > sources_of(*continued)->size()) continued = input.get();
  }
  if (total > most) continued = nullptr;
  set.clear();
  if (continued) set.swap(*sources_of(*continued));
  if (node.op == Op::take) add_sources(set, {{&node, 0}, {&node, 1}});
  const auto seen_from_node = [&](Source source) {
    if (node.op == Op::view) source.way = source.way * 31 + reinterpret_cast<std::uintptr_t>(&node);
    return source;
  };
  for (const NodeRef& input : inputs) {
    if (input.get() == continued) continue;
    of_input.clear();
    if (const auto* const known = sources_of(*input)) {
      std::transform(known->begin(), known->end(), std::back_inserter(of_input), seen_from_node);
      if (node.op == Op::view) std::sort(of_input.begin(), of_input.end());
    } else {
      of_input.push_back(seen_from_node({input.get(), 0}));
    }
    add_sources(set, of_input);
  }
}

/// Adds what one sorted list has and the other has not.
void Planner::State::add_sources(std::vector<Source>& set, const std::vector<Source>& others) {
  constexpr std::size_t few = 4;
  if (others.size() > few) {
    merged.clear();
    std::set_union(set.begin(), set.end(), others.begin(), others.end(), std::back_inserter(merged));
    set.swap(merged);
    return;
  }
  for (const Source& source : others) {
    const auto at = std::lower_bound(set.begin(), set.end(), source);
    if (at == set.end() || !(*at == source)) set.insert(at, source);
  }
}

/// Marks nodes to be stored so that no kernel reads more than `budget` bytes of buffers: greedily, from the leaves.
void Planner::State::cut(std::uint32_t budget) {
  const std::size_t most_sources = budget / buffer_bytes;
  if (sources.size() < count) sources.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    Node& node = *info.node;
    const bool taken = takes_allowed && node.op == Op::take && !info.copies;
    if (graph::is_source(node.op) || (info.always_stored() && !taken)) {
      sources[i].clear();
      if (info.always_stored() || info.requested) sources[i].push_back({&node, 0});
      continue;
    }
    find_sources(node, sources[i], most_sources);
    while (sources[i].size() > most_sources) {
      Info* largest = nullptr;
      std::size_t most = 1;
      for (const NodeRef& input : read_by_kernel(node)) {
        const auto* const known = sources_of(*input);
        if (!known || graph::is_source(input->op) || known->size() <= most) continue;
        most = known->size();
        largest = find(input.get());
      }
      if (!largest) break;
      largest->cut = true;
      find_sources(node, sources[i], most_sources);
    }
  }
}

std::uint32_t parameter_bytes(const Body& body, bool folded) {
  const std::size_t buffers = buffers_read(body) + body.outputs.size() + (folded ? 2 : 0);  // and partial results
  return loop_bytes + buffer_bytes * static_cast<std::uint32_t>(buffers);
}

bool Planner::State::fits(const Step& step) const {
  const auto more = finished_product(step)
                        ? epilogue_bytes(step.body)
                        : buffer_bytes * static_cast<std::uint32_t>(step.finish.loads.size() + step.finishes);
  return parameter_bytes(step.body, step.family != Op::elementwise) + more <= parameter_limit;
}

std::span<Step* const> Planner::plan(std::span<Node* const> roots, const Limits& limits) {
  State& s = *state_;
  s.parameter_limit = limits.parameter_bytes;
  s.elsewhere = limits.elsewhere;
  s.evaluation = limits.evaluation;
  s.takes_code = limits.takes_code;
  s.takes_cast = limits.takes_cast;
  s.followed = false;
  if (roots.size() == 1 && !limits.trial && (s.plan_tree(roots[0]) || s.plan_operation(roots[0]))) return s.ordered;
  s.collect(roots);
  const std::uint64_t hash = s.describe();
  const bool reuse = limits.reuse && !limits.trial;
  if (const KnownPlan* plan = reuse ? s.known.find(hash, s.structure) : nullptr) {
    s.follow(*plan);
    s.followed = true;
    return s.ordered;
  }
  s.unite_equals();
  s.analyse_all();
  const auto write = [&](bool merge) {
    s.decide(merge);
    s.lay_out();
    if (s.write_code() && s.has_products) s.join_transforms(merge);
  };
  s.rows_allowed = !limits.elsewhere;
  s.takes_allowed = s.results_together = true;
  write(true);
  if (!s.rows_fit()) {
    s.rows_allowed = false;
    s.decide_again();
    write(true);
  }
  s.rows_allowed = false;
  s.results_together = false;
  constexpr int attempts_with_takes = 5, attempts = attempts_with_takes + 7;
  const std::uint32_t whole_budget = limits.parameter_bytes - loop_bytes - 32;  // two results
  std::uint32_t budget = whole_budget;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    // Where the graph is cut, what is taken counts as two buffers beside its positions, or as one that is stored.
    if (attempt == attempts_with_takes) {
      s.takes_allowed = false;
      budget = whole_budget;
    }
    if (attempt > 0) {
      // What does not fit is a kernel of many results, or one of many inputs, which reductions alone may share.
      const bool merge = attempt == 1;
      s.decide_again();
      s.cut(budget);
      if (!merge) budget = budget * 3 / 4;
      write(merge);
    }
    bool fits = true;
    for (std::size_t k = 0; k < s.step_count; ++k) fits = fits && s.fits(s.steps[k]);
    if (fits) {
      if (!limits.trial) s.remember_unstored();
      s.order();
      if (reuse && s.known.comes_again(hash)) s.known.keep(hash, s.known_plan());
      return s.ordered;
    }
  }
  throw LaunchError("[eval] one operation alone needs more buffers than the device's " +
                    std::to_string(limits.parameter_bytes) + " bytes of kernel parameters can name");
}

}  // namespace koine::codegen
