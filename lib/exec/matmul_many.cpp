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

namespace {

/// How a group covers a tile: a work-item has `down` x 4 results, `slices` work-items share those of a block.
struct Cover {
  std::int64_t rows, columns, down, rows_apart, columns_apart, slices;

  std::int64_t blocks() const { return rows_apart * columns_apart; }
};

constexpr std::int64_t across = 4;    // columns of a work-item, and what its steps of the depth are a multiple of
constexpr std::int64_t room = 28672;  // local memory of a group: a card's unit holds several

std::int64_t evenly(std::int64_t count, std::int64_t most) { return divide_up(count, divide_up(count, most)); }

/// Measured on an H200: blocks of 8 x 4 results of 8 bytes leave a unit too few work-items.
Cover cover_of(const MatmulPiece& p, std::int64_t element) {
  constexpr std::int64_t few = 32, tile = 64, tall = 128, deep = 256;
  const auto [least, longest] = std::minmax(p.m, p.n);
  const bool narrow = least <= few && longest > tall;
  const bool shares = !p.fixed && (narrow || (longest <= tile && p.k >= deep));
  const std::int64_t most = narrow && element < 8 ? tall : tile;
  Cover c{};
  c.rows = evenly(p.m, p.m > p.n ? most : tile);
  c.columns = evenly(p.n, p.n > p.m ? most : tile);
  c.down = shares ? (element < 8 && c.rows > few ? 8 : 4) : p.m > 16 ? 8 : 4;
  const std::int64_t even = shares ? 1 : 2;  // pairs of lines meet fewer banks; without slices few are left over
  c.rows_apart = round_up(divide_up(c.rows, c.down), even);
  c.columns_apart = round_up(divide_up(c.columns, across), even);
  const std::int64_t items = element > 8 ? 96 : 128, sums = c.blocks() * c.down * across * element;
  c.slices =
      shares ? std::max<std::int64_t>(1, std::min({items / c.blocks(), divide_up(p.k, 2 * across), room / sums + 1}))
             : 1;
  return c;
}

}  // namespace

MatmulWork prepare_many(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  const std::int64_t element = real_size(p.dtype, 4) * (is_complex(p.dtype) ? 2 : 1);
  const Cover c = cover_of(p, element);
  const std::int64_t a_lines = c.down * c.rows_apart, b_lines = across * c.columns_apart;
  const bool one = is_gram(p) && p.a.stored == p.b.stored && c.rows == p.m && c.columns == p.n;
  const std::int64_t lines = one ? std::max(a_lines, b_lines) : a_lines + b_lines;
  // Lines are an odd number of fours apart; of several stages each has as much for every slice.
  const std::int64_t most_depth = std::max(room / (lines * element) / (2 * across) * (2 * across) - across, across);
  std::int64_t depth = round_up(evenly(p.k, most_depth), across);
  const std::int64_t turn = c.slices * across;
  if (depth < p.k && depth > turn) depth = depth / turn * turn;
  const std::int64_t pitch = depth % (2 * across) == 0 ? depth + across : depth;
  const auto along = [](std::int64_t depth_stride, std::int64_t line_stride) {
    return std::abs(depth_stride) <= std::abs(line_stride);
  };
  auto d = parameters_of<parameters::kn_matmul_many>(p);
  d.tile_rows = static_cast<std::uint32_t>(c.rows);
  d.tile_columns = static_cast<std::uint32_t>(c.columns);
  d.tiles_down = static_cast<std::uint32_t>(divide_up(p.m, c.rows));
  d.tiles_across = static_cast<std::uint32_t>(divide_up(p.n, c.columns));
  d.rows_apart = static_cast<std::uint32_t>(c.rows_apart);
  d.columns_apart = static_cast<std::uint32_t>(c.columns_apart);
  d.depth = static_cast<std::uint32_t>(depth);
  d.pitch = static_cast<std::uint32_t>(pitch);
  d.slices = static_cast<std::uint32_t>(c.slices);
  d.one = one;
  d.a_along = along(p.a.column_stride, p.a.row_stride);
  d.b_along = along(p.b.row_stride, p.b.column_stride);
  d.one_axis = p.batch.count() == p.batch.sizes[3];
  MatmulSpec spec = spec_of(p);
  spec.down = static_cast<int>(c.down);
  const runtime::KernelRef kernel = kernel_of(programs, p, spec, "matmul_many", "matmul_many");
  const std::int64_t wave = std::max<std::int64_t>(queue.traits().subgroup, 32);
  const auto items = static_cast<std::size_t>(round_up(c.blocks() * c.slices, wave));
  const auto groups = static_cast<std::size_t>(std::int64_t{d.tiles_down} * d.tiles_across * p.batch.count());
  const auto local =
      static_cast<std::size_t>(std::max(lines * pitch, (c.slices - 1) * c.blocks() * c.down * across) * element);
  return [&queue, kernel, d, items, groups, local, epilogue = p.epilogue](const MatmulMemory& memory) {
    runtime::Launch launch(queue, kernel);
    launch.in(memory.a).in(memory.b).out(memory.out).local(local).value(d);
    if (epilogue) epilogue->add(launch);
    launch.run({groups * items}, {items});
  };
}

}  // namespace koine::exec
