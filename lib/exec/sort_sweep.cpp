// SPDX-License-Identifier: Apache-2.0
// Launching kernels/sort_sweep.cl.
#include "exec/sort_sweep.hpp"

#include "base/rounding.hpp"
#include "device/warps.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "runtime/kernel_sources.hpp"

#include <algorithm>
#include <string>

namespace koine::exec {
namespace {

using runtime::BufferRef;

constexpr std::uint64_t digits = 256;
// Words before the digits' counts (KN_COUNTS).
constexpr std::uint64_t tickets = 16;
// NVIDIA's compiler takes as many registers as it likes unless told, so that few groups run side by side.
constexpr const char* few_registers = " -cl-nv-maxrregcount=64";

using base::divide_up;

/// With so many elements for each work-item.
SortSpec with_each(SortSpec spec) {
  spec.each = size_of(spec.key.type) > 4 ? 8 : 16;
  spec.warps = true;
  spec.apart = spec.wide = false;  // positions always lie beside keys, in 32 bits
  return spec;
}

}  // namespace

bool SortSweep::suits(const DeviceTraits& traits, std::uint64_t count) {
  return has_warps(traits) && !traits.cpu_loops() && traits.max_group >= group_size && count < std::uint64_t{1} << 30;
}

SortSweep::SortSweep(Programs& programs, runtime::Queue& queue, const SortSpec& spec)
    : queue_(queue),
      spec_(with_each(spec)),
      key_(size_of(spec.key.type)),
      tile_(group_size * static_cast<std::uint64_t>(*spec_.each)) {
  const std::string options = codegen::options_of(spec_) + few_registers;
  const auto kernel = [&](const char* entry) {
    const auto make = [&] {
      return runtime::ProgramText{std::string(runtime::kernel_source("sort_sweep")), options, "", "sort_sweep"};
    };
    return programs.kernel("sort_sweep" + options, make, entry);
  };
  digits_ = kernel("sort_digits");
  plan_ = kernel("sort_plan");
  sweep_ = kernel("sort_sweep");
}

void SortSweep::run(const SortedRows& rows, std::string_view function) const {
  const auto allocate = [&](std::uint64_t bytes) { return queue_.allocate(bytes, function); };
  const std::uint64_t elements = rows.count * rows.rows;
  parameters::kn_sort_sweep d{};
  d.count = rows.count;
  d.tiles = divide_up(rows.count, tile_);
  d.rows = rows.rows;
  d.offset = rows.offset;
  d.flip = rows.flip;
  const Tuning& tuning = queue_.traits().tuning;
  const std::uint64_t enough =
      divide_up(std::uint64_t{tuning.sort_blocks_per_unit} * queue_.traits().compute_units, rows.rows);
  d.blocks = std::clamp<std::uint64_t>(rows.count / tuning.sort_elements_per_block, 1, enough);
  d.per_block = divide_up(rows.count, d.blocks);
  d.positions_apart = rows.positions && !spec_.payload ? 2 : 1;
  d.payload_offset = rows.payload_offset;
  d.lowest = rows.lowest;

  const std::uint64_t words = tickets + key_ * rows.rows * (digits + 1 + d.tiles * digits);
  const BufferRef control = allocate(words * sizeof(std::uint32_t));
  queue_.fill_zero(*control, 0, control->size(), function);
  const auto run_groups = [&](runtime::Launch& launch, std::uint64_t groups) {
    launch.value(d).run({groups * group_size}, {group_size});
  };
  {
    runtime::Launch counts(queue_, digits_);
    run_groups(counts.in(rows.from).out(*control), rows.rows * d.blocks);
    runtime::Launch plan(queue_, plan_);
    run_groups(plan.out(*control), rows.rows);
  }
  // A result's own memory is the second of two buffers that keys, or positions, take turns in.
  const BufferRef any = rows.values ? rows.values : rows.positions;
  const BufferRef one = key_ > 1 ? allocate(elements * key_) : any;
  const BufferRef two = rows.values ? rows.values : key_ > 2 ? allocate(elements * key_) : any;
  BufferRef positions_one = any, positions_two = any;
  if (spec_.positioned && key_ > 1) positions_one = allocate(elements * sizeof(std::uint32_t));
  if (spec_.positioned) positions_two = rows.positions ? rows.positions : allocate(elements * sizeof(std::uint32_t));
  for (d.pass = d.lowest; d.pass < key_; ++d.pass) {
    runtime::Launch sweep(queue_, sweep_);
    sweep.in(rows.from).out(*one).out(*two).out(*positions_one).out(*positions_two);
    sweep.out(rows.values ? *rows.values : *any).out(rows.positions ? *rows.positions : *any).out(*control);
    sweep.in(rows.payload ? *rows.payload : *control);
    run_groups(sweep, rows.rows * d.tiles);
  }
}

}  // namespace koine::exec
