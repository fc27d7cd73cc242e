// SPDX-License-Identifier: Apache-2.0
// Launching kernels/matmul_many.cl: tiles, work-items and local memory of a group.
#include <algorithm>
#include <cstdlib>

#include "base/rounding.hpp"
#include "exec/matmul_spec.hpp"
#include "runtime/launch.hpp"

namespace koine::exec {

using base::divide_up;
using base::round_up;

MatmulWork prepare_many(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  constexpr std::int64_t four = 4;      // columns of a work-item, and steps of the depth that it loads at once
  constexpr std::int64_t tile = 64;     // the most rows and columns
  constexpr std::int64_t room = 28672;  // local memory of a group: a card's unit holds several
  const std::int64_t down = p.m > 16 ? 8 : 4;
  const auto evenly = [](std::int64_t count, std::int64_t most) { return divide_up(count, divide_up(count, most)); };
  const std::int64_t rows = evenly(p.m, tile), columns = evenly(p.n, tile);
  const std::int64_t rows_apart = round_up(divide_up(rows, down), 2);
  const std::int64_t columns_apart = round_up(divide_up(columns, four), 2);
  const std::int64_t lines = down * rows_apart + four * columns_apart;
  const std::int64_t element = real_size(p.dtype, 4) * (is_complex(p.dtype) ? 2 : 1);
  // Lines are an odd number of fours apart.
  const std::int64_t most_depth = std::max(room / (lines * element) / (2 * four) * (2 * four) - four, four);
  const std::int64_t depth = round_up(evenly(p.k, most_depth), four);
  const std::int64_t pitch = depth % (2 * four) == 0 ? depth + four : depth;
  const auto along = [](std::int64_t depth_stride, std::int64_t line_stride) {
    return std::abs(depth_stride) <= std::abs(line_stride);
  };
  auto d = parameters_of<parameters::kn_matmul_many>(p);
  d.tile_rows = static_cast<std::uint32_t>(rows);
  d.tile_columns = static_cast<std::uint32_t>(columns);
  d.tiles_down = static_cast<std::uint32_t>(divide_up(p.m, rows));
  d.tiles_across = static_cast<std::uint32_t>(divide_up(p.n, columns));
  d.rows_apart = static_cast<std::uint32_t>(rows_apart);
  d.columns_apart = static_cast<std::uint32_t>(columns_apart);
  d.depth = static_cast<std::uint32_t>(depth);
  d.pitch = static_cast<std::uint32_t>(pitch);
  d.a_along = along(p.a.column_stride, p.a.row_stride);
  d.b_along = along(p.b.row_stride, p.b.column_stride);
  d.one_axis = p.batch.count() == p.batch.sizes[3];
  MatmulSpec spec = spec_of(p);
  spec.down = static_cast<int>(down);
  const runtime::KernelRef kernel = kernel_of(programs, p, spec, "matmul_many", "matmul_many");
  const std::int64_t wave = std::max<std::int64_t>(queue.traits().subgroup, 32);
  const auto items = static_cast<std::size_t>(round_up(rows_apart * columns_apart, wave));
  const auto groups = static_cast<std::size_t>(std::int64_t{d.tiles_down} * d.tiles_across * p.batch.count());
  const auto local = static_cast<std::size_t>(lines * pitch * element);
  return [&queue, kernel, d, items, groups, local, epilogue = p.epilogue](const MatmulMemory& memory) {
    runtime::Launch launch(queue, kernel);
    launch.in(memory.a).in(memory.b).out(memory.out).local(local).value(d);
    if (epilogue) epilogue->add(launch);
    launch.run({groups * items}, {items});
  };
}

}  // namespace koine::exec
