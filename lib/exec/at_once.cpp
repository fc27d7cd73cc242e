// SPDX-License-Identifier: Apache-2.0
// Interpolation, short convolutions and single numbers at the call; see at_once.hpp.
#include "exec/at_once.hpp"

#include "base/with_type.hpp"
#include "codegen/constant.hpp"
#include "exec/evaluate.hpp"
#include "exec/host_run.hpp"
#include "exec/host_step.hpp"
#include "host/functions.hpp"
#include "host/signal.hpp"
#include "runtime/context.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace koine::exec {

using graph::Node;
using graph::NodeRef;

namespace {

// Terms of a sum, and elements, from which on a plan takes little of the time.
constexpr std::int64_t most_terms = 64, most_elements = 4096;
// Of a position, or of a product, in operations.
constexpr std::uint64_t per_search = 16, per_product = 4;

/// An array in new memory that `fill(memory)` fills from what the nodes hold; null where something came in between.
template <class Fill>
NodeRef filled(std::string_view function, const graph::Place& place, DType type, const Shape& shape,
               std::initializer_list<const Node*> from, Fill fill) {
  NodeRef made = graph::make_leaf(type, graph::row_major(shape), nullptr, place);
  runtime::Queue& queue = queue_of(*made);
  const runtime::Context::InUse in_use(queue.context(), function);
  made->storage = queue.allocate(static_cast<std::uint64_t>(shape.elements()) * size_of(type), function);
  std::array<runtime::Use, 4> uses{{{made->storage.get(), true}}};
  std::transform(from.begin(), from.end(), uses.begin() + 1, [](const Node* node) {
    return runtime::Use{node->storage.get(), false};
  });
  if (!queue.on_host(std::span(uses).first(1 + from.size()), [&] { fill(made->storage->host()); })) return nullptr;
  queue.context().did_on_host();
  return made;
}

/// Calls f(T{}) with the C++ type of float32 or float64; whether the type is one of these.
template <class F>
NodeRef with_real(DType type, F f) {
  if (type == float32) return f(float{});
  return type == float64 ? f(double{}) : nullptr;
}

/// Whether the calling thread may do so much work at once on what these nodes hold: they are in memory that the host
/// has, nothing is known to be under way, and nobody wants to be told of steps, or the order of operations that is the
/// same on every device.
bool at_once(std::initializer_list<const Node*> nodes, const graph::Place& place, std::uint64_t work) {
  const auto at_hand = [](const Node* node) {
    return node->is_ready() && node->storage != nullptr && node->storage->host() != nullptr;
  };
  return std::ranges::all_of(nodes, at_hand) && !place.reproducible && untold() &&
         host_does_small(*place.context, work);
}

using Registers = std::array<std::byte, host::widest_in_registers>;

/// Writes a number, or the only element of an array that is there, as it is in registers. Whether it could.
bool read_number(const Operand& operand, DType type, Registers& to) {
  if (operand.is_scalar()) {
    codegen::write_constant(type, graph::constant_value(operand.scalar(), type), to);
    return true;
  }
  const Node& node = *operand.array().node();
  if (!node.is_ready()) {
    if (node.op != graph::Op::constant) return false;
    codegen::write_constant(node, to);
  } else {
    if (!queue_of(node).at_hand(*node.storage)) return false;
    const std::int64_t offset = node.layout.offset * static_cast<std::int64_t>(size_of(node.dtype));
    const void* const element[] = {node.storage->host() + offset, nullptr, nullptr};
    host::functions().loads[static_cast<std::size_t>(node.dtype)](to.data(), element, 1);
  }
  if (node.dtype == type) return true;
  const host::Function cast =
      host::functions().casts[static_cast<std::size_t>(node.dtype)][static_cast<std::size_t>(type)];
  if (cast == nullptr) return false;
  const Registers value = to;
  const void* const from[] = {value.data(), nullptr, nullptr};
  cast(to.data(), from, 1);
  return true;
}

/// A value in registers as a constant of `type`.
graph::ConstantValue constant_of(const Registers& value, DType type) {
  return base::with_type(type, [&]<class T>(base::Tag<T>) {
    constexpr bool half = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;
    std::conditional_t<half, float, T> number;  // as it is in registers
    std::memcpy(&number, value.data(), sizeof number);
    return graph::constant_value(Scalar(number), type);
  });
}

}  // namespace

NodeRef interpolated_at_once(const Node& at, const Node& points, const Node& heights, const graph::Place& place) {
  const std::int64_t searches = at.shape.elements();
  const bool alike = at.dtype == points.dtype && at.dtype == heights.dtype;
  if (!alike || searches == 0 || searches > most_elements || !place.traits->exact_divide ||
      !at_once({&at, &points, &heights}, place, per_search * static_cast<std::uint64_t>(searches)) ||
      !is_row_major(at.layout) || !is_row_major(points.layout) || !is_row_major(heights.layout)) {
    return nullptr;
  }
  return with_real(at.dtype, [&]<class T>(T) {
    return filled("interp", place, at.dtype, at.shape, {&at, &points, &heights}, [&](std::byte* to) {
      host::interpolate(elements_of<T>(points), elements_of<T>(heights), count_of(points), elements_of<T>(at),
                        count_of(at), reinterpret_cast<T*>(to));
    });
  });
}

NodeRef slid_at_once(const Node& x, const Node& y, std::int64_t before, std::int64_t results,
                     const graph::Place& place) {
  const std::int64_t size = y.shape.elements();
  // Kernels add the terms of such sums one after the other: they fold neighbouring results side by side, as y does not
  // lie as x does, or, where results are fewer than a vector has elements, each term of one in an element of its own.
  const bool in_turn = size == 1 || (size <= most_terms && size <= results && y.layout.strides[0] < 0);
  if (!in_turn || results > most_elements ||
      !at_once({&x, &y}, place, per_product * static_cast<std::uint64_t>(results * size)) || !is_row_major(x.layout)) {
    return nullptr;
  }
  return with_real(x.dtype, [&]<class T>(T) {
    return filled("convolve", place, x.dtype, {results}, {&x, &y}, [&](std::byte* to) {
      std::array<T, most_terms> terms;  // side by side
      for (std::int64_t k = 0; k < size; ++k) {
        terms[static_cast<std::size_t>(k)] = elements_of<T>(y)[k * y.layout.strides[0]];
      }
      host::slide(elements_of<T>(x), count_of(x), static_cast<std::size_t>(before), terms.data(), count_of(y),
                  reinterpret_cast<T*>(to), static_cast<std::size_t>(results));
    });
  });
}

NodeRef counted_at_once(const Node& node, std::span<const std::int64_t> values, std::int64_t count,
                        const graph::Place& place) {
  if (!at_once({&node}, place, values.size() + static_cast<std::size_t>(count))) return nullptr;
  return filled("bincount", place, int64, {count}, {&node}, [&](std::byte* to) {
    const std::span counts(reinterpret_cast<std::int64_t*>(to), static_cast<std::size_t>(count));
    std::ranges::fill(counts, 0);
    for (const std::int64_t value : values) ++counts[static_cast<std::size_t>(value)];
  });
}

std::optional<graph::ConstantValue> number_at_once(graph::Op op, DType type, DType result, const graph::Place& place,
                                                   std::initializer_list<const Operand*> operands) {
  runtime::Context& context = *place.context;
  if (!context.works_in_host_memory() || place.traits->tuning.host_step_work == 0 || !place.traits->exact_divide ||
      !untold()) {
    return std::nullopt;
  }
  const host::Function function = host::function_of({op, result, type, {}, -1, place.reproducible}, *place.traits);
  if (function == nullptr) return std::nullopt;
  const runtime::Context::InUse in_use(context, graph::info(op).name);
  std::array<Registers, 3> values;
  const void* from[3] = {};
  std::size_t count = 0;
  for (const Operand* const operand : operands) {
    if (!read_number(*operand, type, values[count])) return std::nullopt;
    from[count] = values[count].data();
    ++count;
  }
  Registers made;
  function(made.data(), from, 1);
  context.did_on_host();
  return constant_of(made, result);
}

}  // namespace koine::exec
