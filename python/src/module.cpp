// SPDX-License-Identifier: Apache-2.0
// The module koine._koine: its parts, and Koine's errors as Python's.
#include "module.hpp"

#include <exception>

namespace koine::python {
namespace {

PyObject* python_type_of(ErrorKind kind) {
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

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    PyErr_SetString(python_type_of(error.kind()), error.what());
  }
}

}  // namespace
}  // namespace koine::python

NB_MODULE(_koine, m) {
  using namespace koine::python;
  nb::register_exception_translator(translate);
  m.attr("__version__") = koine::version();
  bind_types(m);
  bind_array(m);
  bind_creation(m);
  bind_dlpack(m);
  bind_elementwise(m);
  bind_linalg(m);
  bind_manipulation(m);
  bind_searching(m);
  bind_statistics(m);
  bind_segments(m);
}
