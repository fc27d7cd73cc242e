// SPDX-License-Identifier: Apache-2.0
// How the operands of a scan are walked.
#include "codegen/scan.hpp"

#include "graph/infer.hpp"

#include <algorithm>
#include <limits>

namespace koine::codegen {
namespace {

constexpr std::int64_t local_bytes = 16384;  // of a group's accumulators: half of what OpenCL promises
// So many neighbouring rows are walked together; fewer would leave a vector, or a GPU's lanes, unused.
constexpr std::int64_t fewest_columns = 32;
constexpr std::int64_t fewest_elements = 16384;  // of a CPU work-item

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::int64_t product(const Shape& shape, std::size_t first) {
  std::int64_t result = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis) result *= shape[axis];
  return result;
}

/// Row-major memory of the domain with another size along the scanned axis.
Shape strides_with(Shape shape, std::size_t axis, std::int64_t size) {
  shape[axis] = size;
  return graph::row_major_strides(shape);
}

}  // namespace

DType total_type(const ScanPass& pass) { return graph::accumulation_type(pass.result); }

std::int64_t scan_block(DType result) {
  const auto size = static_cast<std::int64_t>(size_of(graph::accumulation_type(result)));
  const std::int64_t groups = local_bytes / (scan_chunk * scan_chunk * std::max<std::int64_t>(size, 4));
  return groups * scan_chunk * scan_chunk;
}

int scan_group(DType result) { return static_cast<int>(scan_block(result) / scan_chunk); }

ScanWalk make_scan_walk(const ScanPass& pass, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Shape& domain = body.domain;
  const std::int64_t count = domain[pass.axis], block = scan_block(pass.result), inner = product(domain, pass.axis + 1);
  ScanWalk walk{};
  walk.cpu = traits.long_loops();
  walk.columns = inner >= fewest_columns;
  walk.groups = static_cast<int>(block / (scan_chunk * scan_chunk));
  walk.count = static_cast<std::uint64_t>(count);
  const std::uint64_t all_blocks = divide_up(walk.count, static_cast<std::uint64_t>(block));
  walk.blocks = all_blocks - (pass.totals ? 1 : 0);

  std::vector<Shape> strides;
  for (const Load& load : body.loads) {
    strides.push_back(load.layout.strides);
    walk.offsets.push_back(load.layout.offset);
  }
  const auto blocks_before_last = static_cast<std::int64_t>(all_blocks) - 1;
  strides.push_back(strides_with(domain, pass.axis, pass.totals ? blocks_before_last : count));
  if (pass.prefixed) strides.push_back(strides_with(domain, pass.axis, blocks_before_last));
  walk.offsets.resize(strides.size(), 0);
  Shape kept_shape = domain;
  kept_shape.erase(pass.axis);
  for (Shape& each : strides) {
    walk.along.push_back(each[pass.axis]);
    each.erase(pass.axis);
  }
  graph::collapse(
      kept_shape, strides.size(), [&](std::size_t k) -> const Shape& { return strides[k]; }, walk.kept);
  if (walk.kept.shape.empty()) walk.kept.add_axis(1, 0);

  // On a GPU a row's elements pass through local memory one by one, so that neighbours read neighbours.
  walk.width = walk.cpu || walk.columns ? vector_width(body, false, traits) : 1;
  walk.aligned = !walk.cpu && walk.width > 1;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const std::int64_t step = walk.columns ? walk.kept.step(k) : walk.along[k];
    walk.access.push_back(step == 1 ? Access::contiguous : step == 0 ? Access::uniform : Access::strided);
    if (step == 0) continue;
    const bool in_memory = k >= body.loads.size() || !body.loads[k].iota;
    walk.aligned = walk.aligned && step == 1 &&
                   (!in_memory || (walk.offsets[k] % walk.width == 0 && walk.along[k] % walk.width == 0 &&
                                   starts_aligned(walk.kept, k, walk.kept.shape.size() - 1, walk.width)));
  }
  if (!walk.cpu && !walk.aligned) walk.width = 1;
  walk.wide = domain.elements() > std::numeric_limits<std::int32_t>::max();

  const std::uint64_t rows = static_cast<std::uint64_t>(walk.kept.shape.elements());
  walk.inner = walk.columns ? static_cast<std::uint64_t>(walk.kept.shape.back()) : 1;
  walk.tiles = walk.columns ? divide_up(walk.inner, static_cast<std::uint64_t>(walk.width)) : 1;
  walk.units = rows / walk.inner * walk.tiles * walk.blocks;
  walk.lanes = 1;
  walk.units_per_item = 1;
  if (walk.cpu) {
    const std::int64_t elements = std::min(count, block) * (walk.columns ? walk.width : 1);
    const std::uint64_t share = walk.units / (8 * std::uint64_t{traits.compute_units});
    walk.units_per_item = std::max(divide_up(fewest_elements, static_cast<std::uint64_t>(elements)), share);
  } else if (!walk.columns) {
    walk.lanes = count <= scan_chunk                ? 1
                 : count <= scan_chunk * scan_chunk ? static_cast<int>(scan_chunk)
                                                    : scan_group(pass.result);
  }
  return walk;
}

std::vector<std::int64_t> bounds(const ScanWalk& walk) {
  std::vector<std::int64_t> words;
  for (std::uint64_t w : {walk.count, walk.inner, walk.tiles, walk.blocks, walk.units, walk.units_per_item}) {
    words.push_back(static_cast<std::int64_t>(w));
  }
  words.insert(words.end(), walk.offsets.begin(), walk.offsets.end());
  words.insert(words.end(), walk.along.begin(), walk.along.end());
  words.insert(words.end(), walk.kept.shape.begin(), walk.kept.shape.end());
  words.insert(words.end(), walk.kept.strides.begin(), walk.kept.strides.end());
  return words;
}

void append_key(std::string& key, const ScanWalk& walk, const ScanPass& pass) {
  const auto byte = [&](auto value) { key.push_back(static_cast<char>(value)); };
  byte(pass.kind);
  byte((walk.cpu ? 1 : 0) | (walk.wide ? 2 : 0) | (walk.aligned ? 4 : 0) | (walk.columns ? 8 : 0) |
       (pass.totals ? 16 : 0) | (pass.prefixed ? 32 : 0));
  byte(pass.result);
  byte(walk.width);
  byte(walk.lanes == 256 ? 255 : walk.lanes);
  byte(walk.kept.shape.size());
  for (Access access : walk.access) byte(access);
  append_key(key, *pass.body);
}

}  // namespace koine::codegen
