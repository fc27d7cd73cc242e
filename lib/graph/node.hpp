// SPDX-License-Identifier: Apache-2.0
// Node: one value of a lazy expression, from the operation that will make it to the memory that holds it.
#pragma once

#include "base/device_traits.hpp"
#include "graph/layout.hpp"
#include "graph/ops.hpp"
#include "graph/reductions.hpp"

#include <koine/array.hpp>
#include <koine/dtype.hpp>
#include <koine/shape.hpp>

#include <array>
#include <atomic>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
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

/// A queue that the nodes of this thread take instead of their context's own, while it is the innermost of its context.
struct QueueChoice {
  Place place;
  const QueueChoice* outer = nullptr;
};
/// The innermost choice of this thread, or null.
const QueueChoice*& queue_choice() noexcept;
/// Whether this thread's nodes are computed reproducibly; at first what KOINE_REPRODUCIBLE says.
bool& reproducible_choice() noexcept;
/// The place with this thread's choices.
Place here(Place place) noexcept;

/// A constant's value in the representation of its type: integers and bool_ in `integer`, the rest in `real`.
struct ConstantValue {
  std::int64_t integer = 0;
  std::complex<double> real = 0.0;
};
/// A scalar converted to `type`, which it fits (infer.hpp checks).
ConstantValue constant_value(const Scalar& scalar, DType type);

/// Of a reduction, or of a scan, which has one axis.
struct ReduceInfo {
  ReduceKind kind;
  std::vector<std::size_t> axes;  // rising
  double divisor = 1, scale = 1;  // of the finish
};

enum class RandomKind : std::uint8_t { uniform, normal, integers, exponential, gamma, poisson, binomial };

/// Numbers of the stream of `seed`, from its 32-bit word `first_word` on.
struct RandomInfo {
  RandomKind kind;
  std::uint64_t seed = 0, first_word = 0;
  // uniform: [start, start + scale), at most last; normal: mean, deviation; exponential and gamma: scale
  double start = 0, scale = 1, last = 1;
  double shape = 1;      // gamma
  double mean = 0;       // poisson and binomial: 256 to 2^40, a binomial one at most half of the trials
  std::int64_t low = 0;  // integers: [low, low + range)
  std::uint64_t range = 0;
  std::int64_t trials = 0;  // binomial

  /// How many words of the stream an element takes, or has the place of; the first of them is a multiple of that.
  std::uint64_t words(DType type) const {
    const bool single = kind == RandomKind::uniform || kind == RandomKind::normal || kind == RandomKind::exponential;
    return single && type != DType::float64 ? 1 : 2;
  }
};

/// Along the last axis: the shares of exp(x), or the logarithm of their sum.
struct SoftmaxInfo {
  bool logarithm = false;
};

struct TakeInfo {
  std::size_t axis;
  const char* function = "take";  // for messages, as is:
  std::size_t named_axis = axis;  // what the caller calls the axis
};

/// Along the last axis: the sorted values, or the places that they came from.
struct SortInfo {
  bool places = false;
  bool descending = false;
};

/// Of places in a sorted list: behind what is equal, or before.
struct SearchInfo {
  bool after = false;
};

/// Values at positions of a flattened array, of which `repeats` says that some may be equal.
struct ScatterInfo {
  bool repeats;
};

using Attributes =
    std::variant<std::monostate, ConstantValue, std::shared_ptr<const ViewMap>, std::shared_ptr<const ReduceInfo>,
                 std::shared_ptr<const RandomInfo>, SoftmaxInfo, TakeInfo, ScatterInfo, SortInfo, SearchInfo>;

/// What evaluating a pending node would touch, at the most: of a graph with shared parts the sum over its branches, or
/// all that the process built since the oldest of its nodes, whichever is less.
struct Pending {
  std::uint64_t nodes = 0;
  std::uint64_t bytes = 0;                       // memory kept alive
  std::uint64_t first_node = 0, first_byte = 0;  // the process' counts when the oldest node was built
};

/// Immutable once built but for its result, which appears once (`ready`), under the context's evaluation mutex.
struct Node {
  /// Takes this thread's choices.
  Node(Op op, DType dtype, Shape shape, Place place)
      : op(op), dtype(dtype), shape(std::move(shape)), place(here(place)) {}
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Op op;
  DType dtype;
  Shape shape;
  Place place;
  std::array<NodeRef, 3> inputs;
  Attributes attributes;
  Pending pending;

  /// Pending nodes that take this one as an input: results with several are worth storing.
  std::atomic<std::int32_t> consumers{0};

  // The result: valid once `ready` reads true.
  std::atomic<bool> ready{false};
  std::shared_ptr<runtime::Buffer> storage;
  Layout layout;

  // Scratch of the evaluator, under the evaluation mutex.
  std::uint64_t epoch = 0;
  std::int32_t slot = -1;
  std::uint64_t unstored_by = 0;  // the last evaluation that computed it inside another kernel without storing it

  /// Whether an earlier evaluation than this one computed it for nothing.
  bool recomputed(std::uint64_t evaluation) const noexcept { return unstored_by != 0 && unstored_by != evaluation; }
  bool is_ready() const noexcept { return ready.load(std::memory_order_acquire); }
  std::size_t arity() const noexcept {
    return inputs[0] == nullptr ? 0 : inputs[1] == nullptr ? 1 : inputs[2] == nullptr ? 2 : 3;
  }
  const ViewMap& view() const { return *std::get<std::shared_ptr<const ViewMap>>(attributes); }
  const ReduceInfo& reduction() const { return *std::get<std::shared_ptr<const ReduceInfo>>(attributes); }
  const RandomInfo& draw() const { return *std::get<std::shared_ptr<const RandomInfo>>(attributes); }
  const SoftmaxInfo& softmax() const { return std::get<SoftmaxInfo>(attributes); }
  const TakeInfo& take() const { return std::get<TakeInfo>(attributes); }
  const ScatterInfo& scatter() const { return std::get<ScatterInfo>(attributes); }
  const SortInfo& sort() const { return std::get<SortInfo>(attributes); }
  const SearchInfo& search() const { return std::get<SearchInfo>(attributes); }
  const ConstantValue& constant() const { return std::get<ConstantValue>(attributes); }
};

/// A node over memory: `layout` in elements of `dtype`.
NodeRef make_leaf(DType dtype, Layout layout, std::shared_ptr<runtime::Buffer> storage, Place place);
NodeRef make_constant(DType dtype, const ConstantValue& value, Place place);
NodeRef make_iota(Shape shape, Place place);
/// A pending node; types and shapes were inferred by the caller. Inputs broadcast to `shape` if `op` is element-wise.
NodeRef make_node(Op op, DType dtype, Shape shape, Place place, std::span<const NodeRef> inputs,
                  Attributes attributes = {});
/// `map` over `input`: a leaf over the same memory where the input has been computed, else pending.
NodeRef make_view(const NodeRef& input, Shape shape, ViewMap map);
/// A pending copy of `shape`, which the input broadcasts to.
NodeRef make_copy(const NodeRef& input, const Shape& shape);
/// The input converted to `dtype`; the input itself where it has that type.
NodeRef make_cast(const NodeRef& input, DType dtype);

/// The public function that a node is work of, for messages: "sum", "uniform", "add"; "eval" where none is.
std::string_view function_of(const Node& node);

/// Records the result of a pending node and lets go of what it was computed from.
void fulfil(Node& node, std::shared_ptr<runtime::Buffer> storage, Layout layout);

/// The exact count behind a pending node's estimate: each shared part once, and only the memory that nobody else holds.
Pending measure(const Node& node);

}  // namespace koine::graph
