// SPDX-License-Identifier: Apache-2.0
// What may stand in a subscript: integers, slices, `all`, `newaxis`, `ellipsis`, arrays of positions and masks.
#pragma once

#include <koine/export.hpp>
#include <koine/reduction_options.hpp>
#include <koine/shape.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

namespace koine {

class Array;
class Operand;

namespace graph {
struct Node;
}

/// An end of a slice: an integer (negative counts from the end) or `none`, an open end.
class SliceBound {
 public:
  SliceBound(None) {}  // NOLINT: implicit by design
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  SliceBound(T value) : value_(detail::Integer(value).value) {}  // NOLINT

  const std::optional<std::int64_t>& value() const noexcept { return value_; }

 private:
  std::optional<std::int64_t> value_;
};

/// A range of positions along one axis, as Python's: clipped to the axis, step of either sign, never zero.
struct Slice {
  std::optional<std::int64_t> start, stop;
  std::int64_t step = 1;
};

/// The positions before `stop`.
inline Slice slice(SliceBound stop) { return {std::nullopt, stop.value(), 1}; }
/// The positions from `start` up to, not including, `stop`, by `step`.
inline Slice slice(SliceBound start, SliceBound stop, detail::Integer step = 1) {
  return {start.value(), stop.value(), step.value};
}

struct NewAxis {
  explicit constexpr NewAxis(int) {}
};
/// A new axis of size one.
inline constexpr NewAxis newaxis{0};

struct Ellipsis {
  explicit constexpr Ellipsis(int) {}
};
/// As many whole axes as are not named otherwise.
inline constexpr Ellipsis ellipsis{0};

/// `all` is two things: the reduction, `all(x)`, and the whole axis in a subscript, `x(all, 0)`.
struct All {
  explicit constexpr All(int) {}
  /// True where every element along `options.axis` (by default: of the whole array) is true, i.e. not zero. True for no
  /// elements. The reduced axes are removed, or of size one with `.keepdims`. Takes every type; gives bool_.
  KOINE_API Array operator()(const Operand& x, const ReductionOptions& options = {}) const;
};
inline constexpr All all{0};

/// One entry of a subscript.
class Index {
 public:
  using Value = std::variant<std::int64_t, Slice, NewAxis, Ellipsis>;

  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Index(T position) : value_(detail::Integer(position).value) {}  // NOLINT: implicit by design
  Index(Slice slice) : value_(slice) {}                           // NOLINT
  Index(All) : value_(Slice{}) {}                                 // NOLINT
  Index(NewAxis n) : value_(n) {}                                 // NOLINT
  Index(Ellipsis e) : value_(e) {}                                // NOLINT
  /// Positions along an axis, or, if its type is bool_, a mask of as many axes as it has.
  KOINE_API Index(const Array& array);  // NOLINT

  /// Of an array the whole axis.
  const Value& value() const noexcept { return value_; }
  /// Null for all but arrays. Beside the value, not in it: GCC 12 warns of variants that hold shared pointers.
  const std::shared_ptr<graph::Node>& array() const noexcept { return array_; }

 private:
  Value value_;
  std::shared_ptr<graph::Node> array_;
};

}  // namespace koine
