// SPDX-License-Identifier: Apache-2.0
// Launching kernels/search.cl.
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"
#include "exec/sort.hpp"
#include "runtime/kernel_sources.hpp"

namespace koine::exec {
namespace {

// A CPU work-item searches for at least so many, so that starting it costs little beside them.
constexpr std::uint64_t fewest_searches = 1024;

}  // namespace

// The inputs are of one real type or bool_, in row-major order.
void run_search(runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const graph::Node &list = *node.inputs[0], &wanted = *node.inputs[1];
  const auto searches = static_cast<std::uint64_t>(node.shape.elements());
  auto out = queue.allocate(searches * sizeof(std::int64_t), function_of(node));
  if (searches > 0) {
    const bool cpu = queue.traits().long_loops();
    const std::string options = key_options(list.dtype) + (cpu ? " -D KN_CPU" : "");
    const runtime::KernelRef kernel = ready_kernel(queue, "search " + options, [&] {
      return runtime::ProgramText{std::string(runtime::kernel_source("search")), options};
    });
    runtime::Launch launch(queue, kernel);
    launch.in(*list.storage).in(*wanted.storage).out(*out);
    launch.value(static_cast<std::uint64_t>(list.layout.offset))
        .value(static_cast<std::uint64_t>(wanted.layout.offset));
    launch.value(static_cast<std::uint64_t>(list.shape.elements())).value(searches);
    launch.value(std::uint32_t{node.get<graph::Op::search>().after});
    run_over(launch, queue, *kernel, searches, fewest_searches);
  }
  graph::fulfil(node, std::move(out), graph::row_major(node.shape));
}

}  // namespace koine::exec
