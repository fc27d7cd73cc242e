// SPDX-License-Identifier: Apache-2.0
// Array: a lazy n-dimensional array on a device, and Operand: what a function takes, an array or a C++ scalar.
#pragma once

#include <koine/device.hpp>
#include <koine/dtype.hpp>
#include <koine/export.hpp>
#include <koine/index.hpp>
#include <koine/shape.hpp>

#include <complex>
#include <concepts>
#include <exception>
#include <future>
#include <iosfwd>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace koine {

namespace graph {
struct Node;
using NodeRef = std::shared_ptr<Node>;
}  // namespace graph

class Array;
class Subscript;

/// A C++ scalar as a function sees it: its kind and its value. It is weak: beside an array it takes the array's type
/// where its kind fits, and otherwise the default type of its own kind (int64, float32, complex64).
class Scalar {
 public:
  Scalar(bool value) : value_(value) {}  // NOLINT: implicit by design
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Scalar(T value) {  // NOLINT
    if constexpr (std::is_signed_v<T>) {
      value_ = static_cast<std::int64_t>(value);
    } else {
      value_ = static_cast<std::uint64_t>(value);
    }
  }
  template <class T>
    requires(std::floating_point<T> || std::same_as<T, float16_t> || std::same_as<T, bfloat16_t>)
  Scalar(T value) : value_(static_cast<double>(value)) {}  // NOLINT
  template <std::floating_point T>
  Scalar(std::complex<T> value) : value_(std::complex<double>(value)) {}  // NOLINT

  using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;
  const Value& value() const noexcept { return value_; }

 private:
  Value value_;
};

/// Types that become a Scalar: the element types and every other arithmetic type.
template <class T>
concept ScalarLike = std::is_arithmetic_v<T> || std::same_as<T, float16_t> || std::same_as<T, bfloat16_t> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

namespace detail {
/// Where a read in the background puts its values, and whom it tells. Both functions are called once, by another
/// thread.
class Reader {
 public:
  virtual ~Reader() = default;
  /// Room for `count` values.
  virtual void* target(std::size_t count) = 0;
  /// The values are there, or `error` says why not.
  virtual void finish(std::exception_ptr error) = 0;
};

template <Element T>
class FutureReader final : public Reader {
 public:
  void* target(std::size_t count) override {
    values_.resize(count);
    return values_.data();
  }
  void finish(std::exception_ptr error) override {
    if (error) return promise_.set_exception(error);
    if constexpr (std::same_as<T, bool>) {
      std::vector<bool> values;
      try {
        values.assign(values_.begin(), values_.end());
      } catch (...) {  // no memory
        return promise_.set_exception(std::current_exception());
      }
      promise_.set_value(std::move(values));
    } else {
      promise_.set_value(std::move(values_));
    }
  }
  std::future<std::vector<T>> future() { return promise_.get_future(); }

 private:
  std::vector<std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>> values_;
  std::promise<std::vector<T>> promise_;
};
}  // namespace detail

/// A lazy n-dimensional array on a device.
///
/// A value: cheap to copy, never aliased. Operations build a graph; the device computes when a value is observed
/// (`item`, `to_vector`, `copy_to`, `eval`, printing) or when the pending work has grown past a limit. Const use from
/// many threads is safe, evaluation included.
class KOINE_API Array {
 public:
  /// An empty array: shape (0), float32, on the default device once it is used.
  Array();
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  ~Array() = default;

  const Shape& shape() const;
  /// The size of one axis; negative axes count from the end.
  std::int64_t shape(std::int64_t axis) const;
  DType dtype() const;
  std::int64_t ndim() const { return static_cast<std::int64_t>(shape().size()); }
  /// The number of elements.
  std::int64_t size() const;
  /// size() times the size of one element.
  std::int64_t nbytes() const;
  Device device() const;

  /// The transpose of a matrix; ShapeError unless ndim() is 2.
  Array T() const;
  /// The last two axes swapped; ShapeError if ndim() is below 2.
  Array mT() const;

  /// The value of an array of one element, converted to T as astype would. Waits for the device.
  template <ScalarLike T>
  T item() const {
    T value;
    if constexpr (Element<T>) {
      read_item(dtype_of<T>, &value);
    } else {
      double wide;
      read_item(float64, &wide);
      value = static_cast<T>(wide);
    }
    return value;
  }

  /// All elements in row-major order, converted to T as astype would. Waits for the device.
  template <Element T>
  std::vector<T> to_vector() const {
    std::vector<T> result(static_cast<std::size_t>(size()));
    if constexpr (std::same_as<T, bool>) {
      std::vector<std::uint8_t> bytes(result.size());
      read(DType::bool_, bytes.data(), bytes.size(), "to_vector");
      result.assign(bytes.begin(), bytes.end());
    } else {
      read(dtype_of<T>, result.data(), result.size(), "to_vector");
    }
    return result;
  }

  /// Copies all elements, converted to the range's element type, into `target`, a contiguous range of exactly size()
  /// elements; ShapeError otherwise. Waits for the device.
  template <std::ranges::contiguous_range Range>
    requires Element<std::ranges::range_value_t<Range>>
  void copy_to(Range&& target) const {
    read(dtype_of<std::ranges::range_value_t<Range>>, std::ranges::data(target), std::ranges::size(target), "copy_to");
  }

  /// What to_vector gives, without waiting: starts the computation and reads in the background. The values are those of
  /// now, whatever is assigned later. get() waits, and throws what went wrong on the way; a wrong type throws here. The
  /// future may be dropped, and the process may end, before the values are there.
  template <Element T>
  std::future<std::vector<T>> read_async() const {
    auto reader = std::make_shared<detail::FutureReader<T>>();
    auto result = reader->future();
    read_later(dtype_of<T>, std::move(reader));
    return result;
  }

  /// The same values as `type`; see koine::astype.
  Array astype(DType type) const;
  /// The same values on another device; see koine::to_device.
  Array to_device(Device device) const;
  /// Computes the array now (without waiting for the device) and returns it.
  const Array& eval() const;

  /// Reads a part. Each index is an integer, a slice, `all`, `newaxis`, `ellipsis`, or an array; with no array among
  /// them the part is a view, and nothing is copied.
  ///
  /// Arrays follow NumPy's rules. One of integers picks positions along an axis, those below zero counted from the end;
  /// one of bool_ is a mask over as many axes as it has, of the same sizes or 0, and picks where it is true; one
  /// without axes adds an axis of size 1 or 0. Arrays broadcast against each other. Their common axes stand where the
  /// first of them stood, if they and the integers are neighbours in the subscript, and first otherwise. A mask waits
  /// for the device, as only it knows how much is picked. That a position is out of range also shows there, and throws
  /// IndexError when the result is observed (see take).
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Array operator()(I&&... indices) const& {
    const Index list[] = {Index(std::forward<I>(indices))..., Index(ellipsis)};
    return get({list, sizeof...(I)});
  }
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Array operator()(I&&... indices) && { return std::as_const(*this)(std::forward<I>(indices)...); }
  /// A part that can be read and assigned: `x(slice(0, 10)) = y`.
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Subscript operator()(I&&... indices) &;

  /// The part that `indices` name: what operator() calls, for lists made at run time.
  Array get(std::span<const Index> indices) const;
  /// Assigns `value`, broadcast and converted to this array's type, to the part that `indices` name. In place where no
  /// other array and no pending work holds the memory; a copy is made first where one does. Where arrays name an
  /// element several times, it gets the last value; where they name one that is not there, IndexError is thrown when
  /// the array is observed, from then on. To assign by a mask waits for the device only if there is a value for each
  /// element.
  void set(std::span<const Index> indices, const class Operand& value);

  explicit operator bool() const { return item<bool>(); }
  template <ScalarLike T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const { return item<T>(); }

  explicit Array(graph::NodeRef node) noexcept : node_(std::move(node)) {}
  const graph::NodeRef& node() const;

 private:
  void read_item(DType type, void* target) const;
  void read(DType type, void* target, std::size_t count, const char* function) const;
  void read_later(DType type, std::shared_ptr<detail::Reader> reader) const;

  graph::NodeRef node_;
};

/// The values of an array between brackets, long axes shortened, with its type where that is not the default.
KOINE_API std::ostream& operator<<(std::ostream& out, const Array& x);
/// The text that operator<< prints. Takes every type; gives a string.
KOINE_API std::string to_string(const Array& x);

/// A subscript of an array that can be assigned to. It refers to the array, so it does not outlive it, and it never
/// counts as a holder of the array's memory.
class [[nodiscard]] KOINE_API Subscript {
 public:
  Subscript(Array& array, std::vector<Index> indices) : array_(array), indices_(std::move(indices)) {}
  Subscript(const Subscript&) = default;

  operator Array() const { return std::as_const(array_).get(indices_); }  // NOLINT: reads as the part itself

  void operator=(const Subscript& value) &&;  // NOLINT: assigns elements, so nothing to chain
  void operator=(const Operand& value) &&;    // NOLINT
  void operator+=(const Operand& value) &&;
  void operator-=(const Operand& value) &&;
  void operator*=(const Operand& value) &&;
  void operator/=(const Operand& value) &&;
  void operator%=(const Operand& value) &&;
  void operator&=(const Operand& value) &&;
  void operator|=(const Operand& value) &&;
  void operator^=(const Operand& value) &&;
  void operator<<=(const Operand& value) &&;
  void operator>>=(const Operand& value) &&;

  const Shape shape() const { return Array(*this).shape(); }
  DType dtype() const { return array_.dtype(); }
  std::int64_t ndim() const { return Array(*this).ndim(); }
  std::int64_t size() const { return Array(*this).size(); }
  Array T() const { return Array(*this).T(); }
  Array mT() const { return Array(*this).mT(); }
  Array astype(DType type) const { return Array(*this).astype(type); }
  template <ScalarLike S>
  S item() const {
    return Array(*this).item<S>();
  }
  template <Element E>
  std::vector<E> to_vector() const {
    return Array(*this).to_vector<E>();
  }
  template <Element E>
  std::future<std::vector<E>> read_async() const {
    return Array(*this).read_async<E>();
  }
  template <class... I>
  Array operator()(I&&... indices) const {
    return std::as_const(static_cast<const Array&>(Array(*this)))(std::forward<I>(indices)...);
  }

 private:
  Array& array_;
  std::vector<Index> indices_;
};

KOINE_API std::ostream& operator<<(std::ostream& out, const Subscript& x);

template <class... I>
  requires(std::constructible_from<Index, I>&&...)
Subscript Array::operator()(I&&... indices) & {
  return Subscript(*this, std::vector<Index>{Index(std::forward<I>(indices))...});
}

/// What an element-wise function takes: an array, a subscript of one, or a C++ scalar.
class Operand {
 public:
  Operand(const Array& array) : value_(array) {}           // NOLINT: implicit by design
  Operand(Array&& array) : value_(std::move(array)) {}     // NOLINT
  Operand(const Subscript& part) : value_(Array(part)) {}  // NOLINT
  template <ScalarLike T>
  Operand(T value) : value_(Scalar(value)) {}  // NOLINT

  bool is_scalar() const noexcept { return std::holds_alternative<Scalar>(value_); }
  const Array& array() const { return std::get<Array>(value_); }
  const Scalar& scalar() const { return std::get<Scalar>(value_); }

 private:
  std::variant<Array, Scalar> value_;
};

/// Computes several arrays together, sharing work between them; does not wait for the device. Takes every type; gives
/// nothing.
KOINE_API void eval(std::span<const Array* const> arrays);
template <std::same_as<Array>... A>
void eval(const A&... arrays) {
  const Array* const list[] = {&arrays...};
  eval(std::span<const Array* const>(list));
}

/// Waits until everything submitted to `device` (by default: to every device in use) has finished.
KOINE_API void synchronize(Device device);
KOINE_API void synchronize();

}  // namespace koine
