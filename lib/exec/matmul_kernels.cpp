// SPDX-License-Identifier: Apache-2.0
// Launching kernels/matmul_cpu.cl, matmul_tile.cl, matmul_matrix.cl, matmul_small.cl and matmul_vector.cl: tile sizes,
// blocks and splits.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "base/dtypes.hpp"
#include "base/rounding.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/matmul_epilogue.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/matmul_spec.hpp"
#include "exec/matmul_trial.hpp"
#include "exec/programs.hpp"
#include "exec/trial.hpp"
#include "runtime/launch.hpp"

namespace koine::exec {
namespace {

using base::divide_up;
using base::round_up;

/// Whether a work-item can take four neighbours at once: they are contiguous, and all such quads, of rows `other` apart
/// and of a batch, lie at multiples of their size.
bool lies_in_quads(DType dtype, std::int64_t offset, std::int64_t stride, std::int64_t other,
                   const std::array<std::int64_t, 4>& batch) {
  const auto even = [](std::int64_t number) { return number % 4 == 0; };
  return (dtype == float32 || dtype == float64) && stride == 1 && even(offset) && even(other) &&
         std::all_of(batch.begin(), batch.end(), even);
}

/// How matmul_cpu.cl cuts a problem into tasks, and what a work-item needs for one.
struct Blocks {
  std::int64_t lanes, tile_rows, tile_columns;
  std::int64_t rows, columns, group, depth;
  bool keep_a;
  std::int64_t items, scratch;  // scratch in scalars for each item
};

constexpr std::int64_t tile_vectors = 2;

Blocks plan_blocks(const DeviceTraits& traits, const MatmulPiece& p) {
  constexpr std::int64_t keep_bytes = 16 << 20;
  const std::int64_t units = traits.compute_units;
  const std::int64_t real = real_size(p.dtype, 2);
  const std::int64_t planes = is_complex(p.dtype) ? 2 : 1;
  const std::int64_t element = real * planes;
  Blocks b{};
  b.lanes = std::clamp<std::int64_t>(traits.vector_bytes / real, 2, 16);
  b.tile_rows = traits.vector_bytes >= 64 ? 12 : 6;  // 32 registers there, 16 elsewhere
  b.tile_columns = tile_vectors * b.lanes / planes;

  // No row of tuning: what is added up before the next panel follows from it.
  const std::int64_t steps = divide_up(p.k, std::max<std::int64_t>(128, 1024 / element));
  b.depth = round_up(divide_up(p.k, steps), 16);
  const std::int64_t most_rows =
      std::max(b.tile_rows, traits.tuning.matmul_cache_bytes / (element * b.depth) / b.tile_rows * b.tile_rows);

  // Rows and columns of tasks: enough tasks for all compute units, and little packing. Packing an element costs as much
  // as multiplying it with `packing` others.
  constexpr double packing = 48;
  const std::int64_t batches = p.batch.count();
  const double work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) * static_cast<double>(batches);
  const auto enough =
      static_cast<std::int64_t>(std::clamp(work / traits.tuning.thread_work, 1.0, static_cast<double>(units)));
  double best = 0;
  for (std::int64_t cuts = 1; cuts <= enough; cuts *= 2) {
    const std::int64_t columns = round_up(divide_up(p.n, cuts), b.tile_columns);
    const std::int64_t across = divide_up(p.n, columns);
    std::int64_t down = std::max(divide_up(p.m, most_rows), divide_up(enough, across * batches));
    if (down * across * batches > enough) down = round_up(down * across * batches, enough) / (across * batches);
    const std::int64_t rows = round_up(divide_up(p.m, down), b.tile_rows);
    const std::int64_t tasks = divide_up(p.m, rows) * across * batches;
    const auto height = static_cast<double>(rows), width = static_cast<double>(columns);
    const double cost = static_cast<double>(divide_up(tasks, enough)) * (height * width + packing * (height + width));
    if (cuts == 1 || cost < best) {
      best = cost;
      b.rows = rows;
      b.columns = columns;
      b.items = std::min(tasks, enough > 1 ? 4 * units : 1);
    }
  }
  b.group = std::min(b.columns, round_up(std::max<std::int64_t>(1, 1024 / element), b.tile_columns));
  b.keep_a = p.k * b.rows * element <= keep_bytes;
  const auto scratch = [&] {
    return round_up(planes * (b.rows * b.group + b.depth * b.group + b.rows * (b.keep_a ? p.k : b.depth)) + b.lanes,
                    16);
  };
  // Small products on many cores: no more memory for panels than for the matrices themselves, with narrower panels
  // first, then with fewer work-items that take several tasks each.
  const std::int64_t matrices = planes * batches * (p.m * p.k + p.k * p.n + p.m * p.n);
  while (b.items * scratch() > matrices && b.group > b.tile_columns) {
    b.group = round_up(b.group / 2, b.tile_columns);
  }
  b.items = std::clamp<std::int64_t>(matrices / scratch(), 1, b.items);
  b.scratch = scratch();
  return b;
}

}  // namespace

MatmulWork prepare_packed(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  const Blocks blocks = plan_blocks(queue.traits(), p);
  MatmulSpec spec = spec_of(p);
  spec.lanes = static_cast<int>(blocks.lanes);
  spec.rows = static_cast<int>(blocks.tile_rows);
  spec.vectors = static_cast<int>(tile_vectors);
  const runtime::KernelRef kernel = programs.kernel_of_file("matmul_cpu", spec, "matmul_cpu");
  auto d = parameters_of<parameters::kn_matmul_cpu>(p);
  d.row_block = blocks.rows;
  d.column_block = blocks.columns;
  d.column_group = blocks.group;
  d.depth_block = blocks.depth;
  d.keep_a = blocks.keep_a;
  d.scratch_step = blocks.scratch;
  d.batches = p.batch.count();
  return [&queue, p, blocks, kernel, d](const MatmulMemory& memory) {
    const runtime::BufferRef scratch =
        queue.allocate(static_cast<std::uint64_t>(blocks.items * blocks.scratch * real_size(p.dtype, 2)), "matmul");
    runtime::Launch launch(queue, kernel);
    launch.in(memory.a).in(memory.b).out(memory.out).out(*scratch).value(d);
    launch.run({static_cast<std::size_t>(blocks.items)}, {1});
  };
}

MatmulWork prepare_tile(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  // Large tiles read less for each product, but need work enough for all compute units, and gain nothing where other
  // instructions than multiply-add set the pace: conversions of 16-bit types, multiplications of integers.
  const bool suited = p.dtype == float32 || p.dtype == float64 || p.dtype == complex64;
  const std::int64_t large = divide_up(p.m, 128) * divide_up(p.n, 128) * p.batch.count();
  const std::int64_t enough =
      std::int64_t{queue.traits().tuning.matmul_large_tiles_per_unit} * queue.traits().compute_units;
  const std::int64_t tile = suited && large >= enough ? 128 : 64;
  // A shallow tile leaves local memory for more groups at once.
  const std::int64_t depth = tile == 128 || size_of(p.dtype) == 2 || p.dtype == complex128 ? 8 : 16;
  // A round for each step of the depth, since not every compiler unrolls the loop over a tile's.
  const std::int64_t passes = queue.traits().fewest_shares(p.k);
  const std::int64_t depth_each = round_up(divide_up(p.k, passes), depth);
  MatmulSpec spec = spec_of(p);
  spec.tile = static_cast<int>(tile);
  spec.depth = static_cast<int>(depth);
  spec.passes = passes > 1;
  const runtime::KernelRef kernel = kernel_of(programs, p, spec, "matmul_tile", "matmul_tile");
  const std::int64_t groups = divide_up(p.m, tile) * divide_up(p.n, tile) * p.batch.count();
  const std::int64_t sum_size = real_size(p.dtype, 4) * (is_complex(p.dtype) ? 2 : 1);
  return [&queue, p, passes, depth_each, kernel, groups,
          bytes = groups * tile * tile * sum_size](const MatmulMemory& memory) {
    runtime::BufferRef waiting;
    if (passes > 1) waiting = queue.allocate(static_cast<std::uint64_t>(bytes), "matmul");
    constexpr std::size_t items = 256;
    for (std::int64_t done = 0; done < p.k; done += depth_each) {
      auto d = parameters_of<parameters::kn_matmul_tile>(p);
      d.a_offset += done * p.a.column_stride;
      d.b_offset += done * p.b.row_stride;
      d.k = std::min(depth_each, p.k - done);
      d.first = done == 0;
      d.last = done + depth_each >= p.k;
      runtime::Launch launch(queue, kernel);
      launch.in(memory.a).in(memory.b).out(memory.out);
      if (waiting) launch.out(*waiting);
      launch.value(d);
      if (p.epilogue) p.epilogue->add(launch);
      launch.run({static_cast<std::size_t>(groups) * items}, {items});
    }
  };
}

MatmulWork prepare_small(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece) {
  MatmulPiece p = piece;
  std::int64_t out_row = p.n, out_column = 1;
  const bool swapped = p.n > p.m;  // the transposed product: its A is the long side
  if (swapped) {
    std::swap(p.m, p.n);
    std::swap(p.a, p.b);
    std::swap(p.a.row_stride, p.a.column_stride);
    std::swap(p.b.row_stride, p.b.column_stride);
    std::swap(p.batch.a_strides, p.batch.b_strides);
    std::swap(out_row, out_column);
  }
  const auto quads = [&](std::int64_t offset, std::int64_t stride, std::int64_t other,
                         const std::array<std::int64_t, 4>& batch) {
    return lies_in_quads(p.dtype, offset, stride, other, batch);
  };
  MatmulSpec spec = spec_of(p);
  spec.a_quads = quads(p.a.offset, p.a.column_stride, p.a.row_stride, p.batch.a_strides) && p.k % 4 == 0;
  spec.b_quads = quads(p.b.offset, p.b.column_stride, p.b.row_stride, p.batch.b_strides) && p.n % 4 == 0;
  spec.out_quads =
      quads(p.out_offset, out_column, out_row, {}) && p.n % 4 == 0 && (!p.epilogue || p.epilogue->type() == p.dtype);
  std::int64_t lines = 8;  // of a work-item: all, so that it reads its own once
  while (lines < p.n) lines *= 2;
  spec.short_side = static_cast<int>(lines);
  const runtime::KernelRef kernel = kernel_of(programs, p, spec, "matmul_small", "matmul_small");
  auto d = parameters_of<parameters::kn_matmul_small>(p);
  d.out_row = out_row;
  d.out_column = out_column;
  d.batches = static_cast<std::uint32_t>(p.batch.count());
  d.one_axis = p.batch.count() == p.batch.sizes[3];
  constexpr std::int64_t group = 128;
  const std::int64_t items = divide_up(p.batch.count() * divide_up(p.n, lines) * p.m, group) * group;
  return [&queue, swapped, kernel, d, items, epilogue = p.epilogue](const MatmulMemory& memory) {
    runtime::Launch launch(queue, kernel);
    launch.in(swapped ? memory.b : memory.a).in(swapped ? memory.a : memory.b).out(memory.out).value(d);
    if (epilogue) epilogue->add(launch);
    launch.run({static_cast<std::size_t>(items)}, {static_cast<std::size_t>(group)});
  };
}

MatmulWork prepare_vector(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  // One row times a matrix is the transposed matrix times that row.
  const bool swapped = p.n != 1;
  const MatmulOperand& matrix = swapped ? p.b : p.a;
  const MatmulOperand& vector = swapped ? p.a : p.b;
  const std::int64_t rows = swapped ? p.n : p.m;
  const std::int64_t row_stride = swapped ? matrix.column_stride : matrix.row_stride;
  const std::int64_t column_stride = swapped ? matrix.row_stride : matrix.column_stride;
  const std::int64_t step = swapped ? vector.column_stride : vector.row_stride;
  const std::int64_t batches = p.batch.count();
  const DeviceTraits& traits = queue.traits();
  const std::int64_t units = traits.compute_units;
  const bool cpu = traits.cpu_loops();

  // No rows of tuning: the order of sums follows from lanes, slices and splits.
  MatmulSpec spec{.type = p.dtype, .a_element = element_of(matrix), .b_element = element_of(vector)};
  std::int64_t groups = 0, enough = 0, least_depth = 0, most_depth = 0, fewest = 1;
  constexpr std::int64_t group_size = 256;
  if (cpu) {
    const std::int64_t lanes = std::clamp<std::int64_t>(traits.vector_bytes / real_size(p.dtype, 4), 2, 16);
    spec.cpu = 1;
    spec.lanes = static_cast<int>(lanes);
    std::int64_t block = 32;
    if (row_stride == 1 && column_stride != 1) {
      // Rows side by side: as many to a block as there are, to 8 vectors.
      const auto several = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
      spec.lanes = static_cast<int>(std::clamp<std::int64_t>(several, 2, lanes));
      spec.vectors = static_cast<int>(std::clamp<std::int64_t>(several / lanes, 1, 8));
      block = *spec.lanes * *spec.vectors;
    }
    groups = divide_up(rows, block) * batches;
    enough = 4 * units;
    least_depth = 8192;
    most_depth = 1 << 20;  // a sum of sums of 1024 elements takes no more than 1024 of them
  } else {
    // Enough work-items for each row to fill the device, but no more than there are elements to add. As many rows for
    // each work-item, whose loads are then under way at once, as leave groups enough.
    const std::int64_t part = real_size(p.dtype, 4) * (is_complex(p.dtype) ? 2 : 1);
    const std::int64_t most_rows = part > 8 ? 4 : 8;  // of 32 KiB of local memory
    const auto blocks = [&](std::int64_t some) { return divide_up(rows, some) * batches; };
    std::int64_t slices = 8, each = 1;
    if (column_stride == 1) {
      // Of rows that a few work-items share, quads keep more bytes under way.
      constexpr std::int64_t shortest_quads = 32, longest_quads = 512;
      const auto& matrix_batch = swapped ? p.batch.b_strides : p.batch.a_strides;
      const auto& vector_batch = swapped ? p.batch.a_strides : p.batch.b_strides;
      spec.quads = p.k % 4 == 0 && p.k >= shortest_quads && p.k < longest_quads &&
                   lies_in_quads(p.dtype, matrix.offset, 1, row_stride, matrix_batch) &&
                   lies_in_quads(p.dtype, vector.offset, step, 0, vector_batch);
      const std::int64_t pieces = spec.quads ? p.k / 4 : p.k;
      while (slices < 32 && slices < pieces) slices *= 2;
      const std::int64_t lines = group_size / slices;
      if (blocks(lines * most_rows) >= 2 * units) {
        each = most_rows;
      } else if (blocks(lines) < 4 * units && p.k >= 512) {
        slices = 256;
      }
    } else {
      // Rows side by side, and splits of the depth where there are few of them.
      while (each < 4 && rows >= 2 * each * (group_size / slices)) each *= 2;
    }
    spec.slices = static_cast<int>(slices);
    spec.group = static_cast<int>(group_size);
    spec.rows = static_cast<int>(each);
    spec.fold = slices == 256 ? 16 : 8;
    groups = blocks(group_size / slices * each);
    enough = 8 * units;
    least_depth = 32 * slices;
    most_depth = 4096 * slices;  // no work-item adds up more than 4096 elements one after another
    fewest = traits.fewest_shares(p.k / slices);
  }
  const std::int64_t splits = std::max(
      {fewest, divide_up(p.k, most_depth), std::min<std::int64_t>({enough / groups, p.k / least_depth, 1024})});

  const std::int64_t results = rows * batches;
  const std::int64_t part_size = real_size(p.dtype, 4) * (is_complex(p.dtype) ? 2 : 1);
  constexpr std::string_view file = "matmul_vector", add_kernel = "matmul_vector_add_splits";
  const runtime::KernelRef multiply =
      splits > 1 ? programs.kernel_of_file(file, spec, file) : kernel_of(programs, p, spec, file, file);
  const runtime::KernelRef add_splits = splits > 1 ? kernel_of(programs, p, spec, file, add_kernel) : nullptr;
  parameters::kn_matmul_vector d{};
  d.out_offset = p.out_offset;
  d.a_offset = matrix.offset;
  d.x_offset = vector.offset;
  d.a_row = row_stride;
  d.a_column = column_stride;
  d.x_step = step;
  d.m = rows;
  d.k = p.k;
  d.splits = splits;
  d.batches = batches;
  set(d.batch_sizes, p.batch.sizes);
  set(d.a_batch, swapped ? p.batch.b_strides : p.batch.a_strides);
  set(d.x_batch, swapped ? p.batch.a_strides : p.batch.b_strides);
  return [=, &queue](const MatmulMemory& memory) {
    const runtime::BufferRef parts =
        queue.allocate(static_cast<std::uint64_t>(splits > 1 ? splits * results * part_size : 0), "matmul");
    runtime::Launch launch(queue, multiply);
    launch.in(swapped ? memory.b : memory.a).in(swapped ? memory.a : memory.b).out(memory.out).out(*parts).value(d);
    if (p.epilogue && splits == 1) p.epilogue->add(launch);
    if (cpu) {
      launch.run({static_cast<std::size_t>(std::min(groups * splits, 4 * units))}, {1});
    } else {
      launch.run({static_cast<std::size_t>(groups * splits * group_size)}, {group_size});
    }
    if (splits == 1) return;
    runtime::Launch add(queue, add_splits);
    add.in(*parts).out(memory.out).value(d);
    if (p.epilogue) p.epilogue->add(add);
    if (cpu) {
      add.run({static_cast<std::size_t>(std::min(results, units))}, {1});
    } else {
      constexpr std::int64_t at_once = 8;  // rows of a group
      add.run({static_cast<std::size_t>(divide_up(results, at_once) * group_size)}, {group_size});
    }
  };
}

namespace {

void launch_matrix(runtime::Queue& queue, const runtime::KernelRef& kernel, const MatmulPiece& p,
                   const MatmulMemory& memory) {
  constexpr std::int64_t tile = 128;
  constexpr std::size_t items = 256;
  runtime::Launch launch(queue, kernel);
  launch.in(memory.a).in(memory.b).out(memory.out).value(parameters_of<parameters::kn_matmul_matrix>(p));
  if (p.epilogue) p.epilogue->add(launch);
  launch.run({static_cast<std::size_t>(divide_up(p.m, tile) * divide_up(p.n, tile) * p.batch.count()) * items},
             {items});
}

/// Tries a program out by more than a tile each way, more of the depth than is in local memory at once, and ends
/// within; the axes of stride 1 are not the same one of both operands, and rows of results begin anywhere.
void try_matrix(runtime::Queue& queue, const MatmulSpec& spec, const runtime::ProgramText& text) {
  const MatmulTrial trial{.type = spec.type,
                          .out_type = spec.parts && size_of(spec.type) == 2 ? float32 : spec.type,
                          .m = 147,
                          .n = 150,
                          .k = 83,
                          .batches = 2,
                          .a_along = true,
                          .b_along = false,
                          .parts = spec.parts};
  try_out(queue, "matmul_matrix" + text.options, text, [&](const runtime::KernelRef& kernel) {
    return multiplies(queue, trial, [&](const MatmulPiece& piece, const MatmulMemory& memory) {
      launch_matrix(queue, kernel, piece, memory);
    });
  });
}

}  // namespace

bool suits_matrix(const DeviceTraits& traits, const MatmulProblem& p) {
  // Below, tiles of 128 are mostly empty.
  constexpr std::int64_t fewest = 48;
  if (std::min({p.m, p.n, p.k}) < fewest) return false;
  if (base::is_half(p.dtype)) return traits.mfma || traits.wmma;
  return traits.mfma && (p.dtype == float32 || p.dtype == float64);
}

MatmulWork prepare_matrix(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  const DeviceTraits& traits = queue.traits();
  MatmulSpec spec = spec_of(p);
  spec.matrix = traits.mfma ? 1 : 2;
  spec.widened = p.dtype == float16 && traits.mfma && !traits.mfma_subnormal_half;
  runtime::ProgramText text = Programs::text_of_file("matmul_matrix", codegen::options_of(spec));
  text.entry = "matmul_matrix";
  const std::string signature = "matmul_matrix" + text.options;
  const std::optional<bool> verdict = trial_verdict(queue.context(), signature);
  if (!verdict && programs.need("trial of " + signature, [&queue, spec, text] { try_matrix(queue, spec, text); })) {
    return [](const MatmulMemory&) {};
  }
  if (!verdict.value_or(true)) throw ProgramRefused();
  const runtime::KernelRef kernel =
      p.epilogue ? p.epilogue->kernel(programs, "matmul_matrix", codegen::defines_of(spec), "matmul_matrix")
                 : programs.kernel(signature, [&] { return text; });
  return [&queue, p, kernel](const MatmulMemory& memory) { launch_matrix(queue, kernel, p, memory); };
}

}  // namespace koine::exec
