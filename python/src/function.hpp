// SPDX-License-Identifier: Apache-2.0
// Functions and methods as rows: a name, the signature as Python writes it, and a body that reads typed arguments.
#pragma once

#include "array_object.hpp"
#include "convert.hpp"
#include "errors.hpp"
#include "gil.hpp"

#include <koine/koine.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::python {

namespace nb = nanobind;

/// The parameters of a function, read from its signature, such as "(x, /, axis=None, *, keepdims=False)" or
/// "(*arrays, indexing='xy')".
class Signature {
 public:
  static constexpr std::size_t most = 12;

  void read(const char* function, std::string_view text);
  /// Puts the arguments of a call into `slots` by their parameters; a parameter that is left out has a null. Gives what
  /// belongs to `*name`. TypeError for arguments that do not fit.
  std::span<PyObject* const> bind(PyObject* const* given, std::size_t count, PyObject* names, PyObject** slots) const;
  /// The same of a method, whose first parameter is `self`.
  std::span<PyObject* const> bind_method(PyObject* self, PyObject* const* given, std::size_t count, PyObject* names,
                                         PyObject** slots) const;

  const char* function() const noexcept { return function_; }
  const char* parameter(std::size_t i) const { return parameters_[i].text.c_str(); }

 private:
  struct Parameter {
    std::string text;
    PyObject* name;  // interned, and never let go of
    bool keyword, required;
  };

  /// The arguments given belong to the parameters from `first` on.
  std::span<PyObject* const> bind_from(std::size_t first, PyObject* const* given, std::size_t count, PyObject* names,
                                       PyObject** slots) const;

  const char* function_ = "";
  std::vector<Parameter> parameters_;
  std::size_t positional_ = 0;
  bool rest_ = false;
};

/// The arguments of one call, by the places of their parameters. None counts as left out, but where a function says
/// otherwise. Each throws a TypeError that names function and parameter where an argument is of another kind.
class Arguments {
 public:
  Arguments(const Signature& signature, PyObject* const* slots, std::span<PyObject* const> rest)
      : signature_(signature), slots_(slots), rest_(rest) {}

  bool given(std::size_t i) const { return slots_[i] != nullptr && slots_[i] != Py_None; }
  /// Null where the argument is left out.
  nb::handle operator[](std::size_t i) const { return slots_[i]; }

  Array array(std::size_t i) const;
  /// Argument 0; in one row where the one that names the axis is None, which NumPy tells from one that is left out.
  Array array_along(std::size_t axis) const;
  Operand operand(std::size_t i) const;
  /// The same beside argument `other`, if that is an array: see read_operand_beside.
  Operand operand(std::size_t i, std::size_t other) const;
  Scalar scalar(std::size_t i) const;
  std::vector<Array> arrays(std::size_t i) const;
  Shape shape(std::size_t i) const;
  Axis axis(std::size_t i) const { return given(i) ? Axis(integers(i)) : Axis(none); }
  std::int64_t integer(std::size_t i) const;
  std::int64_t integer(std::size_t i, std::int64_t otherwise) const { return given(i) ? integer(i) : otherwise; }
  /// An integer that may lie anywhere, such as a diagonal; beyond 64 bits it is the nearest of those.
  std::int64_t integer_anywhere(std::size_t i, std::int64_t otherwise) const;
  double real(std::size_t i) const;
  double real(std::size_t i, double otherwise) const { return given(i) ? real(i) : otherwise; }
  bool flag(std::size_t i, bool otherwise) const;
  std::string text(std::size_t i) const;
  std::string text(std::size_t i, const char* otherwise) const { return given(i) ? text(i) : otherwise; }
  std::string path(std::size_t i) const;
  std::optional<DType> dtype(std::size_t i) const;
  std::optional<Device> device(std::size_t i) const;
  std::optional<Queue> queue(std::size_t i) const;
  /// None is no events.
  std::vector<Event> events(std::size_t i) const;
  /// The numbers in a tuple or a list.
  std::vector<double> reals(std::size_t i) const;

  std::optional<bool> maybe_flag(std::size_t i) const {
    return given(i) ? std::optional(flag(i, false)) : std::nullopt;
  }
  std::optional<Array> maybe_array(std::size_t i) const { return given(i) ? std::optional(array(i)) : std::nullopt; }
  std::optional<Operand> maybe_operand(std::size_t i) const {
    return given(i) ? std::optional(operand(i)) : std::nullopt;
  }

  /// What stands behind the parameters, for a `*name` in the signature.
  std::span<PyObject* const> rest() const { return rest_; }
  std::vector<Array> rest_arrays() const;

  /// A TypeError: "[sum] axis takes `what`, got a str".
  [[noreturn]] void refuse(std::size_t i, const char* what) const { refuse(signature_.parameter(i), slots_[i], what); }
  [[noreturn]] void refuse(const char* parameter, nb::handle object, const char* what) const;
  const char* function() const noexcept { return signature_.function(); }

 private:
  Shape integers(std::size_t i) const;
  nb::handle required(std::size_t i) const;

  const Signature& signature_;
  PyObject* const* slots_;
  std::span<PyObject* const> rest_;
};

// Results as new references.
inline PyObject* to_python(nb::object object) { return object.release().ptr(); }
inline PyObject* to_python(Array array) { return wrap(std::move(array)); }
PyObject* to_python(const std::vector<Array>& arrays);
inline PyObject* to_python(const Shape& shape) { return to_python(shape_object(shape)); }
inline PyObject* to_python(DType type) { return to_python(dtype_object(type)); }
inline PyObject* to_python(const Device& device) { return to_python(nb::cast(device)); }
inline PyObject* to_python(bool truth) { return PyBool_FromLong(truth ? 1 : 0); }
inline PyObject* to_python(std::int64_t value) { return PyLong_FromLongLong(value); }
inline PyObject* to_python(double value) { return PyFloat_FromDouble(value); }
inline PyObject* to_python(const std::string& text) {
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

using Body = PyObject* (*)(const Arguments&);

namespace detail {

PyObject* run(const Signature& signature, PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names,
              Body body) noexcept;

/// The C function of a row. Each body is a lambda, so a type of its own, and so are its parameters.
template <class B>
struct Row {
  static_assert(std::is_empty_v<B>, "rows that share a type would share a body and a signature, as functions do");
  static inline Signature signature;

  static PyObject* body(const Arguments& arguments) {
    if constexpr (std::is_void_v<decltype(B{}(arguments))>) {
      B{}(arguments);
      return to_python(nb::none());
    } else {
      return to_python(B{}(arguments));
    }
  }
  static PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* names) noexcept {
    return run(signature, nullptr, given, count, names, body);
  }
  /// `self` is the first argument.
  static PyObject* call_method(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) noexcept {
    return run(signature, self, given, count, names, body);
  }
};

using Call = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) noexcept;
void add_function(nb::handle module, const char* name, const char* signature, Call call);
void add_method(nb::handle type, const char* name, const char* signature, Call call);

}  // namespace detail

/// Adds a function to a module: `function(m, "sum", "(x, /, axis=None)", [](const Arguments& a) { return ...; })`.
/// Messages call it so, or as one of Python's that stands before it: `shown`, else "svd" of "_svd".
template <class B>
void function(nb::handle module, const char* name, const char* signature, B, const char* shown = nullptr) {
  detail::Row<B>::signature.read(shown != nullptr ? shown : name + (name[0] == '_' ? 1 : 0), signature);
  detail::add_function(module, name, signature, detail::Row<B>::call);
}

/// Adds a method to a class. The signature begins with "($self, /"; argument 0 is the object.
template <class B>
void method(nb::handle type, const char* name, const char* signature, B) {
  detail::Row<B>::signature.read(name, signature);
  detail::add_method(type, name, signature, detail::Row<B>::call_method);
}

/// What the headers or tools/python_names.txt say of a class, held as long as the process.
const char* python_doc(const char* name);
/// The same of what a module or a class has under a name.
const char* doc_in_module(nb::handle module, const char* name);
const char* doc_in_class(nb::handle type, const char* name);
/// The module in which users find what is defined in this one.
nb::object home_of(nb::handle module);

/// A class with the docstrings that the headers or tools/python_names.txt have of it and of its members.
template <class T>
class Class : public nb::class_<T> {
 public:
  Class(nb::handle module, const char* name) : nb::class_<T>(module, name, doc_in_module(module, name)) {
    this->attr("__module__") = home_of(module);
  }

  /// A read-only attribute: a member of T, or what a function gives.
  template <class Get>
  Class& attribute(const char* name, Get get) {
    if constexpr (std::is_member_object_pointer_v<Get>) {
      this->def_ro(name, get, doc_in_class(*this, name));
    } else {
      this->def_prop_ro(name, get, doc_in_class(*this, name));
    }
    return *this;
  }
  template <class F, class... Extra>
  Class& method(const char* name, F f, const Extra&... extra) {
    this->def(name, std::move(f), extra..., doc_in_class(*this, name));
    return *this;
  }
  template <class F, class... Extra>
  Class& static_method(const char* name, F f, const Extra&... extra) {
    this->def_static(name, std::move(f), extra..., doc_in_class(*this, name));
    return *this;
  }
};

}  // namespace koine::python
