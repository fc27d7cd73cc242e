// SPDX-License-Identifier: Apache-2.0
// The Python object around an Array. It is written by hand, as operators on small arrays take no longer than the
// objects that they make.
#pragma once

#include <koine/array.hpp>

#include <nanobind/nanobind.h>

#include <atomic>
#include <utility>

namespace koine::python {

struct ArrayObject {
  PyObject_HEAD Array array;
  PyObject* weak_references;
  std::atomic<bool> lent;  // to somebody who is at it without the GIL; see lending.hpp
};

/// koine.Array; made by bind_array.
extern PyTypeObject* array_type;

inline bool is_array(PyObject* object) noexcept { return Py_TYPE(object) == array_type; }
inline bool is_array(nanobind::handle object) noexcept { return is_array(object.ptr()); }

/// Waits, while other Python threads run, until the array is given back.
void wait_until_given_back(const ArrayObject* object) noexcept;

/// While one lives, no other thread is at the object: for free-threaded Python; elsewhere the GIL sees to it.
class Alone {
 public:
#ifdef Py_GIL_DISABLED
  explicit Alone(PyObject* object) noexcept {
    PyCriticalSection_Begin(&section_, object);
    wait_if_lent(object);
  }
  ~Alone() { PyCriticalSection_End(&section_); }
#else
  explicit Alone(PyObject* object) noexcept { wait_if_lent(object); }
#endif
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  static void wait_if_lent(PyObject* object) noexcept {
    if (!is_array(object)) return;
    const auto* const array = reinterpret_cast<const ArrayObject*>(object);
    if (array->lent.load(std::memory_order_relaxed)) wait_until_given_back(array);
  }

#ifdef Py_GIL_DISABLED
  PyCriticalSection section_;
#endif
};

/// The same of an array that is changed by what may wait for long: then others run, but wait if they want this array.
class Changing {
 public:
  explicit Changing(PyObject* array) noexcept : alone_(array), outer_(std::exchange(of_thread_, array)) {}
  ~Changing() { of_thread_ = outer_; }
  Changing(const Changing&) = delete;
  Changing& operator=(const Changing&) = delete;

  /// The one that this thread changes, or null.
  static PyObject* of_thread() noexcept { return of_thread_; }

 private:
  static inline thread_local PyObject* of_thread_ = nullptr;

  Alone alone_;
  PyObject* outer_;
};

/// The array itself, to be changed while somebody is Alone.
inline Array& array_of(PyObject* object) noexcept { return reinterpret_cast<ArrayObject*>(object)->array; }

/// The value that the array has now.
inline Array value_of(PyObject* object) {
  const Alone alone(object);
  return array_of(object);
}

/// A new object around an array; null, with Python's error set, where there is no memory.
PyObject* wrap(Array&& array) noexcept;

}  // namespace koine::python

namespace nanobind::detail {

/// Array for what nanobind binds.
template <>
struct type_caster<koine::Array> {
  NB_TYPE_CASTER(koine::Array, const_name("koine.Array"))
  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!koine::python::is_array(source)) return false;
    value = koine::python::value_of(source.ptr());
    return true;
  }
  static handle from_cpp(koine::Array array, rv_policy, cleanup_list*) noexcept {
    return koine::python::wrap(std::move(array));
  }
};

}  // namespace nanobind::detail
