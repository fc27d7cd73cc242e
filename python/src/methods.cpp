// SPDX-License-Identifier: Apache-2.0
// The array's attributes and methods. Many are functions of the same name; others have NumPy's names.
#include "module.hpp"

#include "exchange.hpp"
#include "numbers.hpp"
#include "waiting.hpp"

#include <koine/host_memory.hpp>

#include <cmath>
#include <cstring>
#include <string>

namespace koine::python {
namespace {

/// Sizes or axes as several arguments, or as one list of them: `x.reshape(2, 3)`, `x.reshape((2, 3))`.
Shape rest_shape(const Arguments& a) {
  if (a.rest().size() == 1) {
    if (auto shape = read_shape(a.rest()[0])) return *std::move(shape);
  }
  Shape shape;
  for (PyObject* object : a.rest()) {
    const auto size = read_integer(object);
    if (!size) a.refuse("each argument", object, "an integer");
    shape.push_back(*size);
  }
  return shape;
}

Array transposed(const Array& x, const Shape& axes) {
  if (!axes.empty()) return permute_dims(x, Axis(axes));
  Shape reversed;
  for (std::int64_t axis = x.ndim(); axis-- > 0;) reversed.push_back(axis);
  return x.ndim() < 2 ? x : permute_dims(x, Axis(reversed));
}

template <class F>
void property(nb::handle type, const char* name, F get) {
  static const nb::object* const make = new nb::object(nb::module_::import_("builtins").attr("property"));
  type.attr(name) = (*make)(nb::cpp_function(get, nb::name(name)), nb::none(), nb::none(), doc_in_class(type, name));
}

void bind_attributes(nb::handle array) {
  property(array, "shape", [](const Array& x) { return x.shape(); });
  property(array, "dtype", [](const Array& x) { return x.dtype(); });
  property(array, "device", [](const Array& x) { return x.device(); });
  property(array, "ndim", [](const Array& x) { return x.ndim(); });
  property(array, "size", [](const Array& x) { return x.size(); });
  property(array, "nbytes", [](const Array& x) { return x.nbytes(); });
  property(array, "itemsize", [](const Array& x) { return size_of(x.dtype()); });
  property(array, "T", [](const Array& x) { return finished_view(x, x.T()); });
  property(array, "mT", [](const Array& x) { return finished_view(x, x.mT()); });
  property(array, "real", [](const Array& x) { return finished_view(x, real(x)); });
  property(array, "imag", [](const Array& x) { return finished_view(x, imag(x)); });
}

void bind_shapes(nb::handle array) {
  method(array, "reshape", "($self, /, *shape, copy=None)",
         [](const Arguments& a) { return reshape(a.array(0), rest_shape(a), {.copy = a.maybe_flag(1)}); });
  method(array, "ravel", "($self, /)", [](const Arguments& a) { return a.array(0).ravel(); });
  method(array, "flatten", "($self, /)", [](const Arguments& a) { return own(a.array(0)).ravel(); });
  method(array, "transpose", "($self, /, *axes)", [](const Arguments& a) {
    const bool all = a.rest().empty() || (a.rest().size() == 1 && a.rest()[0] == Py_None);
    return transposed(a.array(0), all ? Shape() : rest_shape(a));
  });
  method(array, "swapaxes", "($self, axis1, axis2, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    const std::int64_t first = a.integer(1), second = a.integer(2), low = -x.ndim();
    if (first < low || first >= x.ndim() || second < low || second >= x.ndim()) {
      throw IndexError("[swapaxes] an axis is out of range for shape " + to_string(x.shape()));
    }
    Shape axes;
    for (std::int64_t axis = 0; axis < x.ndim(); ++axis) axes.push_back(axis);
    std::swap(axes[static_cast<std::size_t>(first < 0 ? first - low : first)],
              axes[static_cast<std::size_t>(second < 0 ? second - low : second)]);
    return permute_dims(x, Axis(axes));
  });
  method(array, "squeeze", "($self, /, axis=None)", [](const Arguments& a) {
    const Array x = a.array(0);
    if (a.given(1)) return squeeze(x, a.axis(1));
    Shape ones;
    for (std::int64_t axis = 0; axis < x.ndim(); ++axis) {
      if (x.shape()[static_cast<std::size_t>(axis)] == 1) ones.push_back(axis);
    }
    return squeeze(x, Axis(ones));
  });
  method(array, "repeat", "($self, repeats, /, axis=None)",
         [](const Arguments& a) { return repeat(a.array(0), a.integer(1), {.axis = a.axis(2)}); });
  method(array, "take", "($self, indices, /, axis=None)",
         [](const Arguments& a) { return take(a.array(0), a.array(1), {.axis = a.axis(2)}); });
}

void bind_values(nb::handle array) {
  method(array, "astype", "($self, dtype, /, *, copy=True, device=None)", [](const Arguments& a) {
    const Array x = a.array(0);
    const auto type = a.dtype(1);
    if (!type) a.refuse(1, "a dtype of Koine's");
    const auto device = a.device(3);
    const bool same = x.dtype() == *type && device.value_or(x.device()) == x.device();
    if (same && !a.flag(2, true)) return nb::borrow(a[0]);
    return checked(wrap(same ? own(x) : astype(x, *type, {.device = device})));
  });
  method(array, "to_device", "($self, device, /, *, stream=None)", [](const Arguments& a) {
    const Array x = a.array(0);
    const auto device = a.device(1);
    if (!device) a.refuse(1, "a device or a selector");
    if (a.given(2)) throw ValueError("[to_device] stream is not supported; a queue is chosen by `with queue:`");
    return moved(x, *device);
  });
  method(array, "copy", "($self, /)", [](const Arguments& a) { return a.array(0).copy(); });
  method(array, "__copy__", "($self, /)", [](const Arguments& a) { return own(a.array(0)); });
  method(array, "__deepcopy__", "($self, memo, /)", [](const Arguments& a) { return own(a.array(0)); });
  method(array, "eval", "($self, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    // To give up the GIL takes as long as a small operation.
    if (!eval_at_once(x)) without_gil([&] { x.eval(); });
    return nb::borrow(a[0]);
  });
  method(array, "item", "($self, /, *position)", [](const Arguments& a) {
    Array x = a.array(0);
    if (!a.rest().empty()) {
      std::vector<Index> position;
      const Shape given = rest_shape(a);
      if (given.size() == 1 && x.ndim() != 1) x = x.ravel();
      for (const std::int64_t each : given) position.emplace_back(each);
      x = x.get(position);
    }
    return element(x);
  });
  method(array, "tobytes", "($self, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    nb::object bytes = checked(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(x.nbytes())));
    char* const to = PyBytes_AsString(bytes.ptr());
    const HostView view = once_ready(x, [&] { return host_view(x, {.copy = true}); });
    if (x.nbytes() > 0) std::memcpy(to, view.data(), static_cast<std::size_t>(x.nbytes()));
    return bytes;
  });
  method(array, "tolist", "($self, /)", [](const Arguments& a) { return nested_lists(a.array(0)); });
  method(array, "__complex__", "($self, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    if (x.size() != 1) {
      throw Raised(PyExc_TypeError, "[complex] takes an array of one element, got shape " + to_string(x.shape()));
    }
    const nb::object value = element(x);
    return checked(PyComplex_FromDoubles(PyComplex_RealAsDouble(value.ptr()), PyComplex_ImagAsDouble(value.ptr())));
  });
  method(array, "fill", "($self, value, /)", [](const Arguments& a) {
    const Index all_of_it = ellipsis;
    const Operand value = a.operand(1, 0);
    const Changing alone(a[0].ptr());
    array_of(a[0].ptr()).set({&all_of_it, 1}, value);
  });
}

/// Brings a part of an array together with values, by a method of Update. Gives the array.
template <auto method>
nb::object updated(const Arguments& a) {
  auto values = read_operand(a[2]);
  if (!values) values = Operand(assigned_array(a[2], a.array(0)));
  std::vector<Index> key = subscript(a[1]);
  const Changing alone(a[0].ptr());
  (Update(array_of(a[0].ptr()), std::move(key)).*method)(*values);
  return nb::borrow(a[0]);
}

/// What `x.at[...]` (python/koine/_array.py) calls.
void bind_updates(nb::handle array) {
  constexpr const char* signature = "($self, key, values, /)";
  method(array, "_at_add", signature, [](const Arguments& a) { return updated<&Update::add>(a); });
  method(array, "_at_multiply", signature, [](const Arguments& a) { return updated<&Update::multiply>(a); });
  method(array, "_at_max", signature, [](const Arguments& a) { return updated<&Update::max>(a); });
  method(array, "_at_min", signature, [](const Arguments& a) { return updated<&Update::min>(a); });
}

/// As numpy.ndarray.round: to a multiple of a power of ten, by a product, a quotient and the nearest whole number.
Array rounded(const Array& x, std::int64_t decimals) {
  const bool whole = is_integer(x.dtype()) || is_bool(x.dtype());
  if (decimals == 0 || (whole && decimals > 0)) return round(x);
  if (whole) {
    throw Raised(PyExc_ValueError, "[round] of " + std::string(name(x.dtype())) + " takes decimals of 0 or more, got " +
                                       std::to_string(decimals));
  }
  const double scale = std::pow(10.0, std::abs(static_cast<double>(decimals)));
  return decimals > 0 ? round(x * scale) / scale : round(x / scale) * scale;
}

#define KN_REDUCTION(name)                                                                  \
  method(array, #name, "($self, /, axis=None, *, keepdims=False)", [](const Arguments& a) { \
    return koine::name(a.array(0), {.axis = a.axis(1), .keepdims = a.flag(2, false)});      \
  })
#define KN_SUM(name)                                                                                        \
  method(array, #name, "($self, /, axis=None, dtype=None, *, keepdims=False)", [](const Arguments& a) {     \
    return koine::name(a.array(0), {.axis = a.axis(1), .dtype = a.dtype(2), .keepdims = a.flag(3, false)}); \
  })
#define KN_VARIANCE(name)                                                                                            \
  method(                                                                                                            \
      array, #name, "($self, /, axis=None, *, correction=None, ddof=None, keepdims=False)", [](const Arguments& a) { \
        return koine::name(                                                                                          \
            a.array(0), {.axis = a.axis(1), .correction = a.real(2, a.real(3, 0.0)), .keepdims = a.flag(4, false)}); \
      })
#define KN_CUMULATIVE(name, function)                                                    \
  method(array, #name, "($self, /, axis=None, dtype=None)", [](const Arguments& a) {     \
    Array x = a.array(0);                                                                \
    if (!a.given(1)) x = x.ravel();                                                      \
    return function(x, {.axis = a.given(1) ? a.axis(1) : Axis(0), .dtype = a.dtype(2)}); \
  })

void bind_reductions(nb::handle array) {
  KN_REDUCTION(max);
  KN_REDUCTION(min);
  KN_REDUCTION(mean);
  KN_REDUCTION(any);
  KN_REDUCTION(all);
  KN_REDUCTION(argmax);
  KN_REDUCTION(argmin);
  KN_SUM(sum);
  KN_SUM(prod);
  KN_VARIANCE(var);
  KN_VARIANCE(std);
  KN_CUMULATIVE(cumsum, cumulative_sum);
  KN_CUMULATIVE(cumprod, cumulative_prod);
  method(array, "argsort", "($self, /, axis=-1, *, descending=False, stable=True)", [](const Arguments& a) {
    return argsort(a.array_along(1), {.axis = a.integer(1, -1), .descending = a.flag(2, false)});
  });
  // In place, as NumPy's.
  method(array, "sort", "($self, /, axis=-1, *, descending=False, stable=True)", [](const Arguments& a) {
    Array sorted = sort(a.array(0), {.axis = a[1] ? a.integer(1) : -1, .descending = a.flag(2, false)});
    const Changing alone(a[0].ptr());
    array_of(a[0].ptr()) = std::move(sorted);
  });
  method(array, "clip", "($self, /, min=None, max=None)", [](const Arguments& a) {
    const auto bound = [&](std::size_t i) { return a.given(i) ? ClipBound(a.operand(i)) : ClipBound(none); };
    return clip(a.array(0), bound(1), bound(2));
  });
  method(array, "conj", "($self, /)", [](const Arguments& a) { return conj(a.array(0)); });
  method(array, "round", "($self, /, decimals=0)",
         [](const Arguments& a) { return rounded(a.array(0), a.integer(1, 0)); });
  // NumPy's: the last axis of the first with the one before the last of the second.
  method(array, "dot", "($self, other, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    const Operand y = a.operand(1, 0);
    if (y.is_scalar() || x.ndim() == 0 || y.array().ndim() == 0) return multiply(x, y);
    if (y.array().ndim() <= 2) return matmul(x, y.array());
    return tensordot(x, y.array(), {.axes = {{-1}, {-2}}});
  });
  method(array, "nonzero", "($self, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    return when_ready(x, [&] { return nonzero(x); });
  });
}

}  // namespace

void bind_methods(nb::handle array) {
  bind_attributes(array);
  bind_shapes(array);
  bind_values(array);
  bind_updates(array);
  bind_reductions(array);
}

}  // namespace koine::python
