// SPDX-License-Identifier: Apache-2.0
// Which values an array has.
#pragma once

#include <koine/array.hpp>

namespace koine {

struct IsinOptions {
  bool invert = false;
};
/// Whether each element of x1 equals one of x2, or with `.invert` none of them. Both promote to a common type. Zeros
/// are equal whatever their sign, and NaN equals nothing. Result: bool_ of x1's shape. DTypeError for complex types.
KOINE_API Array isin(const Operand& x1, const Operand& x2, const IsinOptions& options = {});

// The unique values of the flattened array, in rising order. Zeros are equal whatever their sign; each NaN is a value
// of its own, and they come last. Their number depends on the values, so these wait for the device, and throw what the
// work behind x reports. DTypeError for complex types.

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
/// and for each value how often it occurs. Positions and counts are int64.
KOINE_API UniqueAllResult unique_all(const Array& x);
/// The values, and how often each occurs.
KOINE_API UniqueCountsResult unique_counts(const Array& x);
/// The values, and the positions in them of x's elements, in x's shape.
KOINE_API UniqueInverseResult unique_inverse(const Array& x);
/// The values alone.
KOINE_API Array unique_values(const Array& x);

}  // namespace koine
