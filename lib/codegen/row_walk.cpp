// SPDX-License-Identifier: Apache-2.0
// The walk over whole rows.
#include "codegen/row_walk.hpp"

#include "codegen/print_walk.hpp"

#include <limits>

namespace koine::codegen {

Shape strides_with(Shape shape, std::size_t axis, std::int64_t size) {
  shape[axis] = size;
  return graph::row_major_strides(shape);
}

RowWalk make_row_walk(const Body& body, std::size_t axis, const std::vector<Shape>& others, bool columns,
                      const DeviceTraits& traits) {
  RowWalk walk{};
  walk.cpu = traits.cpu_loops();
  walk.columns = columns;
  std::vector<Shape> strides;
  for (const Load& load : body.loads) {
    strides.push_back(load.layout.strides);
    walk.offsets.push_back(load.layout.offset);
  }
  strides.insert(strides.end(), others.begin(), others.end());
  walk.offsets.resize(strides.size(), 0);
  Shape kept_shape = body.domain;
  kept_shape.erase(axis);
  for (Shape& each : strides) {
    walk.along.push_back(each[axis]);
    each.erase(axis);
  }
  std::vector<std::vector<graph::Seam>> seams(body.loads.size());
  for (std::size_t k = 0; k < seams.size(); ++k) {
    for (const graph::Seam& seam : body.loads[k].seams) {
      if (seam.axis == axis) {
        walk.along_seams.push_back({k, 0, seam.at, seam.jump, seam.turn});
      } else {
        seams[k].push_back({seam.axis - (seam.axis > axis ? 1 : 0), seam.at, seam.jump, seam.turn});
      }
    }
  }
  const auto seams_of = [&](std::size_t k) -> const std::vector<graph::Seam>& { return seams[k]; };
  graph::collapse(
      kept_shape, strides.size(), [&](std::size_t k) -> const Shape& { return strides[k]; }, walk.kept,
      [&](std::size_t each) { return begins_apart(kept_shape, each, seams.size(), seams_of); });
  merge_seams(kept_shape, walk.kept, seams.size(), seams_of, walk.kept_seams);
  if (walk.kept.shape.empty()) walk.kept.add_axis(1, 0);

  // On a GPU neighbours take a row's elements one by one, so that they read what lies side by side.
  walk.width = walk.cpu || columns ? fold_width(body, traits) : 1;
  walk.aligned = !walk.cpu && walk.width > 1;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const std::int64_t step = columns ? walk.kept.step(k) : walk.along[k];
    const bool in_pieces = walk.inner_seams().in_pieces(k), uniform = step == 0 && !in_pieces;
    walk.access.push_back(step == 1 ? Access::contiguous : uniform ? Access::uniform : Access::strided);
    if (uniform) continue;
    const bool in_memory = k >= body.loads.size() || !body.loads[k].iota;
    const bool in_step =
        step == 1 && !in_pieces && (k >= body.loads.size() || seams_aligned(body.loads[k], walk.width));
    walk.aligned = walk.aligned && in_step && (k >= body.loads.size() || loops_aligned(body.loads[k], walk.width)) &&
                   (!in_memory || (walk.offsets[k] % walk.width == 0 && walk.along[k] % walk.width == 0 &&
                                   starts_aligned(walk.kept, k, walk.kept.shape.size() - 1, walk.width)));
  }
  if (!walk.cpu && !walk.aligned) walk.width = 1;
  walk.wide = body.domain.elements() > std::numeric_limits<std::int32_t>::max();
  return walk;
}

void add_bounds(ParamBlock& block, const RowWalk& walk) {
  block.add("offset", walk.offsets);
  block.add("along", walk.along);
  block.add("kept_size", walk.kept.shape);
  block.add("kept_stride", walk.kept.strides);
  add_seams(block, "kept_seams", walk.kept_seams);
  add_seams(block, "along_seams", walk.along_seams);
}

std::string inner_strides(const RowWalk& walk) {
  const std::size_t last = (walk.kept.shape.size() - 1) * walk.offsets.size();
  return "#define KN_STRIDE(k) " + (walk.columns ? "d.kept_stride[" + std::to_string(last) + " + (k)]" : "d.along[k]") +
         "\n";
}

}  // namespace koine::codegen
