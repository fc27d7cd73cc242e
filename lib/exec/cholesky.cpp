// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisations: kernels/cholesky.cl, groups of small ones or blocks on cards, or LAPACK on CPUs.
#include "exec/factor_blocks.hpp"
#include "exec/factor_host.hpp"
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/small_factors.hpp"

namespace koine::exec {

// The input is in row-major order, and the result has elements.
Work prepare_cholesky(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool host = factors_on_host(queue, node);
  auto on_card = host ? nullptr : prepare_small_cholesky(programs, queue, node);
  if (!host && !on_card && factors_in_blocks(place_on(queue, node), node.dtype)) {
    on_card = prepare_cholesky_blocks(programs, queue, node);
  }
  const runtime::KernelRef kernel = host || on_card ? nullptr : factor_kernel(programs, queue, "cholesky", node.dtype);
  if (host) programs.host_command("cholesky_host", factors_at_once(queue.traits(), node));
  return [&queue, &node, host, on_card, kernel] {
    const graph::Node& x = *node.inputs[0];
    const Stack stack(node);
    runtime::BufferRef out =
        queue.allocate(static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype), function_of(node));
    if (host) {
      run_cholesky_on_host(queue, node, *out);
    } else if (on_card) {
      on_card(*out);
    } else {
      runtime::Launch launch(queue, kernel);
      launch.in(*x.storage).out(*out).fault(indefinite_fault(queue, node));
      launch.value(parameters::kn_cholesky{static_cast<std::uint64_t>(x.layout.offset),
                                           static_cast<std::uint64_t>(stack.matrices),
                                           static_cast<std::uint64_t>(stack.n)});
      run_factor(launch, queue, *kernel, stack.matrices, stack.elements());
    }
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
