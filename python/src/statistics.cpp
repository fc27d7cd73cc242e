// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and differences.
#include "module.hpp"

namespace koine::python {
namespace {

template <class F>
void bind_reduction(nb::module_& m, const char* name, F function) {
  m.def(
      name,
      [function](const Operand& x, const Axis& axis, bool keepdims) {
        return function(x, ReductionOptions{.axis = axis, .keepdims = keepdims});
      },
      nb::arg(), nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = false);
}

void bind_sum(nb::module_& m, const char* name, Array (*function)(const Operand&, const SumOptions&)) {
  m.def(
      name,
      [function](const Operand& x, const Axis& axis, const Type& type, bool keepdims) {
        return function(x, {.axis = axis, .dtype = type, .keepdims = keepdims});
      },
      nb::arg(), nb::kw_only(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "keepdims"_a = false);
}

void bind_variance(nb::module_& m, const char* name, Array (*function)(const Operand&, const VarianceOptions&)) {
  m.def(
      name,
      [function](const Operand& x, const Axis& axis, double correction, bool keepdims) {
        return function(x, {.axis = axis, .correction = correction, .keepdims = keepdims});
      },
      nb::arg(), nb::kw_only(), "axis"_a = nb::none(), "correction"_a = 0.0, "keepdims"_a = false);
}

void bind_cumulative(nb::module_& m, const char* name, Array (*function)(const Operand&, const CumulativeOptions&)) {
  m.def(
      name,
      [function](const Operand& x, const Axis& axis, const Type& type, bool include_initial) {
        return function(x, {.axis = axis, .dtype = type, .include_initial = include_initial});
      },
      nb::arg(), nb::kw_only(), "axis"_a = nb::none(), "dtype"_a = nb::none(), "include_initial"_a = false);
}

}  // namespace

void bind_statistics(nb::module_& m) {
  using Reduction = Array (*)(const Operand&, const ReductionOptions&);
  bind_reduction<Reduction>(m, "max", max);
  bind_reduction<Reduction>(m, "min", min);
  bind_reduction<Reduction>(m, "mean", mean);
  bind_reduction<Reduction>(m, "any", any);
  bind_reduction(m, "all", all);
  bind_sum(m, "sum", sum);
  bind_sum(m, "prod", prod);
  bind_variance(m, "var", var);
  bind_variance(m, "std", koine::std);
  bind_cumulative(m, "cumulative_sum", cumulative_sum);
  bind_cumulative(m, "cumulative_prod", cumulative_prod);
  m.def(
      "diff",
      [](const Operand& x, std::int64_t axis, std::int64_t n, const std::optional<Operand>& prepend,
         const std::optional<Operand>& append) {
        return diff(x, {.axis = axis, .n = n, .prepend = prepend, .append = append});
      },
      nb::arg(), nb::kw_only(), "axis"_a = -1, "n"_a = 1, "prepend"_a = nb::none(), "append"_a = nb::none());
}

}  // namespace koine::python
