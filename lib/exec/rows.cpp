// SPDX-License-Identifier: Apache-2.0
// Launching kernels/rows.cl.
#include "codegen/rows.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

namespace koine::exec {
namespace {

void launch(runtime::Queue& queue, const codegen::Step& step, const codegen::RowsWalk& walk,
            const runtime::KernelRef& kernel) {
  const codegen::Body& body = step.body;
  std::vector<graph::Destination> results = results_of(queue, body, kernel);
  if (kernel) {
    runtime::Launch launch(queue, kernel);
    add_loads(launch, body);
    for (const graph::Destination& result : results) launch.out(*result.storage);
    const runtime::BufferRef held = add_parameters(launch, queue, step.parameters, walk.spilled);
    const std::size_t local = walk.cpu ? 1 : codegen::rows_group;
    const auto rows_per_group = walk.cpu ? walk.rows_per_item : local / static_cast<std::uint64_t>(walk.lanes);
    launch.run({(walk.rows + rows_per_group - 1) / rows_per_group * local}, {local});
  }
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    graph::fulfil(*body.outputs[k].node, std::move(results[k].storage), std::move(results[k].layout));
  }
}

}  // namespace

Work prepare_rows(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  const codegen::Body& body = step.body;
  codegen::RowsWalk walk;
  runtime::KernelRef kernel;
  if (body.domain.elements() > 0) {
    walk = make_rows_walk(body, queue.traits());
    step.parameters = parameters_of(body, walk);
    walk.spilled = step.parameters.spills(buffers_read(body) + body.outputs.size(), queue.traits());
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
  return [&queue, &step, walk, kernel] { launch(queue, step, walk, kernel); };
}

}  // namespace koine::exec
