// SPDX-License-Identifier: Apache-2.0
// Exact differences and means of integers.
#include "api/integers.hpp"

#include <koine/elementwise.hpp>
#include <koine/searching.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <cstdint>

namespace koine::api {
namespace {

constexpr std::int64_t half_bits = 32, half_range = std::int64_t{1} << half_bits;
constexpr std::int64_t low_half = half_range - 1;

/// int64, or uint64 for itself.
DType whole_type(DType type) { return type == uint64 ? uint64 : int64; }

}  // namespace

Array counting(const Array& x) { return is_bool(x.dtype()) ? astype(x, uint8) : x; }

Array distance(const Array& x, const Array& y) {
  if (!is_integer(x.dtype())) return abs(x - y);
  const Array wrapped = maximum(x, y) - minimum(x, y);
  const auto unsigned_twin = static_cast<DType>(static_cast<int>(x.dtype()) + 4);
  return is_signed_integer(x.dtype()) ? astype(wrapped, unsigned_twin) : wrapped;
}

Array difference(const Array& x, const Array& y, DType type) {
  if (!is_integer(x.dtype())) return astype(x, type) - astype(y, type);
  const Array gap = astype(distance(x, y), type);
  return where(x < y, -gap, gap);
}

Array between(const Array& x, const Array& y, double t, DType type) {
  if (is_integer(x.dtype()) && size_of(x.dtype()) >= size_of(type)) {
    // The gap times t in fixed point, for its integer part to be added before anything is rounded.
    const auto part = static_cast<std::uint64_t>(std::llround(std::ldexp(t, half_bits)));
    const Array gap = astype(distance(x, y), uint64), low = (gap & low_half) * part;
    const Array whole = (gap >> half_bits) * part + (low >> half_bits);
    return astype(astype(x, uint64) + whole, x.dtype()).astype(type) +
           astype(low & low_half, type) * std::ldexp(1.0, -half_bits);
  }
  const Array a = astype(x, type), b = astype(y, type), gap = b - a;
  const Array value = t < 0.5 ? a + gap * t : b - gap * (1 - t);
  // A gap past the type's range, or to an infinity: the ends are weighed by themselves.
  return where(equal(a, b), a, where(isfinite(gap), value, a * (1 - t) + b * t));
}

std::optional<IntegerMean> integer_mean(const Array& array, const std::function<Array(const Array&)>& sum,
                                        const Operand& counts, std::int64_t most) {
  const Array x = counting(array);
  if (!is_integer(x.dtype()) || most > half_range / 2) return std::nullopt;
  const DType type = whole_type(x.dtype());
  const auto total_of = [&](const Array& part) { return sum(astype(part, int64)); };
  Array whole, rest;
  if (size_of(x.dtype()) < 8) {
    const Array total = total_of(x);
    whole = floor_divide(total, counts);
    rest = total - whole * counts;
  } else {
    // Long division of the sums of the two halves of each element.
    const Array high = total_of(x >> half_bits), low = total_of(x & low_half);
    const Array first = floor_divide(high, counts);
    const Operand unsigned_counts = counts.is_scalar() ? counts : Operand(astype(counts.array(), uint64));
    const Array left = astype((high - first * counts) * half_range, uint64) + astype(low, uint64);
    const Array second = floor_divide(left, unsigned_counts);
    whole = astype(first * half_range + astype(second, int64), type);
    rest = astype(left - second * unsigned_counts, int64);
  }
  const Array up = rest * 2 > counts;
  const Array left_over = astype(rest - astype(up, int64) * counts, default_dtype());
  const Operand divisor =
      counts.is_scalar() ? Operand(static_cast<double>(most)) : Operand(astype(counts.array(), default_dtype()));
  return IntegerMean{whole + astype(up, type), left_over / divisor};
}

std::optional<IntegerMean> integer_mean(const Array& x, const std::vector<std::size_t>& axes, bool keepdims) {
  const SumOptions options{
      .axis = std::vector<std::int64_t>(axes.begin(), axes.end()), .dtype = int64, .keepdims = keepdims};
  const std::int64_t count = count_of(x, axes);
  return integer_mean(
      x, [&](const Array& part) { return sum(part, options); }, count, count);
}

}  // namespace koine::api
