// SPDX-License-Identifier: Apache-2.0
// How Python's objects become what Koine's functions take; see convert.hpp.
#include "convert.hpp"

#include <limits>
#include <string>

namespace nb = nanobind;

namespace koine::python {
namespace {

bool is_list(nb::handle object) { return PyTuple_Check(object.ptr()) || PyList_Check(object.ptr()); }

std::optional<std::vector<std::int64_t>> read_integers(nb::handle list) {
  std::vector<std::int64_t> values;
  for (nb::handle entry : list) {
    const auto value = read_integer(entry);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::int64_t> slice_bound(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  const auto bound = read(object, static_cast<Anywhere*>(nullptr));
  if (!bound) throw nb::type_error("[subscript] a slice takes integers and None");
  return bound->value;
}

Index subscript_entry(nb::handle entry) {
  if (entry.is_none()) return newaxis;
  if (entry.ptr() == Py_Ellipsis) return ellipsis;
  if (PySlice_Check(entry.ptr())) {
    const auto step = slice_bound(entry.attr("step"));
    return Slice{slice_bound(entry.attr("start")), slice_bound(entry.attr("stop")), step.value_or(1)};
  }
  if (PyBool_Check(entry.ptr())) return asarray(entry.ptr() == Py_True);
  if (nb::isinstance<Array>(entry)) return nb::cast<const Array&>(entry);
  if (const auto position = read(entry, static_cast<Anywhere*>(nullptr))) return position->value;
  throw nb::type_error(("[subscript] got " + std::string(nb::str(entry.type()).c_str()) +
                        "; a subscript takes integers, slices, None, ..., and arrays of integers or bools")
                           .c_str());
}

}  // namespace

std::optional<Number> read_number(nb::handle object) {
  PyObject* const p = object.ptr();
  if (PyBool_Check(p)) return p == Py_True;
  if (PyLong_Check(p)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow == 0) return std::int64_t{value};
    const unsigned long long wide = PyLong_AsUnsignedLongLong(p);
    if (PyErr_Occurred() == nullptr) return std::uint64_t{wide};
    PyErr_Clear();
    return std::nullopt;
  }
  if (PyFloat_Check(p)) return PyFloat_AsDouble(p);
  if (PyComplex_Check(p)) return std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p));
  return std::nullopt;
}

std::optional<std::int64_t> read_integer(nb::handle object) {
  const nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
  const long long value = integer.is_valid() ? PyLong_AsLongLong(integer.ptr()) : -1;
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return value;
}

std::optional<Anywhere> read(nb::handle object, Anywhere*) {
  const nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
  if (!integer.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  using Limits = std::numeric_limits<std::int64_t>;
  return Anywhere{overflow == 0 ? value : overflow < 0 ? Limits::min() : Limits::max()};
}

std::optional<Scalar> read(nb::handle object, Scalar*) {
  const auto number = read_number(object);
  if (!number) return std::nullopt;
  return std::visit([](auto value) { return Scalar(value); }, *number);
}

std::optional<Operand> read(nb::handle object, Operand*) {
  if (nb::isinstance<Array>(object)) return Operand(nb::cast<const Array&>(object));
  const auto number = read_number(object);
  if (!number) return std::nullopt;
  return std::visit([](auto value) { return Operand(value); }, *number);
}

std::optional<Shape> read(nb::handle object, Shape*) {
  if (is_list(object)) {
    const auto sizes = read_integers(object);
    return sizes ? std::optional(Shape(*sizes)) : std::nullopt;
  }
  const auto size = read_integer(object);
  return size ? std::optional(Shape{*size}) : std::nullopt;
}

std::optional<Axis> read(nb::handle object, Axis*) {
  if (object.is_none()) return Axis(none);
  if (is_list(object)) {
    const auto axes = read_integers(object);
    return axes ? std::optional(Axis(*axes)) : std::nullopt;
  }
  const auto axis = read_integer(object);
  return axis ? std::optional(Axis(*axis)) : std::nullopt;
}

std::vector<Index> subscript(nb::handle key) {
  std::vector<Index> entries;
  if (!PyTuple_Check(key.ptr())) return {subscript_entry(key)};
  for (nb::handle entry : key) entries.push_back(subscript_entry(entry));
  return entries;
}

}  // namespace koine::python
