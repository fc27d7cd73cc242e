// SPDX-License-Identifier: Apache-2.0
// Shape: the sizes of an array's axes; Axis: the option that names one axis, several, or none.
#pragma once

#include <koine/export.hpp>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine {

namespace detail {
[[noreturn]] KOINE_API void throw_too_large(std::uint64_t value);

/// One integer of any integral type, so that `{v.size(), 3}` needs no cast and narrows nothing.
struct Integer {
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  constexpr Integer(T v) : value(static_cast<std::int64_t>(v)) {  // NOLINT: implicit by design
    if (std::cmp_greater(v, std::numeric_limits<std::int64_t>::max())) throw_too_large(static_cast<std::uint64_t>(v));
  }
  std::int64_t value;
};

template <class T>
concept IntegerLike = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
/// A vector, an array, a span or another list of integers.
template <class R>
concept IntegerRange = requires(const R& range) {
  std::begin(range);
  std::size(range);
  requires IntegerLike<std::remove_cvref_t<decltype(*std::begin(range))>>;
};
}  // namespace detail

/// The sizes of an array's axes, outermost first; also used for lists of strides and axes. Up to six axes live inside
/// the object, since every node of a lazy expression carries one.
class KOINE_API Shape {
 public:
  using value_type = std::int64_t;
  using iterator = std::int64_t*;
  using const_iterator = const std::int64_t*;

  Shape() noexcept {}
  /// One axis: `zeros(5)`.
  template <detail::IntegerLike T>
  Shape(T size) : Shape(Unset{}, 1) {  // NOLINT: implicit by design
    data()[0] = detail::Integer(size).value;
  }
  Shape(std::initializer_list<detail::Integer> sizes) : Shape(Unset{}, sizes.size()) {
    std::int64_t* to = data();
    for (const detail::Integer size : sizes) *to++ = size.value;
  }
  template <detail::IntegerRange R>
    requires(!std::same_as<R, Shape>)
  Shape(const R& sizes) : Shape(Unset{}, std::size(sizes)) {  // NOLINT: implicit by design
    std::int64_t* to = data();
    for (const auto size : sizes) *to++ = detail::Integer(size).value;
  }
  /// `count` axes, each of size `value`.
  static Shape filled(std::size_t count, std::int64_t value) {
    Shape result(Unset{}, count);
    for (std::int64_t& size : result) size = value;
    return result;
  }

  // All of what is inside is copied, however few axes there are: a node is made of many shapes, and so few words take
  // less time than to count them.
  Shape(const Shape& other) : Shape(Unset{}, other.size_) {
    if (size_ > inline_axes) {
      std::memcpy(heap_, other.heap_, size_ * sizeof *heap_);
    } else {
      std::memcpy(inline_, other.inline_, sizeof inline_);
    }
  }
  Shape(Shape&& other) noexcept { take(other); }
  Shape& operator=(Shape other) noexcept {
    if (size_ > inline_axes) delete[] heap_;
    take(other);
    return *this;
  }
  ~Shape() {
    if (size_ > inline_axes) delete[] heap_;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t* data() noexcept { return size_ > inline_axes ? heap_ : inline_; }
  const std::int64_t* data() const noexcept { return size_ > inline_axes ? heap_ : inline_; }
  iterator begin() noexcept { return data(); }
  iterator end() noexcept { return data() + size_; }
  const_iterator begin() const noexcept { return data(); }
  const_iterator end() const noexcept { return data() + size_; }
  std::int64_t& operator[](std::size_t axis) noexcept { return data()[axis]; }
  std::int64_t operator[](std::size_t axis) const noexcept { return data()[axis]; }
  std::int64_t back() const noexcept { return data()[size_ - 1]; }

  void push_back(std::int64_t value) { insert(size_, value); }
  void insert(std::size_t at, std::int64_t value);
  void erase(std::size_t at);

  /// The number of elements: the product of the sizes, 1 for no axes.
  std::int64_t elements() const noexcept {
    std::int64_t product = 1;
    for (std::int64_t s : *this) product *= s;
    return product;
  }

  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (std::size_t axis = 0; axis < a.size_; ++axis) {
      if (a[axis] != b[axis]) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t inline_axes = 6;

  struct Unset {};
  Shape(Unset, std::size_t count) : size_(count) {
    if (count > inline_axes) heap_ = new std::int64_t[count];
  }
  void take(Shape& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    std::memcpy(inline_, other.inline_,
                sizeof inline_);  // the union's largest member, so the heap pointer goes with it
  }

  std::size_t size_ = 0;
  union {
    std::int64_t inline_[inline_axes] = {};
    std::int64_t* heap_;
  };
};

/// "(4, 5)", "(3,)", "()".
KOINE_API std::string to_string(const Shape& shape);
KOINE_API std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// The open end of a slice, and "all axes" as an axis.
struct None {
  explicit constexpr None(int) {}
};
inline constexpr None none{0};

/// An axis option: one integer, several, or `none` for every axis: `.axis = 1`, `.axis = {0, -1}`.
class Axis {
 public:
  Axis(None) {}  // NOLINT: implicit by design
  template <detail::IntegerLike T>
  Axis(T axis) : given_(true), axes_(axis) {}  // NOLINT: implicit by design
  // Not a list constructor, which would also take `{}`, and make `sum(x, {})` ambiguous.
  template <detail::IntegerLike... T>
    requires(sizeof...(T) > 1)
  Axis(T... axes) : given_(true), axes_{axes...} {}  // NOLINT: implicit by design
  template <detail::IntegerRange R>
  Axis(const R& axes) : given_(true), axes_(axes) {}  // NOLINT: implicit by design

  /// False for `none`.
  bool given() const noexcept { return given_; }
  const Shape& axes() const noexcept { return axes_; }

 private:
  bool given_ = false;
  Shape axes_;
};

}  // namespace koine
