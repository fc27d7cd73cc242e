// SPDX-License-Identifier: Apache-2.0
// Which values an array has.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

namespace koine {

struct IsinOptions {
  detail::Named names_only = detail::named;
  bool invert = false;
};
/// Whether each element of x1 equals one of x2, or with `.invert` none of them. Zeros are equal whatever
/// their sign, and NaN equals nothing; integers of any types compare by their values. The result has x1's shape. Takes
/// every type; gives bool_.
KOINE_API Array isin(Operand x1, Operand x2, const IsinOptions& options = {});

// The unique values of the flattened array, in rising order; complex numbers by their real parts, and where those are
// equal by their imaginary ones. Zeros are equal whatever their sign; each NaN is a value of its own, as is each
// complex number with a NaN in it, and they come last. Their number depends on the values, so these wait for the
// device, and throw what the work behind x reports.

struct UniqueAllResult {
  Array values, indices, inverse_indices, counts;
};
struct UniqueCountsResult {
  Array values, counts;
};
struct UniqueInverseResult {
  Array values, inverse_indices;
};
/// The values; for each the position of its first occurrence, the positions in `values` of x's elements, in x's shape,
/// and for each value how often it occurs. Takes every type; gives the same type, int64 positions and counts.
KOINE_API UniqueAllResult unique_all(const Array& x);
/// The values, and how often each occurs. Takes every type; gives the same type and int64 counts.
KOINE_API UniqueCountsResult unique_counts(const Array& x);
/// The values, and the positions in them of x's elements, in x's shape. Takes every type; gives the same type
/// and int64 positions.
KOINE_API UniqueInverseResult unique_inverse(const Array& x);
/// The values alone. Takes every type; gives the same type.
KOINE_API Array unique_values(const Array& x);

}  // namespace koine
