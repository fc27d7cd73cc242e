// SPDX-License-Identifier: Apache-2.0
// Launching kernels/scatter.cl.
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"

#include <string_view>

namespace koine::exec {
namespace {

constexpr std::uint64_t fewest_elements = 1;  // of a CPU work-item

struct ClaimSpec {
  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_CLAIM", true);
  }
};

struct ScatterSpec {
  DType type;
  bool owners;  // whether positions may be equal, and were claimed

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_MOVED", std::string_view(moved_as(type)));
    v.define("KN_OWNERS", owners);
  }
};

/// The memory of an array that dies with the node that is made of it.
runtime::BufferRef donated(const graph::Node& node, std::uint64_t bytes) {
  const graph::NodeRef& x = node.inputs[0];
  const bool dies = x.use_count() == 1 && x->storage.use_count() == 1 && !x->storage->borrowed();
  return dies && x->layout.offset == 0 && x->storage->size() == bytes ? x->storage : nullptr;
}

/// `claim`: null where no two positions can be equal.
runtime::BufferRef launch(runtime::Queue& queue, const graph::Node& node, const runtime::KernelRef& claim,
                          const runtime::KernelRef& kernel) {
  const graph::Node &x = *node.inputs[0], &positions = *node.inputs[1], &values = *node.inputs[2];
  const auto elements = static_cast<std::uint64_t>(node.shape.elements());
  const auto count = static_cast<std::uint64_t>(positions.shape.elements());
  const std::uint64_t bytes = elements * size_of(node.dtype);
  // An array is not overwritten where a kernel could still fail after it ran: the work would be tried again.
  const bool in_place = !queue.context().waits_after(*kernel) && !(claim && queue.context().waits_after(*claim));
  const parameters::kn_scatter d{static_cast<std::uint64_t>(positions.layout.offset),
                                 static_cast<std::uint64_t>(values.layout.offset),
                                 values.shape.elements() == 1 ? 0u : 1u, count};
  runtime::BufferRef out = in_place ? donated(node, bytes) : nullptr;
  runtime::BufferRef owners;
  if (claim) {
    owners = queue.allocate(elements * sizeof(std::uint32_t), "subscript");
    queue.fill_zero(*owners, 0, owners->size(), "subscript");
    runtime::Launch launch(queue, claim);
    launch.in(*positions.storage).out(*owners).value(d);
    run_over(launch, queue, *claim, count, fewest_elements);
  }
  if (!out) {
    out = queue.allocate(bytes, "subscript");
    queue.copy(*out, 0, *x.storage, static_cast<std::uint64_t>(x.layout.offset) * size_of(node.dtype), bytes,
               "subscript");
  }
  runtime::Launch launch(queue, kernel);
  launch.in(*positions.storage).in(*values.storage);
  if (owners) launch.in(*owners);
  launch.out(*out).value(d);
  run_over(launch, queue, *kernel, count, fewest_elements);
  return out;
}

}  // namespace

// The inputs are an array, positions in it flattened, and as many values or one, all in row-major order. The result is
// the array's own memory where nobody else needs it.
Work prepare_scatter(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool claimed = node.inputs[2]->shape.elements() != 1 && node.get<graph::Op::scatter>().repeats;
  const runtime::KernelRef claim = claimed ? programs.kernel_of_file("scatter", ClaimSpec{}, "scatter_claim") : nullptr;
  const runtime::KernelRef kernel = programs.kernel_of_file("scatter", ScatterSpec{node.dtype, claimed}, "scatter");
  return [&queue, &node, claim, kernel] {
    graph::Layout layout = graph::row_major(node.shape);
    graph::fulfil(node, launch(queue, node, claim, kernel), std::move(layout));
  };
}

}  // namespace koine::exec
