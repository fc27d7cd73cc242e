#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes functions.inc: what NumPy makes of reductions, scans, sorts, sets, statistics, changes of shape and element-wise functions. Each
row is one expression in C++ and what it gives; the names are those of test_golden.cpp."""
import pathlib

import numpy as np

nan, inf = np.nan, np.inf
# The same as in test_golden.cpp.
v = np.array([3, -1, 4, -1, 5, -9, 2, 6])
a = (np.arange(12) * 7 % 12 - 4).reshape(3, 4)
t = (np.arange(24) * 5 % 24 - 9).reshape(2, 3, 4)
f = np.array([[0.5, nan, -2.0, inf], [-0.0, 0.0, 1.5, -inf], [nan, 2.25, nan, 8.0]], dtype=np.float32)
g = np.array([2.5, -1.0, 0.0, -0.0, 7.25, 2.5, -3.5, 0.125], dtype=np.float32)
m = np.array([[True, False, True, True], [False, False, False, False], [True, True, True, True]])
none = np.zeros((0, 3))

ROWS = []


def row(call, result):
    ROWS.append((call, np.asarray(result)))


for name, function in (("sum", np.sum), ("prod", np.prod), ("max", np.max), ("min", np.min), ("mean", np.mean),
                       ("var", np.var), ("std", np.std), ("count_nonzero", np.count_nonzero), ("any", np.any)):
    row(f"kn::{name}(t, {{.axis = {{0, -1}}, .keepdims = true}})", function(t, axis=(0, -1), keepdims=True))
    row(f"kn::{name}(f, {{.axis = 0}})", function(f, axis=0))
row("kn::sum(none, {.axis = 0})", none.sum(0))
row("kn::prod(none, {.axis = 0})", none.prod(0))
row("kn::var(a, {.axis = 1, .correction = 1})", a.var(1, ddof=1))
row("kn::std(a, {.correction = 2})", a.std(ddof=2))
row("kn::all(m, {.axis = 1})", m.all(1))
row("kn::any(m, {.axis = 1})", m.any(1))
for name, function in (("argmax", np.argmax), ("argmin", np.argmin)):
    row(f"kn::{name}(v)", function(v))
    row(f"kn::{name}(t, {{.axis = 1}})", function(t, axis=1))
    row(f"kn::{name}(f, {{.axis = 1}})", function(f, axis=1))
for name, function in (("nansum", np.nansum), ("nanprod", np.nanprod), ("nanmax", np.nanmax), ("nanmin", np.nanmin),
                       ("nanargmax", np.nanargmax), ("nanargmin", np.nanargmin)):
    row(f"kn::{name}(f, {{.axis = 1}})", function(f, axis=1))
row("kn::nanmean(f, {.axis = 0})", np.nanmean(f, axis=0))
row("kn::nanvar(g)", np.nanvar(g))

row("kn::cumulative_sum(v)", v.cumsum())
row("kn::cumulative_sum(t, {.axis = 1})", t.cumsum(1))
row("kn::cumulative_sum(v, {.include_initial = true})", np.concatenate([[0], v.cumsum()]))
row("kn::cumulative_prod(a, {.axis = 0})", a.cumprod(0))
row("kn::cumulative_max(v)", np.maximum.accumulate(v))
row("kn::cumulative_min(f, {.axis = 1})", np.minimum.accumulate(f, axis=1))
row("kn::diff(v)", np.diff(v))
row("kn::diff(t, {.axis = 1, .n = 2})", np.diff(t, n=2, axis=1))
row("kn::diff(v, {.prepend = 7, .append = v})", np.diff(v, prepend=7, append=v))

row("kn::sort(v)", np.sort(v))
row("kn::sort(t, {.axis = 0})", np.sort(t, axis=0))
row("kn::sort(f)", np.sort(f))
row("kn::argsort(v)", np.argsort(v, kind="stable"))
row("kn::argsort(t, {.axis = 1})", np.argsort(t, axis=1, kind="stable"))
row("kn::argsort(f)", np.argsort(f, kind="stable"))
row("kn::searchsorted(kn::sort(v), a)", np.searchsorted(np.sort(v), a))
row('kn::searchsorted(kn::sort(v), a, {.side = "right"})', np.searchsorted(np.sort(v), a, side="right"))
row("kn::searchsorted(v, a, {.sorter = kn::argsort(v)})", np.searchsorted(v, a, sorter=np.argsort(v, kind="stable")))
row("kn::isin(a, v)", np.isin(a, v))
row("kn::isin(a, v, {.invert = true})", np.isin(a, v, invert=True))
values, indices, inverse, counts = np.unique(v, return_index=True, return_inverse=True, return_counts=True)
row("kn::unique_values(v)", values)
row("kn::unique_all(v).indices", indices)
row("kn::unique_all(v).inverse_indices", inverse)
row("kn::unique_counts(v).counts", counts)
row("kn::unique_values(g)", np.unique(g))
row("kn::nonzero(a)[0]", np.nonzero(a)[0])
row("kn::nonzero(m)[1]", np.nonzero(m)[1])

row("kn::median(v)", np.median(v))
row("kn::median(t, {.axis = 2})", np.median(t, axis=2))
# Which zero lies between two of both signs is nobody's rule: there are none.
row("kn::median(f + 1, {.axis = 1})", np.median(f + 1, axis=1))
row("kn::quantile(g + 1, 0.3)", np.quantile(g + 1, 0.3))
row("kn::quantile(t, std::vector<double>{0, 0.25, 0.9, 1}, {.axis = 1})", np.quantile(t, [0, 0.25, 0.9, 1], axis=1))
row("kn::percentile(a, 40, {.axis = 0, .keepdims = true})", np.percentile(a, 40, axis=0, keepdims=True))
row("kn::bincount(v + 9)", np.bincount(v + 9))
row("kn::bincount(v + 9, {.minlength = 20})", np.bincount(v + 9, minlength=20))
row("kn::histogram(v, {.bins = 4}).counts", np.histogram(v, bins=4)[0])
row("kn::histogram(v, {.bins = 4}).edges", np.histogram(v, bins=4)[1])
row("kn::histogram(g, {.bins = 3, .range = {{-2, 3}}}).counts", np.histogram(g, bins=3, range=(-2, 3))[0])
row("kn::histogram(v, kn::array({-9, -1, 4, 6})).counts", np.histogram(v, bins=[-9, -1, 4, 6])[0])

row("kn::repeat(a, 2, {.axis = 1})", np.repeat(a, 2, axis=1))
row("kn::repeat(a, kn::array({2, 0, 1}), {.axis = 0})", np.repeat(a, [2, 0, 1], axis=0))
row("kn::repeat(a, 3)", np.repeat(a, 3))
row("kn::tile(a, {2, 1, 2})", np.tile(a, (2, 1, 2)))
row("kn::roll(t, {1, -2}, {.axis = {0, 2}})", np.roll(t, (1, -2), axis=(0, 2)))
row("kn::roll(a, 5)", np.roll(a, 5))
row("kn::take(t, kn::array({2, 0, -1}), {.axis = 1})", np.take(t, [2, 0, -1], axis=1))
row("kn::take_along_axis(t, kn::argsort(t, {.axis = 1}), {.axis = 1})",
    np.take_along_axis(t, np.argsort(t, axis=1, kind="stable"), axis=1))
row("kn::flip(t, {.axis = {0, 2}})", np.flip(t, (0, 2)))
row("kn::moveaxis(t, {0, 2}, {2, 1})", np.moveaxis(t, (0, 2), (2, 1)))
row("kn::permute_dims(t, {2, 0, 1})", np.transpose(t, (2, 0, 1)))
row("kn::concat({a, a * 2}, {.axis = 1})", np.concatenate([a, a * 2], axis=1))
row("kn::stack({a, a + 1}, {.axis = -1})", np.stack([a, a + 1], axis=-1))
row("kn::tril(a, {.k = -1})", np.tril(a, -1))
row("kn::triu(t, {.k = 1})", np.triu(t, 1))
row("kn::meshgrid({v, g})[1]", np.meshgrid(v, g)[1])
row("kn::eye(3, 4, {.k = 1})", np.eye(3, 4, k=1))
row("kn::linspace(-1, 2, 7)", np.linspace(-1, 2, 7))
row("kn::arange(5, -4, -2)", np.arange(5, -4, -2))
row("kn::where(m, a, f)", np.where(m, a.astype(np.float32), f))
row("kn::clip(f, -1, 2)", np.clip(f, -1, 2))
row("kn::nan_to_num(f, {.nan = 3, .posinf = 4, .neginf = -5})", np.nan_to_num(f, nan=3, posinf=4, neginf=-5))
row("kn::isclose(f, f, {.equal_nan = true})", np.isclose(f, f, equal_nan=True))

# Element-wise functions where the standard has special cases. NumPy computes in float64 and rounds once.
s = np.array([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 80.0, -80.0, 3e38, -3e38, 1e-30], np.float32)
p = np.array([nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 3e38], dtype=np.float32)
i8 = np.array([-128, -127, -7, -1, 0, 1, 7, 127], dtype=np.int8)
d8 = np.array([-128, -3, -1, 1, 2, 127], dtype=np.int8)
z8 = np.array([0, 1, 3, 7], dtype=np.int8)


def rounded(result):
    return result.astype(np.float32) if result.dtype == np.float64 else result


with np.errstate(all="ignore"):
    for name in ("abs acos:arccos acosh:arccosh asin:arcsin asinh:arcsinh atan:arctan atanh:arctanh cbrt ceil cos cosh "
                 "deg2rad exp exp2 expm1 floor isfinite isinf isnan log log1p log2 log10 logical_not negative positive "
                 "rad2deg reciprocal round:rint sign signbit sin sinh sqrt square tan tanh trunc").split():
        ours, theirs = name.split(":") if ":" in name else (name, name)
        # The value at 3e38 depends on all digits of pi.
        x = "s(kn::slice(0, 13))" if ours in ("sin", "cos", "tan") else "s"
        row(f"kn::{ours}({x})", rounded(getattr(np, theirs)(s[:13 if x != "s" else None].astype(np.float64))))
    # The standard's floor_divide of an infinity is infinite, NumPy's is NaN: finite numbers alone.
    q = p[3:]
    row("kn::floor_divide(kn::expand_dims(p(kn::slice(3, 10)), 1), p(kn::slice(3, 10)))",
        rounded(np.floor_divide(q[:, None].astype(np.float64), q.astype(np.float64))))
    for name in ("add atan2:arctan2 copysign divide equal greater greater_equal hypot less less_equal "
                 "logaddexp logical_and logical_or logical_xor multiply not_equal pow:power remainder "
                 "subtract").split():
        ours, theirs = name.split(":") if ":" in name else (name, name)
        row(f"kn::{ours}(kn::expand_dims(p, 1), p)",
            rounded(getattr(np, theirs)(p[:, None].astype(np.float64), p.astype(np.float64))))
    # Which zero is the larger is nobody's rule: there is one.
    for name in ("maximum", "minimum"):
        row(f"kn::{name}(kn::expand_dims(p + 1, 1), p + 1)", getattr(np, name)(p[:, None] + 1, p + 1))
    for name in "add bitwise_and bitwise_or bitwise_xor maximum minimum multiply subtract".split():
        row(f"kn::{name}(kn::expand_dims(i8, 1), i8)", getattr(np, name)(i8[:, None], i8))
    for name in ("floor_divide", "remainder"):
        row(f"kn::{name}(kn::expand_dims(i8, 1), d8)", getattr(np, name)(i8[:, None], d8))
    for ours, theirs in (("bitwise_left_shift", np.left_shift), ("bitwise_right_shift", np.right_shift)):
        row(f"kn::{ours}(kn::expand_dims(i8, 1), z8)", theirs(i8[:, None], z8))
    for name in ("abs", "negative", "bitwise_invert", "sign", "square"):
        row(f"kn::{name}(i8)", getattr(np, {"bitwise_invert": "invert"}.get(name, name))(i8))


def text(value):
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    if value != int(value) or abs(value) > 2**53 or (value == 0 and np.signbit(value)):
        return str(value)
    return str(int(value))


lines = ["// SPDX-License-Identifier: Apache-2.0",
         "// Written by functions.py: KN_GOLDEN(call, shape of the result, its values)"]
for call, result in ROWS:
    shape, flat = ", ".join(map(str, result.shape)), ", ".join(text(x) for x in result.ravel())
    lines.append(f"KN_GOLDEN(({call}), (kn::Shape{{{shape}}}), (V{{{flat}}}))")
pathlib.Path(__file__).with_suffix(".inc").write_text("\n".join(lines) + "\n")
