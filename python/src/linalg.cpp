// SPDX-License-Identifier: Apache-2.0
// Products of matrices, vectors and arrays of any number of axes.
#include "module.hpp"

namespace koine::python {
namespace {

/// A number of axes, or two lists of them.
TensordotAxes axes_of(const Arguments& a, std::size_t i) {
  if (!a.given(i)) return 2;
  if (const auto count = read_integer(a[i])) return *count;
  if ((PyTuple_Check(a[i].ptr()) || PyList_Check(a[i].ptr())) && nb::len(a[i]) == 2) {
    auto first = read_shape(nb::object(a[i][0])), second = read_shape(nb::object(a[i][1]));
    if (first && second) return {*std::move(first), *std::move(second)};
  }
  a.refuse(i, "an integer, or two lists of axes");
}

}  // namespace

void bind_linalg(nb::module_& m) {
  function(m, "_linalg_error", "()", [](const Arguments&) { return nb::object(nb::borrow(linalg_error())); });
  function(m, "matmul", "(x1, x2, /, *, precision=None)", [](const Arguments& a) {
    if (!a.given(2)) return matmul(a.array(0), a.array(1));
    const std::string precision = a.text(2);
    return matmul(a.array(0), a.array(1), {.precision = precision});
  });
  function(m, "matrix_transpose", "(x, /)", [](const Arguments& a) { return matrix_transpose(a.array(0)); });
  function(m, "tensordot", "(x1, x2, /, axes=2)",
           [](const Arguments& a) { return tensordot(a.array(0), a.array(1), {.axes = axes_of(a, 2)}); });
  function(m, "vecdot", "(x1, x2, /, axis=-1)",
           [](const Arguments& a) { return vecdot(a.array(0), a.array(1), {.axis = a.integer(2, -1)}); });
  function(m, "outer", "(x1, x2, /)", [](const Arguments& a) { return outer(a.array(0), a.array(1)); });
  function(m, "kron", "(x1, x2, /)", [](const Arguments& a) { return kron(a.array(0), a.array(1)); });
  function(m, "einsum", "(subscripts, /, *operands, dtype=None)",
           [](const Arguments& a) { return einsum(a.text(0), a.rest_arrays(), {.dtype = a.dtype(1)}); });
}

}  // namespace koine::python
