// SPDX-License-Identifier: Apache-2.0
// How kernels that take whole rows along one axis (scans, and rows.hpp) walk their operands.
#pragma once

#include "codegen/walk.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace koine::codegen {

/// A loop over the rows ("kept" axes), and in each over the elements along one axis. With `columns` the last kept axis
/// is the innermost loop. Operands are the body's loads, and then others.
struct RowWalk {
  bool cpu, wide, aligned, columns;
  int width;
  graph::Collapsed kept;
  std::vector<std::int64_t> offsets, along;
  std::vector<Access> access;
};

/// `others`: for each operand beside the loads its strides over the body's domain; all begin at offset 0. `axis` is of
/// the domain.
RowWalk make_row_walk(const Body& body, std::size_t axis, const std::vector<Shape>& others, bool columns,
                      const DeviceTraits& traits);
/// Row-major memory of the domain with another size along an axis.
Shape strides_with(Shape shape, std::size_t axis, std::int64_t size);

/// All of a walk that enters a program's text.
void append_key(std::string& key, const RowWalk& walk);
/// The words of kn_bounds behind its first ones.
void append_bounds(std::vector<std::int64_t>& words, const RowWalk& walk);
/// The definition of kn_bounds, which begins with the ulongs `first`.
std::string row_bounds_type(const RowWalk& walk, std::string_view first);

}  // namespace koine::codegen
