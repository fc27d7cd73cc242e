// SPDX-License-Identifier: Apache-2.0
// Errors between C++ and Python: Koine's become Python's classes, and the binding raises Python's own.
#pragma once

#include "calling_line.hpp"
#include "gil.hpp"

#include <nanobind/nanobind.h>

#include <string>

namespace koine::python {

/// A Python exception that the binding raises: a class such as PyExc_TypeError, and a sentence.
class Raised {
 public:
  Raised(PyObject* type, std::string message) : type_(type), message_(std::move(message)) {}
  PyObject* type() const noexcept { return type_; }
  const std::string& message() const noexcept { return message_; }

 private:
  PyObject* type_;
  std::string message_;
};

/// Makes the classes that Koine's errors have where Python has none of that name, such as ShapeError, a ValueError.
void bind_errors(nanobind::module_& m);

/// The class of a LinAlgError, as a reference that stays: NumPy's, made more special, where NumPy is there, which is
/// imported when the class is first wanted. Throws what Python raises.
PyObject* linalg_error();

/// Sets Python's error from the C++ exception that is being handled.
void set_python_error() noexcept;

/// What `body` gives; null, with Python's error set, where it throws. All that Python calls goes this way. A body that
/// Ctrl-C stopped in the midst of a change begins anew if the handler returns.
template <class Body>
PyObject* guarded(Body&& body) noexcept {
  const CalledByPython called;
  const CallingLine line;
  try {
    for (;;) {
      try {
        return body();
      } catch (const Postponed&) {
        OthersRun::run_postponed();
      }
    }
  } catch (abi::__forced_unwind&) {
    wait_for_the_end();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// An object that a function of Python's gave, which is null if that failed.
inline nanobind::object checked(PyObject* object) {
  if (object == nullptr) throw nanobind::python_error();
  return nanobind::steal(object);
}

/// Of a conversion that failed because an object is of another kind: forgets Python's TypeError. Other errors, such as
/// what `__index__` of a user's class raises, go on.
inline void forget_type_error() {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nanobind::python_error();
  PyErr_Clear();
}

}  // namespace koine::python
