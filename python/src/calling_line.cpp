// SPDX-License-Identifier: Apache-2.0
// The line of Python that asks; see calling_line.hpp.
#include "calling_line.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace nb = nanobind;

namespace koine::python {
namespace {

bool is_of_this_package(nb::handle frame) {
  const nb::object module = nb::object(frame.attr("f_globals")).attr("get")("__name__", "");
  const std::string name = nb::cast<std::string>(nb::str(module));
  return name == "koine" || name.starts_with("koine.");
}

}  // namespace

std::unique_ptr<CallerScope> name_calling_line() noexcept {
  try {
    nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame.is_valid() && !frame.is_none() && is_of_this_package(frame)) frame = frame.attr("f_back");
    if (!frame.is_valid() || frame.is_none()) return nullptr;
    const nb::object file = nb::object(frame.attr("f_code")).attr("co_filename");
    const int line = PyFrame_GetLineNumber(reinterpret_cast<PyFrameObject*>(frame.ptr()));
    return std::make_unique<CallerScope>(nb::cast<std::string>(nb::str(file)) + ":" + std::to_string(line));
  } catch (...) {  // a line that cannot be found is left out
    return nullptr;
  }
}

}  // namespace koine::python
