// SPDX-License-Identifier: Apache-2.0
// What may stand in a subscript: integers, slices, `all`, `newaxis`, `ellipsis`, arrays and lists of positions and
// masks.
#pragma once

#include <koine/export.hpp>
#include <koine/reduction_options.hpp>
#include <koine/shape.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace koine {

class Array;
class Operand;

namespace detail {
/// Positions, or a mask, on the host: they become an array on the device of the one that they index.
struct IndexList {
  std::vector<std::int64_t> values;
  bool mask = false;
};
/// A vector, an array or a span of bool.
template <class R>
concept BoolRange = requires(const R& range) {
  std::begin(range);
  requires std::same_as<typename R::value_type, bool>;
};
}  // namespace detail

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
  KOINE_API Array operator()(Operand x, const ReductionOptions& options = {}) const;
  KOINE_API Array operator()(Operand x, const Axis& axis) const;
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
  /// The same written out, or in a vector, an array or a span.
  Index(std::initializer_list<detail::Integer> positions) : Index(Slice{}) {
    auto list = std::make_shared<detail::IndexList>();
    for (const detail::Integer position : positions) list->values.push_back(position.value);
    list_ = std::move(list);
  }
  template <class R>
    requires detail::IntegerRange<R> || detail::BoolRange<R> Index(const R& values) : Index(Slice{}) {  // NOLINT
      auto list = std::make_shared<detail::IndexList>();
      for (const auto value : values) {
        if constexpr (detail::BoolRange<R>) {
          list->values.push_back(static_cast<bool>(value));
        } else {
          list->values.push_back(detail::Integer(value).value);
        }
      }
      list->mask = detail::BoolRange<R>;
      list_ = std::move(list);
    }

    /// Of an array the whole axis.
    const Value& value() const noexcept { return value_; }
    /// Null for all but arrays. Beside the value, not in it: GCC 12 warns of variants that hold shared pointers.
    const std::shared_ptr<graph::Node>& array() const noexcept { return array_; }
    /// Null for all but lists.
    const detail::IndexList* list() const noexcept { return list_.get(); }

   private:
    Value value_;
    std::shared_ptr<graph::Node> array_;
    std::shared_ptr<const detail::IndexList> list_;
};

}  // namespace koine
