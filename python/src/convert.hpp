// SPDX-License-Identifier: Apache-2.0
// How Python's objects become what Koine's functions take: numbers, operands, types, devices, shapes, axes, subscripts.
// Each function gives nothing for an object of another kind; it is the caller that knows what to say then.
#pragma once

#include <koine/koine.hpp>

#include <nanobind/nanobind.h>

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace koine::python {

/// A Python number, weak as a C++ scalar is.
using Number = std::variant<bool, std::int64_t, std::uint64_t, double, std::complex<double>>;
/// A number of Python's, or of NumPy's, which counts for one of Python's. OverflowError for an integer beyond 64 bits.
std::optional<Number> read_number(nanobind::handle object);
/// The whole number, of any size, in an object with `__index__`; null for another object.
nanobind::object index_of(nanobind::handle object);
/// The same in 64 bits. IndexError for an integer beyond 64 bits.
std::optional<std::int64_t> read_integer(nanobind::handle object);
/// Likewise of what may lie anywhere, such as the end of a slice: beyond 64 bits it is the nearest of those.
std::optional<std::int64_t> read_integer_anywhere(nanobind::handle object);

std::optional<Scalar> read_scalar(nanobind::handle object);
/// An array or a number.
std::optional<Operand> read_operand(nanobind::handle object);
/// The same beside elements of a type: to floating and complex ones an integer beyond 64 bits is a real number.
std::optional<Operand> read_operand_beside(DType type, nanobind::handle object);
/// The same of what is only compared with them: to integers one beyond 64 bits is infinite.
std::optional<Operand> read_compared(DType type, nanobind::handle object);
/// An integer or a list of them.
std::optional<Shape> read_shape(nanobind::handle object);
/// A dtype of Koine's, its name, a type of NumPy's, or Python's bool, int, float or complex.
std::optional<DType> read_dtype(nanobind::handle object);
/// A device, or a selector.
std::optional<Device> read_device(nanobind::handle object);
/// The bytes that the system has for a path: a string, bytes, or what has `__fspath__`. ValueError for a null byte.
std::optional<std::string> read_path(nanobind::handle object);
/// Arrays in a tuple or a list.
std::optional<std::vector<Array>> read_arrays(nanobind::handle object);

/// An entry of a subscript; throws Python's IndexError for what may not stand in one, as NumPy does.
Index subscript_entry(nanobind::handle entry);
/// All of them.
std::vector<Index> subscript(nanobind::handle key);
/// Calls f with the entries of a subscript, mostly one or two.
template <class F>
auto with_subscript(nanobind::handle key, F f) {
  if (!PyTuple_Check(key.ptr())) {
    const Index only = subscript_entry(key);
    return f(std::span(&only, 1));
  }
  if (PyTuple_Size(key.ptr()) == 2) {
    const Index two[] = {subscript_entry(PyTuple_GetItem(key.ptr(), 0)),
                         subscript_entry(PyTuple_GetItem(key.ptr(), 1))};
    return f(std::span(two));
  }
  const std::vector<Index> entries = subscript(key);
  return f(std::span(entries));
}

/// A function of the package koine that is written in Python. It is looked up at each call: a static variable's
/// initialisation could wait for a thread that waits for the GIL.
nanobind::object python_function(const char* name);

/// "str", the name of an object's class, for messages.
std::string class_of(nanobind::handle object);

/// The Python object of a type: the same one each time; and the type of such an object.
nanobind::object dtype_object(DType type);
std::optional<DType> dtype_of_object(nanobind::handle object);
/// A tuple of integers.
nanobind::object shape_object(const Shape& shape);

}  // namespace koine::python

namespace nanobind::detail {

/// DType, Shape and Device's selectors for what nanobind binds.
template <>
struct type_caster<koine::DType> {
  NB_TYPE_CASTER(koine::DType, const_name("koine.dtype"))
  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    try {
      const auto type = koine::python::read_dtype(source);
      if (type) value = *type;
      return type.has_value();
    } catch (...) {
      return false;
    }
  }
  static handle from_cpp(koine::DType type, rv_policy, cleanup_list*) noexcept {
    return koine::python::dtype_object(type).release();
  }
};

template <>
struct type_caster<koine::Shape> {
  NB_TYPE_CASTER(koine::Shape, const_name("int | tuple[int, ...]"))
  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    try {
      auto shape = koine::python::read_shape(source);
      if (shape) value = *shape;
      return shape.has_value();
    } catch (...) {
      return false;
    }
  }
  static handle from_cpp(const koine::Shape& shape, rv_policy, cleanup_list*) noexcept {
    return koine::python::shape_object(shape).release();
  }
};

}  // namespace nanobind::detail
