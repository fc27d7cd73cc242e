// SPDX-License-Identifier: Apache-2.0
// The array object: attributes, operators, subscripts, and Python's numbers out of it.
#include "module.hpp"

#include <complex>

namespace koine::python {
namespace {

using Binary = Array (*)(const Operand&, const Operand&);
using InPlace = Array& (*)(Array&, const Operand&);

template <class T>
T value_of(const Array& x) {
  const Array kept = x;
  const nb::gil_scoped_release others_run;
  return kept.item<T>();
}

nb::object item(const Array& x) {
  const DType type = x.dtype();
  if (is_bool(type)) return nb::bool_(value_of<bool>(x));
  if (is_unsigned_integer(type)) return nb::int_(value_of<std::uint64_t>(x));
  if (is_integer(type)) return nb::int_(value_of<std::int64_t>(x));
  if (is_complex(type)) {
    const auto value =
        type == complex64 ? std::complex<double>(value_of<std::complex<float>>(x)) : value_of<std::complex<double>>(x);
    return nb::steal(PyComplex_FromDoubles(value.real(), value.imag()));
  }
  return nb::float_(type == float64 ? value_of<double>(x) : value_of<float>(x));
}

nb::object checked(PyObject* result) {
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

nb::object as_index(const Array& x) {
  if (!is_integer(x.dtype())) throw nb::type_error("[__index__] takes an array of an integer type");
  return item(x);
}

nb::object as_complex(const Array& x) {
  const nb::object value = item(x);
  return checked(PyComplex_FromDoubles(PyComplex_RealAsDouble(value.ptr()), PyComplex_ImagAsDouble(value.ptr())));
}

/// `x op= y` for operators that C++ has not: the same promise of type and shape as its compound assignments.
template <auto Function>
Array& assign(Array& x, const Operand& y) {
  Array result = Function(x, y);
  if (result.dtype() != x.dtype()) {
    throw DTypeError("[in-place operator] the result has another type than the array that it is assigned to");
  }
  if (result.shape() != x.shape()) {
    throw ShapeError("[in-place operator] the result has another shape than the array that it is assigned to");
  }
  return x = std::move(result);
}

Array product(const Operand& x, const Operand& y) {
  if (x.is_scalar() || y.is_scalar()) throw nb::type_error("[matmul] takes two arrays");
  return matmul(x.array(), y.array());
}

class Operators {
 public:
  explicit Operators(nb::class_<Array>& array) : array_(array) {}

  Operators& compare(const char* word, Binary function) {
    array_.def(
        dunder("", word).c_str(), [function](const Array& x, const Operand& y) { return function(x, y); },
        nb::is_operator());
    return *this;
  }
  Operators& both_ways(const char* word, Binary function) {
    compare(word, function);
    array_.def(
        dunder("r", word).c_str(), [function](const Array& x, const Operand& y) { return function(y, x); },
        nb::is_operator());
    return *this;
  }
  Operators& all(const char* word, Binary function, InPlace in_place) {
    both_ways(word, function);
    array_.def(
        dunder("i", word).c_str(),
        [in_place](nb::handle self, const Operand& y) {
          in_place(nb::cast<Array&>(self), y);
          return nb::borrow(self);
        },
        nb::is_operator());
    return *this;
  }

 private:
  static std::string dunder(const char* prefix, const char* word) { return std::string("__") + prefix + word + "__"; }

  nb::class_<Array>& array_;
};

}  // namespace

void bind_array(nb::module_& m) {
  nb::class_<Array> array(m, "Array", "A lazy n-dimensional array on a device.");
  array.def_prop_ro("shape", [](const Array& x) { return x.shape(); })
      .def_prop_ro("dtype", [](const Array& x) { return x.dtype(); })
      .def_prop_ro("device", [](const Array& x) { return x.device(); })
      .def_prop_ro("ndim", [](const Array& x) { return x.ndim(); })
      .def_prop_ro("size", [](const Array& x) { return x.size(); })
      .def_prop_ro("T", [](const Array& x) { return x.T(); })
      .def_prop_ro("mT", [](const Array& x) { return x.mT(); })
      .def("__repr__", [](const Array& x) { return to_string(x); })
      .def("item", item, "The value of an array of one element.")
      .def("__bool__", [](const Array& x) { return value_of<bool>(x); })
      .def("__int__", [](const Array& x) { return checked(PyNumber_Long(item(x).ptr())); })
      .def("__float__", [](const Array& x) { return checked(PyNumber_Float(item(x).ptr())); })
      .def("__complex__", as_complex)
      .def("__index__", as_index)
      .def(
          "__getitem__", [](const Array& x, nb::handle key) { return x.get(subscript(key)); }, nb::arg().none())
      .def(
          "__setitem__", [](Array& x, nb::handle key, const Operand& value) { x.set(subscript(key), value); },
          nb::arg().none(), nb::arg())
      .def(
          "to_device", [](const Array& x, const Device& device, nb::handle) { return x.to_device(device); }, nb::arg(),
          nb::kw_only(), "stream"_a = nb::none())
      .def("__abs__", [](const Array& x) { return abs(x); })
      .def("__invert__", [](const Array& x) { return bitwise_invert(x); })
      .def("__neg__", [](const Array& x) { return negative(x); })
      .def("__pos__", [](const Array& x) { return positive(x); });

  // Equality is element by element, so an array is no key; and NumPy must not take it for a scalar.
  array.attr("__hash__") = nb::none();
  array.attr("__array_ufunc__") = nb::none();

  Operators(array)
      .compare("eq", equal)
      .compare("ne", not_equal)
      .compare("lt", less)
      .compare("le", less_equal)
      .compare("gt", greater)
      .compare("ge", greater_equal)
      .all("add", add, operator+=)
      .all("sub", subtract, operator-=)
      .all("mul", multiply, operator*=)
      .all("truediv", divide, operator/=)
      .all("mod", remainder, operator%=)
      .all("and", bitwise_and, operator&=)
      .all("or", bitwise_or, operator|=)
      .all("xor", bitwise_xor, operator^=)
      .all("lshift", bitwise_left_shift, operator<<=)
      .all("rshift", bitwise_right_shift, operator>>=)
      .all("floordiv", floor_divide, assign<static_cast<Binary>(floor_divide)>)
      .all("pow", pow, assign<static_cast<Binary>(pow)>)
      .all("matmul", product, assign<product>);
}

}  // namespace koine::python
