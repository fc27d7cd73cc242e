// SPDX-License-Identifier: Apache-2.0
// The standard's products in the main namespace.
#include "module.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>

#include <utility>
#include <variant>

namespace koine::python {
namespace {

using Axes = std::variant<std::int64_t, std::pair<Shape, Shape>>;

struct ToAxes {
  TensordotAxes operator()(std::int64_t count) const { return count; }
  TensordotAxes operator()(const std::pair<Shape, Shape>& lists) const { return {lists.first, lists.second}; }
};

}  // namespace

void bind_linalg(nb::module_& m) {
  m.def(
      "matmul", [](const Array& x1, const Array& x2) { return matmul(x1, x2); }, nb::arg(), nb::arg());
  m.def(
      "matrix_transpose", [](const Array& x) { return matrix_transpose(x); }, nb::arg());
  m.def(
      "tensordot",
      [](const Array& x1, const Array& x2, const Axes& axes) {
        return tensordot(x1, x2, {.axes = std::visit(ToAxes{}, axes)});
      },
      nb::arg(), nb::arg(), nb::kw_only(), "axes"_a = 2);
  m.def(
      "vecdot", [](const Array& x1, const Array& x2, std::int64_t axis) { return vecdot(x1, x2, {.axis = axis}); },
      nb::arg(), nb::arg(), nb::kw_only(), "axis"_a = -1);
}

}  // namespace koine::python
