// SPDX-License-Identifier: Apache-2.0
// Reductions of groups of rows that ids name.
#include "module.hpp"

#include "waiting.hpp"

namespace koine::python {
namespace {

std::optional<std::int64_t> count(const Arguments& a, std::size_t i) {
  return a.given(i) ? std::optional(a.integer(i)) : std::nullopt;
}

/// What `work` gives, which reads the ids only to count their groups.
template <class Work>
Array grouped(const Array& ids, const SegmentOptions& options, Work work) {
  return options.count ? without_gil(work) : when_ready(ids, work);
}

template <Array (*F)(const Array&, const Array&, const SegmentOptions&)>
void bind(nb::module_& m, const char* name) {
  function(m, name, "(x, ids, /, *, count=None, sorted=False)", [](const Arguments& a) {
    const Array x = a.array(0), ids = a.array(1);
    const SegmentOptions options = {.count = count(a, 2), .sorted = a.flag(3, false)};
    return grouped(ids, options, [&] { return F(x, ids, options); });
  });
}

}  // namespace

void bind_segments(nb::module_& m) {
  bind<segment_sum>(m, "segment_sum");
  bind<segment_mean>(m, "segment_mean");
  bind<segment_prod>(m, "segment_prod");
  bind<segment_max>(m, "segment_max");
  bind<segment_min>(m, "segment_min");
  function(m, "segment_count", "(ids, /, *, count=None, sorted=False)", [](const Arguments& a) {
    const Array ids = a.array(0);
    const SegmentOptions options = {.count = count(a, 1), .sorted = a.flag(2, false)};
    return grouped(ids, options, [&] { return segment_count(ids, options); });
  });
}

}  // namespace koine::python
