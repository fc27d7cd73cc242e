// SPDX-License-Identifier: Apache-2.0
// The walk over whole rows.
#include "codegen/row_walk.hpp"

#include <limits>

namespace koine::codegen {

Shape strides_with(Shape shape, std::size_t axis, std::int64_t size) {
  shape[axis] = size;
  return graph::row_major_strides(shape);
}

RowWalk make_row_walk(const Body& body, std::size_t axis, const std::vector<Shape>& others, bool columns,
                      const DeviceTraits& traits) {
  RowWalk walk{};
  walk.cpu = traits.long_loops();
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
  graph::collapse(
      kept_shape, strides.size(), [&](std::size_t k) -> const Shape& { return strides[k]; }, walk.kept);
  if (walk.kept.shape.empty()) walk.kept.add_axis(1, 0);

  // On a GPU neighbours take a row's elements one by one, so that they read what lies side by side.
  walk.width = walk.cpu || columns ? fold_width(body, traits) : 1;
  walk.aligned = !walk.cpu && walk.width > 1;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const std::int64_t step = columns ? walk.kept.step(k) : walk.along[k];
    walk.access.push_back(step == 1 ? Access::contiguous : step == 0 ? Access::uniform : Access::strided);
    if (step == 0) continue;
    const bool in_memory = k >= body.loads.size() || !body.loads[k].iota;
    walk.aligned = walk.aligned && step == 1 && (k >= body.loads.size() || loops_aligned(body.loads[k], walk.width)) &&
                   (!in_memory || (walk.offsets[k] % walk.width == 0 && walk.along[k] % walk.width == 0 &&
                                   starts_aligned(walk.kept, k, walk.kept.shape.size() - 1, walk.width)));
  }
  if (!walk.cpu && !walk.aligned) walk.width = 1;
  walk.wide = body.domain.elements() > std::numeric_limits<std::int32_t>::max();
  return walk;
}

void append_key(std::string& key, const RowWalk& walk) {
  const auto byte = [&](auto value) { key.push_back(static_cast<char>(value)); };
  byte((walk.cpu ? 1 : 0) | (walk.wide ? 2 : 0) | (walk.aligned ? 4 : 0) | (walk.columns ? 8 : 0));
  byte(walk.width);
  byte(walk.kept.shape.size());
  for (Access access : walk.access) byte(access);
}

void append_bounds(std::vector<std::int64_t>& words, const RowWalk& walk) {
  words.insert(words.end(), walk.offsets.begin(), walk.offsets.end());
  words.insert(words.end(), walk.along.begin(), walk.along.end());
  words.insert(words.end(), walk.kept.shape.begin(), walk.kept.shape.end());
  words.insert(words.end(), walk.kept.strides.begin(), walk.kept.strides.end());
}

std::string row_bounds_type(const RowWalk& walk, std::string_view first) {
  const auto number = [](std::size_t n) { return std::to_string(n); };
  const std::string operands = number(walk.offsets.size()), axes = number(walk.kept.shape.size());
  const std::string last = number((walk.kept.shape.size() - 1) * walk.offsets.size());
  return "typedef struct {\n  ulong " + std::string(first) + ";\n  long offset[" + operands + "], along[" + operands +
         "];\n  long kept_size[" + axes + "], kept_stride[" + number(walk.kept.strides.size()) +
         "];\n} kn_bounds;\n#define KN_STRIDE(k) " +
         (walk.columns ? "d.kept_stride[" + last + " + (k)]" : "d.along[k]") + "\n";
}

}  // namespace koine::codegen
