// SPDX-License-Identifier: Apache-2.0
// How Python's objects become what Koine's functions take; see convert.hpp.
#include "convert.hpp"

#include "array_object.hpp"
#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>

namespace nb = nanobind;

namespace koine::python {
namespace {

bool is_list(nb::handle object) { return PyTuple_Check(object.ptr()) || PyList_Check(object.ptr()); }

bool has_integers(DType type) { return is_integer(type) || is_bool(type); }

/// Of an integer that does not fit into 64 bits, signed or not, its sign; else 0.
int sign_beyond(nb::handle object) {
  if (!PyLong_Check(object.ptr())) return 0;
  int sign = 0;
  PyLong_AsLongLongAndOverflow(object.ptr(), &sign);
  if (sign <= 0) return sign;
  PyLong_AsUnsignedLongLong(object.ptr());
  const bool fits = PyErr_Occurred() == nullptr;
  PyErr_Clear();
  return fits ? 0 : sign;
}

/// A slice whose bounds Python has read: what is left out becomes an end that lies past the axis.
Slice slice_of(PyObject* object) {
  Py_ssize_t start = 0, stop = 0, step = 1;
  if (PySlice_Unpack(object, &start, &stop, &step) < 0) throw nb::python_error();
  return {start, stop, step};
}

/// An IndexError, as NumPy's.
[[noreturn]] void refuse_subscript(const std::string& got) {
  throw Raised(PyExc_IndexError,
               "[subscript] got " + got +
                   "; a subscript takes integers, slices, None, ..., and arrays or lists of integers or bools");
}

/// Positions or a mask.
Index index_of_array(nb::handle array) {
  Array x = value_of(array.ptr());
  if (!has_integers(x.dtype())) refuse_subscript("an array of " + std::string(name(x.dtype())));
  return Index(std::move(x));
}

/// Nested lists and other libraries' arrays in a subscript: what koine.asarray makes of them.
Index index_of_list(nb::handle entry) {
  const nb::object made = python_function("_index_array")(entry);
  if (!is_array(made)) refuse_subscript(class_of(entry));
  return index_of_array(made);
}

/// NumPy's number types, and its arrays without axes: what `item()` says.
std::optional<Number> read_foreign_number(nb::handle object) {
  if (is_array(object) || PyType_Check(object.ptr()) || PyUnicode_Check(object.ptr()) || is_list(object)) return {};
  if (!nb::hasattr(object, "__array_interface__") || !nb::hasattr(object, "item")) return {};
  if (!nb::object(object.attr("ndim")).equal(nb::int_(0))) return {};
  const nb::object number = object.attr("item")();
  if (PyNumber_Check(number.ptr()) == 0 || nb::hasattr(number, "item")) return {};
  return read_number(number);
}

/// The types by name, among them those of Python's own numbers and of the C types that NumPy's letters name.
std::optional<DType> dtype_named(const std::string& text) {
  for (int number = 0; number < dtype_count; ++number) {
    const auto type = static_cast<DType>(number);
    if (!is_bool(type) && text == name(type)) return type;
  }
  if (text == "bool" || text == "bool_") return bool_;
  if (text == "int") return int64;
  if (text == "float") return default_dtype();
  if (text == "complex") return default_dtypes().complex_floating;
  const std::string code =
      text.starts_with("<") || text.starts_with("=") || text.starts_with("|") ? text.substr(1) : text;
  static constexpr struct {
    const char* code;
    DType type;
  } codes[] = {{"?", bool_},    {"b1", bool_},   {"i1", int8},    {"i2", int16},     {"i4", int32},
               {"i8", int64},   {"u1", uint8},   {"u2", uint16},  {"u4", uint32},    {"u8", uint64},
               {"f2", float16}, {"f4", float32}, {"f8", float64}, {"c8", complex64}, {"c16", complex128}};
  for (const auto& known : codes) {
    if (code == known.code) return known.type;
  }
  return std::nullopt;
}

}  // namespace

nb::object python_function(const char* name) {
  const nb::object package = nb::steal(PyImport_GetModule(nb::str("koine").ptr()));
  return package.is_valid() ? package.attr(name) : nb::module_::import_("koine").attr(name);
}

std::string class_of(nb::handle object) { return nb::type_name(object.type()).c_str(); }

std::optional<std::string> read_path(nb::handle object) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(object.ptr(), &bytes) == 0) {
    forget_type_error();
    return std::nullopt;
  }
  const auto path = nb::steal<nb::bytes>(bytes);
  return std::string(path.c_str(), path.size());
}

std::optional<Number> read_number(nb::handle object) {
  PyObject* const p = object.ptr();
  if (PyFloat_Check(p)) return PyFloat_AsDouble(p);
  if (PyBool_Check(p)) return p == Py_True;
  if (PyLong_Check(p)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (overflow == 0) return std::int64_t{value};
    const unsigned long long wide = PyLong_AsUnsignedLongLong(p);
    if (PyErr_Occurred() == nullptr) return std::uint64_t{wide};
    PyErr_Clear();
    throw Raised(PyExc_OverflowError,
                 "[scalar] the integer does not fit into 64 bits, the most that Koine's types have");
  }
  if (PyComplex_Check(p)) return std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p));
  return read_foreign_number(object);
}

nb::object index_of(nb::handle object) {
  if (PyLong_Check(object.ptr())) return nb::borrow(object);
  nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
  if (!integer.is_valid()) forget_type_error();
  return integer;
}

std::optional<std::int64_t> read_integer(nb::handle object) {
  const nb::object integer = index_of(object);
  if (!integer.is_valid()) return std::nullopt;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow != 0) throw Raised(PyExc_IndexError, "[koine] an integer does not fit into 64 bits");
  return value;
}

std::optional<std::int64_t> read_integer_anywhere(nb::handle object) {
  const nb::object integer = index_of(object);
  if (!integer.is_valid()) return std::nullopt;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  using Limits = std::numeric_limits<std::int64_t>;
  return overflow == 0 ? value : overflow < 0 ? Limits::min() : Limits::max();
}

std::optional<Scalar> read_scalar(nb::handle object) {
  const auto number = read_number(object);
  if (!number) return std::nullopt;
  return std::visit([](auto value) { return Scalar(value); }, *number);
}

std::optional<Operand> read_operand(nb::handle object) {
  if (is_array(object)) return Operand(value_of(object.ptr()));
  const auto number = read_number(object);
  if (!number) return std::nullopt;
  return std::visit([](auto value) { return Operand(value); }, *number);
}

std::optional<Operand> read_operand_beside(DType type, nb::handle object) {
  if (has_integers(type) || sign_beyond(object) == 0) return read_operand(object);
  const double value = PyLong_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return Operand(value);
}

std::optional<Operand> read_compared(DType type, nb::handle object) {
  const int sign = sign_beyond(object);
  if (sign == 0) return read_operand(object);
  double value = has_integers(type) ? HUGE_VAL : std::abs(PyLong_AsDouble(object.ptr()));
  if (PyErr_Occurred() != nullptr) {  // beyond float64
    PyErr_Clear();
    value = HUGE_VAL;
  }
  return Operand(sign * value);
}

std::optional<Shape> read_shape(nb::handle object) {
  if (!is_list(object)) {
    const auto size = read_integer(object);
    return size ? std::optional(Shape{*size}) : std::nullopt;
  }
  Shape shape;
  for (nb::handle entry : object) {
    const auto size = read_integer(entry);
    if (!size) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

std::optional<Device> read_device(nb::handle object) {
  if (nb::isinstance<Device>(object)) return nb::cast<Device>(object);
  if (PyUnicode_Check(object.ptr())) return Device(nb::cast<std::string>(object));
  return std::nullopt;
}

std::optional<std::vector<Array>> read_arrays(nb::handle object) {
  if (is_array(object)) return unstack(value_of(object.ptr()));
  if (!is_list(object)) return std::nullopt;
  std::vector<Array> arrays;
  for (nb::handle entry : object) {
    if (!is_array(entry)) return std::nullopt;
    arrays.push_back(value_of(entry.ptr()));
  }
  return arrays;
}

Index subscript_entry(nb::handle entry) {
  PyObject* const p = entry.ptr();
  if (PyLong_CheckExact(p)) return *read_integer_anywhere(entry);
  if (PySlice_Check(p)) return slice_of(p);
  if (entry.is_none()) return newaxis;
  if (p == Py_Ellipsis) return ellipsis;
  if (is_array(p)) return index_of_array(entry);
  if (PyBool_Check(p)) return asarray(p == Py_True);
  if (!is_list(entry)) {
    if (const auto position = read_integer_anywhere(entry)) return *position;
  }
  return index_of_list(entry);
}

std::vector<Index> subscript(nb::handle key) {
  std::vector<Index> entries;
  if (!PyTuple_Check(key.ptr())) {
    entries.push_back(subscript_entry(key));
    return entries;
  }
  const Py_ssize_t count = PyTuple_Size(key.ptr());
  entries.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) entries.push_back(subscript_entry(PyTuple_GetItem(key.ptr(), i)));
  return entries;
}

nb::object shape_object(const Shape& shape) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(axis),
                    checked(PyLong_FromLongLong(shape[axis])).release().ptr());
  }
  return tuple;
}

std::optional<DType> read_dtype(nb::handle object) {
  if (const auto known = dtype_of_object(object)) return known;
  if (PyUnicode_Check(object.ptr())) return dtype_named(nb::cast<std::string>(object));
  // NumPy's dtypes have a name, its scalar types and Python's own are classes of such names.
  const char* const attribute = PyType_Check(object.ptr()) ? "__name__" : "name";
  const nb::object text = nb::getattr(object, attribute, nb::none());
  return PyUnicode_Check(text.ptr()) ? dtype_named(nb::cast<std::string>(text)) : std::nullopt;
}

}  // namespace koine::python
