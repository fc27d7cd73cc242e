// SPDX-License-Identifier: Apache-2.0
// Positions, order and sets.
#include "module.hpp"

namespace koine::python {
namespace {

template <class F>
void bind_arg(nb::module_& m, const char* name, F function) {
  m.def(
      name,
      [function](const Operand& x, const Axis& axis, bool keepdims) {
        return function(x, {.axis = axis, .keepdims = keepdims});
      },
      nb::arg(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = false);
}

void bind_sort(nb::module_& m, const char* name, Array (*function)(const Array&, const SortOptions&)) {
  m.def(
      name,
      [function](const Array& x, std::int64_t axis, bool descending, bool stable) {
        return function(x, {.axis = axis, .descending = descending, .stable = stable});
      },
      nb::arg(), nb::kw_only(), "axis"_a = -1, "descending"_a = false, "stable"_a = true);
}

}  // namespace

void bind_searching(nb::module_& m) {
  using Arg = Array (*)(const Operand&, const ArgOptions&);
  using Reduction = Array (*)(const Operand&, const ReductionOptions&);
  bind_arg<Arg>(m, "argmax", argmax);
  bind_arg<Arg>(m, "argmin", argmin);
  bind_arg<Reduction>(m, "count_nonzero", count_nonzero);
  m.def(
      "nonzero", [](const Array& x) { return as_tuple(nonzero(x)); }, nb::arg());
  m.def(
      "searchsorted",
      [](const Array& x1, const Operand& x2, const std::string& side, const std::optional<Array>& sorter) {
        return searchsorted(x1, x2, {.side = side, .sorter = sorter});
      },
      nb::arg(), nb::arg(), nb::kw_only(), "side"_a = "left", "sorter"_a = nb::none());
  m.def(
      "where", [](const Operand& condition, const Operand& x1, const Operand& x2) { return where(condition, x1, x2); },
      nb::arg(), nb::arg(), nb::arg());

  bind_sort(m, "sort", sort);
  bind_sort(m, "argsort", argsort);

  m.def(
      "isin", [](const Operand& x1, const Operand& x2, bool invert) { return isin(x1, x2, {.invert = invert}); },
      nb::arg(), nb::arg(), nb::kw_only(), "invert"_a = false);
  m.def(
      "unique_all",
      [](const Array& x) {
        const UniqueAllResult result = unique_all(x);
        return nb::make_tuple(result.values, result.indices, result.inverse_indices, result.counts);
      },
      nb::arg());
  m.def(
      "unique_counts",
      [](const Array& x) {
        const UniqueCountsResult result = unique_counts(x);
        return nb::make_tuple(result.values, result.counts);
      },
      nb::arg());
  m.def(
      "unique_inverse",
      [](const Array& x) {
        const UniqueInverseResult result = unique_inverse(x);
        return nb::make_tuple(result.values, result.inverse_indices);
      },
      nb::arg());
  m.def(
      "unique_values", [](const Array& x) { return unique_values(x); }, nb::arg());
}

}  // namespace koine::python
