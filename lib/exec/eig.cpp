// SPDX-License-Identifier: Apache-2.0
// Eigenvalues of general matrices: by LAPACK where the host works in a CPU device's memory, else by kernels/eig.cl.
#include "exec/eig_host.hpp"
#include "exec/factors.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/spectra.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

void run_kernel(runtime::Queue& queue, const runtime::KernelRef& kernel, DType type, const SpectraProblem& p,
                const SpectraMemory& memory) {
  // Groups that work at once, each in a room of its own.
  const std::uint64_t groups = std::min(p.batch, groups_at_once(queue.traits())), n = p.rows;
  const std::uint64_t elements = 3 * n + (p.vectors ? 3 : 1) * n * n;
  const runtime::BufferRef room = queue.allocate(groups * elements * size_of(type), p.function);
  runtime::Launch launch(queue, kernel);
  launch.in(memory.from).out(*memory.values).out(memory.right ? *memory.right : *memory.values).out(*room);
  launch.fault(spectra_fault(queue, p));
  launch.value(parameters::kn_eig{.offset = memory.offset,
                                  .matrices = p.batch,
                                  .n = n,
                                  .room = elements,
                                  .parts = is_complex(p.type) ? 2u : 1u,
                                  .vectors = p.vectors,
                                  .steps = std::min<std::uint64_t>(steps_for_row, most_steps)});
  run_factor(launch, queue, *kernel, static_cast<std::int64_t>(groups), static_cast<std::int64_t>(n * n));
}

}  // namespace

// The input is in row-major order, and has elements.
Work prepare_eig(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  std::vector<graph::NodeRef> results = wanted_results(node);
  SpectraProblem problem = spectra_problem(node);
  problem.vectors = results.size() > 1 && results[1] != nullptr;
  const DType type = node.dtype;
  // LAPACK's order of operations is its own.
  const bool host = !node.place.reproducible && eig_on_host(queue, problem);
  const runtime::KernelRef kernel = host ? nullptr : factor_kernel(programs, queue, "eig", type);
  if (host) programs.host_command("eig_host");
  return [&queue, &node, problem, type, host, kernel, results = std::move(results)] {
    const graph::Node& x = *node.inputs[0];
    const auto allocate = [&](std::uint64_t elements) {
      return queue.allocate(elements * size_of(type), problem.function);
    };
    std::vector<runtime::BufferRef> out{allocate(problem.batch * problem.rows)};
    if (problem.vectors) out.push_back(allocate(problem.batch * problem.rows * problem.rows));
    const SpectraMemory memory{*x.storage, static_cast<std::uint64_t>(x.layout.offset), out[0], nullptr,
                               problem.vectors ? out[1] : nullptr};
    host ? run_eig_on_host(queue, problem, memory, spectra_fault(queue, problem))
         : run_kernel(queue, kernel, type, problem, memory);
    if (!problem.vectors) out.emplace_back();
    graph::fulfil_results(node, results, out);
  };
}

}  // namespace koine::exec
