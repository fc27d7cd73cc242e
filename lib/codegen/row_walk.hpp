// SPDX-License-Identifier: Apache-2.0
// How kernels that take whole rows along one axis (scans, and rows.hpp) walk their operands.
#pragma once

#include "codegen/param_block.hpp"
#include "codegen/walk.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace koine::codegen {

/// A loop over the rows ("kept" axes), and in each over the elements along one axis. With `columns` the last kept axis
/// is the innermost loop. Operands are the body's loads, and then others.
struct RowWalk {
  bool cpu, wide, aligned, columns;
  int width;
  graph::Collapsed kept;
  std::vector<WalkSeam> kept_seams, along_seams;  // the latter along the one axis
  std::vector<std::int64_t> offsets, along;
  std::vector<Access> access;
  bool spilled = false;  // whether its parameters are read from a buffer

  InnerSeams inner_seams() const {
    return {columns ? kept_seams : along_seams, columns ? kept.shape.size() - 1 : 0, columns ? "kept" : "along"};
  }

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_W", width);
    v.define("KN_CPU", cpu);
    v.define("KN_ALIGNED", aligned);
    v.define("KN_INDEX", Either{wide, "ulong", "uint"});
    v.shape("columns", columns);
    v.shape("spilled", spilled);
    v.shape("kept", kept.shape.size());
    v.shape("access", access);
    for (const auto* seams : {&kept_seams, &along_seams}) {
      v.shape("seams", seams->size());
      for (const WalkSeam& seam : *seams) seam.visit(v);
    }
  }
};

/// `others`: for each operand beside the loads its strides over the body's domain; all begin at offset 0. `axis` is of
/// the domain.
RowWalk make_row_walk(const Body& body, std::size_t axis, const std::vector<Shape>& others, bool columns,
                      const DeviceTraits& traits);
/// Row-major memory of the domain with another size along an axis.
Shape strides_with(Shape shape, std::size_t axis, std::int64_t size);

/// Adds what the offsets read.
void add_bounds(ParamBlock& block, const RowWalk& walk);
/// The strides along the innermost axis under the name that a body's lines use.
std::string inner_strides(const RowWalk& walk);

}  // namespace koine::codegen
