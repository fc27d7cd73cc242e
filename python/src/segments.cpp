// SPDX-License-Identifier: Apache-2.0
// Reductions of groups of rows that ids name, and bincount.
#include "module.hpp"

namespace koine::python {
namespace {

using Count = std::optional<std::int64_t>;

void bind_segment(nb::module_& m, const char* name,
                  Array (*function)(const Array&, const Array&, const SegmentOptions&)) {
  m.def(
      name,
      [function](const Array& x, const Array& ids, const Count& count, bool sorted) {
        return function(x, ids, {.count = count, .sorted = sorted});
      },
      nb::arg(), nb::arg(), nb::kw_only(), "count"_a = nb::none(), "sorted"_a = false);
}

}  // namespace

void bind_segments(nb::module_& m) {
  bind_segment(m, "segment_sum", segment_sum);
  bind_segment(m, "segment_mean", segment_mean);
  bind_segment(m, "segment_prod", segment_prod);
  bind_segment(m, "segment_max", segment_max);
  bind_segment(m, "segment_min", segment_min);
  m.def(
      "segment_count",
      [](const Array& ids, const Count& count, bool sorted) {
        return segment_count(ids, {.count = count, .sorted = sorted});
      },
      nb::arg(), nb::kw_only(), "count"_a = nb::none(), "sorted"_a = false);
  m.def(
      "bincount",
      [](const Array& x, const std::optional<Array>& weights, std::int64_t minlength) {
        return bincount(x, {.weights = weights, .minlength = minlength});
      },
      nb::arg(), nb::kw_only(), "weights"_a = nb::none(), "minlength"_a = 0);
}

}  // namespace koine::python
