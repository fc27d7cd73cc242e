// SPDX-License-Identifier: Apache-2.0
// Names that NumPy's users try and Koine has not: whoever calls one reads, as the compiler's first error, what to
// write. docs/numpy.md has the whole list.
#pragma once

#include <koine/array.hpp>
#include <koine/export.hpp>

namespace koine {

namespace detail {
/// Made of any arguments, by a conversion: so a function of that name that the user wrote is always the better match.
struct Anything {
  template <class... T>
  Anything(const T&...) {}  // NOLINT: implicit by design
};
}  // namespace detail

#define KOINE_WRITE(name, instead)                                                                \
  template <class = void>                                                                         \
  KOINE_INSTEAD("there is no " #name "; write " instead)                                          \
  Array name(const detail::Anything&, const detail::Anything& = {}, const detail::Anything& = {}, \
             const detail::Anything& = {})

KOINE_WRITE(absolute, "abs(x)");
KOINE_WRITE(amax, "max(x)");
KOINE_WRITE(amin, "min(x)");
KOINE_WRITE(append, "concat({x1, x2})");
KOINE_WRITE(arccos, "acos(x)");
KOINE_WRITE(arccosh, "acosh(x)");
KOINE_WRITE(arcsin, "asin(x)");
KOINE_WRITE(arcsinh, "asinh(x)");
KOINE_WRITE(arctan, "atan(x)");
KOINE_WRITE(arctan2, "atan2(x1, x2)");
KOINE_WRITE(arctanh, "atanh(x)");
KOINE_WRITE(argwhere, "stack(nonzero(x), 1)");
KOINE_WRITE(around, "round(x)");
KOINE_WRITE(average, "mean(x), or sum(x * weights) / sum(weights)");
KOINE_WRITE(column_stack, "stack(arrays, 1) for vectors, concat(arrays, 1) for matrices");
KOINE_WRITE(concatenate, "concat({x1, x2}, axis)");
KOINE_WRITE(conjugate, "conj(x)");
KOINE_WRITE(cumprod, "cumulative_prod(x, axis)");
KOINE_WRITE(cumsum, "cumulative_sum(x, axis)");
KOINE_WRITE(dot, "matmul(x1, x2), or x1 * x2 for scalars");
KOINE_WRITE(dstack, "concat(arrays, 2)");
KOINE_WRITE(fabs, "abs(x)");
KOINE_WRITE(flatnonzero, "nonzero(x.ravel())[0]");
KOINE_WRITE(fliplr, "flip(x, 1)");
KOINE_WRITE(flipud, "flip(x, 0)");
KOINE_WRITE(hstack, "concat(arrays, 1), or concat(arrays, 0) for vectors");
KOINE_WRITE(in1d, "isin(x1, x2)");
KOINE_WRITE(inner, "vecdot(x1, x2), or matmul(x1, x2.T())");
KOINE_WRITE(invert, "bitwise_invert(x)");
KOINE_WRITE(left_shift, "bitwise_left_shift(x1, x2)");
KOINE_WRITE(mod, "remainder(x1, x2)");
KOINE_WRITE(power, "pow(x1, x2)");
KOINE_WRITE(ptp, "max(x) - min(x)");
KOINE_WRITE(ravel, "x.ravel(), or reshape(x, -1)");
KOINE_WRITE(right_shift, "bitwise_right_shift(x1, x2)");
KOINE_WRITE(rollaxis, "moveaxis(x, source, destination)");
KOINE_WRITE(row_stack, "concat(arrays, 0), or stack(arrays) for vectors");
KOINE_WRITE(swapaxes, "permute_dims(x, axes), or x.mT() for the last two");
KOINE_WRITE(transpose, "x.T() for a matrix, or permute_dims(x, axes)");
KOINE_WRITE(true_divide, "divide(x1, x2)");
KOINE_WRITE(unique, "unique_values(x)");
KOINE_WRITE(vdot, "vecdot(x1.ravel(), x2.ravel())");
KOINE_WRITE(vstack, "concat(arrays, 0), or stack(arrays) for vectors");

#undef KOINE_WRITE

}  // namespace koine
