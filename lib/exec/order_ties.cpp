// SPDX-License-Identifier: Apache-2.0
// Launching kernels/order_ties.cl.
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"

namespace koine::exec {
namespace {

struct OrderTiesSpec {
  bool cpu;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_CPU", cpu);
  }
};

}  // namespace

// The inputs, in row-major order, are upper halves in order, the positions that they came from, and all keys, of which
// few agree in their upper halves.
Work prepare_order_ties(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const OrderTiesSpec spec{queue.traits().cpu_loops()};
  return [&queue, &node, kernel = programs.kernel_of_file("order_ties", spec, "order_ties")] {
    const auto offset = [&](std::size_t k) { return static_cast<std::uint64_t>(node.inputs[k]->layout.offset); };
    const auto count = static_cast<std::uint64_t>(node.shape.elements());
    auto out = queue.allocate(count * sizeof(std::int64_t), function_of(node));
    runtime::Launch launch(queue, kernel);
    for (const graph::NodeRef& input : node.inputs) launch.in(*input->storage);
    launch.out(*out).value(parameters::kn_order_ties{count, offset(0), offset(1), offset(2)});
    run_over(launch, queue, *kernel, count, queue.traits().tuning.elements_per_item);
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
