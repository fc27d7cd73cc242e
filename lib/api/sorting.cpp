// SPDX-License-Identifier: Apache-2.0
// Sorts: checks, and the axis moved to the end.
#include "api/build.hpp"

#include <koine/error.hpp>
#include <koine/manipulation.hpp>
#include <koine/sorting.hpp>

namespace koine {
namespace {

Array sorted(const Array& x, const SortOptions& options, bool places, std::string_view function) {
  if (is_complex(x.dtype())) {
    throw DTypeError(api::prefix(function) + "does not take " + std::string(name(x.dtype())) +
                     ", whose elements have no order; sort its real part, its imaginary part or its abs");
  }
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), function);
  const bool last = axis + 1 == x.shape().size();
  const Array rows = last ? x : moveaxis(x, axis, -1);
  const Array result = api::pending(graph::Op::sort, places ? int64 : x.dtype(), rows.shape(),
                                    {api::in_order(rows.node())}, graph::SortInfo{places, options.descending});
  return last ? result : moveaxis(result, -1, axis);
}

}  // namespace

Array sort(const Array& x, const SortOptions& options) { return sorted(x, options, false, "sort"); }
Array argsort(const Array& x, const SortOptions& options) { return sorted(x, options, true, "argsort"); }

}  // namespace koine
