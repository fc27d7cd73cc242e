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
KOINE_WRITE(argpartition, "argsort(x), or topk(x, k).indices");
KOINE_WRITE(argwhere, "stack(nonzero(x), 1)");
KOINE_WRITE(around, "round(x)");
KOINE_WRITE(array2string, "to_string(x)");
KOINE_WRITE(array_equiv, "array_equal(x1, x2), or all(x1 == x2)");
KOINE_WRITE(array_split, "x(slice(start, stop)) for each part");
KOINE_WRITE(array_str, "to_string(x)");
KOINE_WRITE(asanyarray, "asarray(x)");
KOINE_WRITE(ascontiguousarray, "x.copy(), if at all: functions take any layout");
KOINE_WRITE(atleast_1d, "x.reshape(-1) for a scalar");
KOINE_WRITE(atleast_2d, "expand_dims(x, 0) for a vector");
KOINE_WRITE(atleast_3d, "x(all, all, newaxis) for a matrix");
KOINE_WRITE(average, "mean(x), or sum(x * weights) / sum(weights)");
KOINE_WRITE(bartlett, "1 - abs(2.0 * arange(n) / (n - 1) - 1)");
KOINE_WRITE(bitwise_not, "bitwise_invert(x)");
KOINE_WRITE(blackman, "0.42 - 0.5 * cos(t) + 0.08 * cos(2 * t) with t = 2 * pi * arange(n) / (n - 1)");
KOINE_WRITE(column_stack, "stack(arrays, 1) for vectors, concat(arrays, 1) for matrices");
KOINE_WRITE(common_type, "result_type(x1, x2)");
KOINE_WRITE(concatenate, "concat({x1, x2}, axis)");
KOINE_WRITE(conjugate, "conj(x)");
KOINE_WRITE(copyto, "x1(all) = x2");
KOINE_WRITE(corrcoef, "sums of x - mean(x)");
KOINE_WRITE(cov, "matmul(d, d.T()) / (n - 1) with d = x - mean(x, {.axis = 1, .keepdims = true})");
KOINE_WRITE(cross, "linalg::cross(x1, x2)");
KOINE_WRITE(cumprod, "cumulative_prod(x, axis)");
KOINE_WRITE(cumsum, "cumulative_sum(x, axis)");
KOINE_WRITE(degrees, "rad2deg(x)");
KOINE_WRITE(diag, "eye(n) * x for a vector, or einsum(\"ii->i\", {x}) for a matrix");
KOINE_WRITE(diag_indices, "arange(n)");
KOINE_WRITE(diagflat, "eye(n) * x.ravel()");
KOINE_WRITE(diagonal, "linalg::diagonal(x)");
KOINE_WRITE(digitize, "searchsorted(edges, x, {.side = \"right\"})");
KOINE_WRITE(divmod, "floor_divide(x1, x2) and remainder(x1, x2)");
KOINE_WRITE(dot, "matmul(x1, x2), or x1 * x2 for scalars");
KOINE_WRITE(dsplit, "x(all, all, slice(start, stop)) for each part");
KOINE_WRITE(dstack, "concat(arrays, 2)");
KOINE_WRITE(ediff1d, "diff(x.ravel())");
KOINE_WRITE(fabs, "abs(x)");
KOINE_WRITE(fill_diagonal, "x = where(eye(n) > 0, value, x)");
KOINE_WRITE(fix, "trunc(x)");
KOINE_WRITE(flatnonzero, "nonzero(x.ravel())[0]");
KOINE_WRITE(fliplr, "flip(x, 1)");
KOINE_WRITE(flipud, "flip(x, 0)");
KOINE_WRITE(float_power, "pow(x1.astype(float64), x2)");
KOINE_WRITE(fmax, "where(isnan(x1), x2, where(isnan(x2), x1, maximum(x1, x2)))");
KOINE_WRITE(fmin, "where(isnan(x1), x2, where(isnan(x2), x1, minimum(x1, x2)))");
KOINE_WRITE(fmod, "x1 - trunc(x1 / x2) * x2, or x1 % x2 with the sign of x2");
KOINE_WRITE(frombuffer, "asarray(values), or borrow(values)");
KOINE_WRITE(fromfunction, "an expression of meshgrid or of expand_dims(arange(n), 1)");
KOINE_WRITE(fromiter, "asarray(values)");
KOINE_WRITE(geomspace, "exp(linspace(std::log(start), std::log(stop), n))");
KOINE_WRITE(gradient, "differences of x(slice(...)), as in docs/numpy.md");
KOINE_WRITE(hamming, "0.54 - 0.46 * cos(2 * pi * arange(n) / (n - 1))");
KOINE_WRITE(hanning, "0.5 - 0.5 * cos(2 * pi * arange(n) / (n - 1))");
KOINE_WRITE(heaviside, "where(x1 == 0, x2, (x1 > 0).astype(x1.dtype()))");
KOINE_WRITE(histogram_bin_edges, "histogram(x, bins).edges");
KOINE_WRITE(hsplit, "x(all, slice(start, stop)) for each part");
KOINE_WRITE(hstack, "concat(arrays, 1), or concat(arrays, 0) for vectors");
KOINE_WRITE(in1d, "isin(x1, x2)");
KOINE_WRITE(inner, "vecdot(x1, x2), or matmul(x1, x2.T())");
KOINE_WRITE(intersect1d, "unique_values(x1(isin(x1, x2)))");
KOINE_WRITE(invert, "bitwise_invert(x)");
KOINE_WRITE(iscomplex, "imag(x) != 0");
KOINE_WRITE(iscomplexobj, "is_complex(x.dtype())");
KOINE_WRITE(isneginf, "x == -inf");
KOINE_WRITE(isposinf, "x == inf");
KOINE_WRITE(isreal, "imag(x) == 0");
KOINE_WRITE(isrealobj, "!is_complex(x.dtype())");
KOINE_WRITE(issubdtype, "isdtype(type, \"integral\"), \"real floating\" and so on");
KOINE_WRITE(ix_, "x(expand_dims(i, 1), j)");
KOINE_WRITE(ldexp, "x1 * exp2(x2)");
KOINE_WRITE(left_shift, "bitwise_left_shift(x1, x2)");
KOINE_WRITE(lexsort, "argsort by the last key of what argsort by the others put in order");
KOINE_WRITE(logaddexp2, "log2(exp2(x1) + exp2(x2))");
KOINE_WRITE(logspace, "pow(10.0, linspace(start, stop, n))");
KOINE_WRITE(mod, "remainder(x1, x2)");
KOINE_WRITE(modf, "trunc(x) and x - trunc(x)");
KOINE_WRITE(nancumprod, "cumulative_prod(where(isnan(x), 1, x))");
KOINE_WRITE(nancumsum, "cumulative_sum(where(isnan(x), 0, x))");
KOINE_WRITE(nanmedian, "median(x(!isnan(x)))");
KOINE_WRITE(nanpercentile, "percentile(x(!isnan(x)), q)");
KOINE_WRITE(nanquantile, "quantile(x(!isnan(x)), q)");
KOINE_WRITE(piecewise, "where(condition, x1, x2)");
KOINE_WRITE(polyder, "coefficients * arange(n, 0, -1)");
KOINE_WRITE(polymul, "convolve(x1, x2)");
KOINE_WRITE(polyval, "(c[0] * x + c[1]) * x + c[2]");
KOINE_WRITE(power, "pow(x1, x2)");
KOINE_WRITE(product, "prod(x)");
KOINE_WRITE(promote_types, "result_type(type1, type2)");
KOINE_WRITE(ptp, "max(x) - min(x)");
KOINE_WRITE(put_along_axis, "x(rows, positions) = values");
KOINE_WRITE(putmask, "x = where(mask, values, x)");
KOINE_WRITE(radians, "deg2rad(x)");
KOINE_WRITE(ravel, "x.ravel(), or reshape(x, -1)");
KOINE_WRITE(ravel_multi_index, "i * columns + j");
KOINE_WRITE(right_shift, "bitwise_right_shift(x1, x2)");
KOINE_WRITE(rint, "round(x)");
KOINE_WRITE(rollaxis, "moveaxis(x, source, destination)");
KOINE_WRITE(rot90, "flip(x.T(), 0)");
KOINE_WRITE(row_stack, "concat(arrays, 0), or stack(arrays) for vectors");
KOINE_WRITE(savez, "save_npz(path, {{\"x\", x}})");
KOINE_WRITE(savez_compressed, "save_npz(path, {{\"x\", x}}, {.compressed = true})");
KOINE_WRITE(set_printoptions, "set_print_options({.precision = 3})");
KOINE_WRITE(setdiff1d, "unique_values(x1(isin(x1, x2, {.invert = true})))");
KOINE_WRITE(setxor1d, "unique_values of what isin(x1, x2, {.invert = true}) picks from both");
KOINE_WRITE(swapaxes, "permute_dims(x, axes), or x.mT() for the last two");
KOINE_WRITE(trace, "linalg::trace(x)");
KOINE_WRITE(transpose, "x.T() for a matrix, or permute_dims(x, axes)");
KOINE_WRITE(trapz, "sum(x(slice(1, none)) + x(slice(0, -1))) / 2 * dx");
KOINE_WRITE(tri, "tril(ones({n, n}))");
KOINE_WRITE(tril_indices, "nonzero(tril(ones({n, n})))");
KOINE_WRITE(triu_indices, "nonzero(triu(ones({n, n})))");
KOINE_WRITE(true_divide, "divide(x1, x2)");
KOINE_WRITE(union1d, "unique_values(concat({x1, x2}))");
KOINE_WRITE(unique, "unique_values(x)");
KOINE_WRITE(unravel_index, "floor_divide(i, columns) and i % columns");
KOINE_WRITE(vander, "pow(expand_dims(x, 1), arange(n - 1, -1, -1))");
KOINE_WRITE(vdot, "vecdot(x1.ravel(), x2.ravel())");
KOINE_WRITE(vsplit, "x(slice(start, stop)) for each part");
KOINE_WRITE(vstack, "concat(arrays, 0), or stack(arrays) for vectors");

#undef KOINE_WRITE

}  // namespace koine
