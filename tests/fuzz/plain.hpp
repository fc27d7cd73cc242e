// SPDX-License-Identifier: Apache-2.0
// The arrays of the interpreter: a type, a shape and row-major elements on the host.
#pragma once

#include <koine/dtype.hpp>
#include <koine/shape.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "support/reference.hpp"
#include "support/with_type.hpp"

namespace koine::fuzz {

using base::Tag;
using base::with_type;

struct Plain {
  DType type = DType::int64;
  Shape shape = {0};
  std::vector<std::byte> bytes;

  Plain() = default;
  Plain(DType t, Shape s) : type(t), shape(std::move(s)) { bytes.resize(count() * size_of(type)); }

  std::size_t count() const { return static_cast<std::size_t>(shape.elements()); }
  /// Element i as it lies there; T is the type's own.
  template <class T>
  T at(std::size_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void put(std::size_t i, T value) {
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  void copy_element(std::size_t i, const Plain& from, std::size_t j) {
    const std::size_t size = size_of(type);
    std::memcpy(bytes.data() + i * size, from.bytes.data() + j * size, size);
  }
};

/// The elements of `x` that `number_of(position)` names, for each position of `shape` in row-major order.
template <class F>
Plain gathered(const Plain& x, const Shape& shape, F number_of) {
  Plain result(x.type, shape);
  Shape position = Shape::filled(shape.size(), 0);
  for (std::size_t i = 0, count = result.count(); i < count; ++i) {
    result.copy_element(i, x, static_cast<std::size_t>(number_of(std::as_const(position))));
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++position[axis] < shape[axis]) break;
      position[axis] = 0;
    }
  }
  return result;
}

/// The numbers of the elements that lie along some axes, for each place across them, in row-major order.
using Lines = std::vector<std::vector<std::size_t>>;
Lines lines_of(const Shape& shape, const std::vector<bool>& along);
Lines lines_of(const Shape& shape, std::size_t axis);

/// x repeated to a shape that it broadcasts to.
Plain broadcast(const Plain& x, const Shape& shape);
/// Whether two shapes broadcast, and to what.
bool broadcasts(const Shape& a, const Shape& b, Shape* result);

/// Each element converted, rounded once. A floating value outside the range of an integer type has no defined result:
/// it gives 0 here, and `undefined` counts it.
Plain converted(const Plain& x, DType type, std::size_t* undefined = nullptr);

/// The elements of real types, in which every value of theirs has its place.
std::vector<long double> numbers(const Plain& x);

/// The first difference between two arrays of one type and shape, in words; nothing if each element has the same bits.
/// A NaN equals every NaN. With `zeros_equal`, 0.0 equals -0.0.
std::string difference(const Plain& got, const Plain& want, bool zeros_equal = false);
std::string element_text(const Plain& x, std::size_t i);

}  // namespace koine::fuzz
