// SPDX-License-Identifier: Apache-2.0
// Koine's errors as Python's; see errors.hpp.
#include "errors.hpp"

#include "function.hpp"

#include <koine/error.hpp>

#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <typeinfo>

namespace koine::python {
namespace {

constexpr int kinds = static_cast<int>(ErrorKind::LinAlgError) + 1;
/// By ErrorKind; held as long as the process.
PyObject* classes[kinds] = {};

/// What a class of a kind is made from.
PyObject* base_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::ShapeError:
    case ErrorKind::ValueError: return PyExc_ValueError;
    case ErrorKind::DTypeError: return PyExc_TypeError;
    case ErrorKind::IndexError: return PyExc_IndexError;
    case ErrorKind::OutOfMemory: return PyExc_MemoryError;
    case ErrorKind::IoError: return PyExc_OSError;
    default: return PyExc_RuntimeError;
  }
}

bool is_python_s(ErrorKind kind) {
  return kind == ErrorKind::ValueError || kind == ErrorKind::IndexError || kind == ErrorKind::IoError;
}

/// NumPy's class of that name, or ValueError, which NumPy's is made from, where there is no NumPy.
PyObject* base_of_linalg_error() {
  const nanobind::object numpy = nanobind::steal(PyImport_ImportModule("numpy.linalg"));
  PyObject* const base = numpy.is_valid() ? PyObject_GetAttrString(numpy.ptr(), "LinAlgError") : nullptr;
  PyErr_Clear();
  return base != nullptr ? base : Py_NewRef(PyExc_ValueError);
}

/// A message may quote bytes that are no text, such as the name of a file.
void set_error(PyObject* type, const std::string& message) {
  PyObject* const text =
      PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace");
  if (text == nullptr) return;  // of which Python has set an error
  PyErr_SetObject(type, text);
  Py_DECREF(text);
}

/// As open() raises it, a FileNotFoundError where there is no file: Python takes the class from the number.
void set_error(const FileError& error) {
  const nanobind::object path = nanobind::steal(PyUnicode_DecodeFSDefault(error.path().c_str()));
  if (!path.is_valid()) return;  // of which Python has set an error
  const std::string reason = std::generic_category().message(error.error());
  PyObject* const arguments = Py_BuildValue("isO", error.error(), reason.c_str(), path.ptr());
  if (arguments == nullptr) return;
  PyErr_SetObject(PyExc_OSError, arguments);
  Py_DECREF(arguments);
}

}  // namespace

PyObject* linalg_error() {
  PyObject*& made = classes[static_cast<int>(ErrorKind::LinAlgError)];
  if (made == nullptr) {
    const nanobind::object base = nanobind::steal(base_of_linalg_error());
    PyObject* const mine =
        PyErr_NewExceptionWithDoc("koine.linalg.LinAlgError", python_doc("LinAlgError"), base.ptr(), nullptr);
    if (mine == nullptr) throw nanobind::python_error();
    // Importing NumPy may have let another thread come first.
    if (made == nullptr) {
      made = mine;
    } else {
      Py_DECREF(mine);
    }
  }
  return made;
}

void bind_errors(nanobind::module_& m) {
  for (int number = 0; number < kinds; ++number) {
    const auto kind = static_cast<ErrorKind>(number);
    if (kind == ErrorKind::LinAlgError) continue;
    if (is_python_s(kind)) {
      classes[number] = base_of(kind);
      continue;
    }
    const std::string name = std::string("koine.") + to_string(kind);
    classes[number] = PyErr_NewExceptionWithDoc(name.c_str(), python_doc(to_string(kind)), base_of(kind), nullptr);
    if (classes[number] == nullptr) throw nanobind::python_error();
    m.attr(to_string(kind)) = nanobind::borrow(classes[number]);
  }
}

void set_python_error() noexcept {
  try {
    throw;
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (const Interrupted&) {  // which a signal's handler has raised
  } catch (const Raised& error) {
    set_error(error.type(), error.message());
  } catch (const LinAlgError& error) {
    try {
      set_error(linalg_error(), error.what());
    } catch (nanobind::python_error& other) {
      other.restore();
    }
  } catch (const FileError& error) {
    set_error(error);
  } catch (const Error& error) {
    set_error(classes[static_cast<int>(error.kind())], error.what());
  } catch (const std::bad_cast&) {  // nanobind's, which names nothing
    PyErr_SetString(PyExc_TypeError,
                    "[koine] an argument, or a part of one, is of a type that the function does not take");
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "[koine] the host has no memory left for the library's own objects");
  } catch (const std::exception& error) {
    set_error(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "[koine] an exception of an unknown kind");
  }
}

}  // namespace koine::python
