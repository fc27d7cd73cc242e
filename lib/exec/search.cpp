// SPDX-License-Identifier: Apache-2.0
// Launching kernels/search.cl.
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"
#include "exec/sort.hpp"

namespace koine::exec {
namespace {

// A CPU work-item searches for at least so many, so that starting it costs little beside them.
constexpr std::uint64_t fewest_searches = 1024;

}  // namespace

// The inputs are of one real type or bool_, in row-major order.
Work prepare_search(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto searches = static_cast<std::uint64_t>(node.shape.elements());
  runtime::KernelRef kernel;
  if (searches > 0) {
    const std::string options = key_options(node.inputs[0]->dtype) + (queue.traits().long_loops() ? " -D KN_CPU" : "");
    kernel = programs.kernel_of_file("search", options, "searchsorted");
  }
  return [&queue, &node, searches, kernel] {
    const graph::Node &list = *node.inputs[0], &wanted = *node.inputs[1];
    auto out = queue.allocate(searches * sizeof(std::int64_t), function_of(node));
    if (searches > 0) {
      runtime::Launch launch(queue, kernel);
      launch.in(*list.storage).in(*wanted.storage).out(*out);
      launch.value(static_cast<std::uint64_t>(list.layout.offset))
          .value(static_cast<std::uint64_t>(wanted.layout.offset));
      launch.value(static_cast<std::uint64_t>(list.shape.elements())).value(searches);
      launch.value(std::uint32_t{node.get<graph::Op::search>().after});
      run_over(launch, queue, *kernel, searches, fewest_searches);
    }
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
