// SPDX-License-Identifier: Apache-2.0
// Small results that the calling thread makes at once.
#include "exec/without_plan.hpp"

#include "codegen/constant.hpp"
#include "codegen/rows.hpp"
#include "exec/evaluate.hpp"
#include "exec/host_run.hpp"
#include "exec/host_step.hpp"
#include "host/body.hpp"
#include "host/copy.hpp"
#include "host/fold.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace koine::exec {

using graph::Node;
using graph::Op;

namespace {

constexpr std::size_t most_inputs = 3;                            // of an operation in the table
constexpr std::int64_t most_elements = 4096, most_at_once = 256;  // more are worth a plan

/// Whether so much work is a small step of the host's. Whether nothing is under way made_on_host() asks.
bool is_small(const runtime::Context& context, std::uint64_t work) {
  return work <= context.traits().tuning.host_step_work && context.works_in_host_memory();
}

/// The memory of an array that the calling thread fills by `fill(memory)`, which reads `from`; null where the thread
/// may not.
template <class Fill>
runtime::BufferRef made_on_host(const Node& node, std::int64_t count, std::span<const runtime::Use> from, Fill fill) {
  runtime::Queue& queue = queue_of(node);
  auto memory = queue.allocate(static_cast<std::uint64_t>(count) * size_of(node.dtype), function_of(node));
  std::array<runtime::Use, 1 + most_inputs> uses{{{memory.get(), true}}};
  std::copy(from.begin(), from.end(), uses.begin() + 1);
  if (!queue.on_host(std::span(uses).first(1 + from.size()), [&] { fill(memory->host()); })) return nullptr;
  queue.context().did_on_host();
  return memory;
}

/// Makes a number, or an array that is filled with one: one element, which all of them are. Whether it did.
bool fill(Node& node) {
  const bool alone = node.op == Op::constant;
  const Node& value = alone ? node : *node.inputs[0];
  std::array<std::byte, 16> number;
  if (value.op != Op::constant || value.is_ready()) return false;
  const std::size_t size = codegen::write_constant(value, number);
  if (size != size_of(node.dtype)) return false;  // float16 is float32 in registers
  std::optional layout(graph::row_major({}));
  if (!alone) layout = graph::apply(node.get<Op::view>(), node.shape, *layout);
  if (!layout) return false;
  auto memory = made_on_host(node, 1, {}, [&](std::byte* to) { std::memcpy(to, number.data(), size); });
  if (memory == nullptr) return false;
  graph::fulfil(node, std::move(memory), std::move(*layout));
  return true;
}

/// What an element-wise operation takes: elements in memory, or a number.
struct Argument {
  const std::byte* memory;
  graph::Layout layout;  // over the elements of the result
  std::size_t size;      // of an element
  bool in_order;

  /// The elements from number `first` on, side by side; `room` is for those that do not lie so.
  const void* at(std::int64_t first, std::size_t count, std::byte* room) const {
    if (in_order) return memory + (layout.offset + first) * static_cast<std::int64_t>(size);
    host::gather(layout, {}, memory, size, first, count, room);
    return room;
  }
};

/// None of what has to be computed, or is not in memory as it is in registers. `number` is where a number is written.
std::optional<Argument> argument_of(const Node& input, const Shape& shape, std::array<std::byte, 16>& number) {
  const std::size_t size = size_of(input.dtype);
  if (size != host::size_in_registers(input.dtype)) return std::nullopt;
  if (input.is_ready()) {
    if (input.storage->host() == nullptr) return std::nullopt;
    if (input.shape == shape && is_row_major(input.layout))
      return Argument{input.storage->host(), input.layout, size, true};
    return Argument{input.storage->host(), graph::broadcast(input.layout, shape), size, false};
  }
  if (input.op != Op::constant) return std::nullopt;
  codegen::write_constant(input, number);
  return Argument{number.data(), graph::broadcast(graph::row_major({}), shape), size, false};
}

/// An element-wise operation, or a copy, on what is in memory and on numbers.
class Operation {
 public:
  /// Whether the host computes it as a small step.
  bool prepare(const runtime::Context& context, const Node& node) {
    elements_ = node.shape.elements();
    inputs_ = node.inputs.size();
    size_ = size_of(node.dtype);
    if (elements_ > most_elements || inputs_ > most_inputs) return false;
    if (size_ != host::size_in_registers(node.dtype) || !context.traits().exact_divide) return false;
    const DType from = node.inputs[node.op == Op::where ? 1 : 0]->dtype;
    const codegen::Line line{node.op, node.dtype, from, {}, -1, node.place.reproducible};
    const auto work = static_cast<std::uint64_t>(elements_) * (1 + inputs_ + host::cost_of(line));
    function_ = host::function_of(line, context.traits());
    if (function_ == nullptr || !is_small(context, work)) return false;
    for (std::size_t k = 0; k < inputs_; ++k) {
      arguments_[k] = argument_of(*node.inputs[k], node.shape, numbers_[k]);
      if (!arguments_[k]) return false;
      if (node.inputs[k]->is_ready()) uses_[read_++] = {node.inputs[k]->storage.get(), false};
    }
    return true;
  }
  /// Of what it reads.
  std::span<const runtime::Use> uses() const { return std::span(uses_).first(read_); }
  /// Leaves the results at `to`, side by side.
  void run(std::byte* to) const {
    alignas(64) std::byte room[most_inputs][most_at_once * 16];
    const void* values[most_inputs] = {};
    for (std::int64_t first = 0; first < elements_; first += most_at_once) {
      const auto count = static_cast<std::size_t>(std::min(most_at_once, elements_ - first));
      for (std::size_t k = 0; k < inputs_; ++k) values[k] = arguments_[k]->at(first, count, room[k]);
      function_(to + static_cast<std::size_t>(first) * size_, values, count);
    }
  }

 private:
  std::int64_t elements_ = 0;
  std::size_t inputs_ = 0, size_ = 0, read_ = 0;
  host::Function function_ = nullptr;
  std::array<std::optional<Argument>, most_inputs> arguments_;
  std::array<std::array<std::byte, 16>, most_inputs> numbers_;
  std::array<runtime::Use, most_inputs> uses_{};
};

/// Makes the results of such an operation. Whether it did.
bool compute(const runtime::Context& context, Node& node) {
  Operation operation;
  if (!operation.prepare(context, node)) return false;
  auto memory = made_on_host(node, node.shape.elements(), operation.uses(), [&](std::byte* to) { operation.run(to); });
  if (memory == nullptr) return false;
  graph::fulfil(node, std::move(memory), graph::row_major(node.shape));
  return true;
}

bool is_operation(const Node& node) { return graph::in_table(node.op) || node.op == Op::cast; }

/// Takes elements of a line of them by positions that lie side by side. Whether it did: not if one is out of range.
bool take(const runtime::Context& context, Node& node) {
  const Node &x = *node.inputs[0], &positions = *node.inputs[1];
  const std::int64_t elements = node.shape.elements();
  if (elements > most_elements || x.shape.size() != 1 || !x.is_ready() || !positions.is_ready()) return false;
  if (!is_row_major(x.layout) || !is_row_major(positions.layout)) return false;
  if (!is_small(context, 4 * static_cast<std::uint64_t>(elements))) return false;
  if (x.storage->host() == nullptr || positions.storage->host() == nullptr) return false;
  const std::int64_t size = x.shape[0];
  const std::size_t each = size_of(x.dtype);
  bool within = true;
  const runtime::Use use[] = {{x.storage.get(), false}, {positions.storage.get(), false}};
  auto memory = made_on_host(node, elements, use, [&](std::byte* to) {
    const std::byte* const from = x.storage->host() + x.layout.offset * static_cast<std::int64_t>(each);
    const auto* const at = reinterpret_cast<const std::int64_t*>(positions.storage->host()) + positions.layout.offset;
    for (std::int64_t k = 0; within && k < elements; ++k, to += each) {
      const std::int64_t position = at[k] < 0 ? at[k] + size : at[k];
      within = position >= 0 && position < size;
      if (within) std::memcpy(to, from + position * static_cast<std::int64_t>(each), each);
    }
  });
  if (memory == nullptr || !within) return false;
  graph::fulfil(node, std::move(memory), graph::row_major(node.shape));
  return true;
}

/// Reduces an array to one element, where any order gives the same bits: in integers and bool_. Whether it did.
bool reduce(const runtime::Context& context, Node& node) {
  const auto& reduction = node.get<Op::reduce>();
  const Node& input = *node.inputs[0];
  const std::int64_t elements = input.shape.elements();
  if (elements == 0 || elements > most_elements || reduction.axes.size() != input.shape.size()) return false;
  const DType type = codegen::fold_type(node);
  const bool exact = graph::info(reduction.kind).state == graph::State::value && (is_integer(type) || is_bool(type));
  if (!exact || reduction.custom || !host::folds(reduction.kind, type) || graph::info(reduction.kind).maps())
    return false;
  if (!is_small(context, 4 * static_cast<std::uint64_t>(elements))) return false;
  // A conversion belongs to the reduction: count_nonzero takes truths, and sums have a type of their own.
  const Node& source = input.op == Op::cast && !input.is_ready() ? *input.inputs[0] : input;
  std::array<std::byte, 16> number;
  const auto argument = source.is_ready() ? argument_of(source, input.shape, number) : std::nullopt;
  if (!argument) return false;
  const runtime::Use use[] = {{source.storage.get(), false}};
  auto memory = made_on_host(node, 1, use, [&](std::byte* to) {
    const auto& functions = host::functions();
    const auto cast = [&](DType from, DType into, const void* values, void* results, std::size_t count) {
      const void* const given[] = {values, nullptr, nullptr};
      functions.casts[static_cast<std::size_t>(from)][static_cast<std::size_t>(into)](results, given, count);
    };
    constexpr std::size_t side_by_side = 16;
    using Order = host::FoldOrder;
    host::RunningValues running(reduction.kind, type, Order{side_by_side, most_elements, Order::Join::halves});
    running.begin();
    alignas(64) std::byte room[3][most_at_once * 16];
    for (std::int64_t first = 0; first < elements; first += most_at_once) {
      const auto count = static_cast<std::size_t>(std::min(most_at_once, elements - first));
      const void* values = argument->at(first, count, room[0]);
      if (source.dtype != input.dtype) cast(source.dtype, input.dtype, std::exchange(values, room[1]), room[1], count);
      if (input.dtype != type) cast(input.dtype, type, std::exchange(values, room[2]), room[2], count);
      running.add(static_cast<const std::byte*>(values), count);
    }
    const host::FinishConstant divisor(type, reduction.divisor), scale(type, reduction.scale);
    const void* const finished[] = {running.join(), divisor.value(), scale.value()};
    functions.finished[static_cast<std::size_t>(reduction.kind)][static_cast<std::size_t>(type)](room[0], finished, 1);
    cast(type, node.dtype, room[0], to, 1);
  });
  if (memory == nullptr) return false;
  graph::fulfil(node, std::move(memory), graph::row_major(node.shape));
  return true;
}

}  // namespace

bool made_without_plan(const runtime::Context& context, Node& node) {
  // Another thread may have computed it meanwhile.
  if (node.is_ready() || node.shape.elements() == 0) return false;
  if (!untold()) return false;
  if (node.op == Op::view || node.op == Op::constant) return is_small(context, 1) && fill(node);
  if (node.op == Op::reduce) return reduce(context, node);
  if (node.op == Op::take) return take(context, node);
  return is_operation(node) && compute(context, node);
}

bool made_in_place(runtime::Queue& queue, Node& node, const std::shared_ptr<runtime::Buffer>& memory,
                   const graph::Layout& part) {
  const std::int64_t elements = node.shape.elements();
  if (node.is_ready() || elements == 0 || elements > most_at_once || !is_operation(node) || !untold()) return false;
  Operation operation;
  if (!operation.prepare(queue.context(), node)) return false;
  std::array<runtime::Use, 1 + most_inputs> uses{{{memory.get(), true}}};
  std::ranges::copy(operation.uses(), uses.begin() + 1);
  const auto store = [&] {
    alignas(64) std::byte results[most_at_once * 16];  // all of them before the first is stored
    operation.run(results);
    host::copy(graph::row_major(node.shape), results, part, memory->host(), size_of(node.dtype));
  };
  if (!queue.on_host(std::span(uses).first(1 + operation.uses().size()), store)) return false;
  queue.context().did_on_host();
  graph::fulfil(node, memory, part);
  return true;
}

}  // namespace koine::exec
