// SPDX-License-Identifier: Apache-2.0
// How panels are spread over work-groups, and launching kernels/turn.cl.
#include "exec/panels.hpp"

#include "device/warps.hpp"
#include "exec/factor_blocks.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <bit>

namespace koine::exec {
namespace {

// Scalars of 32 bits that a work-item has of a panel in registers, and rows.
constexpr int most_scalars = 128, most_rows = 64;

}  // namespace

bool panels_in_blocks(const graph::Place& place, DType type, std::int64_t rows) {
  const auto most = static_cast<std::int64_t>(group_size * most_rows * sizeof(float) / size_of(type));
  return factors_in_blocks(place, type) && rows <= most;
}

PanelSpec panel_spec(DType type, std::int64_t rows) {
  constexpr int most_wide = 8;
  const int group = rows <= block_columns ? static_cast<int>(block_columns) : static_cast<int>(group_size);
  const int each = static_cast<int>(std::bit_ceil(blocks_over(rows, group)));
  const int scalars = static_cast<int>(size_of(type) / sizeof(float));
  return {type, each, std::min(most_wide, most_scalars / scalars / each), group};
}

Spread spread_over(Programs& programs, runtime::Queue& queue, DType type, std::int64_t matrices, std::int64_t rows) {
  constexpr std::uint64_t scalars = 4;        // of 32 bits that a work-item has of a column
  if (rows <= block_columns) return {};       // small groups are for these
  if (!has_warps(queue.traits())) return {};  // others may have too few registers
  const std::uint64_t most = scalars * sizeof(float) / size_of(type);
  const int own = static_cast<int>(std::bit_ceil(std::min(blocks_over(rows, Spread::items), most)));
  const std::uint64_t groups = blocks_over(rows, Spread::items * own);
  if (groups == 1) return {own};
  SideBySide* const side = SideBySide::of(programs, queue);
  if (side == nullptr || groups * static_cast<std::uint64_t>(matrices) > side->groups()) return {};
  return {own, groups, side};
}

Turn prepare_turn(Programs& programs, runtime::Queue& queue, DType type) {
  const runtime::KernelRef kernel = factor_kernel(programs, queue, "turn", type);
  return [&queue, kernel](const runtime::Buffer& from, const runtime::Buffer& to, std::int64_t matrices,
                          const Turned& turned) {
    constexpr std::int64_t square = 32;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    runtime::Launch launch(queue, kernel);
    launch.in(from).out(to);
    launch.value(parameters::kn_turn{number(turned.offset), number(turned.rows), number(turned.columns),
                                     number(turned.pitch), number(turned.step), turned.lower});
    launch.run({number(matrices) * blocks_over(turned.rows, square) * blocks_over(turned.columns, square) * group_size},
               {group_size});
  };
}

}  // namespace koine::exec
