// SPDX-License-Identifier: Apache-2.0
// Launching kernels/random.cl and kernels/rejection.cl.
#include "base/dtypes.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "host/random_laws.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace koine::exec {
namespace {

using graph::RandomInfo;
using graph::RandomKind;

struct RandomSpec {
  RandomKind kind;
  DType type;
  int blocks;  // of words that a vector holds
  bool exact_sqrt;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_KIND", kind);
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_BLOCKS", blocks);
    v.define("KN_EXACT_SQRT", exact_sqrt ? 1 : 0);
  }
};

// A work-item for each block, where there are more than a GPU works on at once.
constexpr std::uint64_t items_for_all = std::uint64_t{1} << 40;

runtime::KernelRef kernel_of(Programs& programs, const DeviceTraits& traits, const RandomInfo& info, DType dtype,
                             bool rejects) {
  constexpr std::string_view entries[] = {"random_uniform",     "random_normal",   "random_integers",
                                          "random_exponential", "rejection_gamma", "rejection_poisson",
                                          "rejection_binomial"};
  const bool lanes = !rejects && traits.cpu_loops();
  const RandomSpec spec{info.kind, dtype, lanes ? 8 : 1, traits.exact_divide};
  return programs.kernel_of_file(rejects ? "rejection" : "random", spec, entries[static_cast<std::size_t>(info.kind)]);
}

void launch_fixed(runtime::Queue& queue, const runtime::KernelRef& kernel, const RandomInfo& info, DType dtype,
                  std::uint64_t count, runtime::Buffer& out) {
  const bool cpu = queue.traits().cpu_loops();
  runtime::Launch launch(queue, kernel);
  launch.out(out);
  const auto law = [&](auto start, auto scale, auto last) {
    launch.value(parameters::kn_random<decltype(start)>{static_cast<std::int64_t>(count), info.seed, info.first_word,
                                                        start, scale, last});
  };
  if (info.kind == RandomKind::integers) {
    law(static_cast<std::uint64_t>(info.low), info.range, std::uint64_t{0});
  } else if (dtype == DType::float64) {
    law(info.start, info.scale, info.last);
  } else {
    law(static_cast<float>(info.start), static_cast<float>(info.scale), static_cast<float>(info.last));
  }
  const std::uint64_t words = info.words(dtype), each = 4 / words, skipped = info.first_word % 4 / words;
  const Tuning& tuning = queue.traits().tuning;
  // On a GPU a few work-items walk over all blocks: a fifth to a half faster than one block each on an H200. Where the
  // first number is not the first of its block, stores are unaligned and that is slower.
  run_over(launch, queue, *kernel, cpu ? count : (skipped + count + each - 1) / each, tuning.random_numbers_per_item,
           std::numeric_limits<std::uint64_t>::max(), skipped == 0 ? tuning.random_items_per_unit : items_for_all);
}

void launch_rejection(runtime::Queue& queue, const runtime::KernelRef& kernel, const RandomInfo& info, DType dtype,
                      std::uint64_t count, runtime::Buffer& out) {
  runtime::Launch launch(queue, kernel);
  launch.out(out);
  const std::uint64_t first = info.first_word / info.words(dtype);
  if (info.kind != RandomKind::gamma) {
    launch.value(host::count_law<parameters::kn_counts>(info, dtype, first, count));
  } else if (dtype == DType::float64) {
    launch.value(host::gamma_law<parameters::kn_gamma<double>>(info, first, count));
  } else {
    launch.value(host::gamma_law<parameters::kn_gamma<float>>(info, first, count));
  }
  run_over(launch, queue, *kernel, count, queue.traits().tuning.elements_per_item / 4);
}

}  // namespace

Work prepare_random(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto& info = node.get<graph::Op::random>();
  const auto count = static_cast<std::uint64_t>(node.shape.elements());
  const bool rejects = info.kind >= RandomKind::gamma;
  runtime::KernelRef kernel;
  if (count > 0) kernel = kernel_of(programs, queue.traits(), info, node.dtype, rejects);
  return [&queue, &node, &info, count, rejects, kernel] {
    auto out = queue.allocate(count * size_of(node.dtype), function_of(node));
    if (count > 0) (rejects ? launch_rejection : launch_fixed)(queue, kernel, info, node.dtype, count, *out);
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
