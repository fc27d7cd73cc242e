// SPDX-License-Identifier: Apache-2.0
// Changing shape and order without touching values. All but concat and stack are views of a computed array.
#pragma once

#include <koine/array.hpp>

#include <initializer_list>
#include <optional>
#include <vector>

namespace koine {

struct ReshapeOptions {
  std::optional<bool> copy = std::nullopt;  ///< true: always copy; false: ValueError where a copy is needed
};
/// The elements in row-major order under another shape; one size may be -1 and follows from the rest. ShapeError if the
/// numbers of elements differ.
KOINE_API Array reshape(const Array& x, const Shape& shape, const ReshapeOptions& options = {});
/// The axes in another order: axis i of the result is axis axes[i] of x.
KOINE_API Array permute_dims(const Array& x, const Axis& axes);
/// The last two axes swapped.
KOINE_API Array matrix_transpose(const Array& x);
/// A new axis of size one before position `axis` of the result.
KOINE_API Array expand_dims(const Array& x, const Axis& axis = 0);
/// The named axes, which must have size one, removed.
KOINE_API Array squeeze(const Array& x, const Axis& axis);
/// x repeated along new axes and axes of size one up to `shape`.
KOINE_API Array broadcast_to(const Array& x, const Shape& shape);
/// The arrays broadcast to their common shape.
KOINE_API std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays);
/// The shape that the shapes broadcast to.
KOINE_API Shape broadcast_shapes(const std::vector<Shape>& shapes);
/// The axes `source` moved to the positions `destination`; the rest keep their order.
KOINE_API Array moveaxis(const Array& x, const Axis& source, const Axis& destination);

struct FlipOptions {
  Axis axis = none;
};
/// The order of the elements along the axes (all by default) reversed.
KOINE_API Array flip(const Array& x, const FlipOptions& options = {});

struct ConcatOptions {
  Axis axis = 0;  ///< none: the flattened arrays one after another
};
/// The arrays one after another along an existing axis; their types promote.
KOINE_API Array concat(const std::vector<Array>& arrays, const ConcatOptions& options = {});

struct StackOptions {
  std::int64_t axis = 0;
};
/// The arrays, all of one shape, along a new axis; their types promote.
KOINE_API Array stack(const std::vector<Array>& arrays, const StackOptions& options = {});
struct UnstackOptions {
  std::int64_t axis = 0;
};
/// The parts of x along an axis, which disappears.
KOINE_API std::vector<Array> unstack(const Array& x, const UnstackOptions& options = {});

}  // namespace koine
