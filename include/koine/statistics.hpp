// SPDX-License-Identifier: Apache-2.0
// Reductions: sums, extremes, moments, and whether any element is true (`all` stands in index.hpp); and scans, which
// keep what each element adds; nan_statistics.hpp has those that pass over NaN.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/reduction_options.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace koine {

// Each reduces the axes of `.axis` (all by default), which disappear, or stay with size one under `.keepdims`. What
// they reduce may be a lazy expression: it is computed on the way, not stored. The order of the additions is fixed by
// the shape and the device, so a result has the same bits on every run; see koine::reproducible for the same bits on
// every device. IndexError for an axis out of range or named twice.

/// The sum; 0 for no elements. Takes every type; gives `.dtype`, else int64 for bool_ and signed integers, uint64 for
/// unsigned ones, else the same type. float16 and bfloat16 accumulate in float32.
KOINE_API Array sum(Operand x, const SumOptions& options = {});
inline Array sum(Operand x, const Axis& axis) { return sum(std::move(x), {.axis = axis}); }
/// The product; 1 for no elements. Takes every type; gives what sum gives.
KOINE_API Array prod(Operand x, const SumOptions& options = {});
inline Array prod(Operand x, const Axis& axis) { return prod(std::move(x), {.axis = axis}); }
/// The largest element, NaN if there is one. Takes real types and bool_; gives the same type. ValueError for no
/// elements.
KOINE_API Array max(Operand x, const ReductionOptions& options = {});
inline Array max(Operand x, const Axis& axis) { return max(std::move(x), {.axis = axis}); }
template <class = void>
KOINE_INSTEAD("max reduces one array; of two the larger elements are maximum(x1, x2)")
Array max(Operand x1, const Array& x2);
/// The smallest element, NaN if there is one. Takes real types and bool_; gives the same type. ValueError for no
/// elements.
KOINE_API Array min(Operand x, const ReductionOptions& options = {});
inline Array min(Operand x, const Axis& axis) { return min(std::move(x), {.axis = axis}); }
template <class = void>
KOINE_INSTEAD("min reduces one array; of two the smaller elements are minimum(x1, x2)")
Array min(Operand x1, const Array& x2);
/// The mean; NaN for no elements. Takes every type; gives the same type, default_dtype() for integers and bool_, whose
/// mean is exact before it is rounded to that.
KOINE_API Array mean(Operand x, const ReductionOptions& options = {});
inline Array mean(Operand x, const Axis& axis) { return mean(std::move(x), {.axis = axis}); }
/// The variance: the sum of the squared distances from the mean, divided by the count less `.correction`. What is
/// reduced is read once: moments of a few elements are taken by two passes, and combined by the formula of Chan, Golub
/// and LeVeque (The American Statistician 37, 1983). Takes real types and bool_; gives the same type, default_dtype()
/// for integers and bool_, whose distances from the mean are taken before they are rounded to that.
KOINE_API Array var(Operand x, const VarianceOptions& options = {});
inline Array var(Operand x, const Axis& axis) { return var(std::move(x), {.axis = axis}); }
template <class = void>
KOINE_INSTEAD("write .correction in place of .ddof")
Array var(Operand x, const detail::Ddof& options);
/// The standard deviation, the root of var. Takes real types and bool_; gives what var gives.
KOINE_API Array std(Operand x, const VarianceOptions& options = {});
inline Array std(Operand x, const Axis& axis) { return std(std::move(x), {.axis = axis}); }
template <class = void>
KOINE_INSTEAD("write .correction in place of .ddof")
Array std(Operand x, const detail::Ddof& options);
/// Whether any element is true, i.e. not zero. Takes every type; gives bool_. False for no elements.
KOINE_API Array any(Operand x, const ReductionOptions& options = {});
inline Array any(Operand x, const Axis& axis) { return any(std::move(x), {.axis = axis}); }

/// log(sum(exp(x))) without overflow on the way. -inf for no elements and where all are -inf, inf where one is. Takes
/// real types and bool_; gives the same type, default_dtype() for integers and bool_.
KOINE_API Array logsumexp(Operand x, const ReductionOptions& options = {});
inline Array logsumexp(Operand x, const Axis& axis) { return logsumexp(std::move(x), {.axis = axis}); }
/// exp(x) / sum(exp(x)) along the axes (all by default), without overflow on the way: the shares of each element, of
/// x's shape. NaN throughout where an element is NaN or inf, or all are -inf. Takes real types and bool_; gives the
/// same type, default_dtype() for integers and bool_.
KOINE_API Array softmax(Operand x, const SoftmaxOptions& options = {});
inline Array softmax(Operand x, const Axis& axis) { return softmax(std::move(x), {.axis = axis}); }

// Quantiles lie between two elements a and b that are neighbours in sorted order, the part t of the way:
// a + (b - a) t below the middle, b - (b - a) (1 - t) from there on, and a (1 - t) + b t where b - a is past the type's
// range or infinite, so between -inf and inf there is NaN. float16 and bfloat16 are computed in float32, of integers
// the neighbours' distance is exact. NaN where there is a NaN. ValueError for no elements and for a fraction out of
// range, IndexError for an axis out of range or named twice.

/// The middle element in order, or the mean of the two middle ones. Takes real types and bool_; gives the same type,
/// default_dtype() for integers and bool_.
KOINE_API Array median(Operand x, const ReductionOptions& options = {});
inline Array median(Operand x, const Axis& axis) { return median(std::move(x), {.axis = axis}); }
/// The value that the fraction q, from 0 to 1, of the elements do not exceed, as NumPy's "linear" method has it.
/// Takes real types and bool_; gives the same type, default_dtype() for integers and bool_.
KOINE_API Array quantile(Operand x, double q, const ReductionOptions& options = {});
inline Array quantile(Operand x, double q, const Axis& axis) { return quantile(std::move(x), q, {.axis = axis}); }
/// Several, along a new first axis.
KOINE_API Array quantile(Operand x, const std::vector<double>& q, const ReductionOptions& options = {});
inline Array quantile(Operand x, const std::vector<double>& q, const Axis& axis) {
  return quantile(std::move(x), q, {.axis = axis});
}
/// quantile of q / 100. Takes real types and bool_; gives what quantile gives.
KOINE_API Array percentile(Operand x, double q, const ReductionOptions& options = {});
inline Array percentile(Operand x, double q, const Axis& axis) { return percentile(std::move(x), q, {.axis = axis}); }
KOINE_API Array percentile(Operand x, const std::vector<double>& q, const ReductionOptions& options = {});
inline Array percentile(Operand x, const std::vector<double>& q, const Axis& axis) {
  return percentile(std::move(x), q, {.axis = axis});
}

struct BincountOptions {
  detail::Named names_only = detail::named;
  std::optional<Array> weights = std::nullopt;
  std::int64_t minlength = 0;
};
/// How often each of 0, 1, 2, ... occurs in x, of one axis, up to its largest element or `.minlength` - 1; or the sum
/// of the `.weights` of its occurrences, which segment_sum computes in their own type (NumPy's are always float64, as
/// `.weights = astype(w, float64)` is here). Waits for the device, since the result's shape depends on x, unless its
/// type (uint8 and 256) or the operations that it is computed by (`x % n`, clip) keep it from 0 to `.minlength` - 1.
/// Takes integers, and weights of every type; gives int64, or what sum gives for the weights. DTypeError for other
/// types, ShapeError for another number of axes and for weights of another shape, ValueError for elements below zero.
KOINE_API Array bincount(const Array& x, const BincountOptions& options = {});

struct HistogramOptions {
  detail::Named names_only = detail::named;
  std::int64_t bins = 10;
  std::optional<std::pair<double, double>> range =
      std::nullopt;  ///< by default from the smallest element to the largest
};
struct HistogramResult {
  Array counts, edges;
};
/// How many elements lie in each of `.bins` equal parts of a range, of the flattened array, and the edges of the parts,
/// those of linspace. An edge belongs to the part above it, but the last to the last. What lies outside is not counted,
/// nor is NaN. Without a range it waits for the device, and the edges reach from the smallest element to the largest,
/// half a unit further where these are equal. Takes real types and bool_; gives int64 counts and edges of the same
/// type, default_dtype() for integers and bool_, which are compared with the edges as they are, not rounded. ValueError
/// for fewer bins than one and for more than the device can count in, for a range without both ends finite and rising,
/// and without a range for no elements and for NaN or infinities.
KOINE_API HistogramResult histogram(const Array& x, const HistogramOptions& options = {});
inline HistogramResult histogram(const Array& x, std::int64_t bins) { return histogram(x, {.bins = bins}); }
/// The same with edges of one's own, of one axis and at least two. Waits for the device. ValueError for an edge below
/// the one before it, or NaN.
KOINE_API HistogramResult histogram(const Array& x, const Array& edges);

// Scans along one axis. What they scan may be a lazy expression: it is computed on the way, not stored. The order of
// the operations follows from the length and the type alone (blocks of 4096 elements, half of that for each doubling
// past four bytes; in them groups of 256 and chunks of 16), so a result has the same bits on every run and every
// device. ValueError where the axis is not given for more than one dimension, or for none; IndexError for an axis out
// of range.

/// The sums of all elements up to each. Takes every type; gives what sum gives. float16 and bfloat16 accumulate in
/// float32.
KOINE_API Array cumulative_sum(Operand x, const CumulativeOptions& options = {});
inline Array cumulative_sum(Operand x, const Axis& axis) { return cumulative_sum(std::move(x), {.axis = axis}); }
/// The products of all elements up to each. Takes every type; gives what sum gives.
KOINE_API Array cumulative_prod(Operand x, const CumulativeOptions& options = {});
inline Array cumulative_prod(Operand x, const Axis& axis) { return cumulative_prod(std::move(x), {.axis = axis}); }
/// The largest of all elements up to each, NaN from the first NaN on. Takes real types and bool_; gives the same type.
KOINE_API Array cumulative_max(Operand x, const CumulativeExtremeOptions& options = {});
inline Array cumulative_max(Operand x, const Axis& axis) { return cumulative_max(std::move(x), {.axis = axis}); }
/// The smallest of all elements up to each, NaN from the first NaN on. Takes real types and bool_; gives the same type.
KOINE_API Array cumulative_min(Operand x, const CumulativeExtremeOptions& options = {});
inline Array cumulative_min(Operand x, const Axis& axis) { return cumulative_min(std::move(x), {.axis = axis}); }

}  // namespace koine
