// SPDX-License-Identifier: Apache-2.0
// Arrays of Python's objects that C++ changes without the GIL, such as those that a kernel writes.
#pragma once

#include "array_object.hpp"

#include <nanobind/nanobind.h>

#include <vector>

namespace koine::python {

/// While one lives, no other thread is at these arrays, with the GIL or without: whoever wants one waits. Made and
/// ended with the GIL, and first waits itself for what others have.
class Lent {
 public:
  explicit Lent(std::vector<PyObject*> arrays);
  ~Lent();
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  std::vector<PyObject*> arrays_;
};

}  // namespace koine::python
