// SPDX-License-Identifier: Apache-2.0
// Schur's form of square matrices: by LAPACK where the host works in a CPU device's memory, else by kernels/schur.cl.
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/schur_host.hpp"
#include "exec/spectra.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace koine::exec {
namespace {

void run_kernel(runtime::Queue& queue, const runtime::KernelRef& kernel, const SpectraProblem& p,
                const SpectraMemory& memory) {
  // Groups that work at once, each in a room of its own.
  const std::uint64_t groups = std::min(p.batch, groups_at_once(queue.traits())), n = p.rows;
  const runtime::BufferRef room = queue.allocate(groups * 3 * n * size_of(p.type), p.function);
  runtime::Launch launch(queue, kernel);
  launch.in(memory.from).out(*memory.values).out(*memory.right).out(*room).fault(spectra_fault(queue, p));
  launch.value(parameters::kn_schur{.offset = memory.offset,
                                    .matrices = p.batch,
                                    .n = n,
                                    .steps = std::min<std::uint64_t>(steps_for_row, most_steps)});
  run_factor(launch, queue, *kernel, static_cast<std::int64_t>(groups), static_cast<std::int64_t>(n * n));
}

}  // namespace

// The input is in row-major order, and has elements. Both results are computed, whichever of them are wanted.
Work prepare_schur(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const SpectraProblem problem = spectra_problem(node);
  // LAPACK's order of operations is its own.
  const bool host = !node.place.reproducible && schur_on_host(queue, problem);
  const runtime::KernelRef kernel = host ? nullptr : factor_kernel(programs, queue, "schur", problem.type);
  if (host) programs.host_command("schur_host");
  return [&queue, &node, problem, host, kernel] {
    const graph::Node& x = *node.inputs[0];
    const std::uint64_t bytes = problem.batch * problem.rows * problem.rows * size_of(problem.type);
    const std::vector<runtime::BufferRef> out{queue.allocate(bytes, problem.function),
                                              queue.allocate(bytes, problem.function)};
    const SpectraMemory memory{*x.storage, static_cast<std::uint64_t>(x.layout.offset), out[0], nullptr, out[1]};
    host ? run_schur_on_host(queue, problem, memory, spectra_fault(queue, problem))
         : run_kernel(queue, kernel, problem, memory);
    graph::fulfil_results(node, wanted_results(node), out);
  };
}

}  // namespace koine::exec
