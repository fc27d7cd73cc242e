// SPDX-License-Identifier: Apache-2.0
// Making arrays: from host data, filled, by rule.
#pragma once

#include <koine/array.hpp>

#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <vector>

namespace koine {

/// The type and the device of a new array; by default the type follows from the data (float32 where there is none) and
/// the device is default_device().
struct CreationOptions {
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};

/// Copies a contiguous range of element values (vector, array, span, vector<bool>) to the device, as `shape`,
/// row-major. Takes every type; gives `.dtype`, else the elements' type. ShapeError if the range does not hold exactly
/// that many elements.
template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> Array asarray(const Range& values, const Shape& shape,
                                                                    const CreationOptions& options = {});
/// The same as a vector: shape (values.size()).
template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> Array asarray(const Range& values,
                                                                    const CreationOptions& options = {});
KOINE_API Array asarray(const std::vector<bool>& values, const Shape& shape, const CreationOptions& options = {});
KOINE_API Array asarray(const std::vector<bool>& values, const CreationOptions& options = {});
/// The memory of a contiguous range itself, as `shape`, row-major: no copy on a device that shares memory with the host
/// (a CPU, an integrated GPU), as asarray() elsewhere and where `.dtype` asks for another type. Koine only reads the
/// memory: an assignment to a part of the array copies it first. The memory must live, and must not change, until every
/// array and all pending work that uses it are gone and every read_async of it is ready; the last destruction waits for
/// the device, so that the memory may be freed right after. It counts for nothing in memory_stats(). A temporary range
/// does not compile. Takes every type; gives `.dtype`, else the elements' type. ShapeError if the range does not hold
/// exactly as many elements as the shape.
template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> && std::ranges::borrowed_range<Range> Array
  borrow(Range&& memory, const Shape& shape, const CreationOptions& options = {});
/// The same as a vector: shape (memory.size()).
template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> && std::ranges::borrowed_range<Range> Array
  borrow(Range&& memory, const CreationOptions& options = {});
/// A scalar as an array without axes, no longer weak: bool_, int64, float32 or complex64 by its kind.
KOINE_API Array asarray(const Operand& value, const CreationOptions& options = {});

/// Small arrays written out: `array({1, 2, 3})`, `array({{1., 2.}, {3., 4.}})`. Gives `.dtype`, else what the scalars'
/// kind gives: bool_, int64, float32 or complex64. ValueError and DTypeError for a number that full() would refuse.
template <ScalarLike T>
Array array(std::initializer_list<T> values, const CreationOptions& options = {});
template <ScalarLike T>
Array array(std::initializer_list<std::initializer_list<T>> rows, const CreationOptions& options = {});
template <ScalarLike T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes,
            const CreationOptions& options = {});

/// Uninitialised elements: their values are not specified (here: zero). Gives `.dtype`, float32 by default.
KOINE_API Array empty(const Shape& shape, const CreationOptions& options = {});
/// Every element is 0. Gives `.dtype`, float32 by default.
KOINE_API Array zeros(const Shape& shape, const CreationOptions& options = {});
/// Every element is 1. Gives `.dtype`, float32 by default.
KOINE_API Array ones(const Shape& shape, const CreationOptions& options = {});
/// Every element is `value`. Gives `.dtype`, else what the value's kind gives: bool_, int64, float32 or complex64.
/// Of an integer type real numbers are truncated; ValueError for a number outside its range, NaN among them. DTypeError
/// for a complex value of a real type.
KOINE_API Array full(const Shape& shape, const Scalar& value, const CreationOptions& options = {});
/// Uninitialised elements in the shape of x and on its device, unless another is named. Takes every type; gives
/// `.dtype`, else the same type.
KOINE_API Array empty_like(const Array& x, const CreationOptions& options = {});
/// The same with zeros. Takes every type; gives `.dtype`, else the same type.
KOINE_API Array zeros_like(const Array& x, const CreationOptions& options = {});
/// The same with ones. Takes every type; gives `.dtype`, else the same type.
KOINE_API Array ones_like(const Array& x, const CreationOptions& options = {});
/// The same with `value` everywhere. Takes every type; gives `.dtype`, else the same type.
KOINE_API Array full_like(const Array& x, const Scalar& value, const CreationOptions& options = {});

/// start, start + step, … up to, not including, `stop`. Gives `.dtype`, else int64 if all three are integers, else
/// float32. ValueError for a step of zero, and for numbers that do not fit the type.
KOINE_API Array arange(const Scalar& start, const Scalar& stop, const Scalar& step = 1,
                       const CreationOptions& options = {});
KOINE_API Array arange(const Scalar& stop, const CreationOptions& options = {});

struct LinspaceOptions {
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
  bool endpoint = true;
};
/// `num` evenly spaced values from `start` to `stop`, which is the last one unless `.endpoint` is false.
/// Gives `.dtype`, float32 by default, complex64 for complex ends. Values of an integer type are rounded down; between
/// integer ends they are exact before that. ShapeError for `num` below 0, ValueError for values that do not fit an
/// integer type.
KOINE_API Array linspace(const Scalar& start, const Scalar& stop, std::int64_t num,
                         const LinspaceOptions& options = {});

struct EyeOptions {
  std::int64_t k = 0;
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};
/// Ones on the k-th diagonal, zeros elsewhere; square unless `n_cols` is given. Gives `.dtype`, float32 by default.
KOINE_API Array eye(std::int64_t n_rows, std::int64_t n_cols, const EyeOptions& options = {});
KOINE_API Array eye(std::int64_t n_rows, const EyeOptions& options = {});

struct TriangleOptions {
  std::int64_t k = 0;
};
/// The elements of each matrix on and below (tril), on and above (triu) the k-th diagonal; zeros elsewhere.
/// Takes every type; gives the same type.
KOINE_API Array tril(const Array& x, const TriangleOptions& options = {});
/// The upper triangles; see tril. Takes every type; gives the same type.
KOINE_API Array triu(const Array& x, const TriangleOptions& options = {});

struct MeshgridOptions {
  std::string_view indexing = "xy";
};
/// Coordinate matrices of vectors; indexing "xy" (Cartesian) or "ij" (matrix). Takes every type; gives the same types.
KOINE_API std::vector<Array> meshgrid(const std::vector<Array>& arrays, const MeshgridOptions& options = {});

namespace detail {
KOINE_API Array from_host(const void* values, DType type, std::size_t count, const Shape& shape,
                          const CreationOptions& options, const char* function);
KOINE_API Array borrow_host(const void* values, DType type, std::size_t count, const Shape& shape,
                            const CreationOptions& options);
[[noreturn]] KOINE_API void throw_ragged();
/// ValueError for a number that does not fit `type`, DTypeError for a complex one of a real type.
KOINE_API void check_literal(const Scalar& value, DType type);

/// The type that a written-out list of T gets: as asarray(scalar), so that literals follow the defaults.
template <ScalarLike T>
constexpr DType literal_type() {
  if constexpr (std::same_as<T, bool>) {
    return DType::bool_;
  } else if constexpr (std::integral<T>) {
    return DType::int64;
  } else if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    return DType::complex64;
  } else {
    return DType::float32;
  }
}

/// A list's values as the widest element type of their kind; from_host narrows them to the array's type.
template <ScalarLike T>
Array from_list(const std::vector<T>& values, const Shape& shape, CreationOptions options) {
  if (!options.dtype) options.dtype = literal_type<T>();
  for (const T value : values) check_literal(value, *options.dtype);
  if constexpr (std::same_as<T, bool>) {
    return asarray(values, shape, options);
  } else if constexpr (Element<T>) {
    return from_host(values.data(), dtype_of<T>, values.size(), shape, options, "array");
  } else {
    const std::vector<double> wide(values.begin(), values.end());
    return from_host(wide.data(), float64, wide.size(), shape, options, "array");
  }
}
}  // namespace detail

template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> Array asarray(const Range& values, const Shape& shape,
                                                                    const CreationOptions& options) {
    return detail::from_host(std::ranges::data(values), dtype_of<std::ranges::range_value_t<Range>>,
                             std::ranges::size(values), shape, options, "asarray");
  }

template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> Array asarray(const Range& values,
                                                                    const CreationOptions& options) {
    return asarray(values, Shape{std::ranges::size(values)}, options);
  }

template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> && std::ranges::borrowed_range<Range> Array
  borrow(Range&& memory, const Shape& shape, const CreationOptions& options) {
    return detail::borrow_host(std::ranges::data(memory), dtype_of<std::ranges::range_value_t<Range>>,
                               std::ranges::size(memory), shape, options);
  }

template <std::ranges::contiguous_range Range>
  requires Element<std::ranges::range_value_t<Range>> && std::ranges::borrowed_range<Range> Array
  borrow(Range&& memory, const CreationOptions& options) {
    return borrow(memory, Shape{std::ranges::size(memory)}, options);
  }

template <ScalarLike T>
Array array(std::initializer_list<T> values, const CreationOptions& options) {
  return detail::from_list(std::vector<T>(values), Shape{values.size()}, options);
}

template <ScalarLike T>
Array array(std::initializer_list<std::initializer_list<T>> rows, const CreationOptions& options) {
  std::vector<T> values;
  const std::size_t columns = rows.size() ? rows.begin()->size() : 0;
  for (const auto& row : rows) {
    if (row.size() != columns) detail::throw_ragged();
    values.insert(values.end(), row.begin(), row.end());
  }
  return detail::from_list(values, Shape{rows.size(), columns}, options);
}

template <ScalarLike T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes,
            const CreationOptions& options) {
  std::vector<T> values;
  const std::size_t rows = planes.size() ? planes.begin()->size() : 0;
  const std::size_t columns = rows ? planes.begin()->begin()->size() : 0;
  for (const auto& plane : planes) {
    if (plane.size() != rows) detail::throw_ragged();
    for (const auto& row : plane) {
      if (row.size() != columns) detail::throw_ragged();
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  return detail::from_list(values, Shape{planes.size(), rows, columns}, options);
}

}  // namespace koine
