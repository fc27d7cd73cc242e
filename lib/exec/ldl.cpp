// SPDX-License-Identifier: Apache-2.0
// Factorisations of symmetric and Hermitian matrices: kernels/ldl.cl, or LAPACK on CPUs.
#include "exec/factor_host.hpp"
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"

#include <cstdint>
#include <vector>

namespace koine::exec {

// The input is in row-major order, and has elements. All three results are computed, whichever of them are wanted.
Work prepare_ldl(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool host = factors_on_host(queue, node);
  const runtime::KernelRef kernel = host ? nullptr : factor_kernel(programs, queue, "ldl", node.dtype);
  if (host) programs.host_command("ldl_host", factors_at_once(queue.traits(), node));
  return [&queue, &node, host, kernel] {
    const graph::Node& x = *node.inputs[0];
    const Stack stack(x);
    const auto allocate = [&](std::int64_t elements, std::size_t size) {
      return queue.allocate(static_cast<std::uint64_t>(stack.matrices * elements) * size, function_of(node));
    };
    const std::size_t size = size_of(node.dtype);
    const std::vector<runtime::BufferRef> out{allocate(stack.elements(), size), allocate(stack.elements(), size),
                                              allocate(stack.n, sizeof(std::int64_t))};
    if (host) {
      run_ldl_on_host(queue, node, *out[0], *out[1], *out[2]);
    } else {
      runtime::Launch launch(queue, kernel);
      launch.in(*x.storage).out(*out[0]).out(*out[1]).out(*out[2]);
      launch.value(parameters::kn_ldl{.offset = static_cast<std::uint64_t>(x.layout.offset),
                                      .matrices = static_cast<std::uint64_t>(stack.matrices),
                                      .n = static_cast<std::uint64_t>(stack.n),
                                      .hermitian = node.get<graph::Op::ldl>().hermitian ? 1u : 0u});
      run_factor(launch, queue, *kernel, stack.matrices, stack.elements());
    }
    graph::fulfil_results(node, wanted_results(node), out);
  };
}

}  // namespace koine::exec
