// SPDX-License-Identifier: Apache-2.0
// Node: one value of a lazy expression, from the operation that will make it to the memory that holds it.
#pragma once

#include "base/recycled.hpp"
#include "device/traits.hpp"
#include "graph/attributes.hpp"
#include "graph/bounds.hpp"
#include "graph/inputs.hpp"
#include "graph/layout.hpp"
#include "graph/ops.hpp"

#include <koine/array.hpp>
#include <koine/dtype.hpp>
#include <koine/shape.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace koine::runtime {
class Context;
class Buffer;
class Queue;
}  // namespace koine::runtime

namespace koine::graph {

/// Where a node is computed. The graph only carries it; exec knows what it means.
struct Place {
  runtime::Context* context = nullptr;
  const DeviceTraits* traits = nullptr;
  runtime::Queue* queue = nullptr;  ///< null: the context's own
  bool reproducible = false;        ///< in the order of operations that is the same on every device

  friend bool operator==(const Place& a, const Place& b) noexcept { return a.context == b.context; }
};

/// The type of the attributes of an operation's nodes.
template <Op op>
struct AttributesTrait {
  using type = void;
};
#define KN_ATTRIBUTES(name, role, attributes) \
  template <>                                 \
  struct AttributesTrait<Op::name> {          \
    using type = attributes;                  \
  };
#define KN_INLINE(name, role, attributes, cost) KN_ATTRIBUTES(name, role, attributes)
#define KN_FAMILY KN_ATTRIBUTES
#include "graph/families.def"
#undef KN_ATTRIBUTES
template <Op op>
using AttributesOf = typename AttributesTrait<op>::type;

/// The attributes of a node, whose operation says what they are: Node::get gives them. A constant's are in place.
using Attributes = std::variant<std::monostate, ConstantValue, std::shared_ptr<const void>>;
template <Op op>
Attributes make_attributes(AttributesOf<op> attributes) {
  if constexpr (std::is_same_v<AttributesOf<op>, ConstantValue>) {
    return attributes;
  } else {
    const base::Recycled<AttributesOf<op>> memory;
    return std::shared_ptr<const void>(std::allocate_shared<AttributesOf<op>>(memory, std::move(attributes)));
  }
}

/// What the nodes of the operation `op` carry.
template <Op op>
const AttributesOf<op>& attributes_of(const Attributes& attributes) {
  if constexpr (std::is_same_v<AttributesOf<op>, ConstantValue>) {
    return std::get<ConstantValue>(attributes);
  } else {
    return *static_cast<const AttributesOf<op>*>(std::get<std::shared_ptr<const void>>(attributes).get());
  }
}

/// A constant scalar converted to `type`, which it fits (infer.hpp checks).
ConstantValue constant_value(const Scalar& scalar, DType type);

/// What evaluating a pending node would touch, at the most: of a graph with shared parts the sum over its branches, or
/// all that the process built since the oldest of its nodes, whichever is less.
struct Pending {
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;                       // memory kept alive
  std::uint64_t first_node = 0, first_byte = 0;  // the process' counts when the oldest node was built
  std::uint64_t built = 0, taken = 0;            // and when this one was: nodes, rising, and bytes
};

/// Immutable once built but for what evaluations do under the context's evaluation mutex: the result appears once
/// (`ready`), and the inputs go with it.
struct Node {
  Node(Op op, DType dtype, Shape shape, Place place, Attributes attributes = {})
      : op(op), dtype(dtype), shape(std::move(shape)), place(place), attributes(std::move(attributes)) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const Op op;
  const DType dtype;
  const Shape shape;
  const Place place;
  const Attributes attributes;
  Inputs inputs;
  Pending pending;
  Bounds bounds;  // of what is pending; bounds_of() also knows that of memory

  /// Of an operation with several results the nodes that stand for them, while somebody wants them. They become ready
  /// together with it, which has no memory of its own.
  std::vector<std::weak_ptr<Node>> results;

  /// Pending nodes that take this one as an input: results with several are worth storing.
  std::atomic<std::int32_t> consumers{0};

  // The result: valid once `ready` reads true. Of what an evaluation will store the layout is there before.
  std::atomic<bool> ready{false};
  std::shared_ptr<runtime::Buffer> storage;
  Layout layout;

  // Scratch of the evaluator, under the evaluation mutex.
  std::uint64_t epoch = 0;
  std::int32_t slot = -1;
  std::uint64_t unstored_by = 0;  // the first evaluation that computed it inside another kernel without storing it

  /// One that begins anew, after a program was built, finds recomputed() as it was.
  void computed_unstored(std::uint64_t evaluation) noexcept { unstored_by = unstored_by ? unstored_by : evaluation; }
  /// Whether an earlier evaluation than this one computed it for nothing.
  bool recomputed(std::uint64_t evaluation) const noexcept { return unstored_by != 0 && unstored_by != evaluation; }
  bool is_ready() const noexcept { return ready.load(std::memory_order_acquire); }
  /// What the nodes of the operation `op`, which this one's must be, carry.
  template <Op op>
  const AttributesOf<op>& get() const {
    return attributes_of<op>(attributes);
  }
};

/// Memory that was there before, for a result to be written to.
struct Destination {
  std::shared_ptr<runtime::Buffer> storage;
  Layout layout;
};

/// A node over memory: `layout` in elements of `dtype`.
NodeRef make_leaf(DType dtype, Layout layout, std::shared_ptr<runtime::Buffer> storage, Place place);
NodeRef make_constant(DType dtype, const ConstantValue& value, Place place);
NodeRef make_iota(Shape shape, Place place);
/// A pending node; types and shapes were inferred by the caller. Inputs broadcast to `shape` if `op` is element-wise.
NodeRef make_node(Op op, DType dtype, Shape shape, Place place, std::span<const NodeRef> inputs,
                  Attributes attributes = {});
/// The nodes of several results, of an operation whose family says what they are. Each holds the operation that
/// computes them all, so those that are let go of before cost nothing.
std::vector<NodeRef> make_results(Op op, Place place, std::span<const NodeRef> inputs, Attributes attributes);
/// `map` over `input`: a leaf over the same memory where the input has been computed, else pending.
NodeRef make_view(const NodeRef& input, const Shape& shape, const ViewMap& map, Place place);
/// A pending copy of `shape`, which the input broadcasts to.
NodeRef make_copy(const NodeRef& input, const Shape& shape, Place place);
/// The layout of a view, or of a copy, that shares its input's memory.
Layout layout_of_alias(const Node& node);
/// The input converted to `dtype`; the input itself where it has that type.
NodeRef make_cast(const NodeRef& input, DType dtype, Place place);

/// The public function that a node is work of, for messages: "sum", "uniform", "add"; "eval" where none is.
std::string_view function_of(const Node& node);

/// Records the result of a pending node and lets go of what it was computed from.
void fulfil(Node& node, std::shared_ptr<runtime::Buffer> storage, Layout layout);
/// The results of an operation with several; null for one that nobody wants.
std::vector<NodeRef> wanted_results(const Node& node);
/// Records them, in the layouts that the planner has said. The operation's node may be gone afterwards.
void fulfil_results(Node& node, std::span<const NodeRef> results,
                    std::span<const std::shared_ptr<runtime::Buffer>> storages);

/// Marks nodes that a walk under the evaluation mutex has met, in Node::epoch: no two walks of the process share one.
std::uint64_t next_epoch();

}  // namespace koine::graph
