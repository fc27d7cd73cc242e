// SPDX-License-Identifier: Apache-2.0
// Positions, order and sets.
#include "module.hpp"

#include "waiting.hpp"

namespace koine::python {
namespace {

ArgOptions arg_options(const Arguments& a) { return {.axis = a.axis(1), .keepdims = a.flag(2, false)}; }
SortOptions sort_options(const Arguments& a) {
  return {.axis = a.integer(1, -1), .descending = a.flag(2, false), .stable = a.flag(3, true)};
}

}  // namespace

void bind_searching(nb::module_& m) {
  function(m, "argmax", "(x, /, axis=None, *, keepdims=False)",
           [](const Arguments& a) { return argmax(a.operand(0), arg_options(a)); });
  function(m, "argmin", "(x, /, axis=None, *, keepdims=False)",
           [](const Arguments& a) { return argmin(a.operand(0), arg_options(a)); });
  function(m, "count_nonzero", "(x, /, axis=None, *, keepdims=False)", [](const Arguments& a) {
    return count_nonzero(a.operand(0), {.axis = a.axis(1), .keepdims = a.flag(2, false)});
  });
  function(m, "nonzero", "(x, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    return when_ready(x, [&] { return nonzero(x); });
  });
  function(m, "searchsorted", "(x1, x2, /, *, side='left', sorter=None)", [](const Arguments& a) {
    const std::string side = a.text(2, "left");
    return searchsorted(a.array(0), a.operand(1), {.side = side, .sorter = a.maybe_array(3)});
  });
  function(m, "where", "(condition, x1, x2, /)",
           [](const Arguments& a) { return where(a.operand(0), a.operand(1), a.operand(2)); });

  function(m, "sort", "(x, /, axis=-1, *, descending=False, stable=True)",
           [](const Arguments& a) { return sort(a.array_along(1), sort_options(a)); });
  function(m, "argsort", "(x, /, axis=-1, *, descending=False, stable=True)",
           [](const Arguments& a) { return argsort(a.array_along(1), sort_options(a)); });
  function(m, "partition", "(x, kth, /, axis=-1)",
           [](const Arguments& a) { return partition(a.array_along(2), a.integer(1), {.axis = a.integer(2, -1)}); });
  function(m, "_topk", "(x, k, /, axis=-1, *, largest=True)", [](const Arguments& a) {
    const TopkResult result = topk(a.array(0), a.integer(1), {.axis = a.integer(2, -1), .largest = a.flag(3, true)});
    return std::vector<Array>{result.values, result.indices};
  });

  function(m, "isin", "(x1, x2, /, *, invert=False)",
           [](const Arguments& a) { return isin(a.operand(0), a.operand(1), {.invert = a.flag(2, false)}); });
  function(m, "_unique_all", "(x, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    const UniqueAllResult result = when_ready(x, [&] { return unique_all(x); });
    return std::vector<Array>{result.values, result.indices, result.inverse_indices, result.counts};
  });
  function(m, "_unique_counts", "(x, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    const UniqueCountsResult result = when_ready(x, [&] { return unique_counts(x); });
    return std::vector<Array>{result.values, result.counts};
  });
  function(m, "_unique_inverse", "(x, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    const UniqueInverseResult result = when_ready(x, [&] { return unique_inverse(x); });
    return std::vector<Array>{result.values, result.inverse_indices};
  });
  function(m, "unique_values", "(x, /)", [](const Arguments& a) {
    const Array x = a.array(0);
    return when_ready(x, [&] { return unique_values(x); });
  });
}

}  // namespace koine::python
