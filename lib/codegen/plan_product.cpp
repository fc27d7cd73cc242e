// SPDX-License-Identifier: Apache-2.0
// What is made of a matrix product, or a transform, element by element: computed by the product's kernel, which stores
// that in its place. And what a product's operands are cast from, which its kernel reads in their place.
#include "codegen/plan_state.hpp"

#include <map>

namespace koine::codegen {
namespace {

// Nodes between a result and its product: to look through more would take long.
constexpr std::size_t most_behind = 32;
// What a product's kernel is passed beside an epilogue: its own block, and up to five buffers.
constexpr std::uint32_t product_bytes = 320;
// Of each load in an epilogue's block: an offset and up to four strides.
constexpr std::uint32_t load_bytes = 40, constant_bytes = 8;

}  // namespace

const graph::Node* finished_product(const Step& step) {
  return step.family == Op::matmul && !step.body.outputs.empty() ? step.body.loads[0].source : nullptr;
}

std::uint32_t epilogue_bytes(const Body& body) {
  return product_bytes + load_bytes * static_cast<std::uint32_t>(body.loads.size()) +
         constant_bytes * static_cast<std::uint32_t>(body.constants.size());
}

/// Whether a node's elements lie in the order of the domain's that reads them through `chain`, one for each.
bool Planner::State::in_place(const Node& node, std::int32_t chain, const Shape& domain) const {
  const auto pieces = chains.apply(chain, graph::row_major(node.shape));
  return pieces && pieces->seams.empty() && pieces->layout == graph::row_major(domain);
}

/// Whether another kernel reads what an element-wise node comes to, and can store it beside its own results.
bool Planner::State::stored_by_reader(const Info& info) const {
  return std::any_of(info.reads.begin(), info.reads.end(), [&](const Read& read) {
    return read.chain == Chains::identity && takes_result(steps[static_cast<std::size_t>(read.step)], *info.node);
  });
}

/// The product that an element-wise node is made of, if nobody else reads that, and all between the two is computed
/// where it is read; of several the one that can be computed last. Null where there is none.
Info* Planner::State::product_behind(const Info& info) {
  const Node& result = *info.node;
  if (info.level == 0 || !has_products || elsewhere || stored_by_reader(info)) return nullptr;
  struct Path {
    std::int32_t chain;
    std::int32_t edges = 1;  // that lead here
    bool single = true;      // through the same chain
  };
  const auto at = [&](std::int32_t slot) -> Info& { return infos[static_cast<std::size_t>(slot)]; };
  // From the last to the first, so that all ways to a node are known when its turn comes.
  std::map<std::int32_t, Path, std::greater<>> left = {{result.slot, {Chains::identity}}};
  for (std::size_t k = 0; k < most_behind && !left.empty(); ++k) {
    const auto [slot, path] = *left.begin();
    left.erase(left.begin());
    Info& here = at(slot);
    const Node& node = *here.node;
    const bool root = &here == &info;
    const bool alone = path.single && path.edges == here.edges && !here.requested && !here.cut && !here.shared &&
                       node.consumers.load(std::memory_order_relaxed) == path.edges &&
                       !(node.recomputed(evaluation) && here.held);
    if (!root && (!alone || !in_place(node, path.chain, result.shape))) continue;
    if (node.op == Op::fft || (node.op == Op::matmul && !is_complex(result.dtype))) {
      if (!here.held && node.shape.elements() > 0 && node.place.queue == result.place.queue && finishes(node)) {
        return &here;
      }
      continue;
    }
    const bool computed = graph::is_elementwise(node.op) && node.op != Op::custom;
    if (!computed && !(node.op == Op::view && reads_flat(here))) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Node& input = *node.inputs[i];
      if (input.is_ready() || graph::is_source(input.op)) continue;
      const std::int32_t chain = chains.extend(path.chain, node, i);
      const auto [known, added] = left.try_emplace(input.slot, Path{chain});
      if (added) continue;
      ++known->second.edges;
      known->second.single = known->second.single && known->second.chain == chain;
    }
  }
  return nullptr;
}

/// Whether a node that one other reads is wanted by nobody else, so that it need not be stored.
bool Planner::State::wanted_once(const Info& info) const {
  const Node& node = *info.node;
  return info.edges == 1 && node.consumers.load(std::memory_order_relaxed) == 1 && !info.requested && !info.cut &&
         !(node.recomputed(evaluation) && info.held);
}

/// Lets a product read what an input is cast from, in memory anyway, in place of that input: the cast, and views on
/// either side of it, are then computed by the loads of the product's kernel.
bool Planner::State::reads_through_cast(const Info& product, std::size_t number) {
  if (product.node->op != Op::matmul || takes_cast == nullptr) return false;
  const std::int32_t s = product.stored() ? product.step : product.finisher;
  const Node* reader = product.node;
  const Shape& shape = reader->inputs[number]->shape;
  std::int32_t chain = Chains::identity;
  bool cast = false;
  std::vector<Info*> between;
  for (std::size_t i = number;; i = 0) {
    Node& node = *reader->inputs[i];
    if (reader != product.node) chain = chains.extend(chain, *reader, i);
    Info* const info = node.is_ready() ? nullptr : find(&node);
    const bool casts = !cast && node.op == Op::cast;
    if (info && (casts || node.op == Op::view) && wanted_once(*info)) {
      cast = cast || casts;
      between.push_back(info);
      reader = &node;
      continue;
    }
    // What is in memory in any case, in row-major order if it will be.
    if (!cast || (info && (elsewhere || node.op == Op::view || !(info->requested || info->always_stored())))) {
      return false;
    }
    const auto pieces = chains.apply(chain, info ? graph::row_major(node.shape) : node.layout);
    if (!pieces || !pieces->seams.empty() || pieces->layout.shape != shape) return false;
    const ProductOperand operand{&node, pieces->layout};
    if (!takes_cast(*product.node, number, operand)) return false;
    steps[static_cast<std::size_t>(s)].operands[number] = operand;
    for (Info* each : between) each->finisher = s;
    if (info) {
      info->request(Why::into_kernels);
      info->awaited = true;
    }
    return true;
  }
}

/// Lets a product's kernel compute and store an element-wise node. The kernel then reads like one of element-wise code
/// all but the product, which it has computed.
bool Planner::State::finish_product(Info& info) {
  Info* const product = product_behind(info);
  if (!product) return false;
  info.step = add_step(product->node->op, info.node);
  ++steps[static_cast<std::size_t>(info.step)].results;
  product->finisher = info.step;
  read_inputs(info, info.step, Chains::identity);
  return true;
}

/// The first load of each step that goes on with a product: what that comes to.
void Planner::State::load_products() {
  for (std::size_t i = 0; i < count; ++i) {
    Info& info = infos[i];
    if (info.finisher < 0 || (info.node->op != Op::matmul && info.node->op != Op::fft)) continue;
    Step& step = steps[static_cast<std::size_t>(info.finisher)];
    const std::int32_t line = load(step, *info.node, {graph::row_major(step.body.domain), {}}, false);
    for (Read& read : info.reads) read.line = line;
    need_inputs(info.finisher, *info.node);
  }
}

}  // namespace koine::codegen
