// SPDX-License-Identifier: Apache-2.0
// QR factorisations as blocks of Householder reflections: kernels/householder.cl.
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"

#include <vector>

namespace koine::exec {

// The input is in row-major order, and has elements. All three results are computed, whichever of them are wanted.
Work prepare_householder(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const runtime::KernelRef kernel = factor_kernel(programs, queue, "householder", node.dtype);
  return [&queue, &node, kernel] {
    const graph::Node& x = *node.inputs[0];
    const Stack stack(x);
    const auto allocate = [&](std::int64_t elements) {
      return queue.allocate(static_cast<std::uint64_t>(stack.matrices * elements) * size_of(node.dtype),
                            function_of(node));
    };
    std::vector<runtime::BufferRef> out{allocate(stack.elements()), allocate(stack.n * stack.n),
                                        allocate(stack.n * stack.n)};
    runtime::Launch launch(queue, kernel);
    launch.in(*x.storage).out(*out[0]).out(*out[1]).out(*out[2]);
    launch.value(parameters::kn_householder{static_cast<std::uint64_t>(x.layout.offset),
                                            static_cast<std::uint64_t>(stack.matrices),
                                            static_cast<std::uint64_t>(stack.m), static_cast<std::uint64_t>(stack.n)});
    run_factor(launch, queue, *kernel, stack.matrices, stack.elements());
    graph::fulfil_results(node, wanted_results(node), out);
  };
}

}  // namespace koine::exec
