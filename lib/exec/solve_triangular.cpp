// SPDX-License-Identifier: Apache-2.0
// Equations with triangular matrices: kernels/solve_triangular.cl, groups of small ones or blocks on cards, or the BLAS
// on CPUs.
#include "exec/factor_blocks.hpp"
#include "exec/factor_host.hpp"
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/small_factors.hpp"

namespace koine::exec {

// The inputs are in row-major order, and the result has elements.
Work prepare_solve_triangular(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool host = factors_on_host(queue, node);
  auto on_card = host ? nullptr : prepare_small_triangular(programs, queue, node);
  if (!host && !on_card && factors_in_blocks(place_on(queue, node), node.dtype)) {
    on_card = prepare_triangular_blocks(programs, queue, node);
  }
  const runtime::KernelRef kernel =
      host || on_card ? nullptr : factor_kernel(programs, queue, "solve_triangular", node.dtype);
  if (host) programs.host_command("solve_triangular_host", factors_at_once(queue.traits(), node));
  return [&queue, &node, host, on_card, kernel] {
    const graph::Node &a = *node.inputs[0], &b = *node.inputs[1];
    runtime::BufferRef out =
        queue.allocate(static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype), function_of(node));
    if (host) {
      run_triangular_on_host(queue, node, *out);
    } else if (on_card) {
      on_card(*out);
    } else {
      constexpr std::int64_t wide = 16;  // KN_WIDE
      const graph::TriangularInfo& info = node.get<graph::Op::solve_triangular>();
      const Stack stack(node), triangles(a);
      parameters::kn_solve_triangular d{};
      d.a_offset = static_cast<std::uint64_t>(a.layout.offset);
      d.b_offset = static_cast<std::uint64_t>(b.layout.offset);
      d.a_step = static_cast<std::uint64_t>(triangles.matrices == 1 ? 0 : triangles.elements());
      d.matrices = static_cast<std::uint64_t>(stack.matrices);
      d.n = static_cast<std::uint64_t>(stack.m);
      d.columns = static_cast<std::uint64_t>(stack.n);
      d.upper = info.upper;
      d.unit = info.unit;
      runtime::Launch launch(queue, kernel);
      launch.in(*a.storage).in(*b.storage).out(*out).fault(singular_fault(queue, node)).value(d);
      run_factor(launch, queue, *kernel, stack.matrices * ((stack.n + wide - 1) / wide), stack.m * wide);
    }
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
