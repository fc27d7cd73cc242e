// SPDX-License-Identifier: Apache-2.0
// Launching kernels/histogram.cl.
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/sort.hpp"

#include <algorithm>

namespace koine::exec {
namespace {

// Bins that a group, or a work-item of a CPU, counts in memory of its own: what the kernel has room for.
constexpr std::uint64_t most_own = 2048;
// Elements of a work-item of a CPU for each of its bins at least, so that clearing and adding up these costs little.
constexpr std::uint64_t elements_of_bin = 8;

struct HistogramSpec {
  KeySpec key;
  bool own, cpu;

  template <class Visit>
  void visit(Visit& v) const {
    key.visit(v);
    v.define("KN_OWN", own);
    v.define("KN_CPU", cpu);
  }
};

}  // namespace

// The inputs are fewer than 2^32 elements, and one edge more than bins: of the elements' type, where that is real, else
// bounds of int64.
Work prepare_histogram(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto bins = static_cast<std::uint64_t>(node.shape.elements());
  const bool own = bins <= most_own;
  const HistogramSpec spec{{node.inputs[0]->dtype}, own, queue.traits().cpu_loops()};
  return [&queue, &node, bins, own, kernel = programs.kernel_of_file("histogram", spec, "histogram")] {
    const graph::Node &x = *node.inputs[0], &edges = *node.inputs[1];
    auto counts = queue.allocate(bins * sizeof(std::uint32_t), function_of(node));
    queue.fill_zero(*counts, 0, counts->size(), function_of(node));
    const auto elements = static_cast<std::uint64_t>(x.shape.elements());
    if (elements > 0) {
      runtime::Launch launch(queue, kernel);
      launch.in(*x.storage).in(*edges.storage).out(*counts);
      launch.value(parameters::kn_histogram{elements, static_cast<std::uint64_t>(x.layout.offset),
                                            static_cast<std::uint64_t>(edges.layout.offset),
                                            static_cast<std::uint32_t>(bins)});
      const Tuning& tuning = queue.traits().tuning;
      const std::uint64_t fewest =
          std::max<std::uint64_t>(tuning.histogram_elements_per_item, own ? elements_of_bin * bins : 0);
      run_over(launch, queue, *kernel, elements, fewest, std::numeric_limits<std::uint64_t>::max(),
               own ? tuning.histogram_groups_per_unit * group_size : std::optional<std::uint64_t>());
    }
    graph::fulfil(node, std::move(counts), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
