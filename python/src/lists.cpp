// SPDX-License-Identifier: Apache-2.0
// Arrays of Python's numbers in nested lists.
#include "lists.hpp"

#include <algorithm>
#include <complex>

namespace koine::python {
namespace {

bool is_list(PyObject* object) {
  return PyTuple_Check(object) || PyList_Check(object) || PyObject_TypeCheck(object, &PyRange_Type);
}

/// Of Python's numbers the highest counts, in this order.
enum class Kind { boolean, integer, real, complex };

/// The leaves of nested lists in row-major order.
class Leaves {
 public:
  /// False where a leaf is an array with axes.
  bool add(PyObject* object, std::size_t axis = 0) {
    if (is_list(object)) return add_list(object, axis);
    if (axis < shape_.size()) refuse_ragged();
    complete_ = true;
    return add_leaf(nb::borrow(object));
  }
  const Shape& shape() const { return shape_; }
  const std::vector<nb::object>& values() const { return values_; }
  Kind kind() const { return values_.empty() ? Kind::real : kind_; }

 private:
  [[noreturn]] static void refuse_ragged() {
    throw Raised(PyExc_ValueError,
                 "[asarray] got nested lists of different lengths; each must have as many entries as the first");
  }
  bool add_list(PyObject* list, std::size_t axis) {
    if (axis == most_axes) {
      throw Raised(PyExc_ValueError, "[asarray] got lists nested more than " + std::to_string(most_axes) +
                                         " deep, or one that contains itself");
    }
    const auto size = static_cast<std::int64_t>(nb::len(nb::handle(list)));
    if (axis == shape_.size()) {
      if (complete_) refuse_ragged();
      shape_.push_back(size);
    }
    if (shape_[axis] != size) refuse_ragged();
    for (nb::handle entry : nb::borrow(list)) {
      if (!add(entry.ptr(), axis + 1)) return false;
    }
    return true;
  }
  bool add_leaf(nb::object leaf) {
    PyObject* const p = leaf.ptr();
    if (PyFloat_Check(p)) {
      kind_ = std::max(kind_, Kind::real);
    } else if (PyBool_Check(p)) {
      kind_ = std::max(kind_, Kind::boolean);
    } else if (PyLong_Check(p)) {
      kind_ = std::max(kind_, Kind::integer);
    } else if (PyComplex_Check(p)) {
      kind_ = std::max(kind_, Kind::complex);
    } else if (nb::hasattr(leaf, "item") && nb::hasattr(leaf, "ndim")) {
      if (!nb::object(leaf.attr("ndim")).equal(nb::int_(0))) return false;
      return add_leaf(leaf.attr("item")());
    } else {
      throw Raised(PyExc_TypeError,
                   "[asarray] got " + class_of(leaf) +
                       "; it takes numbers, nested lists of them, buffers and other libraries' arrays");
    }
    values_.push_back(std::move(leaf));
    return true;
  }

  static constexpr std::size_t most_axes = 64;  // as many as NumPy's arrays have
  Shape shape_;
  bool complete_ = false;  // how many axes there are is known
  std::vector<nb::object> values_;
  Kind kind_ = Kind::boolean;
};

DType default_type(Kind kind) {
  const DefaultDTypes defaults = default_dtypes();
  switch (kind) {
    case Kind::boolean: return bool_;
    case Kind::integer: return defaults.integral;
    case Kind::real: return defaults.real_floating;
    default: return defaults.complex_floating;
  }
}

template <class T>
Array filled_by(const Leaves& leaves, DType type, const std::optional<Device>& device, T (*convert)(PyObject*)) {
  std::vector<T> converted;
  converted.reserve(leaves.values().size());
  for (const nb::object& value : leaves.values()) {
    converted.push_back(convert(value.ptr()));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  return asarray(converted, leaves.shape(), {.dtype = type, .device = device});
}

std::int64_t signed_integer(PyObject* value) { return PyLong_AsLongLong(value); }
std::uint64_t unsigned_integer(PyObject* value) { return PyLong_AsUnsignedLongLong(value); }
double real_number(PyObject* value) { return PyFloat_AsDouble(value); }
std::complex<double> complex_number(PyObject* value) {
  const double real = PyComplex_RealAsDouble(value);
  return {real, PyComplex_ImagAsDouble(value)};
}

/// Python's OverflowError for what does not fit, as NumPy has it.
void check_range(const Leaves& leaves, DType type) {
  const IntegerInfo range = iinfo(type);
  const nb::object low = nb::int_(range.min), high = nb::int_(range.max);
  for (const nb::object& value : leaves.values()) {
    if (value < low || value > high) {
      throw Raised(PyExc_OverflowError,
                   "[asarray] " + std::string(nb::str(value).c_str()) + " does not fit " + std::string(name(type)));
    }
  }
}

}  // namespace

std::optional<Array> from_list(nb::handle list, std::optional<DType> wanted, const std::optional<Device>& device) {
  Leaves leaves;
  if (!leaves.add(list.ptr())) return std::nullopt;
  const Kind kind = leaves.kind();
  const DType type = wanted.value_or(default_type(kind));
  if (is_complex(type) || kind == Kind::complex) return filled_by(leaves, type, device, complex_number);
  if (is_real_floating(type) || kind == Kind::real) return filled_by(leaves, type, device, real_number);
  if (is_bool(type)) {
    std::vector<bool> truths;
    for (const nb::object& value : leaves.values()) truths.push_back(PyObject_IsTrue(value.ptr()) == 1);
    return asarray(truths, leaves.shape(), {.dtype = type, .device = device});
  }
  check_range(leaves, type);
  return is_unsigned_integer(type) ? filled_by(leaves, type, device, unsigned_integer)
                                   : filled_by(leaves, type, device, signed_integer);
}

}  // namespace koine::python
