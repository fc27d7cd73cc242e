// SPDX-License-Identifier: Apache-2.0
// Memory that Python's objects and arrays share: whose it is, when it is let go of, and who may read it.
//
// An array over another object's memory holds that object. C++ lets go of it on any thread, perhaps while it evaluates,
// where nobody may wait for the GIL: another thread may hold that and wait for the evaluation. So what C++ lets go of
// is put on a list, which the binding empties whenever it holds the GIL anyway, and Python's main loop soon after. Once
// the interpreter ends, what is still held stays so.
#pragma once

#include "array_object.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <initializer_list>

namespace koine::python {

/// How many arrays were made over other objects' memory and still hold it.
extern std::atomic<int> borrowed_tensors;

/// Lets go of the objects whose memory is not used any more. The caller holds the GIL.
void let_go_of_owners() noexcept;

/// Whether this array, or one of this tuple or list of arrays, lies in memory of another object, which may be written
/// between two calls.
bool reads_borrowed(PyObject* object);

/// x, or a copy of what lies in another object's memory: what Python calls a copy.
Array own(const Array& x);

/// Computes an array and waits for it.
void finish_now(const Array& result);

/// The same, if an operand lies in another object's memory: lazy work would see what is
/// written there later.
void finish(std::initializer_list<PyObject*> operands, const Array& result);

/// A view of x, which is known to lie in that memory only once it is computed.
Array finished_view(const Array& x, Array view);

/// The same as finish, and a Python object around the result.
inline PyObject* finished(Array&& result, std::initializer_list<PyObject*> operands) {
  if (borrowed_tensors.load(std::memory_order_relaxed) != 0) finish(operands, result);
  return wrap(std::move(result));
}

/// The value of a part of an array that is assigned another library's array, or lists: an array of that type.
Array assigned_array(nanobind::handle value, const Array& target);

// The buffer protocol: read-only, where the elements lie if the host has them there.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_buffer(PyObject* self, Py_buffer* view) noexcept;

}  // namespace koine::python
