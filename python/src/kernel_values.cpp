// SPDX-License-Identifier: Apache-2.0
// Python's values as arguments of a kernel; see kernel_values.hpp.
#include "kernel_values.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

namespace koine::python {
namespace {

/// "uint4" of "const unsigned int4 a", and how many elements it has.
struct ValueType {
  std::string name;
  std::size_t lanes = 1;
};

ValueType type_in(const std::string& parameter) {
  std::string text = parameter.substr(0, parameter.rfind(' '));
  if (text.starts_with("const ")) text.erase(0, 6);
  if (text.starts_with("unsigned ")) text = "u" + text.substr(9);
  const std::size_t digits = text.find_first_of("0123456789");
  ValueType type{text.substr(0, digits), 1};
  if (digits != text.npos) type.lanes = static_cast<std::size_t>(std::stoul(text.substr(digits)));
  return type;
}

template <class T>
T integer_as(nb::handle object) {
  const nb::object index = index_of(object);
  if (!index.is_valid())
    throw Raised(PyExc_TypeError, "[Kernel] an integer parameter takes a whole number, got " + class_of(object));
  const nb::object low = nb::int_(std::numeric_limits<T>::min()), high = nb::int_(std::numeric_limits<T>::max());
  if (index < low || index > high) {
    throw Raised(PyExc_OverflowError,
                 "[Kernel] " + std::string(nb::str(index).c_str()) + " does not fit the parameter");
  }
  return std::is_signed_v<T> ? static_cast<T>(PyLong_AsLongLong(index.ptr()))
                             : static_cast<T>(PyLong_AsUnsignedLongLong(index.ptr()));
}

template <class T>
T real_as(nb::handle object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    forget_type_error();
    throw Raised(PyExc_TypeError, "[Kernel] a floating parameter takes a real number, got " + class_of(object));
  }
  return static_cast<T>(value);
}

/// Calls `f` with a function that makes the C++ value of an object; false for a type of another name.
template <class F>
bool with_type(const std::string& name, F f) {
  if (name == "char") return f(integer_as<std::int8_t>), true;
  if (name == "uchar") return f(integer_as<std::uint8_t>), true;
  if (name == "short") return f(integer_as<std::int16_t>), true;
  if (name == "ushort") return f(integer_as<std::uint16_t>), true;
  if (name == "int" || name == "int32") return f(integer_as<std::int32_t>), true;
  if (name == "uint") return f(integer_as<std::uint32_t>), true;
  if (name == "long") return f(integer_as<std::int64_t>), true;
  if (name == "ulong") return f(integer_as<std::uint64_t>), true;
  if (name == "float") return f(real_as<float>), true;
  if (name == "double") return f(real_as<double>), true;
  if (name == "half") return f([](nb::handle object) { return float16_t(real_as<float>(object)); }), true;
  return false;
}

/// What OpenCL C calls the types of NumPy's scalars.
std::string name_of(DType type) {
  switch (type) {
    case DType::bool_:
    case DType::uint8: return "uchar";
    case DType::int8: return "char";
    case DType::int16: return "short";
    case DType::int32: return "int";
    case DType::int64: return "long";
    case DType::uint16: return "ushort";
    case DType::uint32: return "uint";
    case DType::uint64: return "ulong";
    case DType::float16: return "half";
    case DType::float64: return "double";
    default: return "float";
  }
}

}  // namespace

std::optional<KernelArgument> kernel_value(nb::handle object, const std::string& parameter) {
  PyObject* const p = object.ptr();
  if (PyBytes_Check(p)) {
    return KernelArgument::from_bytes(
        std::as_bytes(std::span(PyBytes_AsString(p), static_cast<std::size_t>(PyBytes_Size(p)))));
  }
  ValueType type = parameter.empty() ? ValueType{} : type_in(parameter);
  if (PyTuple_Check(p) || PyList_Check(p)) {
    const std::size_t count = nb::len(object), room = type.lanes == 3 ? 4 : type.lanes;
    if (count != type.lanes || type.name.ends_with('*')) {
      throw Raised(PyExc_TypeError,
                   "[Kernel] a parameter '" + parameter + "' got " + std::to_string(count) + " numbers");
    }
    std::optional<KernelArgument> made;
    with_type(type.name, [&](auto make) {
      using T = decltype(make(object));
      std::vector<T> values(room);
      for (std::size_t i = 0; i < count; ++i) values[i] = make(nb::object(object[i]));
      made.emplace(KernelArgument::from_bytes(std::as_bytes(std::span(values))));
    });
    return made;
  }
  if (!read_number(object)) return std::nullopt;
  const nb::object own = nb::getattr(object, "dtype", nb::none());
  if (const auto known = own.is_none() ? std::nullopt : read_dtype(own)) type = {name_of(*known), 1};
  if (type.name.empty() || type.name.ends_with('*')) type.name = PyFloat_Check(p) ? "float" : "int";
  std::optional<KernelArgument> made;
  with_type(type.name, [&](auto make) { made.emplace(make(object)); });
  return made;
}

}  // namespace koine::python
