// SPDX-License-Identifier: Apache-2.0
// How the operands of a scan are walked.
#include "base/rounding.hpp"
#include "codegen/scan.hpp"

#include "device/warps.hpp"
#include "graph/infer.hpp"

#include <algorithm>

namespace koine::codegen {
namespace {

// Of a group's accumulators: half of what OpenCL promises. No row of tuning, as the order of sums follows from it.
constexpr std::int64_t local_bytes = 16384;

// To fill a GPU by groups that each take a row, or neighbouring rows, from end to end.
constexpr std::int64_t enough_groups = 128;
// Blocks of a row that a group takes one after another sooner than two more launches would begin.
constexpr std::int64_t few_blocks = 4;
// Rows whose chains go on side by side: in one, 16 blocks follow the 16 before them after some 0.6 us (H200), which
// three passes over memory take for 16 blocks of some twenty rows.
constexpr std::int64_t fewest_chains = 32;
// What neighbouring vectors of a GPU's columns are read by side by side, in bytes and in work-items.
constexpr int bytes_side_by_side = 128, fewest_side_by_side = 8;

using base::divide_up;

std::int64_t product(const Shape& shape, std::size_t first) {
  std::int64_t result = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis) result *= shape[axis];
  return result;
}

}  // namespace

DType total_type(const ScanPass& pass) { return graph::accumulation_type(pass.result); }

std::int64_t scan_block(DType result) {
  const auto size = static_cast<std::int64_t>(size_of(graph::accumulation_type(result)));
  const std::int64_t groups = local_bytes / (scan_chunk * scan_chunk * std::max<std::int64_t>(size, 4));
  return groups * scan_chunk * scan_chunk;
}

/// Work-items that share a row on a GPU.
static int scan_group(DType result) { return static_cast<int>(scan_block(result) / scan_chunk); }

static bool walks_columns(const ScanPass& pass, const DeviceTraits& traits) {
  return product(pass.body->domain, pass.axis + 1) >= traits.tuning.scan_columns;
}

bool carries_blocks(const ScanPass& pass, const DeviceTraits& traits) {
  const Shape& domain = pass.body->domain;
  const std::int64_t count = domain[pass.axis], block = scan_block(pass.result);
  const bool columns = walks_columns(pass, traits);
  const std::int64_t together = columns ? bytes_side_by_side / std::int64_t(size_of(pass.result)) : 1;
  const bool fills = domain.elements() / count >= enough_groups * together;
  // What is carried is a scan of the totals of one block of them.
  return !traits.cpu_loops() && count > block && (count - 1) / block <= scan_block(total_type(pass)) &&
         (fills || (!columns && count <= few_blocks * block));
}

bool chains_blocks(const ScanPass& pass, const DeviceTraits& traits) {
  const std::int64_t count = pass.body->domain[pass.axis], block = scan_block(pass.result);
  const bool side_by_side = pass.body->domain.elements() / count >= fewest_chains;
  return side_by_side && has_warps(traits) && !traits.cpu_loops() && count > block && !walks_columns(pass, traits) &&
         !carries_blocks(pass, traits) && size_of(total_type(pass)) >= sizeof(std::uint32_t) &&
         (count - 1) / block <= scan_chunk * scan_block(total_type(pass));
}

ChainWords chain_words(const ScanPass& pass, const ScanWalk& walk) {
  const std::uint64_t words = size_of(total_type(pass)) / sizeof(std::uint32_t), chunk = scan_chunk;
  const auto block = static_cast<std::uint64_t>(scan_block(total_type(pass)));
  ChainWords result{};
  result.chunks = words * walk.blocks;
  result.groups = result.chunks + words * divide_up(walk.blocks, chunk);
  result.blocks = result.groups + words * divide_up(walk.blocks, chunk * chunk);
  result.row = result.blocks + words * divide_up(walk.blocks, block);
  result.all = 1 + static_cast<std::uint64_t>(walk.kept.shape.elements()) * result.row;
  return result;
}

ScanWalk make_scan_walk(const ScanPass& pass, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Shape& domain = body.domain;
  const std::int64_t count = domain[pass.axis], block = scan_block(pass.result);
  const bool columns = walks_columns(pass, traits);
  const std::uint64_t all_blocks = divide_up(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(block));
  const auto blocks_before_last = static_cast<std::int64_t>(all_blocks) - 1;
  std::vector<Shape> others{strides_with(domain, pass.axis, pass.totals ? blocks_before_last : count)};
  if (pass.prefixed) others.push_back(strides_with(domain, pass.axis, blocks_before_last));
  ScanWalk walk{make_row_walk(body, pass.axis, others, columns, traits)};
  walk.groups = static_cast<int>(block / (scan_chunk * scan_chunk));
  walk.count = static_cast<std::uint64_t>(count);
  walk.blocks = all_blocks - (pass.totals ? 1 : 0);
  const std::uint64_t rows = static_cast<std::uint64_t>(walk.kept.shape.elements());
  if (columns) {
    walk.inner = static_cast<std::uint64_t>(walk.kept.shape.back());
    walk.tiles = divide_up(walk.inner, static_cast<std::uint64_t>(walk.width));
  }
  if (columns && !walk.cpu) {
    const int side_by_side = bytes_side_by_side / (walk.width * static_cast<int>(size_of(pass.result)));
    walk.lanes = static_cast<int>(scan_chunk);
    walk.group = walk.lanes * std::clamp(side_by_side, fewest_side_by_side, 256 / walk.lanes);
    walk.tiles = divide_up(walk.tiles, static_cast<std::uint64_t>(walk.group / walk.lanes));
  }
  walk.carried = pass.carried;
  walk.units = rows / walk.inner * walk.tiles * (walk.carried ? 1 : walk.blocks);
  if (walk.cpu) {
    const std::int64_t elements = std::min(count, block) * (columns ? walk.width : 1);
    const std::uint64_t share = walk.units / (std::uint64_t{traits.tuning.items_per_core} * traits.compute_units);
    walk.units_per_item =
        std::max(divide_up(traits.tuning.scan_elements_per_item, static_cast<std::uint64_t>(elements)), share);
  } else if (!columns) {
    walk.lanes = count <= scan_chunk                ? 1
                 : count <= scan_chunk * scan_chunk ? static_cast<int>(scan_chunk)
                                                    : scan_group(pass.result);
    walk.group = scan_group(pass.result);
  }
  return walk;
}

ParamBlock parameters_of(const ScanPass& pass, const ScanWalk& walk) {
  ParamBlock block;
  block.add("count", walk.count);
  block.add("inner", walk.inner);
  block.add("tiles", walk.tiles);
  block.add("blocks", walk.blocks);
  block.add("units", walk.units);
  block.add("units_per_item", walk.units_per_item);
  if (pass.chained) {
    const ChainWords words = chain_words(pass, walk);
    block.add("chain_row", words.row);
    block.add("chain_chunks", words.chunks);
    block.add("chain_groups", words.groups);
    block.add("chain_blocks", words.blocks);
  }
  add_bounds(block, walk);
  add_values(block, *pass.body);
  return block;
}

}  // namespace koine::codegen
