// SPDX-License-Identifier: Apache-2.0
// Launching kernels/random.cl.
#include "exec/random.hpp"

#include "exec/programs.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <string>

namespace koine::exec {
namespace {

// The kernel's numbers for the types; integers by size, since signed ones have the same bits.
int element_of(DType dtype) {
  switch (dtype) {
    case DType::float16: return 5;
    case DType::bfloat16: return 6;
    case DType::float32: return 7;
    case DType::float64: return 8;
    default:
      switch (size_of(dtype)) {
        case 1: return 1;
        case 2: return 2;
        case 4: return 3;
        default: return 4;
      }
  }
}

// A CPU work-item makes at least this many numbers, so that starting it costs little beside them.
constexpr std::int64_t fewest_numbers = 8192;
constexpr std::int64_t items_per_core = 8;
constexpr std::int64_t group_size = 256;
// On a GPU this many work-items for each compute unit walk over all blocks: a fifth to a half faster than one block
// each on an H200. (Where the first number is not the first of its block, stores are unaligned and that is slower.)
constexpr std::int64_t items_per_unit = 16384;

}  // namespace

void run_random(runtime::Queue& queue, const graph::RandomInfo& info, DType dtype, std::int64_t count,
                runtime::Buffer& out) {
  if (count == 0) return;
  const DeviceTraits& traits = queue.traits();
  const bool cpu = traits.long_loops();
  const int element = element_of(dtype);
  const std::string options = "-D KN_KIND=" + std::to_string(static_cast<int>(info.kind)) +
                              " -D KN_ELEMENT=" + std::to_string(element) + " -D KN_LANES=" + (cpu ? "8" : "1") +
                              " -D KN_EXACT_SQRT=" + (traits.exact_divide ? "1" : "0");
  const runtime::KernelRef kernel = ready_kernel(queue, "random " + options, [&] {
    return runtime::ProgramText{std::string(runtime::kernel_source("random")), options};
  });

  runtime::Launch launch(queue, kernel);
  launch.out(out).value(count).value(info.seed).value(info.first_word);
  if (info.kind == graph::RandomKind::integers) {
    launch.value(static_cast<std::uint64_t>(info.low)).value(info.range).value(std::uint64_t{0});
  } else if (dtype == DType::float64) {
    launch.value(info.start).value(info.scale).value(info.last);
  } else {
    launch.value(static_cast<float>(info.start))
        .value(static_cast<float>(info.scale))
        .value(static_cast<float>(info.last));
  }
  if (cpu) {
    const std::int64_t items =
        std::clamp<std::int64_t>(count / fewest_numbers, 1, items_per_core * traits.compute_units);
    launch.run({static_cast<std::size_t>(items)}, {1});
  } else {
    const std::int64_t words = info.kind == graph::RandomKind::integers || dtype == DType::float64 ? 2 : 1;
    const std::int64_t each = 4 / words;
    const std::int64_t skipped = static_cast<std::int64_t>(info.first_word % 4) / words;
    const std::int64_t blocks = (skipped + count + each - 1) / each;
    const std::int64_t enough = std::max(items_per_unit * traits.compute_units, traits.fewest_shares(blocks));
    const std::int64_t items = skipped == 0 ? std::min(blocks, enough) : blocks;
    const std::int64_t local = std::min(group_size, static_cast<std::int64_t>(kernel->max_group()));
    launch.run({static_cast<std::size_t>((items + local - 1) / local * local)}, {static_cast<std::size_t>(local)});
  }
}

}  // namespace koine::exec
