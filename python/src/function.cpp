// SPDX-License-Identifier: Apache-2.0
// Functions and methods as rows; see function.hpp.
#include "function.hpp"

#include "exchange.hpp"
#include "numbers.hpp"
#include "python_docs.hpp"  // made by tools/make_python.py

#include <algorithm>
#include <cstring>

namespace koine::python {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" $");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Held as long as the process: methods and their texts are never let go of.
const char* kept(const std::string& text) { return (new std::string(text))->c_str(); }

/// What headers call the namespace of a module: "random." for "koine.random", and nothing for the main one.
std::string scope_of(const std::string& home) {
  return home.starts_with("koine.") && home != "koine._koine" ? home.substr(6) + "." : "";
}

/// A docstring that begins with the signature, in the form in which CPython keeps both.
PyMethodDef* definition(const char* name, const char* signature, std::string_view text, detail::Call call) {
  const std::string doc = std::string(name) + signature + "\n--\n\n" + std::string(text);
  return new PyMethodDef{name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call)),
                         METH_FASTCALL | METH_KEYWORDS, kept(doc)};
}

/// Of what has no text of its own, the function's of that name.
const char* doc_of(const std::string& scope, const char* name) {
  const char* const own = python_docs::doc(scope + name);
  return *own == '\0' ? python_docs::doc(name) : own;
}

}  // namespace

const char* python_doc(const char* name) { return python_docs::doc(name); }

const char* doc_in_module(nb::handle module, const char* name) {
  return doc_of(scope_of(nb::cast<std::string>(home_of(module))), name);
}

const char* doc_in_class(nb::handle type, const char* name) {
  const auto word = [&](const char* attribute) { return nb::cast<std::string>(nb::object(type.attr(attribute))); };
  return doc_of(scope_of(word("__module__")) + word("__name__") + ".", name);
}

nb::object home_of(nb::handle module) { return module.attr(nb::hasattr(module, "__home__") ? "__home__" : "__name__"); }

void Signature::read(const char* function, std::string_view text) {
  function_ = function;
  bool keyword = false, after_star = false;
  std::size_t before_slash = 0;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    // A default has no comma in it but between brackets.
    std::size_t end = 0;
    for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ','); ++end) {
      depth += text[end] == '(' || text[end] == '[' ? 1 : text[end] == ')' || text[end] == ']' ? -1 : 0;
    }
    const std::string_view part = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part == "/") {
      before_slash = parameters_.size();
    } else if (part.starts_with("*")) {
      after_star = true;
      rest_ = part.size() > 1;
    } else {
      const auto equals = part.find('=');
      const std::string name(trimmed(part.substr(0, equals)));
      parameters_.push_back(
          {name, PyUnicode_InternFromString(name.c_str()), keyword, equals == std::string_view::npos});
      if (!after_star) positional_ = parameters_.size();
    }
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].keyword = i >= before_slash;
}

std::span<PyObject* const> Signature::bind(PyObject* const* given, std::size_t count, PyObject* names,
                                           PyObject** slots) const {
  return bind_from(0, given, count, names, slots);
}

std::span<PyObject* const> Signature::bind_method(PyObject* self, PyObject* const* given, std::size_t count,
                                                  PyObject* names, PyObject** slots) const {
  slots[0] = self;
  return bind_from(1, given, count, names, slots);
}

std::span<PyObject* const> Signature::bind_from(std::size_t first, PyObject* const* given, std::size_t count,
                                                PyObject* names, PyObject** slots) const {
  const std::size_t placed = std::min(count, positional_ - first);
  for (std::size_t i = 0; i < placed; ++i) slots[first + i] = given[i];
  if (count > placed && !rest_) {
    throw Raised(PyExc_TypeError, "[" + std::string(function_) + "] takes " + std::to_string(positional_ - first) +
                                      " arguments without a name at most, got " + std::to_string(count));
  }
  const std::size_t named = names == nullptr ? 0 : static_cast<std::size_t>(PyTuple_Size(names));
  for (std::size_t k = 0; k < named; ++k) {
    PyObject* const name = PyTuple_GetItem(names, static_cast<Py_ssize_t>(k));
    std::size_t i = 0;
    while (i < parameters_.size() && parameters_[i].name != name) ++i;
    for (std::size_t other = 0; i == parameters_.size() && other < parameters_.size(); ++other) {
      if (PyUnicode_Compare(parameters_[other].name, name) == 0) i = other;  // a name that is not interned
      if (i == other) break;
    }
    if (i == parameters_.size() || !parameters_[i].keyword) {
      std::string known;
      for (const Parameter& parameter : parameters_) {
        if (parameter.keyword) known += (known.empty() ? "" : ", ") + parameter.text;
      }
      throw Raised(PyExc_TypeError, "[" + std::string(function_) + "] has no parameter that is named '" +
                                        nb::cast<std::string>(nb::handle(name)) + "'; " +
                                        (known.empty() ? "it takes none by name" : "it takes " + known));
    }
    if (slots[i] != nullptr) {
      throw Raised(PyExc_TypeError, "[" + std::string(function_) + "] got " + parameters_[i].text + " twice");
    }
    slots[i] = given[count + k];
  }
  for (std::size_t i = first + placed; i < parameters_.size(); ++i) {
    if (parameters_[i].required && slots[i] == nullptr) {
      throw Raised(PyExc_TypeError, "[" + std::string(function_) + "] lacks the argument " + parameters_[i].text);
    }
  }
  return {given + placed, count - placed};
}

void Arguments::refuse(const char* parameter, nb::handle object, const char* what) const {
  throw Raised(PyExc_TypeError,
               "[" + std::string(function()) + "] " + parameter + " takes " + what + ", got " + class_of(object));
}

nb::handle Arguments::required(std::size_t i) const {
  if (slots_[i] == nullptr) {
    throw Raised(PyExc_TypeError, "[" + std::string(function()) + "] lacks the argument " + signature_.parameter(i));
  }
  return slots_[i];
}

Array Arguments::array(std::size_t i) const {
  if (!is_array(required(i))) refuse(i, "an array (koine.asarray makes one)");
  return value_of(slots_[i]);
}

Array Arguments::array_along(std::size_t axis) const { return slots_[axis] == Py_None ? array(0).ravel() : array(0); }

Operand Arguments::operand(std::size_t i) const {
  auto operand = read_operand(required(i));
  if (!operand) refuse(i, "an array or a number");
  return *std::move(operand);
}

Operand Arguments::operand(std::size_t i, std::size_t other) const {
  if (!is_array(required(other))) return operand(i);
  auto operand = read_operand_beside(array(other).dtype(), required(i));
  if (!operand) refuse(i, "an array or a number");
  return *std::move(operand);
}

Scalar Arguments::scalar(std::size_t i) const {
  if (is_array(required(i)) && array(i).ndim() == 0) return *read_scalar(element(array(i)));
  const auto scalar = read_scalar(required(i));
  if (!scalar) refuse(i, "a number");
  return *scalar;
}

std::vector<Array> Arguments::arrays(std::size_t i) const {
  auto arrays = read_arrays(required(i));
  if (arrays) return *std::move(arrays);
  if (!PyTuple_Check(slots_[i]) && !PyList_Check(slots_[i])) refuse(i, "a list of arrays");
  for (nb::handle entry : nb::handle(slots_[i])) {
    if (!is_array(entry)) refuse("each entry", entry, "an array (koine.asarray makes one)");
  }
  refuse(i, "a list of arrays");
}

std::vector<Array> Arguments::rest_arrays() const {
  // A list in place of several arguments, too.
  if (rest_.size() == 1 && !is_array(rest_[0])) {
    if (auto arrays = read_arrays(rest_[0])) return *std::move(arrays);
  }
  std::vector<Array> arrays;
  for (PyObject* object : rest_) {
    if (!is_array(object)) refuse("each argument", object, "an array (koine.asarray makes one)");
    arrays.push_back(value_of(object));
  }
  return arrays;
}

Shape Arguments::integers(std::size_t i) const {
  auto list = read_shape(required(i));
  if (!list) refuse(i, "an integer or a tuple of integers");
  return *std::move(list);
}

Shape Arguments::shape(std::size_t i) const { return integers(i); }

std::int64_t Arguments::integer(std::size_t i) const {
  const auto value = read_integer(required(i));
  if (!value) refuse(i, "an integer");
  return *value;
}

std::int64_t Arguments::integer_anywhere(std::size_t i, std::int64_t otherwise) const {
  if (!given(i)) return otherwise;
  const auto value = read_integer_anywhere(slots_[i]);
  if (!value) refuse(i, "an integer");
  return *value;
}

double Arguments::real(std::size_t i) const {
  const double value = PyFloat_AsDouble(required(i).ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    forget_type_error();
    refuse(i, "a real number");
  }
  return value;
}

bool Arguments::flag(std::size_t i, bool otherwise) const {
  if (!given(i)) return otherwise;
  const int truth = PyObject_IsTrue(slots_[i]);
  if (truth < 0) throw nb::python_error();
  return truth == 1;
}

std::string Arguments::text(std::size_t i) const {
  if (!PyUnicode_Check(required(i).ptr())) refuse(i, "a string");
  return nb::cast<std::string>(nb::handle(slots_[i]));
}

std::string Arguments::path(std::size_t i) const {
  std::optional<std::string> path = read_path(required(i));
  if (!path) refuse(i, "a path");
  return std::move(*path);
}

std::optional<DType> Arguments::dtype(std::size_t i) const {
  if (!given(i)) return std::nullopt;
  const auto type = read_dtype(slots_[i]);
  if (!type) refuse(i, "a dtype of Koine's, such as koine.float32 or \"float32\"");
  return type;
}

std::optional<Device> Arguments::device(std::size_t i) const {
  if (!given(i)) return std::nullopt;
  auto device = read_device(slots_[i]);
  if (!device) refuse(i, "a device or a selector such as \"nvidia\"");
  return device;
}

std::optional<Queue> Arguments::queue(std::size_t i) const {
  if (!given(i)) return std::nullopt;
  if (!nb::isinstance<Queue>(slots_[i])) refuse(i, "a queue (koine.Queue makes one)");
  return nb::cast<Queue>(nb::handle(slots_[i]));
}

std::vector<Event> Arguments::events(std::size_t i) const {
  std::vector<Event> events;
  if (given(i) && !nb::try_cast(nb::handle(slots_[i]), events)) refuse(i, "a list of events");
  return events;
}

std::vector<double> Arguments::reals(std::size_t i) const {
  std::vector<double> numbers;
  if (!nb::try_cast(required(i), numbers)) refuse(i, "a list of real numbers");
  return numbers;
}

PyObject* to_python(const std::vector<Array>& arrays) {
  nb::object tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    PyTuple_SetItem(tuple.ptr(), static_cast<Py_ssize_t>(i), checked(wrap(Array(arrays[i]))).release().ptr());
  }
  return tuple.release().ptr();
}

namespace detail {

namespace {

template <class F>
void for_each_argument(PyObject* const* slots, std::span<PyObject* const> rest, F f) {
  for (std::size_t i = 0; i < Signature::most; ++i) f(slots[i]);
  for (PyObject* object : rest) f(object);
}

bool reads_borrowed(PyObject* const* slots, std::span<PyObject* const> rest) {
  if (borrowed_tensors.load(std::memory_order_relaxed) == 0) return false;
  bool found = false;
  for_each_argument(slots, rest, [&](PyObject* object) { found = found || python::reads_borrowed(object); });
  return found;
}

/// Of a call whose arguments lay in memory of other objects: computes what it gives, or what it has changed, before it
/// returns.
void finish_result(PyObject* const* slots, std::span<PyObject* const> rest, PyObject* result) {
  const auto finish = [](PyObject* array) { finish_now(value_of(array)); };
  for_each_array(result, finish);
  if (result == Py_None) for_each_argument(slots, rest, [&](PyObject* object) { for_each_array(object, finish); });
}

}  // namespace

PyObject* run(const Signature& signature, PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names,
              Body body) noexcept {
  return guarded([&]() -> PyObject* {
    let_go_of_owners();
    PyObject* slots[Signature::most] = {};
    std::span<PyObject* const> rest;
    if (self == nullptr) {
      rest = signature.bind(given, static_cast<std::size_t>(count), names, slots);
    } else {
      rest = signature.bind_method(self, given, static_cast<std::size_t>(count), names, slots);
    }
    const bool borrowed = reads_borrowed(slots, rest);  // before arrays are changed, which lie elsewhere then
    nb::object result = checked(body(Arguments(signature, slots, rest)));
    if (borrowed) finish_result(slots, rest, result.ptr());
    return result.release().ptr();
  });
}

void add_function(nb::handle module, const char* name, const char* signature, Call call) {
  // Where users find it, for pickle and help: `__home__` re-exports all but names that begin with an underscore.
  const nb::object home = name[0] == '_' ? nb::object(module.attr("__name__")) : home_of(module);
  PyMethodDef* const def = definition(name, signature, doc_in_module(module, name), call);
  module.attr(name) = checked(PyCFunction_NewEx(def, module.ptr(), home.ptr()));
}

void add_method(nb::handle type, const char* name, const char* signature, Call call) {
  PyMethodDef* const def = definition(name, signature, doc_in_class(type, name), call);
  type.attr(name) = checked(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), def));
}

}  // namespace detail
}  // namespace koine::python
