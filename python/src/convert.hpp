// SPDX-License-Identifier: Apache-2.0
// How Python's objects become what Koine's functions take: scalars, operands, shapes, axes, subscripts.
#pragma once

#include <koine/koine.hpp>

#include <nanobind/nanobind.h>

#include <complex>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace koine::python {

/// A Python number, weak as a C++ scalar is. Empty for another object, and for an integer beyond 64 bits.
using Number = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;
std::optional<Number> read_number(nanobind::handle object);
/// Anything with `__index__`; empty for another object, and for an integer beyond 64 bits.
std::optional<std::int64_t> read_integer(nanobind::handle object);

/// An integer that may lie anywhere, such as a diagonal or the end of a slice: beyond 64 bits it is the nearest of
/// those.
struct Anywhere {
  std::int64_t value;
};

std::optional<Anywhere> read(nanobind::handle object, Anywhere*);
std::optional<Scalar> read(nanobind::handle object, Scalar*);
std::optional<Operand> read(nanobind::handle object, Operand*);
/// An integer or a list of them.
std::optional<Shape> read(nanobind::handle object, Shape*);
/// None, an integer or a list of them.
std::optional<Axis> read(nanobind::handle object, Axis*);

/// The entries of a subscript; throws Python's TypeError for what may not stand in one.
std::vector<Index> subscript(nanobind::handle key);

/// What a parameter of type T takes, as signatures and messages name it.
template <class T>
inline constexpr auto annotation = nanobind::detail::const_name("int");
template <>
inline constexpr auto annotation<Scalar> = nanobind::detail::const_name("bool | int | float | complex");
template <>
inline constexpr auto annotation<Operand> = nanobind::detail::const_name("Array | bool | int | float | complex");
template <>
inline constexpr auto annotation<Shape> = nanobind::detail::const_name("int | tuple[int, ...]");
template <>
inline constexpr auto annotation<Axis> = nanobind::detail::const_name("None | int | tuple[int, ...]");

/// A caster over `read`: nanobind tries it for each argument of type T.
template <class T>
struct Caster {
  static constexpr auto Name = annotation<T>;
  using Value = T;
  template <class U>
  using Cast = nanobind::detail::movable_cast_t<U>;
  template <class>
  static constexpr bool can_cast() {
    return true;
  }
  bool from_python(nanobind::handle object, std::uint32_t, nanobind::detail::cleanup_list*) noexcept {
    try {
      value = read(object, static_cast<T*>(nullptr));
    } catch (...) {
      return false;
    }
    return value.has_value();
  }
  explicit operator T*() { return &*value; }
  explicit operator T&() { return *value; }
  explicit operator T&&() { return std::move(*value); }

  std::optional<T> value;
};

}  // namespace koine::python

namespace nanobind::detail {

template <>
struct type_caster<koine::python::Anywhere> : koine::python::Caster<koine::python::Anywhere> {};
template <>
struct type_caster<koine::Scalar> : koine::python::Caster<koine::Scalar> {};
template <>
struct type_caster<koine::Operand> : koine::python::Caster<koine::Operand> {};
template <>
struct type_caster<koine::Axis> : koine::python::Caster<koine::Axis> {};
template <>
struct type_caster<koine::Shape> : koine::python::Caster<koine::Shape> {
  static handle from_cpp(const koine::Shape& shape, rv_policy, cleanup_list*) noexcept {
    PyObject* const result = PyTuple_New(static_cast<Py_ssize_t>(shape.size()));
    for (std::size_t axis = 0; result != nullptr && axis < shape.size(); ++axis) {
      PyTuple_SetItem(result, static_cast<Py_ssize_t>(axis), PyLong_FromLongLong(shape[axis]));
    }
    return result;
  }
};

}  // namespace nanobind::detail
