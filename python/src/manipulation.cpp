// SPDX-License-Identifier: Apache-2.0
// Shape and order, and elements picked by positions.
#include "module.hpp"

namespace koine::python {

void bind_manipulation(nb::module_& m) {
  m.def("broadcast_arrays",
        [](const nb::args& arrays) { return as_tuple(broadcast_arrays(nb::cast<std::vector<Array>>(arrays))); });
  m.def("broadcast_shapes",
        [](const nb::args& shapes) { return broadcast_shapes(nb::cast<std::vector<Shape>>(shapes)); });
  m.def(
      "broadcast_to", [](const Array& x, const Shape& shape) { return broadcast_to(x, shape); }, nb::arg(), "shape"_a);
  m.def(
      "concat", [](const std::vector<Array>& arrays, const Axis& axis) { return concat(arrays, {.axis = axis}); },
      nb::arg(), nb::kw_only(), "axis"_a.none() = 0);
  m.def(
      "expand_dims", [](const Array& x, const Axis& axis) { return expand_dims(x, axis); }, nb::arg(), "axis"_a);
  m.def(
      "flip", [](const Array& x, const Axis& axis) { return flip(x, {.axis = axis}); }, nb::arg(), nb::kw_only(),
      "axis"_a = nb::none());
  m.def(
      "moveaxis",
      [](const Array& x, const Axis& source, const Axis& destination) { return moveaxis(x, source, destination); },
      nb::arg(), nb::arg(), nb::arg());
  m.def(
      "permute_dims", [](const Array& x, const Axis& axes) { return permute_dims(x, axes); }, nb::arg(), "axes"_a);
  const auto bind_repeat = [&](auto function) {
    m.def("repeat", function, nb::arg(), nb::arg(), nb::kw_only(), "axis"_a = nb::none());
  };
  bind_repeat(
      [](const Array& x, const Array& repeats, const Axis& axis) { return repeat(x, repeats, {.axis = axis}); });
  bind_repeat(
      [](const Array& x, std::int64_t repeats, const Axis& axis) { return repeat(x, repeats, {.axis = axis}); });
  m.def(
      "reshape",
      [](const Array& x, const Shape& shape, const std::optional<bool>& copy) {
        return reshape(x, shape, {.copy = copy});
      },
      nb::arg(), "shape"_a, nb::kw_only(), "copy"_a = nb::none());
  m.def(
      "roll", [](const Array& x, std::int64_t shift, const Axis& axis) { return roll(x, shift, {.axis = axis}); },
      nb::arg(), "shift"_a, nb::kw_only(), "axis"_a = nb::none());
  m.def(
      "roll", [](const Array& x, const Shape& shift, const Axis& axis) { return roll(x, shift, {.axis = axis}); },
      nb::arg(), "shift"_a, nb::kw_only(), "axis"_a = nb::none());
  m.def(
      "squeeze", [](const Array& x, const Axis& axis) { return squeeze(x, axis); }, nb::arg(), "axis"_a);
  m.def(
      "stack", [](const std::vector<Array>& arrays, std::int64_t axis) { return stack(arrays, {.axis = axis}); },
      nb::arg(), nb::kw_only(), "axis"_a = 0);
  m.def(
      "tile", [](const Array& x, const Shape& repetitions) { return tile(x, repetitions); }, nb::arg(), nb::arg());
  m.def(
      "unstack", [](const Array& x, std::int64_t axis) { return as_tuple(unstack(x, {.axis = axis})); }, nb::arg(),
      nb::kw_only(), "axis"_a = 0);
  m.def(
      "take", [](const Array& x, const Array& indices, const Axis& axis) { return take(x, indices, {.axis = axis}); },
      nb::arg(), nb::arg(), nb::kw_only(), "axis"_a = nb::none());
  m.def(
      "take_along_axis",
      [](const Array& x, const Array& indices, std::int64_t axis) {
        return take_along_axis(x, indices, {.axis = axis});
      },
      nb::arg(), nb::arg(), nb::kw_only(), "axis"_a = -1);
}

}  // namespace koine::python
