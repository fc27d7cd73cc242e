// SPDX-License-Identifier: Apache-2.0
// Making arrays. asarray is Python's (koine/_creation.py) over what begins with an underscore here.
#include "module.hpp"

#include "exchange.hpp"
#include "lists.hpp"

#include <cstddef>
#include <span>

namespace koine::python {
namespace {

CreationOptions options(const Arguments& a, std::size_t dtype) {
  return {.dtype = a.dtype(dtype), .device = a.device(dtype + 1)};
}

template <Array (*F)(const Shape&, const CreationOptions&)>
void bind_of_shape(nb::module_& m, const char* name) {
  function(m, name, "(shape, dtype=None, *, device=None)",
           [](const Arguments& a) { return F(a.shape(0), options(a, 1)); });
}

template <Array (*F)(const Array&, const CreationOptions&)>
void bind_like_array(nb::module_& m, const char* name) {
  function(m, name, "(x, /, dtype=None, *, device=None)",
           [](const Arguments& a) { return F(a.array(0), options(a, 1)); });
}

/// asarray of an array: a value, so a copy is another object and no more, but of what lies in other objects' memory.
nb::object converted(const Arguments& a) {
  const Array x = a.array(0);
  const DType type = a.dtype(1).value_or(x.dtype());
  const Device device = a.device(2).value_or(x.device());
  const auto copy = a.maybe_flag(3);
  const bool same = type == x.dtype() && device == x.device();
  if (same && copy != true) return nb::borrow(a[0]);
  if (copy == false) {
    throw ValueError("[asarray] copy=False, but another type or device needs a copy");
  }
  return checked(wrap(same ? own(x) : astype(x, type, {.device = device})));
}

}  // namespace

void bind_creation(nb::module_& m) {
  const auto of_list = [](const Arguments& a) {
    const auto x = from_list(a[0], a.dtype(1), a.device(2));
    return x ? checked(wrap(Array(*x))) : nb::none();
  };
  function(m, "_from_list", "(list, dtype, device, /)", of_list, "asarray");
  // Of pickle: the elements' bytes in row-major order.
  function(m, "_from_bytes", "(bytes, dtype, shape, /)", [](const Arguments& a) {
    const std::span bytes(PyBytes_AsString(a[0].ptr()), static_cast<std::size_t>(PyBytes_Size(a[0].ptr())));
    return asarray(std::as_bytes(bytes), a.dtype(1).value(), a.shape(2));
  });
  const auto convert = [](const Arguments& a) { return converted(a); };
  function(m, "_convert", "(x, dtype, device, copy, /)", convert, "asarray");
  function(m, "arange", "(start, /, stop=None, step=1, *, dtype=None, device=None)", [](const Arguments& a) {
    const CreationOptions made = options(a, 3);
    const Scalar step = a.given(2) ? a.scalar(2) : Scalar(1);
    return a.given(1) ? arange(a.scalar(0), a.scalar(1), step, made) : arange(0, a.scalar(0), step, made);
  });
  bind_of_shape<empty>(m, "empty");
  bind_of_shape<zeros>(m, "zeros");
  bind_of_shape<ones>(m, "ones");
  bind_like_array<empty_like>(m, "empty_like");
  bind_like_array<zeros_like>(m, "zeros_like");
  bind_like_array<ones_like>(m, "ones_like");
  function(m, "full", "(shape, fill_value, dtype=None, *, device=None)", [](const Arguments& a) {
    const CreationOptions made = options(a, 2);
    if (!is_array(a[1])) return full(a.shape(0), a.scalar(1), made);
    return asarray(broadcast_to(own(a.array(1)), a.shape(0)), made);
  });
  function(m, "full_like", "(x, /, fill_value, dtype=None, *, device=None)",
           [](const Arguments& a) { return full_like(a.array(0), a.scalar(1), options(a, 2)); });
  function(m, "linspace", "(start, stop, /, num, *, dtype=None, device=None, endpoint=True)", [](const Arguments& a) {
    return linspace(a.scalar(0), a.scalar(1), a.integer(2),
                    {.dtype = a.dtype(3), .device = a.device(4), .endpoint = a.flag(5, true)});
  });
  function(m, "eye", "(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)", [](const Arguments& a) {
    const std::int64_t rows = a.integer(0);
    return eye(rows, a.integer(1, rows), {.k = a.integer_anywhere(2, 0), .dtype = a.dtype(3), .device = a.device(4)});
  });
  function(m, "tril", "(x, /, k=0)",
           [](const Arguments& a) { return tril(a.array(0), {.k = a.integer_anywhere(1, 0)}); });
  function(m, "triu", "(x, /, k=0)",
           [](const Arguments& a) { return triu(a.array(0), {.k = a.integer_anywhere(1, 0)}); });
  function(m, "meshgrid", "(*arrays, indexing='xy')", [](const Arguments& a) {
    const std::string indexing = a.text(0, "xy");
    return meshgrid(a.rest_arrays(), {.indexing = indexing});
  });
}

}  // namespace koine::python
