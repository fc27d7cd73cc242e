// SPDX-License-Identifier: Apache-2.0
// Memory that Python's objects and arrays share: whose it is, when it is let go of, and who may read it.
//
// An array over another object's memory holds that object. C++ lets go of it on any thread, perhaps while it evaluates,
// where nobody may wait for the GIL: another thread may hold that and wait for the evaluation. So what C++ lets go of
// is put on a list, which the binding empties whenever it holds the GIL anyway, and Python's main loop soon after. Once
// the interpreter ends, what is still held stays so.
#pragma once

#include "array_object.hpp"
#include "kernel_values.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <initializer_list>

namespace koine::python {

/// How many arrays were made over other objects' memory and still hold it.
extern std::atomic<int> borrowed_tensors;

/// Lets go of the objects whose memory is not used any more. The caller holds the GIL.
void let_go_of_owners() noexcept;

/// Calls `f` with each array of an argument: itself, the one that a kernel's argument marks, those of a tuple or a
/// list.
template <class F>
void for_each_array(PyObject* object, F f) {
  if (object == nullptr) return;
  if (is_array(object)) return f(object);
  if (PyTuple_Check(object) || PyList_Check(object)) {
    for (nanobind::handle entry : nanobind::handle(object)) {
      if (is_array(entry)) f(entry.ptr());
    }
  } else if (nanobind::isinstance<Marked>(object)) {
    f(nanobind::cast<const Marked&>(nanobind::handle(object)).array.ptr());
  }
}

/// Whether an array of this argument lies in memory of another object, which may be written between two calls. Asked
/// before a call that may change the array, which lies elsewhere afterwards.
bool reads_borrowed(PyObject* object);
bool reads_borrowed(std::initializer_list<PyObject*> objects);

/// x, or a copy of what lies in another object's memory: what Python calls a copy.
Array own(const Array& x);

/// Computes an array, and waits for it and what else its device does: lazy work would see what is written later into
/// another object's memory. KeyboardInterrupt where Ctrl-C comes before; the work goes on.
void finish_now(const Array& result);

/// A view of x, which is known to lie in that memory only once it is computed.
Array finished_view(const Array& x, Array view);

/// A Python object around the result, which is finished if an operand lies in another object's memory.
inline PyObject* finished(Array&& result, std::initializer_list<PyObject*> operands) {
  if (reads_borrowed(operands)) finish_now(result);
  return wrap(std::move(result));
}

/// The value of a part of an array that is assigned another library's array, or lists: an array of that type.
Array assigned_array(nanobind::handle value, const Array& target);

// The buffer protocol: read-only, where the elements lie if the host has them there.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_buffer(PyObject* self, Py_buffer* view) noexcept;

}  // namespace koine::python
