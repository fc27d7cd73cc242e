// SPDX-License-Identifier: Apache-2.0
// Writing to parts of arrays.
#include "base/log.hpp"
#include "base/with_type.hpp"
#include "codegen/constant.hpp"
#include "codegen/names.hpp"
#include "exec/evaluate.hpp"
#include "exec/evaluation.hpp"
#include "exec/host_run.hpp"
#include "exec/host_step.hpp"
#include "exec/programs.hpp"
#include "exec/reading.hpp"
#include "exec/traffic.hpp"
#include "exec/without_plan.hpp"
#include "graph/infer.hpp"
#include "host/copy.hpp"
#include "runtime/recorder.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::exec {

using graph::Node;
using graph::NodeRef;
using graph::Op;

namespace {

bool overlap(const graph::Layout& a, const graph::Layout& b) {
  const graph::Extent x = extent(a), y = extent(b);
  return x.first <= y.last && y.first <= x.last;
}

/// Of a part with steps of 1 and -1, for each axis of the array the part's axis along it, or -1 where the array's has
/// one element. Empty of any other part.
std::vector<std::int64_t> axes_of_part(const graph::ViewMap& map, const Shape& whole) {
  std::vector<std::int64_t> axes(whole.size(), -1);
  for (std::size_t axis = 0; axis < map.source.size(); ++axis) {
    if (map.source[axis] < 0) continue;
    if (map.step[axis] != 1 && map.step[axis] != -1) return {};
    axes[static_cast<std::size_t>(map.source[axis])] = static_cast<std::int64_t>(axis);
  }
  for (std::size_t axis = 0; axis < whole.size(); ++axis) {
    if (axes[axis] < 0 && whole[axis] != 1) return {};
  }
  return axes;
}

/// The positions along `axis` of an array of `shape`, for each of its elements.
NodeRef positions_along(std::size_t axis, const Shape& shape, const graph::Place& place) {
  graph::ViewMap map;
  map.start = Shape{0};
  map.source = Shape::filled(shape.size(), -1);
  map.step = Shape::filled(shape.size(), 1);
  map.source[axis] = 0;
  return graph::make_view(graph::make_iota({shape[axis]}, place), shape, map, place);
}

NodeRef binary(Op op, const NodeRef& a, const NodeRef& b) {
  const NodeRef inputs[] = {a, b};
  return graph::make_node(op, DType::bool_, a->shape, a->place, inputs);
}

/// `target` with the value in place of the part, as a pending node of `place`: outside the part the value is read
/// wrapped, at any position, and not taken. Null for a part that this cannot be said of.
NodeRef with_part(const NodeRef& target, const graph::ViewMap& map, const Shape& shape, const NodeRef& value,
                  const graph::Place& place) {
  const Shape& whole = target->shape;
  const std::vector<std::int64_t> axes = axes_of_part(map, whole);
  if (axes.size() != whole.size() || whole.size() == 0) return nullptr;
  graph::ViewMap from;
  from.start = from.bounds = Shape::filled(value->shape.size(), 0);
  from.source = Shape::filled(whole.size(), -1);
  from.step = Shape::filled(whole.size(), 1);
  NodeRef inside;
  const auto need = [&](NodeRef condition) {
    inside = inside ? binary(Op::logical_and, inside, condition) : std::move(condition);
  };
  for (std::size_t axis = 0; axis < whole.size(); ++axis) {
    if (axes[axis] < 0) continue;
    const auto part = static_cast<std::size_t>(axes[axis]);
    const std::int64_t count = shape[part], first = map.start[axis], step = map.step[part];
    const std::int64_t begin = step > 0 ? first : first - (count - 1);
    const std::size_t shift = shape.size() - value->shape.size();
    if (part >= shift && value->shape[part - shift] != 1) {
      from.source[axis] = static_cast<std::int64_t>(part - shift);
      from.step[axis] = step;
      from.start[part - shift] = -step * first;
      if (count != whole[axis]) from.bounds[part - shift] = count;
    }
    if (count == whole[axis]) continue;
    const NodeRef at = positions_along(axis, whole, place);
    const auto limit = [&](std::int64_t position) {
      return graph::make_constant(DType::int64, {position, static_cast<double>(position)}, place);
    };
    if (begin > 0) need(binary(Op::greater_equal, at, limit(begin)));
    if (begin + count < whole[axis]) need(binary(Op::less, at, limit(begin + count)));
  }
  if (std::all_of(from.bounds.begin(), from.bounds.end(), [](auto n) { return n == 0; })) {
    from.bounds = Shape();
  }
  const NodeRef read = graph::make_view(value, whole, from, place);
  if (!inside) return graph::make_copy(read, whole, place);
  const NodeRef inputs[] = {inside, read, target};
  return graph::make_node(Op::where, target->dtype, whole, place, inputs);
}

/// Whether an array is one number everywhere, as `zeros` gives it, and has not been computed. (By the mutex: another
/// thread that computes it lets go of its inputs.)
bool is_filled(runtime::Context& context, const Node& node) {
  if (node.is_ready()) return false;
  const std::lock_guard lock(context.evaluation_mutex());
  return !node.is_ready() && node.op == Op::view && node.inputs[0]->op == Op::constant;
}

/// Whether the target's memory may be written, which nobody else is to see: a part of it that the value is does not
/// count as a holder, as what is written does not overlap it, nor does a value that is `known` to be all that reads it.
/// Not where the store could still fail after it ran, as the target would not be as before.
bool may_write(const runtime::Context& context, const NodeRef& target, const NodeRef& value, bool known) {
  const bool own_part = value && value->is_ready() && value->storage == target->storage;
  const bool sole = known || (target.use_count() == 1 && target->storage.use_count() == (own_part ? 2 : 1));
  return sole && !target->storage->borrowed() && is_injective(target->layout) && !context.synchronous();
}

/// Whether a value that somebody holds may become the part of the target that it is stored to, as it is computed there.
/// The target is small then: an assignment to it while somebody holds the value copies it.
bool may_be_part(const NodeRef& target, const graph::Layout& part, const Node& value) {
  constexpr std::int64_t most = 4096;
  return value.dtype == target->dtype && value.shape == part.shape && target->shape.elements() <= most;
}

/// Computes a pending value where it is to be stored, if all that reads the target's memory is the value itself, each
/// element where it will lie. Whether it was done.
bool computed_in_place(runtime::Queue& queue, const NodeRef& target, const graph::Layout& part, Node& value) {
  if (!may_be_part(target, part, value)) return false;
  long holders = 1;
  for (const NodeRef& input : value.inputs) {
    if (!input->is_ready() || input->storage != target->storage) continue;
    if (input.use_count() != 1 || input->layout != part) return false;
    ++holders;
  }
  return target.use_count() == 1 && target->storage.use_count() == holders && !target->storage->borrowed() &&
         is_injective(target->layout) && !queue.context().synchronous() &&
         made_in_place(queue, value, target->storage, part);
}

/// Where the elements of a value that is there lie, in an array's type; without a buffer it is a number.
struct Stored {
  const runtime::Buffer* buffer;
  graph::Layout layout;
  std::array<std::byte, 16> number;

  bool is_number() const { return buffer == nullptr; }
  const std::byte* memory() const { return is_number() ? number.data() : buffer->host(); }
};

/// A number, or an array in memory, as a value of `type`; none of what has to be computed.
std::optional<Stored> stored_as(DType type, const Node& value) {
  if (value.dtype != type) return std::nullopt;
  if (value.is_ready()) return Stored{value.storage.get(), value.layout, {}};
  Stored number{nullptr, {}, {}};
  if (value.op != Op::constant || codegen::write_constant(value, number.number) != size_of(type)) return std::nullopt;
  return number;  // float16 is float32 in registers
}

/// Has the calling thread do `store()`, which writes so many elements of the target, where that is a small step of the
/// host's: planning it would take most of the time. Under the evaluation mutex. Whether it did.
template <class Store>
bool store_on_host(runtime::Queue& queue, const NodeRef& target, const Stored& value,
                   std::span<const runtime::Use> read, std::int64_t elements, Store store) {
  if (static_cast<std::uint64_t>(elements) > queue.traits().tuning.host_step_work) return false;
  std::array<runtime::Use, 3> uses{{{target->storage.get(), true}}};
  std::copy(read.begin(), read.end(), uses.begin() + 1);
  const bool recorded = runtime::recording();
  const std::int64_t start = recorded ? runtime::now() : 0;
  bool stored = false;
  if (!queue.on_host(std::span(uses).first(1 + read.size()), [&] { stored = store(); }) || !stored) return false;
  const bool told = recorded || base::log_enabled(base::LogTopic::launch);
  const std::string name = told ? codegen::name_of_store(target->dtype, value.is_number()) : std::string();
  log_on_host(queue, name, false, elements);
  if (!recorded) return true;
  const auto bytes = [&](std::int64_t count) { return static_cast<std::uint64_t>(count) * size_of(target->dtype); };
  const std::int64_t given = value.is_number() ? 0 : std::min(elements, value.layout.shape.elements());
  runtime::record_on_host(queue.handle(), {runtime::Command::Kind::kernel, name, bytes(given), bytes(elements)}, start);
  return true;
}

/// Stores a number, or elements that are there already, so. `node` is the value's, null of a number.
bool stored_on_host(runtime::Queue& queue, const NodeRef& target, const graph::Layout& part, const Stored& value,
                    const NodeRef& node) {
  if (!may_write(queue.context(), target, node, false)) return false;
  constexpr std::size_t most_copied = 4096;  // bytes
  const std::size_t size = size_of(target->dtype);
  const bool onto_itself = node && node->storage == target->storage && overlap(part, node->layout);
  // Who holds such a value would see it change.
  if (onto_itself && node.use_count() > 1) return false;
  if (onto_itself && static_cast<std::size_t>(node->shape.elements()) * size > most_copied) return false;
  const runtime::Use read{value.buffer, false};
  const auto store_from = [&](const graph::Layout& layout, const std::byte* memory) {
    host::copy(graph::broadcast(layout, part.shape), memory, part, target->storage->host(), size);
  };
  const auto store = [&] {
    if (onto_itself) {
      alignas(64) std::array<std::byte, most_copied> copied;
      const graph::Layout together = graph::row_major(value.layout.shape);
      host::copy(value.layout, value.memory(), together, copied.data(), size);
      store_from(together, copied.data());
    } else {
      store_from(value.layout, value.memory());
    }
    return true;
  };
  return store_on_host(queue, target, value, {&read, value.is_number() ? 0U : 1U}, part.shape.elements(), store);
}
bool stored_on_host(runtime::Queue& queue, const NodeRef& target, const graph::Layout& part, const NodeRef& value) {
  const auto stored = stored_as(target->dtype, *value);
  const NodeRef none;  // so that no copy counts as a holder
  return stored && stored_on_host(queue, target, part, *stored, stored->is_number() ? none : value);
}

}  // namespace

bool assign_number(const NodeRef& target, const graph::Layout& part, const graph::ConstantValue& value,
                   const graph::Place& place) {
  if (part.shape.elements() == 0) return false;
  runtime::Context& context = *target->place.context;
  const runtime::Context::InUse in_use(context, "subscript");
  Stored number{nullptr, {}, {}};
  if (codegen::write_constant(target->dtype, value, number.number) != size_of(target->dtype)) return false;
  const std::lock_guard lock(context.evaluation_mutex());
  return stored_on_host(place.queue != nullptr ? *place.queue : context.queue(), target, part, number, nullptr);
}

void assign(NodeRef& target, const graph::ViewMap& map, const Shape& shape, NodeRef value, graph::Place place) {
  runtime::Context& context = *target->place.context;
  const runtime::Context::InUse in_use(context, "subscript");
  const bool most = 2 * shape.elements() >= target->shape.elements() && map.diagonals.empty();
  const auto made_whole = [&] {
    const NodeRef whole = with_part(target, map, shape, value, place);
    if (!whole) return false;
    value.reset();  // so that a plan sees who else holds it
    evaluate(whole);
    target = whole;
    return true;
  };
  // On a card one kernel writes most of an array of one number and what lies around it, rather than one the number
  // everywhere and another the part. (A CPU's loops go faster along the part alone.)
  const bool card = !context.traits().cpu_loops(), filled = shape.elements() > 0 && is_filled(context, *target);
  if (card && most && filled && value->op != Op::constant && made_whole()) return;
  // Memory of its own at once: one number that stands for all elements would be copied before the first store.
  if (filled) target = graph::make_copy(target, target->shape, place);
  evaluate(target);
  if (shape.elements() == 0) return;
  const graph::Layout part = *apply(map, shape, target->layout);
  const auto reading = [&] { return reading_of(value, target, part); };
  // Most of an array that is made of other elements of it is computed anew by one kernel, with what lies outside the
  // part, rather than the value first and then the store.
  if (!value->is_ready() && most) {
    std::unique_lock lock(context.evaluation_mutex());
    const bool anew = reading().elsewhere;
    lock.unlock();
    if (anew && made_whole()) return;
  }
  std::uint64_t numbers[4] = {};  // of the evaluations, however often they begin anew
  NodeRef copied;
  NodeRef store;  // holds the value while it is planned and run, so that a plan sees who else does
  evaluated(context, [&](Programs& programs) {
    if (const NodeRef begun = std::exchange(store, nullptr); begun && !value) value = begun->inputs[0];
    runtime::Queue& queue = place.queue != nullptr ? *place.queue : context.queue();
    if (!value->is_ready() && computed_in_place(queue, target, part, *value)) return;
    if (!value->is_ready()) made_without_plan(context, *value);
    if (stored_on_host(queue, target, part, value)) return;
    for (std::uint64_t& number : numbers) number = number == 0 ? next_evaluation() : number;
    // What is read where it will be stored, by a value that nobody else wants, may be overwritten as it is read.
    // Another pending value is computed first, which lets go of the target's memory; a part of the target itself is
    // copied only if the two parts overlap.
    const Reading reads = reading();
    const bool becomes_part = reads.held && may_be_part(target, part, *value) && graph::is_elementwise(value->op);
    const bool in_place =
        !value->is_ready() && reads.any && reads.alone && !reads.elsewhere && (!reads.held || becomes_part);
    if (reads.any && !in_place) {
      if (!value->is_ready()) run_root(context, programs, numbers[0], value);
      // So may be a value that was pending with the target.
      if (value->storage == target->storage && overlap(part, value->layout)) {
        value = graph::make_copy(value, value->shape, place);
        run_root(context, programs, numbers[1], value);
      }
      if (stored_on_host(queue, target, part, value)) return;
    }
    const bool writes_it = may_write(context, target, value, in_place);
    NodeRef result = target;
    if (!writes_it) {
      if (!copied) copied = graph::make_copy(target, target->shape, place);
      if (!copied->is_ready() && !made_without_plan(context, *copied)) run_root(context, programs, numbers[2], copied);
      if (stored_on_host(queue, copied, *apply(map, shape, copied->layout), value)) {
        target = std::move(copied);
        return;
      }
      result = copied;
    }
    const bool is_store = in_place && becomes_part && writes_it;
    store = is_store ? value : graph::make_node(Op::cast, result->dtype, shape, place, {&value, 1});
    if (!is_store) value.reset();
    const graph::Destination destination{result->storage, *apply(map, shape, result->layout)};
    run_root(context, programs, numbers[3], store, {&destination, 1});
    target = std::move(result);
  });
}

namespace {

/// How far from the first element of an axis of `size` elements, `stride` apart, the positions in a row lie. Whether
/// all are within the axis.
bool read_positions(const Node& positions, std::int64_t size, std::int64_t stride, std::span<std::int64_t> offsets) {
  bool within = true;
  base::with_type(positions.dtype, [&]<class T>(base::Tag<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T* at = elements_of<T>(positions);
      for (std::int64_t& offset : offsets) {
        within = within && std::cmp_less(*at, size) && std::cmp_greater_equal(*at, -size);
        const auto number = static_cast<std::int64_t>(*at);  // NOLINT: int8 is a number
        offset = (number < 0 ? number + size : number) * stride;
        at += positions.layout.strides[0];
      }
    }
  });
  return within;
}

}  // namespace

bool assign_at(const NodeRef& target, std::size_t axis, const NodeRef& positions, const NodeRef& value,
               const graph::Place& place) {
  runtime::Context& context = *target->place.context;
  runtime::Queue& queue = place.queue != nullptr ? *place.queue : context.queue();
  const std::int64_t count = positions->shape.elements(), size = target->shape[axis];
  if (!target->is_ready()) return false;
  graph::Layout part = target->layout;  // of one position
  part.shape.erase(axis);
  part.strides.erase(axis);
  const std::int64_t each = part.shape.elements(), work = count * each;
  const bool there = positions->is_ready() && positions->shape.size() == 1;
  if (!there || work == 0 || !host_does_small(context, static_cast<std::uint64_t>(work))) return false;
  const runtime::Context::InUse in_use(context, "subscript");
  if (value->op != Op::constant) evaluate(value);
  const auto stored = stored_as(target->dtype, *value);
  if (!stored || stored->buffer == target->storage.get() || positions->storage == target->storage) return false;
  Shape shape = part.shape;
  shape.insert(axis, count);
  const graph::Layout all = graph::broadcast(stored->layout, shape);
  graph::Layout from = all;
  from.shape.erase(axis);
  from.strides.erase(axis);
  const std::lock_guard lock(context.evaluation_mutex());
  if (!may_write(context, target, nullptr, false)) return false;
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
  const auto store = [&] {
    const bool within = read_positions(*positions, size, target->layout.strides[axis], offsets);
    for (std::int64_t k = 0; within && k < count; ++k) {
      from.offset = all.offset + k * all.strides[axis];
      part.offset = target->layout.offset + offsets[static_cast<std::size_t>(k)];
      host::copy(from, stored->memory(), part, target->storage->host(), size_of(target->dtype));
    }
    return within;
  };
  const runtime::Use read[] = {{positions->storage.get(), false}, {stored->buffer, false}};
  return store_on_host(queue, target, *stored, std::span(read, stored->is_number() ? 1 : 2), work, store);
}

bool add_at(const NodeRef& target, const NodeRef& positions, const NodeRef& value, const graph::Place& place) {
  constexpr std::size_t most = 32;  // that are compared with each other
  runtime::Context& context = *target->place.context;
  runtime::Queue& queue = place.queue != nullptr ? *place.queue : context.queue();
  const DType type = target->dtype;
  // Exact sums of float64 leave out bits that decide how a sum of two is rounded.
  if (!target->is_ready() || !(is_integer(type) || type == float32) || target->shape.size() != 1) return false;
  if (!positions->is_ready() || positions->shape.size() != 1) return false;
  const std::int64_t count = positions->shape.elements();
  if (count == 0 || count > static_cast<std::int64_t>(most)) return false;
  if (!graph::broadcasts_to(value->shape, positions->shape)) return false;
  if (!untold()) return false;
  if (!host_does_small(context, static_cast<std::uint64_t>(count))) return false;
  const runtime::Context::InUse in_use(context, "at");
  if (value->op != Op::constant) evaluate(value);
  const auto stored = stored_as(type, *value);
  if (!stored || stored->buffer == target->storage.get() || positions->storage == target->storage) return false;
  const graph::Layout each = graph::broadcast(stored->layout, positions->shape);
  const std::lock_guard lock(context.evaluation_mutex());
  if (!may_write(context, target, nullptr, false)) return false;
  const auto add = [&] {
    std::array<std::int64_t, most> room;
    const std::span offsets = std::span(room).first(static_cast<std::size_t>(count));
    if (!read_positions(*positions, target->shape[0], target->layout.strides[0], offsets)) return false;
    for (std::size_t k = 1; k < offsets.size(); ++k) {
      if (std::find(offsets.begin(), offsets.begin() + k, offsets[k]) != offsets.begin() + k) return false;
    }
    base::with_type(type, [&]<class T>(base::Tag<T>) {
      if constexpr (std::is_same_v<T, float> || (std::is_integral_v<T> && !std::is_same_v<T, bool>)) {
        using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;  // integers wrap
        T* const to = reinterpret_cast<T*>(target->storage->host()) + target->layout.offset;
        const T* const from = reinterpret_cast<const T*>(stored->memory()) + each.offset;
        for (std::size_t k = 0; k < offsets.size(); ++k) {
          const auto term = from[static_cast<std::int64_t>(k) * each.strides[0]];
          to[offsets[k]] = static_cast<T>(static_cast<Sum>(to[offsets[k]]) + static_cast<Sum>(term));
        }
      }
    });
    return true;
  };
  const runtime::Use read[] = {{positions->storage.get(), false}, {stored->buffer, false}};
  return store_on_host(queue, target, *stored, std::span(read, stored->is_number() ? 1 : 2), count, add);
}

void write_parts(const NodeRef& target, std::span<const Part> parts) {
  runtime::Context& context = *target->place.context;
  const runtime::Context::InUse in_use(context, "eval");
  std::vector<NodeRef> stores;
  std::vector<Node*> roots;
  std::vector<graph::Destination> destinations;
  for (const Part& part : parts) {
    if (part.shape.elements() == 0) continue;
    stores.push_back(graph::make_node(Op::cast, target->dtype, part.shape, target->place, {&part.value, 1}));
    roots.push_back(stores.back().get());
    destinations.push_back({target->storage, *apply(part.map, part.shape, target->layout)});
  }
  evaluated(context, [&, number = next_evaluation()](Programs& programs) {
    run_all(context, programs, number, roots, destinations);
  });
}

}  // namespace koine::exec
