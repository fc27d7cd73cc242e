// SPDX-License-Identifier: Apache-2.0
// Values of arrays as Python's numbers; see numbers.hpp.
#include "numbers.hpp"

#include <complex>

namespace koine::python {
namespace {

nb::object number(bool value) { return nb::bool_(value); }
nb::object number(std::int64_t value) { return checked(PyLong_FromLongLong(value)); }
nb::object number(std::uint64_t value) { return checked(PyLong_FromUnsignedLongLong(value)); }
nb::object number(double value) { return checked(PyFloat_FromDouble(value)); }
nb::object number(std::complex<double> value) { return checked(PyComplex_FromDoubles(value.real(), value.imag())); }

/// Calls `f` with the C++ type that the values of an array are read as.
template <class F>
auto with_value_type(DType type, F f) {
  if (is_bool(type)) return f.template operator()<bool>();
  if (is_unsigned_integer(type)) return f.template operator()<std::uint64_t>();
  if (is_integer(type)) return f.template operator()<std::int64_t>();
  if (type == complex64) return f.template operator()<std::complex<float>>();
  if (is_complex(type)) return f.template operator()<std::complex<double>>();
  if (type == float64) return f.template operator()<double>();
  return f.template operator()<float>();
}

template <class Iterator>
nb::object nested(const Shape& shape, std::size_t axis, Iterator& value) {
  if (axis == shape.size()) return number(*value++);
  nb::object list = checked(PyList_New(static_cast<Py_ssize_t>(shape[axis])));
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    PyList_SetItem(list.ptr(), static_cast<Py_ssize_t>(i), nested(shape, axis + 1, value).release().ptr());
  }
  return list;
}

}  // namespace

nb::object element(const Array& x) {
  return with_value_type(x.dtype(), [&]<class T>() { return number(element_of<T>(x)); });
}

nb::object nested_lists(const Array& x) {
  return with_value_type(x.dtype(), [&]<class T>() {
    const std::vector<T> values = once_ready(x, [&] { return x.to_vector<T>(); });
    auto value = values.begin();
    return nested(x.shape(), 0, value);
  });
}

}  // namespace koine::python
