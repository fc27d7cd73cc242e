// SPDX-License-Identifier: Apache-2.0
// Shape and order, and elements picked by positions.
#include "module.hpp"

#include "waiting.hpp"

namespace koine::python {
namespace {

std::vector<Shape> shapes(const Arguments& a) {
  std::vector<Shape> result;
  for (PyObject* object : a.rest()) {
    auto shape = read_shape(object);
    if (!shape) a.refuse("each argument", object, "a shape, a tuple of integers");
    result.push_back(*std::move(shape));
  }
  return result;
}

/// A number for all ends, a pair for every axis, or a pair for each.
PadWidths widths_of(const Arguments& a, std::size_t i) {
  if (const auto width = read_integer(a[i])) return *width;
  std::vector<PadWidths::Pair> widths;
  const auto pair_of = [&](nb::handle object) {
    const auto pair = read_shape(object);
    if (!pair || pair->size() != 2) a.refuse(i, "an integer, a pair of integers, or a list of pairs");
    widths.push_back({(*pair)[0], (*pair)[1]});
  };
  if (const auto pair = read_shape(a[i]); pair && pair->size() == 2) {
    pair_of(a[i]);
    return widths;
  }
  if (!PyTuple_Check(a[i].ptr()) && !PyList_Check(a[i].ptr())) {
    a.refuse(i, "an integer, a pair of integers, or a list of pairs");
  }
  for (nb::handle object : a[i]) pair_of(object);
  return widths;
}

}  // namespace

void bind_manipulation(nb::module_& m) {
  function(m, "broadcast_arrays", "(*arrays)", [](const Arguments& a) { return broadcast_arrays(a.rest_arrays()); });
  function(m, "broadcast_shapes", "(*shapes)", [](const Arguments& a) { return broadcast_shapes(shapes(a)); });
  function(m, "broadcast_to", "(x, /, shape)", [](const Arguments& a) { return broadcast_to(a.array(0), a.shape(1)); });
  function(m, "concat", "(arrays, /, axis=0)",
           [](const Arguments& a) { return concat(a.arrays(0), {.axis = a[1] ? a.axis(1) : Axis(0)}); });
  function(m, "expand_dims", "(x, /, axis=0)",
           [](const Arguments& a) { return expand_dims(a.array(0), a.given(1) ? a.axis(1) : Axis(0)); });
  function(m, "flip", "(x, /, axis=None)", [](const Arguments& a) { return flip(a.array(0), {.axis = a.axis(1)}); });
  function(m, "moveaxis", "(x, source, destination, /)",
           [](const Arguments& a) { return moveaxis(a.array(0), a.axis(1), a.axis(2)); });
  function(m, "pad", "(x, /, pad_width, mode='constant', *, constant_values=0)", [](const Arguments& a) {
    const std::string mode = a.text(2, "constant");
    PadOptions options = {.mode = mode};
    if (a.given(3)) options.constant_values = a.operand(3);
    return pad(a.array(0), widths_of(a, 1), options);
  });
  function(m, "permute_dims", "(x, /, axes)", [](const Arguments& a) { return permute_dims(a.array(0), a.axis(1)); });
  // NumPy's: the axes in reverse order unless they are named.
  function(m, "transpose", "(x, /, axes=None)", [](const Arguments& a) {
    if (a.given(1)) return permute_dims(a.array(0), a.axis(1));
    Shape reversed;
    for (std::int64_t axis = a.array(0).ndim(); axis-- > 0;) reversed.push_back(axis);
    return reversed.empty() ? a.array(0) : permute_dims(a.array(0), Axis(reversed));
  });
  function(m, "repeat", "(x, repeats, /, axis=None)", [](const Arguments& a) {
    const Array x = a.array(0);
    const RepeatOptions options = {.axis = a.axis(2)};
    if (const auto repeats = is_array(a[1]) ? std::nullopt : read_integer(a[1])) return repeat(x, *repeats, options);
    const Shape list = is_array(a[1]) ? Shape() : a.shape(1);
    const Array repeats = is_array(a[1]) ? a.array(1) : asarray(std::vector<std::int64_t>(list.begin(), list.end()));
    return when_ready(repeats, [&] { return repeat(x, repeats, options); });
  });
  function(m, "reshape", "(x, /, shape, *, copy=None)",
           [](const Arguments& a) { return reshape(a.array(0), a.shape(1), {.copy = a.maybe_flag(2)}); });
  function(m, "roll", "(x, /, shift, axis=None)", [](const Arguments& a) {
    const Shape shift = a.shape(1);
    const bool one = !PyTuple_Check(a[1].ptr()) && !PyList_Check(a[1].ptr());
    return one ? roll(a.array(0), shift[0], {.axis = a.axis(2)}) : roll(a.array(0), shift, {.axis = a.axis(2)});
  });
  function(m, "squeeze", "(x, /, axis)", [](const Arguments& a) { return squeeze(a.array(0), a.axis(1)); });
  function(m, "stack", "(arrays, /, axis=0)",
           [](const Arguments& a) { return stack(a.arrays(0), {.axis = a.integer(1, 0)}); });
  function(m, "tile", "(x, repetitions, /)", [](const Arguments& a) { return tile(a.array(0), a.shape(1)); });
  function(m, "unstack", "(x, /, axis=0)",
           [](const Arguments& a) { return unstack(a.array(0), {.axis = a.integer(1, 0)}); });
  function(m, "take", "(x, indices, /, axis=None)",
           [](const Arguments& a) { return take(a.array(0), a.array(1), {.axis = a.axis(2)}); });
  function(m, "take_along_axis", "(x, indices, /, axis=-1)", [](const Arguments& a) {
    return take_along_axis(a.array_along(2), a.array(1), {.axis = a.integer(2, -1)});
  });
}

}  // namespace koine::python
