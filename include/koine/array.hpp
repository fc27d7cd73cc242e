// SPDX-License-Identifier: Apache-2.0
// Array: a lazy n-dimensional array on a device; Subscript: a part of one; Operand: what a function takes, an array or
// a C++ scalar.
#pragma once

#include <koine/device.hpp>
#include <koine/dtype.hpp>
#include <koine/export.hpp>
#include <koine/index.hpp>
#include <koine/reduction_options.hpp>
#include <koine/scalar.hpp>
#include <koine/shape.hpp>

#include <concepts>
#include <exception>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine {

namespace graph {
struct Node;
using NodeRef = std::shared_ptr<Node>;
}  // namespace graph

class Array;
class Operand;
class Subscript;
class Update;

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
class AsyncReader;  // in async.hpp

/// A method, for a variable and for a temporary: a temporary part of an array lets go of that array as it is read, so
/// that `x(0) = x(1).sum()` is an assignment in place.
#define KOINE_METHOD(declaration) \
  declaration const&;             \
  declaration&&

/// What can be asked of an array and of a part of one.
template <class Self>
class KOINE_API Methods {
 public:
  /// The sizes of the axes.
  std::conditional_t<std::same_as<Self, Array>, const Shape&, Shape> shape() const;
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
  KOINE_METHOD(Array T());
  /// The last two axes swapped; ShapeError if ndim() is below 2.
  KOINE_METHOD(Array mT());

  /// The value of an array of one element, converted to T as astype would. Waits for the device.
  template <ScalarLike T>
  T item() const& {
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
  template <ScalarLike T>
  T item() && {
    const auto part = taken();
    return part.template item<T>();
  }

  /// All elements in row-major order, converted to T as astype would. Waits for the device.
  template <Element T>
  std::vector<T> to_vector() const& {
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
  template <Element T>
  std::vector<T> to_vector() && {
    const auto part = taken();
    return part.template to_vector<T>();
  }

  /// Copies all elements in row-major order, converted to the range's element type, into `target`, a range of exactly
  /// size() elements: a vector, an array, a span, or a view of one member of an array of structs. ShapeError for
  /// another size. Waits for the device.
  template <class Range>
    requires Element<std::remove_cvref_t<decltype(*std::begin(std::declval<Range&>()))>>
  void copy_to(Range&& target) const {
    using T = std::remove_cvref_t<decltype(*std::begin(target))>;
    if constexpr (requires { read(dtype_of<T>, std::data(target), std::size(target), "copy_to"); }) {
      read(dtype_of<T>, std::data(target), std::size(target), "copy_to");
    } else {
      const std::vector<T> values = to_vector<T>();
      check_count(static_cast<std::size_t>(std::distance(std::begin(target), std::end(target))), "copy_to");
      auto value = values.begin();
      for (auto&& element : target) element = *value++;
    }
  }

  /// What to_vector gives as a std::future, without waiting: starts the computation and reads in the background. The
  /// values are those of now, whatever is assigned later. get() waits, and throws what went wrong on the way; a wrong
  /// type throws here. The future may be dropped, and the process may end, before the values are there. Needs
  /// <koine/async.hpp>.
  template <Element T>
  auto read_async() const {
    static_assert(
        requires { sizeof(AsyncReader<T>); }, "Koine: for read_async write #include <koine/async.hpp>");
    auto reader = std::make_shared<AsyncReader<T>>();
    auto result = reader->future();
    read_later(dtype_of<T>, std::move(reader));
    return result;
  }

  /// The same values as `type`; see koine::astype.
  KOINE_METHOD(Array astype(DType type));
  /// The same values on another device; see koine::to_device.
  KOINE_METHOD(Array to_device(Device device));
  /// The values in row-major memory of their own. (An Array is a value, so a plain copy is as safe, and cheaper; this
  /// one lets go of a large array of which it is a part.)
  KOINE_METHOD([[nodiscard]] Array copy());
  /// The elements in row-major order under another shape, in which one size may be -1: `x.reshape({2, -1})`,
  /// `x.reshape(2, -1)`; see koine::reshape.
  KOINE_METHOD([[nodiscard]] Array reshape(const Shape& shape));
  template <IntegerLike... T>
    requires(sizeof...(T) > 1)
  [[nodiscard]] auto reshape(T... sizes) const& { return static_cast<const Methods&>(*this).reshape(Shape{sizes...}); }
  template <IntegerLike... T>
    requires(sizeof...(T) > 1)
  [[nodiscard]] auto reshape(T... sizes) && { return static_cast<Methods&&>(*this).reshape(Shape{sizes...}); }
  /// The elements in row-major order along one axis.
  KOINE_METHOD([[nodiscard]] Array ravel());
  /// The elements in rising order along one axis; see koine::sort. Not in place.
  KOINE_METHOD([[nodiscard]] Array sort(std::int64_t axis = -1));

  /// The functions of these names.
  KOINE_METHOD([[nodiscard]] Array sum(const SumOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array sum(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array mean(const ReductionOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array mean(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array max(const ReductionOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array max(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array min(const ReductionOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array min(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array any(const ReductionOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array any(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array all(const ReductionOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array all(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array argmax(const ArgOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array argmax(const Axis& axis));
  KOINE_METHOD([[nodiscard]] Array argmin(const ArgOptions& options = {}));
  KOINE_METHOD([[nodiscard]] Array argmin(const Axis& axis));

  explicit operator bool() const { return item<bool>(); }
  template <ScalarLike T>
    requires(!std::same_as<T, bool>)
  explicit operator T() const { return item<T>(); }

  template <class = void>
  KOINE_INSTEAD("an Array is no range of C++ values; write for (float value : x.to_vector<float>())")
  const float* begin() const;
  template <class = void>
  KOINE_INSTEAD("an Array is no range of C++ values; write for (float value : x.to_vector<float>())")
  const float* end() const;

 protected:
  Methods() = default;
  Methods(const Methods&) = default;
  Methods(Methods&&) = default;
  Methods& operator=(const Methods&) = default;
  Methods& operator=(Methods&&) = default;
  ~Methods() = default;

 private:
  void read_item(DType type, void* target) const;
  void read(DType type, void* target, std::size_t count, const char* function) const;
  void read_later(DType type, std::shared_ptr<Reader> reader) const;
  void check_count(std::size_t count, const char* function) const;
  auto taken() {
    if constexpr (requires { static_cast<Self&>(*this).take(); }) {
      return static_cast<Self&>(*this).take();
    } else {
      return Self(static_cast<Self&&>(*this));
    }
  }
};

#undef KOINE_METHOD

}  // namespace detail

/// A lazy n-dimensional array on a device.
///
/// A value: cheap to copy, never aliased. Operations build a graph; the device computes when a value is observed
/// (`item`, `to_vector`, `copy_to`, `eval`, printing) or when the pending work has grown past a limit. Const use from
/// many threads is safe, evaluation included.
class KOINE_API Array : public detail::Methods<Array> {
 public:
  /// An empty array: shape (0), float32, on the default device once it is used.
  Array();
  Array(const Array&) = default;
  Array(Array&&) noexcept = default;
  Array& operator=(const Array&) & = default;
  Array& operator=(Array&&) & noexcept = default;
  ~Array() = default;

  /// Computes the array now (without waiting for the device) and returns it.
  const Array& eval() const;

  /// Reads a part. Each index is an integer, a slice, `all`, `newaxis`, `ellipsis`, an array, or a list of integers or
  /// of bool (`x({0, 2, 5})`, a vector); with no array and no list among them the part is a view, and nothing is
  /// copied.
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
  Array operator()(I&&... indices) && {
    const Array taken = std::move(*this);
    return taken(std::forward<I>(indices)...);
  }
  /// A part that can be read and assigned: `x(slice(0, 10)) = y`.
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Subscript operator()(I&&... indices) &;
  /// A list of positions, perhaps with further indices behind it: `x({0, 2, 5}, 1)`.
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Array operator()(std::initializer_list<detail::Integer> positions, I&&... indices) const& {
    return (*this)(Index(positions), std::forward<I>(indices)...);
  }
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Array operator()(std::initializer_list<detail::Integer> positions, I&&... indices) && {
    return std::move(*this)(Index(positions), std::forward<I>(indices)...);
  }
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Subscript operator()(std::initializer_list<detail::Integer> positions, I&&... indices) &;
  /// The same with one index.
  Array operator[](const Index& index) const& { return get({&index, 1}); }
  Array operator[](const Index& index) && { return std::move(*this)(index); }
  Subscript operator[](const Index& index) &;

  /// A part that values are added to, all of them where positions repeat: `x.at(which).add(values)`.
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Update at(I&&... indices)
  &;
  template <class... I>
    requires(std::constructible_from<Index, I>&&...)
  Update at(std::initializer_list<detail::Integer> positions, I&&... indices)
  &;

  /// The part that `indices` name: what operator() calls, for lists made at run time.
  Array get(std::span<const Index> indices) const;
  /// Assigns `value`, broadcast and converted to this array's type, to the part that `indices` name. In place where no
  /// other array and no pending work holds the memory; a copy is made first where one does. Where arrays name an
  /// element several times, it gets the last value; where they name one that is not there, IndexError is thrown when
  /// the array is observed, from then on. To assign by a mask waits for the device only if there is a value for each
  /// element.
  void set(std::span<const Index> indices, Operand value);

  explicit Array(graph::NodeRef node) noexcept : node_(std::move(node)) {}
  const graph::NodeRef& node() const;

 private:
  graph::NodeRef node_;
};

/// What `x(...)` gives where x is a variable: a part that can be read, and assigned to.
///
/// Read, it is a value, as an Array is: `auto row = x(0)` may outlive x, and does not change with it. Assigned to, as
/// in `x(0) = 7`, it changes x, in place where nobody else holds x's memory (such a `row` does).
///
/// `x(which) += y` reads, adds and assigns. So where an array `which` names an element several times, the last value
/// counts, as with NumPy, and not the sum of all, for which there is `x.at(which).add(y)`.
class [[nodiscard]] KOINE_API Subscript : public detail::Methods<Subscript> {
 public:
  Subscript(Array& array, std::vector<Index> indices) : array_(&array), source_(array), indices_(std::move(indices)) {}
  Subscript(const Subscript&) = default;

  operator Array() const& { return source_.get(indices_); }  // NOLINT: reads as the part itself
  operator Array() && { return take(); }                     // NOLINT
  /// The part, of a temporary, which is not used again.
  Array take() { return std::exchange(source_, Array()).get(indices_); }

  void operator=(const Subscript& value) &&;  // NOLINT: assigns elements, so nothing to chain
  void operator=(Subscript&& value) &&;       // NOLINT
  void operator=(Operand value) &&;           // NOLINT
  void operator+=(Operand value) &&;
  void operator-=(Operand value) &&;
  void operator*=(Operand value) &&;
  void operator/=(Operand value) &&;
  void operator%=(Operand value) &&;
  void operator&=(Operand value) &&;
  void operator|=(Operand value) &&;
  void operator^=(Operand value) &&;
  void operator<<=(Operand value) &&;
  void operator>>=(Operand value) &&;
  template <class T>
  KOINE_INSTEAD("what a subscript read is a value; declare it as Array, or assign to the array itself: x(0) = value")
  void operator=(const T&) &;

  template <class... I>
  Array operator()(I&&... indices) const& {
    return Array(*this)(std::forward<I>(indices)...);
  }
  template <class... I>
  Array operator()(I&&... indices) && {
    return take()(std::forward<I>(indices)...);
  }
  Array operator[](const Index& index) const& { return Array(*this)[index]; }
  Array operator[](const Index& index) && { return take()[index]; }

 private:
  Array* array_;
  // The array as it was; let go of before an assignment, which is in place only where nobody else holds the memory.
  Array source_;
  std::vector<Index> indices_;
};

/// What `x.at(...)` gives: a part of an array, named as by a subscript, that is brought together with values. They
/// broadcast to the part, are converted to x's type, and all count where arrays of positions name an element several
/// times. Each changes x as an assignment does: other arrays that shared its memory keep what they had.
///
/// Results have the same bits on every run. `add` has the exact sum of the element and its values, rounded once, but
/// for what is below 2^-61 of the largest of them (2^-92 in float64). Of bool_ add is OR and multiply is AND.
/// ShapeError for values that do not broadcast to the part, DTypeError for those that do not convert and for complex
/// numbers' max and min; what is wrong with the indices is as with a subscript.
class [[nodiscard]] KOINE_API Update {
 public:
  Update(Array& array, std::vector<Index> indices) : array_(&array), indices_(std::move(indices)) {}

  /// What NumPy's np.add.at does.
  void add(Operand values) &&;
  void multiply(Operand values) &&;
  /// The largest, NaN where one is.
  void max(Operand values) &&;
  /// The smallest, NaN where one is.
  void min(Operand values) &&;

 private:
  Array* array_;
  std::vector<Index> indices_;
};

/// The values of an array between brackets, long axes shortened, with its type where that is not the default. The
/// stream's precision, width and floating notation count where they are set: `std::cout << std::setprecision(3) << x`.
/// See also set_print_options in printing.hpp.
KOINE_API std::ostream& operator<<(std::ostream& out, const Array& x);
KOINE_API std::ostream& operator<<(std::ostream& out, const Subscript& x);

template <class... I>
  requires(std::constructible_from<Index, I>&&...)
Subscript Array::operator()(I&&... indices) & {
  return Subscript(*this, std::vector<Index>{Index(std::forward<I>(indices))...});
}
template <class... I>
  requires(std::constructible_from<Index, I>&&...)
Subscript Array::operator()(std::initializer_list<detail::Integer> positions, I&&... indices) & {
  return (*this)(Index(positions), std::forward<I>(indices)...);
}
inline Subscript Array::operator[](const Index& index) & { return Subscript(*this, {index}); }
template <class... I>
  requires(std::constructible_from<Index, I>&&...)
Update Array::at(I&&... indices)
&{ return Update(*this, std::vector<Index>{Index(std::forward<I>(indices))...}); }
template <class... I>
  requires(std::constructible_from<Index, I>&&...)
Update Array::at(std::initializer_list<detail::Integer> positions, I&&... indices)
&{ return at(Index(positions), std::forward<I>(indices)...); }

extern template class detail::Methods<Array>;
extern template class detail::Methods<Subscript>;

/// What an element-wise function takes: an array, a subscript of one, or a C++ scalar.
class Operand {
 public:
  Operand(const Array& array) : array_(array) {}                      // NOLINT: implicit by design
  Operand(Array&& array) : array_(std::move(array)) {}                // NOLINT
  Operand(const Subscript& part) : array_(part) {}                    // NOLINT
  Operand(Subscript&& part) : array_(part.take()) {}                  // NOLINT
  Operand(const Scalar& value) : scalar_(value), is_scalar_(true) {}  // NOLINT
  template <ScalarLike T>
  Operand(T value) : Operand(Scalar(value)) {}  // NOLINT

  bool is_scalar() const noexcept { return is_scalar_; }
  const Array& array() const { return array_; }
  const Scalar& scalar() const { return scalar_; }

 private:
  Array array_;
  Scalar scalar_ = false;
  bool is_scalar_ = false;
};

namespace detail {
KOINE_API void eval_all(std::span<const Array* const> arrays);
}

/// Computes one array or several together, sharing work between them; does not wait for the device. Takes every type;
/// gives nothing.
template <std::same_as<Array>... A>
void eval(const A&... arrays) {
  const Array* const list[] = {&arrays...};
  detail::eval_all(list);
}
KOINE_API void eval(const std::vector<Array>& arrays);

/// Waits until everything submitted to `device` (by default: to every device in use) has finished.
KOINE_API void synchronize(Device device);
KOINE_API void synchronize();

}  // namespace koine
