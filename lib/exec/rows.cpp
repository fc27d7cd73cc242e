// SPDX-License-Identifier: Apache-2.0
// Launching kernels/rows.cl.
#include "codegen/rows.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

namespace koine::exec {

Work prepare_rows(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  share_loads(step.body, queue.traits());
  const codegen::Body& body = step.body;
  runtime::KernelRef kernel;
  bool spilled = false;
  std::size_t groups = 0;
  const std::size_t local = queue.traits().cpu_loops() ? 1 : codegen::rows_group;
  if (body.domain.elements() > 0) {
    codegen::RowsWalk walk = make_rows_walk(body, queue.traits());
    step.parameters = parameters_of(body, walk);
    step.facts_before.clear();
    walk.spilled = spilled = step.parameters.spills(buffers_read(body) + body.outputs.size(), queue.traits());
    const auto rows_per_group = walk.cpu ? walk.rows_per_item : local / static_cast<std::uint64_t>(walk.lanes);
    groups = (walk.rows + rows_per_group - 1) / rows_per_group;
    std::string key = "f";
    append_key(key, walk);
    append_key(key, body);
    for (const codegen::Output& output : body.outputs) {
      key.push_back(static_cast<char>(output.node->dtype));
      key.push_back(body.of_row(output));
    }
    kernel =
        programs.kernel(key, [&] { return program_text(print_rows(body, walk, step.parameters, queue.traits())); });
  }
  return [&queue, &step, kernel, spilled, groups, local] { run_step(queue, step, kernel, spilled, groups, local); };
}

}  // namespace koine::exec
