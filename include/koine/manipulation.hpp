// SPDX-License-Identifier: Apache-2.0
// Changing shape and order without touching values. All but concat, stack, repeat, tile and pad are views of a
// computed array.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace koine {

struct ReshapeOptions {
  detail::Named names_only = detail::named;
  std::optional<bool> copy = std::nullopt;  ///< true: always copy; false: ValueError where a copy is needed;
                                            ///< what is still to be computed needs none, but for a view's strides, for
                                            ///< which a view is computed
};
/// The elements in row-major order under another shape; one size may be -1 and follows from the rest. Takes every type;
/// gives the same type. ShapeError if the numbers of elements differ.
KOINE_API Array reshape(const Array& x, const Shape& shape, const ReshapeOptions& options = {});
/// The axes in another order: axis i of the result is axis axes[i] of x. Takes every type; gives the same type.
KOINE_API Array permute_dims(const Array& x, const Axis& axes);
/// The last two axes swapped. Takes every type; gives the same type.
KOINE_API Array matrix_transpose(const Array& x);
/// A new axis of size one before position `axis` of the result. Takes every type; gives the same type.
KOINE_API Array expand_dims(const Array& x, const Axis& axis = 0);
/// The named axes, which must have size one, removed. Takes every type; gives the same type.
KOINE_API Array squeeze(const Array& x, const Axis& axis);
/// x repeated along new axes and axes of size one up to `shape`. Takes every type; gives the same type.
KOINE_API Array broadcast_to(const Array& x, const Shape& shape);
/// The arrays broadcast to their common shape. Takes every type; gives the same types.
KOINE_API std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays);
/// The shape that the shapes broadcast to.
KOINE_API Shape broadcast_shapes(const std::vector<Shape>& shapes);
/// The axes `source` moved to the positions `destination`; the rest keep their order. Takes every type;
/// gives the same type.
KOINE_API Array moveaxis(const Array& x, const Axis& source, const Axis& destination);

struct FlipOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;
};
/// The order of the elements along the axes (all by default) reversed. Takes every type; gives the same type.
KOINE_API Array flip(const Array& x, const FlipOptions& options = {});
inline Array flip(const Array& x, const Axis& axis) { return flip(x, {.axis = axis}); }

struct ConcatOptions {
  detail::Named names_only = detail::named;
  Axis axis = 0;  ///< none: the flattened arrays one after another
};
/// The arrays one after another along an existing axis. Takes every type; gives their common type.
KOINE_API Array concat(const std::vector<Array>& arrays, const ConcatOptions& options = {});
inline Array concat(const std::vector<Array>& arrays, const Axis& axis) { return concat(arrays, {.axis = axis}); }

struct StackOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = 0;
};
/// The arrays, all of one shape, along a new axis. Takes every type; gives their common type.
KOINE_API Array stack(const std::vector<Array>& arrays, const StackOptions& options = {});
inline Array stack(const std::vector<Array>& arrays, std::int64_t axis) { return stack(arrays, {.axis = axis}); }
struct UnstackOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = 0;
};
/// The parts of x along an axis, which disappears. Takes every type; gives the same type.
KOINE_API std::vector<Array> unstack(const Array& x, const UnstackOptions& options = {});
inline std::vector<Array> unstack(const Array& x, std::int64_t axis) { return unstack(x, {.axis = axis}); }

struct RepeatOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;  ///< none: of the flattened array
};
/// Each element, or each part along one axis, `repeats` times over, its copies beside it. Takes every type;
/// gives the same type. ValueError for repeats below
/// zero, IndexError for an axis out of range.
KOINE_API Array repeat(const Array& x, std::int64_t repeats, const RepeatOptions& options = {});
inline Array repeat(const Array& x, std::int64_t repeats, const Axis& axis) {
  return repeat(x, repeats, {.axis = axis});
}
/// The same with a number for each of them, or one number for all, as integers in an array of one axis. Waits for the
/// device, as the result's shape depends on `repeats`. DTypeError for repeats that are not integers, ShapeError for as
/// many as do not fit the axis.
KOINE_API Array repeat(const Array& x, const Array& repeats, const RepeatOptions& options = {});
inline Array repeat(const Array& x, const Array& repeats, const Axis& axis) {
  return repeat(x, repeats, {.axis = axis});
}
/// x set side by side `repetitions` times along each axis. Where x has fewer axes than there are repetitions, it gets
/// new ones in front; where it has more, those in front stay as they are. Takes every type; gives the same type.
/// ValueError for repetitions below zero.
KOINE_API Array tile(const Array& x, const Shape& repetitions);
/// The same along the last axis.
KOINE_API Array tile(const Array& x, std::int64_t repetitions);

struct RollOptions {
  detail::Named names_only = detail::named;
  Axis axis = none;  ///< none: the flattened array is rolled and takes x's shape again
};
/// The elements moved by `shift` places along each of the axes, those that leave at one end coming in at the other;
/// towards the front for a shift below zero. Takes every type; gives the same type. IndexError for an axis out of
/// range.
KOINE_API Array roll(const Array& x, std::int64_t shift, const RollOptions& options = {});
inline Array roll(const Array& x, std::int64_t shift, const Axis& axis) { return roll(x, shift, {.axis = axis}); }
/// The same with a shift for each axis; where an axis is named twice, or none is, the shifts add up. ValueError unless
/// there are as many shifts as axes.
KOINE_API Array roll(const Array& x, const Shape& shift, const RollOptions& options = {});
inline Array roll(const Array& x, const Shape& shift, const Axis& axis) { return roll(x, shift, {.axis = axis}); }

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
struct PadOptions {
  detail::Named names_only = detail::named;
  std::string_view mode = "constant";  ///< or "edge", "reflect", "symmetric", "wrap"
  Operand constant_values = 0;         ///< of "constant": a scalar or an array without axes, as x's type
};
/// x with more elements around it: constants; the values at the edges ("edge"); the values mirrored at the edge
/// elements ("reflect") or behind them, which repeats those ("symmetric"); the values from the other end ("wrap").
/// Padding longer than the axis goes on mirroring, or repeating. Takes every type; gives the same type. ValueError for
/// another mode, a negative width, a number of pairs other than one or that of the axes, and where an axis without
/// elements would have to be continued by anything but a constant, for a constant that x's type cannot hold; ShapeError
/// for constant values that have axes.
KOINE_API Array pad(const Array& x, const PadWidths& widths, const PadOptions& options = {});

}  // namespace koine
