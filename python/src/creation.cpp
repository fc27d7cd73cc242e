// SPDX-License-Identifier: Apache-2.0
// Making arrays. asarray is Python's (koine/_creation.py) over from_list and convert.
#include "module.hpp"

#include <complex>
#include <cstdint>

namespace koine::python {
namespace {

CreationOptions options(const Type& type, const Place& device) { return {.dtype = type, .device = device}; }

/// The kind of the widest of Python's scalars, in the order of Scalar's alternatives.
std::size_t widest_kind(const nb::list& values) {
  std::size_t kind = 0;
  for (nb::handle value : values) {
    PyObject* const p = value.ptr();
    const std::size_t own = PyBool_Check(p)      ? 0
                            : PyLong_Check(p)    ? 1
                            : PyFloat_Check(p)   ? 3
                            : PyComplex_Check(p) ? 4
                                                 : 5;
    if (own == 5) throw nb::type_error("[asarray] got what is no number; it takes nested lists of Python's numbers");
    kind = std::max(kind, own);
  }
  return kind;
}

DType default_type(const nb::list& values) {
  const DefaultDTypes defaults = default_dtypes();
  switch (nb::len(values) == 0 ? 3 : widest_kind(values)) {
    case 0: return bool_;
    case 1: return defaults.integral;
    case 3: return defaults.real_floating;
    default: return defaults.complex_floating;
  }
}

template <class T>
Array filled_by(const nb::list& values, const Shape& shape, DType type, const Place& device, T (*convert)(PyObject*)) {
  std::vector<T> converted;
  for (nb::handle value : values) {
    converted.push_back(convert(value.ptr()));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  return asarray(converted, shape, {.dtype = type, .device = device});
}

std::int64_t checked_integer(PyObject* value) { return PyLong_AsLongLong(value); }
std::uint64_t checked_unsigned(PyObject* value) { return PyLong_AsUnsignedLongLong(value); }
std::complex<double> complex_number(PyObject* value) {
  return {PyComplex_RealAsDouble(value), PyComplex_ImagAsDouble(value)};
}

/// Python's OverflowError for what does not fit, ValueError from Koine's own check of scalars.
void check_range(const nb::list& values, DType type) {
  const IntegerInfo range = iinfo(type);
  const nb::object low = nb::int_(range.min), high = nb::int_(range.max);
  for (nb::handle value : values) {
    if (value < low || value > high) {
      PyErr_Format(PyExc_OverflowError, "[asarray] %S does not fit %s", value.ptr(), std::string(name(type)).c_str());
      throw nb::python_error();
    }
  }
}

Array from_list(const nb::list& values, const Shape& shape, const Type& wanted, const Place& device) {
  const DType type = wanted.value_or(default_type(values));
  const std::size_t kind = widest_kind(values);
  if (is_complex(type) || kind == 4) return filled_by(values, shape, type, device, complex_number);
  if (is_real_floating(type) || kind == 3) return filled_by(values, shape, type, device, PyFloat_AsDouble);
  if (is_bool(type)) {
    std::vector<bool> truths;
    for (nb::handle value : values) truths.push_back(PyObject_IsTrue(value.ptr()) == 1);
    return asarray(truths, shape, options(type, device));
  }
  check_range(values, type);
  return is_unsigned_integer(type) ? filled_by(values, shape, type, device, checked_unsigned)
                                   : filled_by(values, shape, type, device, checked_integer);
}

/// asarray of an array: a value, so a copy is another object and no more.
nb::object convert(nb::handle object, const Type& type, const Place& device, const std::optional<bool>& copy) {
  const auto& x = nb::cast<const Array&>(object);
  const bool same = type.value_or(x.dtype()) == x.dtype() && device.value_or(x.device()) == x.device();
  if (same && !copy.value_or(false)) return nb::borrow(object);
  if (copy == false) throw ValueError("[asarray] copy=False, but another type or device needs a copy");
  return nb::cast(astype(x, type.value_or(x.dtype()), {.device = device}));
}

Array arange_of(const Scalar& start, const std::optional<Scalar>& stop, const Scalar& step, const Type& type,
                const Place& device) {
  return stop ? arange(start, *stop, step, options(type, device)) : arange(0, start, step, options(type, device));
}

using OfShape = Array (*)(const Shape&, const CreationOptions&);
using LikeArray = Array (*)(const Array&, const CreationOptions&);

void bind_of_shape(nb::module_& m, const char* name, OfShape function) {
  m.def(
      name,
      [function](const Shape& shape, const Type& type, const Place& device) {
        return function(shape, options(type, device));
      },
      "shape"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none());
}

void bind_like_array(nb::module_& m, const char* name, LikeArray function) {
  m.def(
      name,
      [function](const Array& x, const Type& type, const Place& device) { return function(x, options(type, device)); },
      nb::arg(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none());
}

}  // namespace

void bind_creation(nb::module_& m) {
  m.def("_from_list", from_list, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("_convert", convert, nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg().none());
  m.def("arange", arange_of, nb::arg(), "stop"_a = nb::none(), "step"_a = 1, nb::kw_only(), "dtype"_a = nb::none(),
        "device"_a = nb::none());
  bind_of_shape(m, "empty", empty);
  bind_of_shape(m, "zeros", zeros);
  bind_of_shape(m, "ones", ones);
  bind_like_array(m, "empty_like", empty_like);
  bind_like_array(m, "zeros_like", zeros_like);
  bind_like_array(m, "ones_like", ones_like);
  m.def(
      "full",
      [](const Shape& shape, const Scalar& value, const Type& type, const Place& device) {
        return full(shape, value, options(type, device));
      },
      "shape"_a, "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none());
  m.def(
      "full_like",
      [](const Array& x, const Scalar& value, const Type& type, const Place& device) {
        return full_like(x, value, options(type, device));
      },
      nb::arg(), "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none());
  m.def(
      "linspace",
      [](const Scalar& start, const Scalar& stop, std::int64_t num, const Type& type, const Place& device,
         bool endpoint) { return linspace(start, stop, num, {.dtype = type, .device = device, .endpoint = endpoint}); },
      nb::arg(), nb::arg(), "num"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
      "endpoint"_a = true);
  m.def(
      "eye",
      [](std::int64_t rows, const std::optional<std::int64_t>& columns, Anywhere k, const Type& type,
         const Place& device) {
        return eye(rows, columns.value_or(rows), {.k = k.value, .dtype = type, .device = device});
      },
      nb::arg(), nb::arg() = nb::none(), nb::kw_only(), "k"_a = 0, "dtype"_a = nb::none(), "device"_a = nb::none());
  m.def(
      "tril", [](const Array& x, Anywhere k) { return tril(x, {.k = k.value}); }, nb::arg(), nb::kw_only(), "k"_a = 0);
  m.def(
      "triu", [](const Array& x, Anywhere k) { return triu(x, {.k = k.value}); }, nb::arg(), nb::kw_only(), "k"_a = 0);
  m.def(
      "meshgrid",
      [](const nb::args& arrays, const std::string& indexing) {
        return as_tuple(meshgrid(nb::cast<std::vector<Array>>(arrays), {.indexing = indexing}));
      },
      "arrays"_a, "indexing"_a = "xy");
}

}  // namespace koine::python
