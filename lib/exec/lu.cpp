// SPDX-License-Identifier: Apache-2.0
// LU factorisations: kernels/lu.cl, groups of small ones or blocks on cards, or LAPACK on CPUs.
#include "exec/factor_blocks.hpp"
#include "exec/factor_host.hpp"
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/small_factors.hpp"

#include <vector>

namespace koine::exec {

// The input is in row-major order, and has elements. All three results are computed, whichever of them are wanted.
Work prepare_lu(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool host = factors_on_host(queue, node);
  auto on_card = host ? nullptr : prepare_small_lu(programs, queue, node);
  if (!host && !on_card && panels_in_blocks(place_on(queue, node), node.dtype, Stack(*node.inputs[0]).m)) {
    on_card = prepare_lu_blocks(programs, queue, node);
  }
  const runtime::KernelRef kernel = host || on_card ? nullptr : factor_kernel(programs, queue, "lu", node.dtype);
  if (host) programs.host_command("lu_host", factors_at_once(queue.traits(), node));
  return [&queue, &node, host, on_card, kernel] {
    const graph::Node& x = *node.inputs[0];
    const Stack stack(x);
    const auto allocate = [&](std::int64_t elements, std::size_t size) {
      return queue.allocate(static_cast<std::uint64_t>(elements) * size, function_of(node));
    };
    std::vector<runtime::BufferRef> out{allocate(stack.matrices * stack.elements(), size_of(node.dtype)),
                                        allocate(stack.matrices * stack.m, sizeof(std::int64_t)),
                                        allocate(stack.matrices, sizeof(std::int64_t))};
    if (host) {
      run_lu_on_host(queue, node, *out[0], *out[1], *out[2]);
    } else if (on_card) {
      on_card(*out[0], *out[1], *out[2]);
    } else {
      runtime::Launch launch(queue, kernel);
      launch.in(*x.storage).out(*out[0]).out(*out[1]).out(*out[2]);
      launch.value(parameters::kn_lu{static_cast<std::uint64_t>(x.layout.offset),
                                     static_cast<std::uint64_t>(stack.matrices), static_cast<std::uint64_t>(stack.m),
                                     static_cast<std::uint64_t>(stack.n)});
      run_factor(launch, queue, *kernel, stack.matrices, stack.elements());
    }
    graph::fulfil_results(node, wanted_results(node), out);
  };
}

}  // namespace koine::exec
