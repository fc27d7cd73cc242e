// SPDX-License-Identifier: Apache-2.0
// Integers on their way to floating results: what is exact is done before the first rounding.
#pragma once

#include "api/build.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace koine::api {

/// bool_ as integers; all else as it is.
Array counting(const Array& x);

/// |x - y|; of integers, which share a type, as the unsigned type of their size, so that none overflows.
Array distance(const Array& x, const Array& y);
/// x - y as the floating `type`; of integers, which share a type, rounded once.
Array difference(const Array& x, const Array& y, DType type);
/// The part t, from 0 to 1, of the way from x to y, which is not below x, as the floating `type`.
Array between(const Array& x, const Array& y, double t, DType type);

/// A mean of integers: the nearest integer, as int64 or uint64, and what it lacks, as a floating type.
struct IntegerMean {
  Array whole, rest;
};
/// The exact mean of x over `axes`; none where x is of another type, or of so many elements that sums could overflow.
std::optional<IntegerMean> integer_mean(const Array& x, const std::vector<std::size_t>& axes, bool keepdims);
/// The same of what `sum` adds up, which gives int64 for int64: `counts` elements, `most` at the most.
std::optional<IntegerMean> integer_mean(const Array& x, const std::function<Array(const Array&)>& sum,
                                        const Operand& counts, std::int64_t most);

}  // namespace koine::api
