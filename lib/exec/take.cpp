// SPDX-License-Identifier: Apache-2.0
// Launching kernels/take.cl.
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

#include <algorithm>
#include <string>

namespace koine::exec {
namespace {

std::uint64_t product(const Shape& shape, std::size_t first, std::size_t last) {
  std::uint64_t result = 1;
  for (std::size_t axis = first; axis < last; ++axis) result *= static_cast<std::uint64_t>(shape[axis]);
  return result;
}

// A position out of range is a fault of the result.
void launch(runtime::Queue& queue, const graph::Node& node, std::uint64_t elements, const runtime::KernelRef& kernel,
            const runtime::BufferRef& out) {
  const graph::Node &x = *node.inputs[0], &positions = *node.inputs[1];
  const graph::TakeInfo& info = node.get<graph::Op::take>();
  const auto count = static_cast<std::uint64_t>(positions.shape.elements());
  const std::uint64_t rows = product(x.shape, 0, info.axis) * count;
  const std::uint64_t inner = product(x.shape, info.axis + 1, x.shape.size());
  const std::int64_t size = x.shape[info.axis];
  const auto fault = std::make_shared<runtime::Fault>(queue, [info, size](std::int64_t position) {
    return "[" + std::string(info.name) + "] index " + std::to_string(position) + " is out of range for axis " +
           std::to_string(info.named_axis) + " of size " + std::to_string(size) +
           (size == 0 ? "" : "; it can be " + std::to_string(-size) + " to " + std::to_string(size - 1));
  });
  runtime::Launch launch(queue, kernel);
  launch.in(*x.storage).in(*positions.storage).out(*out).out(fault->word());
  launch.value(static_cast<std::uint64_t>(x.layout.offset)).value(static_cast<std::uint64_t>(positions.layout.offset));
  launch.value(rows).value(count).value(static_cast<std::uint64_t>(size)).value(inner);
  run_over(launch, queue, *kernel, elements, queue.traits().tuning.take_elements_per_item, rows);
  queue.add_fault(*out, fault);
}

}  // namespace

Work prepare_take(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto elements = static_cast<std::uint64_t>(node.shape.elements());
  runtime::KernelRef kernel;
  if (elements > 0) {
    const bool narrow = elements < (std::uint64_t{1} << 31);
    const std::size_t axis = node.get<graph::Op::take>().axis;
    const Shape& shape = node.inputs[0]->shape;
    const bool single = product(shape, axis + 1, shape.size()) == 1;
    const std::string options = std::string("-D KN_MOVED=") + moved_as(node.dtype) +
                                (queue.traits().long_loops() ? single ? " -D KN_CPU -D KN_SINGLE" : " -D KN_CPU"
                                 : narrow                    ? " -D KN_INDEX=uint"
                                                             : " -D KN_INDEX=ulong");
    kernel = programs.kernel_of_file("take", options, "take");
  }
  return [&queue, &node, elements, kernel] {
    auto out = queue.allocate(elements * size_of(node.dtype), node.get<graph::Op::take>().name);
    if (elements > 0) launch(queue, node, elements, kernel, out);
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
