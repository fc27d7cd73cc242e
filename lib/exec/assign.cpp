// SPDX-License-Identifier: Apache-2.0
// Writing to parts of arrays.
#include "base/log.hpp"
#include "codegen/constant.hpp"
#include "codegen/names.hpp"
#include "exec/evaluate.hpp"
#include "exec/evaluation.hpp"
#include "exec/host_run.hpp"
#include "exec/programs.hpp"
#include "exec/reading.hpp"
#include "exec/traffic.hpp"
#include "host/copy.hpp"
#include "runtime/recorder.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <string>
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
  return graph::make_view(graph::make_iota({shape[axis]}, place), shape, std::move(map), place);
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
  const NodeRef read = graph::make_view(value, whole, std::move(from), place);
  if (!inside) return graph::make_copy(read, whole, place);
  const NodeRef inputs[] = {inside, read, target};
  return graph::make_node(Op::where, target->dtype, whole, place, inputs);
}

/// Whether the target's memory may be written, which nobody else is to see: a part of the target that only the caller
/// holds, the value, does not count as a holder, nor does a value that is `known` to be all that reads it. Not where
/// the store could still fail after it ran, as the target would not be as before.
bool may_write(const runtime::Context& context, const NodeRef& target, const NodeRef& value, bool known) {
  const bool own_part = value->is_ready() && value->storage == target->storage && value.use_count() == 1;
  const bool sole = known || (target.use_count() == 1 && target->storage.use_count() == (own_part ? 2 : 1));
  return sole && !target->storage->borrowed() && is_injective(target->layout) && !context.synchronous();
}

/// Stores a constant, or elements that are there already, where that is a small step of the host's: planning it would
/// take most of the time. Under the evaluation mutex. Whether it did.
bool stored_on_host(runtime::Queue& queue, const NodeRef& target, const graph::Layout& part, const NodeRef& value) {
  const bool constant = value->op == Op::constant && !value->is_ready();
  const std::size_t size = size_of(target->dtype);
  std::array<std::byte, 16> number;
  if (value->dtype != target->dtype || !(constant || value->is_ready())) return false;
  if (static_cast<std::uint64_t>(part.shape.elements()) > queue.traits().tuning.host_step_work) return false;
  if (!may_write(queue.context(), target, value, false)) return false;
  if (constant && codegen::write_constant(*value, number) != size) return false;  // float16 is float32 in registers
  if (!constant && value->storage == target->storage && overlap(part, value->layout)) return false;
  const runtime::Use uses[] = {{target->storage.get(), true}, {constant ? nullptr : value->storage.get(), false}};
  const bool recorded = runtime::recording();
  const std::int64_t start = recorded ? runtime::now() : 0, elements = part.shape.elements();
  const bool done = queue.on_host(std::span(uses, constant ? 1 : 2), [&] {
    const graph::Layout from = graph::broadcast(constant ? graph::Layout() : value->layout, part.shape);
    host::copy(from, constant ? number.data() : value->storage->host(), part, target->storage->host(), size);
  });
  if (!done) return false;
  const bool told = recorded || base::log_enabled(base::LogTopic::launch);
  const std::string name = told ? codegen::name_of_store(target->dtype, constant) : std::string();
  log_on_host(queue, name, false, elements);
  if (!recorded) return true;
  const std::uint64_t bytes = static_cast<std::uint64_t>(elements) * size;
  runtime::record_on_host(
      queue.handle(), {runtime::Command::Kind::kernel, name, constant ? 0 : std::min(bytes, bytes_of(*value)), bytes},
      start);
  return true;
}

}  // namespace

void assign(NodeRef& target, const graph::ViewMap& map, const Shape& shape, NodeRef value, graph::Place place) {
  runtime::Context& context = *target->place.context;
  const runtime::Context::InUse in_use(context, "subscript");
  evaluate(target);
  if (shape.elements() == 0) return;
  const graph::Layout part = *apply(map, shape, target->layout);
  const auto reading = [&] { return reading_of(value, target, part); };
  // Most of an array that is made of other elements of it is computed anew by one kernel, with what lies outside the
  // part, rather than the value first and then the store.
  const bool most = 2 * shape.elements() >= target->shape.elements();
  if (!value->is_ready() && most && map.diagonals.empty()) {
    std::unique_lock lock(context.evaluation_mutex());
    const bool anew = reading().elsewhere;
    lock.unlock();
    if (const NodeRef whole = anew ? with_part(target, map, shape, value, place) : nullptr) {
      evaluate(whole);
      target = whole;
      return;
    }
  }
  std::uint64_t numbers[3] = {};  // of the evaluations, however often they begin anew
  NodeRef copied;
  evaluated(context, [&](Programs& programs) {
    runtime::Queue& queue = place.queue != nullptr ? *place.queue : context.queue();
    if (stored_on_host(queue, target, part, value)) return;
    for (std::uint64_t& number : numbers) number = number == 0 ? next_evaluation() : number;
    // What is read where it will be stored, by a value that nobody else wants, may be overwritten as it is read.
    // Another pending value is computed first, which lets go of the target's memory; a part of the target itself is
    // copied only if the two parts overlap.
    const Reading reads = reading();
    const bool in_place = !value->is_ready() && reads.any && reads.alone && !reads.elsewhere;
    if (value->is_ready() && reads.any && overlap(part, value->layout)) {
      value = graph::make_copy(value, value->shape, place);
    }
    if (!value->is_ready() && reads.any && !in_place) {
      run_root(context, programs, numbers[0], value);
      if (stored_on_host(queue, target, part, value)) return;
    }
    const bool writes_it = may_write(context, target, value, in_place);
    NodeRef result = target;
    if (!writes_it) {
      if (!copied) copied = graph::make_copy(target, target->shape, place);
      run_root(context, programs, numbers[1], copied);
      result = copied;
    }
    const NodeRef store = graph::make_node(Op::cast, result->dtype, shape, place, {&value, 1});
    const graph::Destination destination{result->storage, *apply(map, shape, result->layout)};
    run_root(context, programs, numbers[2], store, {&destination, 1});
    target = std::move(result);
  });
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
