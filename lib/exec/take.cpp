// SPDX-License-Identifier: Apache-2.0
// Launching kernels/take.cl.
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
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

struct TakeSpec {
  DType type;
  bool cpu, single, narrow;  // rows of one element; numbers that 32 bits hold

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_MOVED", std::string_view(moved_as(type)));
    v.define("KN_CPU", cpu);
    v.define("KN_SINGLE", cpu && single);
    v.define("KN_INDEX", std::string_view(cpu ? "" : narrow ? "uint" : "ulong"));
  }
};

void launch(runtime::Queue& queue, const graph::Node& node, std::uint64_t elements, const runtime::KernelRef& kernel,
            const runtime::BufferRef& out) {
  const graph::Node &x = *node.inputs[0], &positions = *node.inputs[1];
  const std::size_t axis = node.get<graph::Op::take>().axis;
  const auto count = static_cast<std::uint64_t>(positions.shape.elements());
  const std::uint64_t rows = product(x.shape, 0, axis) * count;
  const parameters::kn_take d{
      static_cast<std::uint64_t>(x.layout.offset), static_cast<std::uint64_t>(positions.layout.offset), rows, count,
      static_cast<std::uint64_t>(x.shape[axis]),   product(x.shape, axis + 1, x.shape.size())};
  runtime::Launch launch(queue, kernel);
  launch.in(*x.storage).in(*positions.storage).out(*out).fault(queue.fault(take_cause(node))).value(d);
  run_over(launch, queue, *kernel, elements, queue.traits().tuning.take_elements_per_item, rows);
}

}  // namespace

runtime::FaultCause position_cause(std::string_view function, std::size_t axis, std::int64_t size) {
  const auto sentence = [](const runtime::FaultCause& of, std::int64_t position) {
    return "[" + std::string(of.function) + "] index " + std::to_string(position) + " is out of range for axis " +
           std::to_string(of.axis) + " of size " + std::to_string(of.size) +
           (of.size == 0 ? "" : "; it can be " + std::to_string(-of.size) + " to " + std::to_string(of.size - 1));
  };
  return {sentence, function, axis, size};
}

runtime::FaultCause take_cause(const graph::Node& take) {
  const auto& info = take.get<graph::Op::take>();
  return position_cause(info.name, info.named_axis, codegen::take_size(take));
}

Work prepare_take(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto elements = static_cast<std::uint64_t>(node.shape.elements());
  runtime::KernelRef kernel;
  if (elements > 0) {
    const bool narrow = elements < (std::uint64_t{1} << 31);
    const std::size_t axis = node.get<graph::Op::take>().axis;
    const Shape& shape = node.inputs[0]->shape;
    const bool single = product(shape, axis + 1, shape.size()) == 1;
    const TakeSpec spec{node.dtype, queue.traits().cpu_loops(), single, narrow};
    kernel = programs.kernel_of_file("take", spec, "take");
  }
  return [&queue, &node, elements, kernel] {
    auto out = queue.allocate(elements * size_of(node.dtype), node.get<graph::Op::take>().name);
    if (elements > 0) launch(queue, node, elements, kernel, out);
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
