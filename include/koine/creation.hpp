// SPDX-License-Identifier: Apache-2.0
// Making arrays: from host data, filled, by rule.
#pragma once

#include <koine/array.hpp>
#include <koine/literal.hpp>
#include <koine/options.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace koine {

/// The type and the device of a new array; by default the type follows from the data (default_dtype() where there is
/// none) and the device is default_device().
struct CreationOptions {
  detail::Named names_only = detail::named;
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};

namespace detail {
KOINE_API Array from_host(const void* values, DType type, std::size_t count, const Shape& shape,
                          const CreationOptions& options, const char* function);
KOINE_API Array from_strided(const void* values, DType type, const Shape& shape, const Shape& strides,
                             const CreationOptions& options);
KOINE_API Array borrow_host(const void* values, DType type, std::size_t count, const Shape& shape,
                            const CreationOptions& options);
[[noreturn]] KOINE_API void throw_ragged();
/// How many elements so many bytes are; ValueError for a part of one.
KOINE_API std::size_t elements_in(std::size_t bytes, DType type, const char* function);

template <class Range>
using ValueOf = std::remove_cvref_t<decltype(*std::begin(std::declval<const std::remove_cvref_t<Range>&>()))>;
/// Of a range, and of a range of ranges, the element; bool of std::vector<bool>, whose references are objects.
template <class T>
struct LeafOf {
  using Type = T;
  static constexpr bool is_range = false;
};
template <class T>
  requires requires(const T& range) {
    std::begin(range);
    std::size(range);
  }
struct LeafOf<T> {
  using Type = typename LeafOf<ValueOf<T>>::Type;
  static constexpr bool is_range = true;
};

/// Ranges of elements, nested to any depth.
template <class Range>
concept HostRange = LeafOf<Range>::is_range && Element<typename LeafOf<Range>::Type>;
template <class Range>
concept FlatRange = HostRange<Range> && Element<ValueOf<Range>>;
template <class Range>
concept ContiguousRange = FlatRange<Range> && requires(const Range& range) {
  { std::data(range) } -> std::convertible_to<const ValueOf<Range>*>;
};
/// Contiguous memory that outlives the call: not a temporary, but for views such as std::span.
template <class Range>
concept BorrowedRange = ContiguousRange<std::remove_cvref_t<Range>> &&
    (std::is_lvalue_reference_v<Range> || std::ranges::enable_borrowed_range<std::remove_cvref_t<Range>>);

/// The elements of nested ranges in row-major order, and their shape.
template <class Range>
struct Nested {
  using Leaf = typename LeafOf<Range>::Type;
  static constexpr DType dtype = dtype_of<Leaf>;

  template <class Part>
  void add(const Part& part, std::size_t axis) {
    const auto size = static_cast<std::int64_t>(std::size(part));
    if (axis == shape.size()) shape.push_back(size);
    if (shape[axis] != size) throw_ragged();
    if constexpr (Element<ValueOf<Part>>) {
      for (const auto& value : part) values.push_back(value);
    } else {
      for (const auto& inner : part) add(inner, axis + 1);
    }
  }

  std::vector<std::conditional_t<std::same_as<Leaf, bool>, std::uint8_t, Leaf>> values;
  Shape shape;
};
}  // namespace detail

/// Copies values of the host to the device. They are a vector, an array, a span, a C array, or another range whose
/// elements are an array's (`std::vector<bool>` too), or a range of such ranges, each of one length, which gives an
/// array of as many axes. Takes every type; gives `.dtype`, else the elements' type. ShapeError for inner ranges of
/// different lengths.
template <detail::HostRange Range>
Array asarray(const Range& values, const CreationOptions& options = {});
template <detail::HostRange Range>
Array asarray(const Range& values, DType dtype) {
  return asarray(values, {.dtype = dtype});
}
/// The same of a flat range, as `shape`, row-major. ShapeError if the range does not hold exactly that many elements.
template <detail::FlatRange Range>
Array asarray(const Range& values, const Shape& shape, const CreationOptions& options = {});
template <detail::FlatRange Range>
Array asarray(const Range& values, const Shape& shape, DType dtype) {
  return asarray(values, shape, {.dtype = dtype});
}
/// The elements from `values` on, as `shape`, row-major: `asarray(pointer, n)`.
template <Element T>
Array asarray(const T* values, const Shape& shape, const CreationOptions& options = {}) {
  return detail::from_host(values, dtype_of<T>, static_cast<std::size_t>(shape.elements()), shape, options, "asarray");
}
/// The same with a distance in bytes between neighbours for each axis, of either sign, as NumPy's strides.
template <Element T>
Array asarray(const T* values, const Shape& shape, const Shape& strides, const CreationOptions& options = {}) {
  return detail::from_strided(values, dtype_of<T>, shape, strides, options);
}
/// Elements of a type that only the running program knows, as bytes: of a file, or of another language's array.
/// Gives `.dtype`, else `type`. ShapeError if they are not exactly as many as the shape has, ValueError for a part of
/// an element.
inline Array asarray(std::span<const std::byte> bytes, DType type, const Shape& shape,
                     const CreationOptions& options = {}) {
  const std::size_t count = detail::elements_in(bytes.size(), type, "asarray");
  return detail::from_host(bytes.data(), type, count, shape, options, "asarray");
}
/// One member of each struct in a contiguous range: `asarray(particles, &Particle::mass)`.
template <class Range, class Struct, Element T>
  requires(std::same_as<detail::ValueOf<Range>, Struct>)
Array asarray(const Range& structs, T Struct::*member, const CreationOptions& options = {});
/// A number, or a list in braces; see array.
KOINE_API Array asarray(const Literal& values, const CreationOptions& options = {});
inline Array asarray(const Literal& values, DType dtype) { return asarray(values, {.dtype = dtype}); }
/// An array itself, of another type or on another device if the options say so.
KOINE_API Array asarray(const Array& x, const CreationOptions& options = {});
inline Array asarray(const Array& x, DType dtype) { return asarray(x, {.dtype = dtype}); }

/// The memory of a contiguous range itself, as `shape`, row-major: no copy on a device that shares memory with the host
/// (a CPU, an integrated GPU), as asarray() elsewhere and where `.dtype` asks for another type. Koine only reads the
/// memory: an assignment to a part of the array copies it first. The memory must live, and must not change, until every
/// array and all pending work that uses it are gone and every read_async of it is ready; the last destruction waits for
/// the device, so that the memory may be freed right after. It counts for nothing in memory_stats(). A temporary range
/// does not compile. Takes every type; gives `.dtype`, else the elements' type. ShapeError if the range does not hold
/// exactly as many elements as the shape.
template <class Range>
  requires detail::BorrowedRange<Range> Array borrow(Range&& memory, const Shape& shape,
                                                     const CreationOptions& options = {}) {
    return detail::borrow_host(std::data(memory), dtype_of<detail::ValueOf<Range>>, std::size(memory), shape, options);
  }
/// The same as a vector: shape (memory.size()).
template <class Range>
  requires detail::BorrowedRange<Range> Array borrow(Range&& memory, const CreationOptions& options = {}) {
    return borrow(memory, Shape(std::size(memory)), options);
  }

/// Arrays written out: `array({1, 2, 3})`, `array({{1, 2.5}, {3, 4}})`, to any depth. Gives `.dtype`, else what the
/// highest kind among the numbers gives: bool_, int64, default_dtype() or the complex type of its width. So numbers
/// beside float64 data want `.dtype = float64`, or set_default_dtype(float64). ValueError and DTypeError
/// for a number that full() would refuse, ShapeError for inner lists of different lengths.
KOINE_API Array array(const Literal& values, const CreationOptions& options = {});
inline Array array(const Literal& values, DType dtype) { return array(values, {.dtype = dtype}); }
/// Whatever else asarray takes.
template <class Values, class... Options>
  requires requires(const Values& values, const Options&... options) { koine::asarray(values, options...); }
Array array(const Values& values, const Options&... options) { return asarray(values, options...); }
template <detail::HostRange Range>
Array array(const Range& values, const CreationOptions& options) {
  return asarray(values, options);
}

/// Uninitialised elements: their values are not specified. Gives `.dtype`, default_dtype() by default.
KOINE_API Array empty(const Shape& shape, const CreationOptions& options = {});
inline Array empty(const Shape& shape, DType dtype) { return empty(shape, {.dtype = dtype}); }
/// Every element is 0. Gives `.dtype`, default_dtype() by default.
KOINE_API Array zeros(const Shape& shape, const CreationOptions& options = {});
inline Array zeros(const Shape& shape, DType dtype) { return zeros(shape, {.dtype = dtype}); }
/// Every element is 1. Gives `.dtype`, default_dtype() by default.
KOINE_API Array ones(const Shape& shape, const CreationOptions& options = {});
inline Array ones(const Shape& shape, DType dtype) { return ones(shape, {.dtype = dtype}); }
/// Every element is `value`. Gives `.dtype`, else what the value's kind gives: bool_, int64, or the default real or
/// complex type. Of an integer type real numbers are truncated; ValueError for a number outside its range, NaN among
/// them. DTypeError for a complex value of a real type.
KOINE_API Array full(const Shape& shape, const Scalar& value, const CreationOptions& options = {});
inline Array full(const Shape& shape, const Scalar& value, DType dtype) { return full(shape, value, {.dtype = dtype}); }
/// Uninitialised elements in the shape of x and on its device, unless another is named. Takes every type; gives
/// `.dtype`, else the same type.
KOINE_API Array empty_like(const Array& x, const CreationOptions& options = {});
inline Array empty_like(const Array& x, DType dtype) { return empty_like(x, {.dtype = dtype}); }
/// The same with zeros. Takes every type; gives `.dtype`, else the same type.
KOINE_API Array zeros_like(const Array& x, const CreationOptions& options = {});
inline Array zeros_like(const Array& x, DType dtype) { return zeros_like(x, {.dtype = dtype}); }
/// The same with ones. Takes every type; gives `.dtype`, else the same type.
KOINE_API Array ones_like(const Array& x, const CreationOptions& options = {});
inline Array ones_like(const Array& x, DType dtype) { return ones_like(x, {.dtype = dtype}); }
/// The same with `value` everywhere. Takes every type; gives `.dtype`, else the same type.
KOINE_API Array full_like(const Array& x, const Scalar& value, const CreationOptions& options = {});
inline Array full_like(const Array& x, const Scalar& value, DType dtype) {
  return full_like(x, value, {.dtype = dtype});
}

/// start, start + step, … up to, not including, `stop`. Gives `.dtype`, else int64 if all three are integers, else
/// default_dtype(). ValueError for a step of zero, and for numbers that do not fit the type.
KOINE_API Array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
                       const CreationOptions& options = {});
inline Array arange(const Scalar& start, const Scalar& stop, const Scalar& step, DType dtype) {
  return arange(start, stop, step, {.dtype = dtype});
}
KOINE_API Array arange(const Scalar& stop, const CreationOptions& options = {});
inline Array arange(const Scalar& start, const Scalar& stop, const CreationOptions& options) {
  return arange(start, stop, 1, options);
}
inline Array arange(const Scalar& start, const Scalar& stop, DType dtype) {
  return arange(start, stop, 1, {.dtype = dtype});
}
inline Array arange(const Scalar& stop, DType dtype) { return arange(stop, {.dtype = dtype}); }

struct LinspaceOptions {
  detail::Named names_only = detail::named;
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
  bool endpoint = true;
};
/// `num` evenly spaced values from `start` to `stop`, which is the last one unless `.endpoint` is false.
/// Gives `.dtype`, default_dtype() by default, a complex type of that width for complex ends. Values of an integer type
/// are rounded down; between integer ends they are exact before that. ShapeError for `num` below 0, ValueError for
/// values that do not fit an integer type.
KOINE_API Array linspace(const Scalar& start, const Scalar& stop, std::int64_t num,
                         const LinspaceOptions& options = {});
inline Array linspace(const Scalar& start, const Scalar& stop, std::int64_t num, DType dtype) {
  return linspace(start, stop, num, {.dtype = dtype});
}

struct EyeOptions {
  detail::Named names_only = detail::named;
  std::int64_t k = 0;
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};
/// Ones on the k-th diagonal, zeros elsewhere; square unless `n_cols` is given. Gives `.dtype`, default_dtype() by
/// default.
KOINE_API Array eye(std::int64_t n_rows, std::int64_t n_cols, const EyeOptions& options = {});
inline Array eye(std::int64_t n_rows, std::int64_t n_cols, DType dtype) {
  return eye(n_rows, n_cols, {.dtype = dtype});
}
KOINE_API Array eye(std::int64_t n_rows, const EyeOptions& options = {});
inline Array eye(std::int64_t n_rows, DType dtype) { return eye(n_rows, {.dtype = dtype}); }

struct TriangleOptions {
  detail::Named names_only = detail::named;
  std::int64_t k = 0;
};
/// The elements of each matrix on and below (tril), on and above (triu) the k-th diagonal; zeros elsewhere.
/// Takes every type; gives the same type.
KOINE_API Array tril(const Array& x, const TriangleOptions& options = {});
inline Array tril(const Array& x, std::int64_t k) { return tril(x, {.k = k}); }
/// The upper triangles; see tril. Takes every type; gives the same type.
KOINE_API Array triu(const Array& x, const TriangleOptions& options = {});
inline Array triu(const Array& x, std::int64_t k) { return triu(x, {.k = k}); }

struct MeshgridOptions {
  detail::Named names_only = detail::named;
  std::string_view indexing = "xy";
};
/// Coordinate matrices of vectors; indexing "xy" (Cartesian) or "ij" (matrix). Takes every type; gives the same types.
KOINE_API std::vector<Array> meshgrid(const std::vector<Array>& arrays, const MeshgridOptions& options = {});
/// The same for `auto [x, y] = meshgrid(a, b);`.
inline std::array<Array, 2> meshgrid(const Array& x1, const Array& x2, const MeshgridOptions& options = {}) {
  const std::vector<Array> grids = meshgrid({x1, x2}, options);
  return {grids[0], grids[1]};
}
inline std::array<Array, 3> meshgrid(const Array& x1, const Array& x2, const Array& x3,
                                     const MeshgridOptions& options = {}) {
  const std::vector<Array> grids = meshgrid({x1, x2, x3}, options);
  return {grids[0], grids[1], grids[2]};
}

template <detail::HostRange Range>
Array asarray(const Range& values, const CreationOptions& options) {
  if constexpr (detail::ContiguousRange<Range>) {
    return asarray(values, Shape(std::size(values)), options);
  } else {
    detail::Nested<Range> nested;
    nested.add(values, 0);
    return detail::from_host(nested.values.data(), nested.dtype, nested.values.size(), nested.shape, options,
                             "asarray");
  }
}

template <detail::FlatRange Range>
Array asarray(const Range& values, const Shape& shape, const CreationOptions& options) {
  if constexpr (detail::ContiguousRange<Range>) {
    return detail::from_host(std::data(values), dtype_of<detail::ValueOf<Range>>, std::size(values), shape, options,
                             "asarray");
  } else {
    detail::Nested<Range> nested;
    nested.add(values, 0);
    return detail::from_host(nested.values.data(), nested.dtype, nested.values.size(), shape, options, "asarray");
  }
}

template <class Range, class Struct, Element T>
  requires(std::same_as<detail::ValueOf<Range>, Struct>)
Array asarray(const Range& structs, T Struct::*member, const CreationOptions& options) {
  const auto* first = std::data(structs);
  const std::size_t count = std::size(structs);
  return asarray(count == 0 ? nullptr : &(first->*member), Shape(count), Shape(sizeof(Struct)), options);
}

}  // namespace koine
