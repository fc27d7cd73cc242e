// SPDX-License-Identifier: Apache-2.0
// Launching kernels/search.cl.
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/sort.hpp"

#include <cstdint>
#include <limits>

namespace koine::exec {
namespace {

struct SearchSpec {
  KeySpec key;
  bool cpu, wide;  // a list of 2^32 elements and more

  template <class Visit>
  void visit(Visit& v) const {
    key.visit(v);
    v.define("KN_CPU", cpu);
    v.define("KN_LONG", wide);
  }
};

}  // namespace

// The inputs are of one real type or bool_, in row-major order.
Work prepare_search(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto searches = static_cast<std::uint64_t>(node.shape.elements());
  runtime::KernelRef kernel;
  if (searches > 0) {
    const SearchSpec spec{{node.inputs[0]->dtype},
                          queue.traits().cpu_loops(),
                          node.inputs[0]->shape.elements() > std::numeric_limits<std::uint32_t>::max()};
    kernel = programs.kernel_of_file("search", spec, "searchsorted");
  }
  return [&queue, &node, searches, kernel] {
    const graph::Node &list = *node.inputs[0], &sought = *node.inputs[1];
    auto out = queue.allocate(searches * sizeof(std::int64_t), function_of(node));
    if (searches > 0) {
      const parameters::kn_search d{
          static_cast<std::uint64_t>(list.layout.offset), static_cast<std::uint64_t>(sought.layout.offset),
          static_cast<std::uint64_t>(list.shape.elements()), searches, node.get<graph::Op::search>().after};
      runtime::Launch launch(queue, kernel);
      launch.in(*list.storage).in(*sought.storage).out(*out).value(d);
      run_over(launch, queue, *kernel, searches, queue.traits().tuning.elements_per_item / 4);
    }
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
