// SPDX-License-Identifier: Apache-2.0
// The array object: operators, subscripts, and Python's numbers out of it. Its methods stand in methods.cpp.
#include "module.hpp"

#include "exchange.hpp"
#include "numbers.hpp"
#include "waiting.hpp"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>

namespace koine::python {

PyTypeObject* array_type = nullptr;

PyObject* wrap(Array&& array) noexcept {
  PyObject* const object = PyType_GenericAlloc(array_type, 0);
  if (object != nullptr) new (&reinterpret_cast<ArrayObject*>(object)->array) Array(std::move(array));
  return object;
}

namespace {

using Binary = Array (*)(Operand, Operand);
using Unary = Array (*)(Operand);
using InPlace = Array& (*)(Array&, const Operand&);

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

void dealloc(PyObject* self) {
  auto* const object = reinterpret_cast<ArrayObject*>(self);
  PyTypeObject* const type = Py_TYPE(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->array.~Array();
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* construct(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "[Array] is made by functions, such as koine.asarray(values) and koine.zeros(shape)");
  return nullptr;
}

/// The operands of an operator, one of which is an array at least.
template <Binary F>
PyObject* binary(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    const Operand array(value_of(is_array(a) ? a : b));
    const auto other = read_operand_beside(array.array().dtype(), is_array(a) ? b : a);
    if (!other) return not_implemented();
    return finished(is_array(a) ? F(array, *other) : F(*other, array), {a, b});
  });
}

template <Binary F>
PyObject* comparison(PyObject* self, PyObject* other) noexcept {
  return guarded([&]() -> PyObject* {
    const Operand x(value_of(self));
    const auto y = read_compared(x.array().dtype(), other);
    return y ? finished(F(x, *y), {self, other}) : not_implemented();
  });
}

/// What an array is changed by, in place.
std::optional<Operand> read_change(PyObject* self, PyObject* value) {
  return PyLong_Check(value) ? read_operand_beside(value_of(self).dtype(), value) : read_operand(value);
}

template <Binary F>
PyObject* ternary(PyObject* a, PyObject* b, PyObject* modulus) noexcept {
  return modulus == Py_None ? binary<F>(a, b) : not_implemented();
}

template <Unary F>
PyObject* unary(PyObject* a) noexcept {
  return guarded([&] { return finished(F(value_of(a)), {a}); });
}

template <InPlace F>
PyObject* in_place(PyObject* self, PyObject* other) noexcept {
  return guarded([&]() -> PyObject* {
    const auto y = read_change(self, other);
    if (!y) return not_implemented();
    const bool borrowed = reads_borrowed({self, other});
    const Changing alone(self);
    F(array_of(self), *y);
    if (borrowed) finish_now(array_of(self));
    return Py_NewRef(self);
  });
}

/// `x op= y` for operators that C++ has not: the same promise of type and shape as its compound assignments.
template <Binary F>
Array& assign(Array& x, const Operand& y) {
  Array result = F(x, y);
  if (result.dtype() != x.dtype()) {
    throw DTypeError("[in-place operator] the result has the type " + std::string(name(result.dtype())) +
                     ", which the array of " + std::string(name(x.dtype())) + " that it is assigned to does not take");
  }
  if (result.shape() != x.shape()) {
    throw ShapeError("[in-place operator] the result has shape " + to_string(result.shape()) + ", the array " +
                     to_string(x.shape()) + " that it is assigned to does not take it");
  }
  return x = std::move(result);
}

template <Binary F>
PyObject* in_place_power(PyObject* self, PyObject* other, PyObject*) noexcept {
  return in_place<assign<F>>(self, other);
}

Array product(Operand x, Operand y) {
  if (x.is_scalar() || y.is_scalar()) throw Raised(PyExc_TypeError, "[matmul] takes two arrays, got a number");
  return matmul(x.array(), y.array());
}

Array floor_quotient(Operand x, Operand y) { return floor_divide(std::move(x), std::move(y)); }

PyObject* quotient_and_rest(PyObject* a, PyObject* b) noexcept {
  return guarded([&]() -> PyObject* {
    const auto x = read_operand(a), y = read_operand(b);
    if (!x || !y) return not_implemented();
    const std::vector<Array> results{floor_divide(*x, *y), remainder(*x, *y)};
    if (reads_borrowed({a, b})) std::ranges::for_each(results, finish_now);
    return to_python(results);
  });
}

PyObject* compare(PyObject* a, PyObject* b, int relation) noexcept {
  switch (relation) {
    case Py_EQ: return comparison<equal>(a, b);
    case Py_NE: return comparison<not_equal>(a, b);
    case Py_LT: return comparison<less>(a, b);
    case Py_LE: return comparison<less_equal>(a, b);
    case Py_GT: return comparison<greater>(a, b);
    default: return comparison<greater_equal>(a, b);
  }
}

PyObject* subscripted(PyObject* self, PyObject* key) noexcept {
  return guarded([&]() -> PyObject* {
    return with_subscript(key, [&](std::span<const Index> indices) {
      const Array x = value_of(self);
      std::vector<Array> counted;  // the device says how many elements a mask keeps
      for (const Index& index : indices) {
        if (index.array() && is_bool(Array(index.array()).dtype())) counted.emplace_back(index.array());
      }
      if (counted.empty()) return finished(x.get(indices), {self, key});
      counted.push_back(x);
      return finished(when_all_ready(counted, [&] { return x.get(indices); }), {self, key});
    });
  });
}

int assign_part(PyObject* self, PyObject* key, PyObject* value) noexcept {
  PyObject* const done = guarded([&]() -> PyObject* {
    if (value == nullptr) throw Raised(PyExc_ValueError, "[subscript] elements of an array cannot be deleted");
    return with_subscript(key, [&](std::span<const Index> indices) {
      auto operand = read_change(self, value);
      if (!operand) operand = Operand(assigned_array(value, value_of(self)));
      const bool borrowed = reads_borrowed({self, key, value});
      const Changing alone(self);
      array_of(self).set(indices, *std::move(operand));
      if (borrowed) finish_now(array_of(self));
      return Py_None;
    });
  });
  return done == nullptr ? -1 : 0;
}

Py_ssize_t length(PyObject* self) noexcept {
  const Array x = value_of(self);
  if (x.ndim() > 0) return static_cast<Py_ssize_t>(x.shape()[0]);
  PyErr_SetString(PyExc_TypeError, "[len] the array has no axes, so it has no length");
  return -1;
}

int truth(PyObject* self) noexcept {
  PyObject* const result = guarded([&] {
    const Array x = value_of(self);
    if (x.size() != 1) {
      throw ShapeError("[bool] takes an array of one element, got shape " + to_string(x.shape()) +
                       "; for one truth of several use koine.any(x) or koine.all(x)");
    }
    return to_python(element_of<bool>(x));
  });
  if (result == nullptr) return -1;
  Py_DECREF(result);
  return result == Py_True ? 1 : 0;
}

int contains(PyObject* self, PyObject* value) noexcept {
  PyObject* const result = guarded([&]() -> PyObject* {
    const Array x = value_of(self);
    const auto y = read_compared(x.dtype(), value);
    return y ? to_python(element_of<bool>(any(equal(x, *y)))) : Py_NewRef(Py_False);
  });
  if (result == nullptr) return -1;
  Py_DECREF(result);
  return result == Py_True ? 1 : 0;
}

/// Of arrays with one element, as NumPy's users expect a TypeError of others.
nb::object only_element(PyObject* self, const char* function) {
  const Array x = value_of(self);
  if (x.size() != 1) {
    throw Raised(PyExc_TypeError,
                 std::string("[") + function + "] takes an array of one element, got shape " + to_string(x.shape()));
  }
  return element(x);
}

PyObject* as_int(PyObject* self) noexcept {
  return guarded([&] { return checked(PyNumber_Long(only_element(self, "int").ptr())).release().ptr(); });
}
PyObject* as_float(PyObject* self) noexcept {
  return guarded([&] { return checked(PyNumber_Float(only_element(self, "float").ptr())).release().ptr(); });
}
PyObject* as_index(PyObject* self) noexcept {
  return guarded([&]() -> PyObject* {
    const Array x = value_of(self);
    if (!is_integer(x.dtype()) || x.size() != 1) {
      throw Raised(PyExc_TypeError, "[index] takes an array of one integer, got " + std::string(name(x.dtype())) +
                                        " and shape " + to_string(x.shape()));
    }
    return element(x).release().ptr();
  });
}

PyObject* iterate(PyObject* self) noexcept {
  return guarded([&]() -> PyObject* {
    const Array x = value_of(self);
    if (x.ndim() == 0) throw Raised(PyExc_TypeError, "[iter] the array has no axes to go along");
    return checked(PyObject_GetIter(nb::steal(to_python(unstack(x))).ptr())).release().ptr();
  });
}

template <class F>
void* slot(F function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void bind_array(nb::module_& m) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, slot(dealloc)},
      {Py_tp_new, slot(construct)},
      {Py_tp_members, members},
      {Py_tp_iter, slot(iterate)},
      {Py_tp_richcompare, slot(compare)},
      // Equality is element by element, so an array is no key.
      {Py_tp_hash, slot(PyObject_HashNotImplemented)},
      {Py_mp_length, slot(length)},
      {Py_mp_subscript, slot(subscripted)},
      {Py_mp_ass_subscript, slot(assign_part)},
      {Py_sq_contains, slot(contains)},
      {Py_bf_getbuffer, slot(get_buffer)},
      {Py_bf_releasebuffer, slot(release_buffer)},
      {Py_nb_bool, slot(truth)},
      {Py_nb_int, slot(as_int)},
      {Py_nb_float, slot(as_float)},
      {Py_nb_index, slot(as_index)},
      {Py_nb_absolute, slot(unary<abs>)},
      {Py_nb_invert, slot(unary<bitwise_invert>)},
      {Py_nb_negative, slot(unary<negative>)},
      {Py_nb_positive, slot(unary<positive>)},
      {Py_nb_add, slot(binary<add>)},
      {Py_nb_subtract, slot(binary<subtract>)},
      {Py_nb_multiply, slot(binary<multiply>)},
      {Py_nb_true_divide, slot(binary<divide>)},
      {Py_nb_floor_divide, slot(binary<floor_quotient>)},
      {Py_nb_remainder, slot(binary<remainder>)},
      {Py_nb_divmod, slot(quotient_and_rest)},
      {Py_nb_power, slot(ternary<pow>)},
      {Py_nb_matrix_multiply, slot(binary<product>)},
      {Py_nb_and, slot(binary<bitwise_and>)},
      {Py_nb_or, slot(binary<bitwise_or>)},
      {Py_nb_xor, slot(binary<bitwise_xor>)},
      {Py_nb_lshift, slot(binary<bitwise_left_shift>)},
      {Py_nb_rshift, slot(binary<bitwise_right_shift>)},
      {Py_nb_inplace_add, slot(in_place < operator+=>)},
      {Py_nb_inplace_subtract, slot(in_place < operator-=>)},
      {Py_nb_inplace_multiply, slot(in_place < operator*=>)},
      {Py_nb_inplace_true_divide, slot(in_place < operator/=>)},
      {Py_nb_inplace_remainder, slot(in_place < operator%=>)},
      {Py_nb_inplace_and, slot(in_place < operator&=>)},
      {Py_nb_inplace_or, slot(in_place < operator|=>)},
      {Py_nb_inplace_xor, slot(in_place < operator^=>)},
      {Py_nb_inplace_lshift, slot(in_place < operator<<=>)},
      {Py_nb_inplace_rshift, slot(in_place < operator>>=>)},
      {Py_nb_inplace_floor_divide, slot(in_place<assign<floor_quotient>>)},
      {Py_nb_inplace_power, slot(in_place_power<pow>)},
      {Py_nb_inplace_matrix_multiply, slot(in_place<assign<product>>)},
      {Py_tp_doc,
       const_cast<char*>("A lazy n-dimensional array on a device; functions such as koine.asarray make it.")},
      {0, nullptr}};
  static PyType_Spec spec = {"koine.Array", static_cast<int>(sizeof(ArrayObject)), 0, Py_TPFLAGS_DEFAULT, slots};
  nb::object type = checked(PyType_FromSpec(&spec));
  array_type = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("Array") = type;
  type.release();  // held as long as the process
  bind_methods(nb::handle(reinterpret_cast<PyObject*>(array_type)));
}

}  // namespace koine::python
