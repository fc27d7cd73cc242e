// SPDX-License-Identifier: Apache-2.0
// What the tests of arrays share: values by position, the first difference in words, messages of errors.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::test {

/// Calls f(position) for each position of a shape in row-major order.
template <class F>
void each_position(const Shape& shape, F f) {
  const std::int64_t count = shape.elements();
  Shape position = Shape::filled(shape.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    f(std::as_const(position));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis]) break;
      position[axis] = 0;
    }
  }
}

/// f(position) for each position of a shape, row-major.
template <class T, class F>
std::vector<T> by_position(const Shape& shape, F f) {
  std::vector<T> values;
  each_position(shape, [&](const Shape& position) { values.push_back(static_cast<T>(f(position))); });
  return values;
}

/// The number of a position in row-major order.
inline std::int64_t number_of(const Shape& position, const Shape& shape) {
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) number = number * shape[axis] + position[axis];
  return number;
}

/// 0, 1, 2, ... of a shape, so that a value says where it came from.
template <class T = std::int32_t>
Array numbered(const Shape& shape) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.elements(); ++i) values.push_back(static_cast<T>(i));
  return asarray(values, shape);
}

/// f(0), f(1), ... of a type: made here, since expressions would be compiled.
template <class F>
Array counted(std::int64_t count, F f, DType type = int64) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(f(i));
  return asarray(values, type);
}

/// Random numbers of groups.
inline std::vector<std::int32_t> ids_below(std::int64_t groups, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::int32_t> ids(count);
  for (auto& id : ids) id = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(groups));
  return ids;
}

/// The same values lying in memory in one of four ways: in order, backwards, with the axes the other way round, or
/// with others between them.
inline Array laid_out(const Array& x, unsigned way) {
  if (x.ndim() == 0 || way % 4 == 0) return x;
  const auto stored = [](const Array& array) { return (array + 0).eval(); };
  if (way % 4 == 1) return flip(stored(flip(x)));
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = x.ndim(); axis-- > 0;) axes.push_back(axis);
  if (way % 4 == 2) return permute_dims(stored(permute_dims(x, axes)), axes);
  return unstack(stack({x, x}, {.axis = -1}), {.axis = -1})[0];
}

/// A matrix's elements in row-major order as those of its transpose.
template <class T>
std::vector<T> transposed(const std::vector<T>& values, std::int64_t rows, std::int64_t columns) {
  std::vector<T> result;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) result.push_back(values[static_cast<std::size_t>(i * columns + j)]);
  }
  return result;
}

template <class T>
std::string value_text(const T& value) {
  std::ostringstream text;
  text.precision(17);
  if constexpr (std::is_integral_v<T>) {
    text << +value;
  } else if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
    text << static_cast<float>(value);
  } else {
    text << value;
  }
  return text.str();
}

/// Where two lists first differ, in words; nothing if they are equal. NaN equals NaN.
template <class T>
std::string difference(const std::vector<T>& got, const std::vector<T>& want) {
  if (got.size() != want.size()) {
    return std::to_string(got.size()) + " elements, expected " + std::to_string(want.size());
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    const T a = got[i], b = want[i];
    if (a == b || (a != a && b != b)) continue;
    return "element " + std::to_string(i) + " is " + value_text(a) + ", expected " + value_text(b);
  }
  return "";
}

/// Checks shape and values.
template <class T>
void check_array(const Array& x, const Shape& shape, const std::vector<T>& values) {
  CHECK(x.shape() == shape);
  CHECK(difference(x.to_vector<T>(), values) == "");
}

/// Arrays of one shape and the values that they should have.
template <class T>
using Expected = std::vector<std::pair<Array, std::vector<T>>>;

/// Checks them all, after one kernel has computed them: alone each would take a program of its own.
template <class T>
void check_together(const Expected<T>& all) {
  std::vector<Array> arrays;
  for (const auto& [array, values] : all) arrays.push_back(array);
  eval(arrays);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(arrays[i].dtype() == dtype_of<T>);
    CHECK(difference(arrays[i].to_vector<T>(), all[i].second) == "");
  }
}

/// The message of the error of just this kind that `call` throws.
template <class Kind, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  } catch (const Error& error) {
    return std::string("another kind of error: ") + error.what();
  }
  return "nothing was thrown";
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace koine::test
