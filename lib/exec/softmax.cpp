// SPDX-License-Identifier: Apache-2.0
// Launching kernels/softmax_rows.cl.
#include "codegen/softmax.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"

namespace koine::exec {

Work prepare_softmax(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto count = static_cast<std::uint64_t>(node.shape.elements());
  const codegen::SoftmaxPass pass{&step.body, node.dtype, node.get<graph::Op::softmax>().logarithm};
  codegen::SoftmaxWalk walk;
  runtime::KernelRef kernel;
  if (count > 0) {
    walk = make_softmax_walk(pass, queue.traits());
    std::string key = "f";
    append_key(key, walk, pass);
    kernel = programs.kernel(key, [&] { return program_text(print_softmax(pass, walk, queue.traits())); });
  }
  return [&queue, &node, &step, count, walk, kernel] {
    runtime::BufferRef output = queue.allocate(count * size_of(node.dtype), function_of(node));
    if (count > 0) {
      runtime::Launch launch(queue, kernel);
      add_loads(launch, step.body);
      launch.out(*output);
      add_constants(launch, step.body);
      add_words(launch, bounds(walk));
      const std::size_t local = walk.cpu ? 1 : codegen::softmax_group;
      const auto rows_per_group = walk.cpu ? walk.rows_per_item : local / static_cast<std::uint64_t>(walk.lanes);
      launch.run({(walk.rows + rows_per_group - 1) / rows_per_group * local}, {local});
    }
    graph::fulfil(node, std::move(output), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
