// SPDX-License-Identifier: Apache-2.0
// Building nodes, and what they know of the work behind them.
#include "graph/node.hpp"

#include "graph/families.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koine::graph {
namespace {

// Inputs with no more than this behind them are counted with each node that takes them, however old they are.
constexpr std::uint64_t few_nodes = 8;

// Nodes, and bytes of their ready inputs, that the process has built so far.
std::atomic<std::uint64_t> nodes_built{0}, bytes_taken{0};

std::uint64_t bytes_of(const Node& node) {
  return static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype);
}

/// Sums cannot wrap: none is larger than what the process has built.
Pending pending_of(const Node& node) {
  Pending own{1, 0};
  for (const NodeRef& each : node.inputs) {
    const Node& input = *each;
    if (input.is_ready()) {
      own.bytes += bytes_of(input);
    } else if (input.pending.nodes <= few_nodes) {
      own.nodes += input.pending.nodes;
      own.bytes += input.pending.bytes;
    }
  }
  Pending total = own;
  total.built = total.first_node = nodes_built.fetch_add(own.nodes, std::memory_order_relaxed);
  total.first_byte = bytes_taken.fetch_add(own.bytes, std::memory_order_relaxed);
  const std::uint64_t nodes = total.first_node + own.nodes, bytes = total.taken = total.first_byte + own.bytes;
  for (const NodeRef& each : node.inputs) {
    const Node& input = *each;
    if (input.is_ready() || input.pending.nodes <= few_nodes) continue;
    total.nodes += input.pending.nodes;
    total.bytes += input.pending.bytes;
    total.first_node = std::min(total.first_node, input.pending.first_node);
    total.first_byte = std::min(total.first_byte, input.pending.first_byte);
  }
  total.nodes = std::min(total.nodes, nodes - total.first_node);
  total.bytes = std::min(total.bytes, bytes - total.first_byte);
  return total;
}

/// Toward zero, and to the nearest end of the range from outside it; 0 for NaN.
std::int64_t truncated(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return value < -0x1p63 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(value);
}

void release_inputs(Node& node) {
  for (const NodeRef& input : node.inputs) input->consumers.fetch_sub(1, std::memory_order_relaxed);
  node.inputs.clear();
}

/// In memory that nodes before it have left.
template <class... Args>
std::shared_ptr<Node> new_node(Args&&... args) {
  return std::allocate_shared<Node>(base::Recycled<Node>(), std::forward<Args>(args)...);
}

}  // namespace

Node::~Node() { release_inputs(*this); }

ConstantValue constant_value(const Scalar& scalar, DType type) {
  ConstantValue result;
  visit(
      [&](auto value) {
        using T = decltype(value);
        if constexpr (std::is_same_v<T, std::complex<double>>) {
          result.real = value;
          result.integer = value != 0.0;
        } else if constexpr (std::is_same_v<T, double>) {
          result.real = value;
          // Only bool_ is ever made of a floating scalar without inference having refused it.
          result.integer = is_bool(type) ? value != 0.0 : truncated(value);
        } else {
          result.integer = is_bool(type) ? value != 0 : static_cast<std::int64_t>(value);
          result.real = static_cast<double>(value);
        }
      },
      scalar);
  return result;
}

NodeRef make_leaf(DType dtype, Layout layout, std::shared_ptr<runtime::Buffer> storage, Place place) {
  auto node = new_node(Op::leaf, dtype, layout.shape, place);
  node->storage = std::move(storage);
  node->layout = std::move(layout);
  node->ready.store(true, std::memory_order_release);
  return node;
}

NodeRef make_constant(DType dtype, const ConstantValue& value, Place place) {
  auto node = new_node(Op::constant, dtype, Shape{}, place, value);
  if (is_integer(dtype) && dtype != DType::uint64) node->bounds = {value.integer, value.integer};
  node->pending.nodes = 1;
  return node;
}

NodeRef make_iota(Shape shape, Place place) {
  auto node = new_node(Op::iota, DType::int64, std::move(shape), place);
  node->bounds = {0, std::max<std::int64_t>(node->shape.elements() - 1, 0)};
  node->pending.nodes = 1;
  return node;
}

NodeRef make_node(Op op, DType dtype, Shape shape, Place place, std::span<const NodeRef> inputs,
                  Attributes attributes) {
  auto node = new_node(op, dtype, std::move(shape), place, std::move(attributes));
  node->inputs = inputs;
  for (const NodeRef& input : inputs) input->consumers.fetch_add(1, std::memory_order_relaxed);
  node->pending = pending_of(*node);
  node->bounds = made_bounds(*node);
  return node;
}

std::vector<NodeRef> make_results(Op op, Place place, std::span<const NodeRef> inputs, Attributes attributes) {
  const std::vector<ResultType> types = family(op).results(attributes, inputs);
  const NodeRef node = make_node(op, types[0].dtype, types[0].shape, place, inputs, std::move(attributes));
  std::vector<NodeRef> results;
  for (std::size_t k = 0; k < types.size(); ++k) {
    results.push_back(
        make_node(Op::result, types[k].dtype, types[k].shape, place, {&node, 1}, make_attributes<Op::result>({k})));
    node->results.push_back(results.back());
  }
  return results;
}

NodeRef make_view(const NodeRef& input, const Shape& shape, const ViewMap& map, Place place) {
  if (input->is_ready()) {
    if (auto layout = apply(map, shape, input->layout)) {
      return make_leaf(input->dtype, std::move(*layout), input->storage, place);
    }
  }
  return make_node(Op::view, input->dtype, shape, place, {&input, 1}, make_attributes<Op::view>(map));
}

NodeRef make_copy(const NodeRef& input, const Shape& shape, Place place) {
  return make_node(Op::cast, input->dtype, shape, place, {&input, 1});
}

Layout layout_of_alias(const Node& node) {
  const Layout& layout = node.inputs[0]->layout;
  return node.op == Op::view ? *apply(node.get<Op::view>(), node.shape, layout) : layout;
}

NodeRef make_cast(const NodeRef& input, DType dtype, Place place) {
  if (input->dtype == dtype) return input;
  return make_node(Op::cast, dtype, input->shape, place, {&input, 1});
}

void fulfil(Node& node, std::shared_ptr<runtime::Buffer> storage, Layout layout) {
  node.storage = std::move(storage);
  node.layout = std::move(layout);
  release_inputs(node);
  node.ready.store(true, std::memory_order_release);
}

std::vector<NodeRef> wanted_results(const Node& node) {
  std::vector<NodeRef> wanted;
  for (const std::weak_ptr<Node>& result : node.results) wanted.push_back(result.lock());
  return wanted;
}

void fulfil_results(Node& node, std::span<const NodeRef> results,
                    std::span<const std::shared_ptr<runtime::Buffer>> storages) {
  fulfil(node, nullptr, {});
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (results[k]) fulfil(*results[k], storages[k], std::move(results[k]->layout));
  }
}

std::uint64_t next_epoch() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace koine::graph
