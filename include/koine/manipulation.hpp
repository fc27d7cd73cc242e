// SPDX-License-Identifier: Apache-2.0
// Changing shape and order without touching values. All but concat, stack and pad are views of a computed array.
#pragma once

#include <koine/array.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>
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

/// How many elements pad puts before and behind each axis.
class PadWidths {
 public:
  using Pair = std::pair<detail::Integer, detail::Integer>;

  /// As many at all ends: `2`.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  PadWidths(T width) : PadWidths(width, width) {}  // NOLINT: implicit by design
  /// Of every axis: `{1, 2}`.
  PadWidths(detail::Integer before, detail::Integer after) : PadWidths({{before, after}}) {}
  /// Of each axis, or, a single pair, of every one: `{{1, 2}, {0, 3}}`.
  PadWidths(std::initializer_list<Pair> widths) : widths_(widths) {}   // NOLINT
  PadWidths(std::vector<Pair> widths) : widths_(std::move(widths)) {}  // NOLINT

  const std::vector<Pair>& widths() const noexcept { return widths_; }

 private:
  std::vector<Pair> widths_;
};
/// What stands in the padding: a constant; the value at the edge; the values mirrored at the edge element (reflect), or
/// at the edge behind it, which repeats the edge element (symmetric); the values from the other end (wrap).
enum class PadMode : std::uint8_t { constant, edge, reflect, symmetric, wrap };
struct PadOptions {
  PadMode mode = PadMode::constant;
  Operand constant_values = 0;  ///< of PadMode::constant: a scalar or an array without axes, as x's type
};
/// x with more elements around it. Padding longer than the axis goes on mirroring, or repeating. ValueError for a
/// negative width, for a number of pairs other than one or that of the axes, and where an axis without elements would
/// have to be continued by anything but a constant; ShapeError for constant values that have axes.
KOINE_API Array pad(const Array& x, const PadWidths& widths, const PadOptions& options = {});

}  // namespace koine
