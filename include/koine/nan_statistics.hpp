// SPDX-License-Identifier: Apache-2.0
// Reductions that pass over NaN.
#pragma once

#include <koine/array.hpp>
#include <koine/reduction_options.hpp>

#include <utility>

namespace koine {

// Types, options and errors as of the functions without "nan"; of integers and bool_ they give the same. A complex
// number is NaN if either part is.

/// The sum of the elements that are not NaN; 0 where there are none. Takes every type; gives what sum gives.
KOINE_API Array nansum(Operand x, const SumOptions& options = {});
inline Array nansum(Operand x, const Axis& axis) { return nansum(std::move(x), {.axis = axis}); }
/// The product of the elements that are not NaN; 1 where there are none. Takes every type; gives what sum gives.
KOINE_API Array nanprod(Operand x, const SumOptions& options = {});
inline Array nanprod(Operand x, const Axis& axis) { return nanprod(std::move(x), {.axis = axis}); }
/// The mean of the elements that are not NaN; NaN where there are none. Takes every type; gives what mean gives.
KOINE_API Array nanmean(Operand x, const ReductionOptions& options = {});
inline Array nanmean(Operand x, const Axis& axis) { return nanmean(std::move(x), {.axis = axis}); }
/// The variance of the elements that are not NaN; NaN where there are no more of them than `.correction`. Takes
/// real types and bool_; gives what var gives.
KOINE_API Array nanvar(Operand x, const VarianceOptions& options = {});
inline Array nanvar(Operand x, const Axis& axis) { return nanvar(std::move(x), {.axis = axis}); }
template <class = void>
KOINE_INSTEAD("write .correction in place of .ddof")
Array nanvar(Operand x, const detail::Ddof& options);
/// The standard deviation, the root of nanvar. Takes real types and bool_; gives what var gives.
KOINE_API Array nanstd(Operand x, const VarianceOptions& options = {});
inline Array nanstd(Operand x, const Axis& axis) { return nanstd(std::move(x), {.axis = axis}); }
template <class = void>
KOINE_INSTEAD("write .correction in place of .ddof")
Array nanstd(Operand x, const detail::Ddof& options);
/// The largest element that is not NaN; NaN where there is none. Takes real types and bool_; gives the same type.
/// ValueError for no elements.
KOINE_API Array nanmax(Operand x, const ReductionOptions& options = {});
inline Array nanmax(Operand x, const Axis& axis) { return nanmax(std::move(x), {.axis = axis}); }
/// The smallest element that is not NaN; NaN where there is none. Takes real types and bool_; gives the same type.
/// ValueError for no elements.
KOINE_API Array nanmin(Operand x, const ReductionOptions& options = {});
inline Array nanmin(Operand x, const Axis& axis) { return nanmin(std::move(x), {.axis = axis}); }
/// The position of the first largest element that is not NaN, -1 where all are NaN (where NumPy raises an error, which
/// would have to wait for the device). Takes real types and bool_; gives int64. Otherwise as argmax.
KOINE_API Array nanargmax(Operand x, const ArgOptions& options = {});
inline Array nanargmax(Operand x, const Axis& axis) { return nanargmax(std::move(x), {.axis = axis}); }
/// The position of the first smallest element that is not NaN, -1 where all are NaN. Takes real types and bool_; gives
/// int64. Otherwise as argmin.
KOINE_API Array nanargmin(Operand x, const ArgOptions& options = {});
inline Array nanargmin(Operand x, const Axis& axis) { return nanargmin(std::move(x), {.axis = axis}); }

}  // namespace koine
