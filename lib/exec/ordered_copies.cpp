// SPDX-License-Identifier: Apache-2.0
// Which loads are worth a copy, and the kernels that make the copies.
#include "exec/ordered_copies.hpp"

#include "codegen/ordering.hpp"
#include "exec/families.hpp"

#include <algorithm>

namespace koine::exec {

bool may_be_copied(const codegen::Body& body, const DeviceTraits& traits) {
  return traits.cpu_loops() && body.domain.elements() >= codegen::fewest_ordered &&
         std::any_of(body.loads.begin(), body.loads.end(), [&](const codegen::Load& load) {
           const auto apart = [](std::int64_t stride) { return stride != 0 && stride != 1; };
           return std::any_of(load.layout.strides.begin(), load.layout.strides.end(), apart) &&
                  codegen::is_worth_ordering(load, body.domain);
         });
}

std::unique_ptr<OrderedCopies> OrderedCopies::of(Programs& programs, runtime::Queue& queue, const codegen::Body& body,
                                                 std::size_t axis, const std::vector<bool>& gathered) {
  std::unique_ptr<OrderedCopies> copies;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (!gathered[k] || !codegen::is_worth_ordering(body.loads[k], body.domain)) continue;
    if (!copies) copies.reset(new OrderedCopies(queue, body));
    copies->add(programs, copies->body_.loads[k], axis);
  }
  return copies;
}

void OrderedCopies::add(Programs& programs, codegen::Load& load, std::size_t axis) {
  // Its own axes alone, in the order of the copy's memory.
  std::vector<std::size_t> order;
  for (std::size_t each = 0; each < body_.domain.size(); ++each) {
    if (each != axis && load.layout.strides[each] != 0) order.push_back(each);
  }
  graph::Layout from;
  from.offset = load.layout.offset;
  const auto along = [&](std::int64_t size, std::int64_t stride) {
    from.shape.push_back(size);
    from.strides.push_back(stride);
  };
  for (const std::size_t each : order) along(body_.domain[each], load.layout.strides[each]);
  const bool moves = load.loop >= 0 && load.loop_stride != 0;
  if (moves) along(body_.loops[static_cast<std::size_t>(load.loop)].count, load.loop_stride);
  along(body_.domain[axis], load.layout.strides[axis]);
  graph::Place place;
  place.context = &queue_.context();
  auto copy = std::make_unique<Copy>();
  copy->original = load.source;
  copy->source = graph::make_leaf(load.dtype, from, nullptr, place);
  copy->result = graph::make_leaf(load.dtype, graph::row_major(from.shape), nullptr, place);
  copy->destination.layout = copy->result->layout;
  copy->step.family = graph::Op::elementwise;
  copy->step.node = copy->result.get();
  copy->step.body = stored_body({copy->source}, from.shape, copy->result.get());
  copy->step.body.outputs[0].destination = &copy->destination;
  copy->work = prepare_elementwise(programs, queue_, copy->step);
  load.source = copy->result.get();
  load.layout.offset = 0;
  const Shape& strides = copy->destination.layout.strides;
  for (std::size_t k = 0; k < order.size(); ++k) load.layout.strides[order[k]] = strides[k];
  if (moves) load.loop_stride = strides[order.size()];
  load.layout.strides[axis] = 1;
  copies_.push_back(std::move(copy));
}

void OrderedCopies::make() {
  for (const std::unique_ptr<Copy>& copy : copies_) {
    const auto elements = static_cast<std::uint64_t>(copy->destination.layout.shape.elements());
    copy->source->storage = copy->original->storage;
    copy->destination.storage = queue_.allocate(elements * size_of(copy->result->dtype), "copy");
    copy->work();
  }
}

void OrderedCopies::release() {
  for (const std::unique_ptr<Copy>& copy : copies_) {
    copy->source->storage = copy->result->storage = copy->destination.storage = nullptr;
  }
}

}  // namespace koine::exec
