# SPDX-License-Identifier: Apache-2.0
"""Sums, extremes and deviations: of everything, of rows, of columns, of short axes; and what reads them again."""


def distances(xp, points):
    apart = points[:, None] - points[None]
    return xp.sum(apart * apart, axis=2)


OPERATIONS = {
    "sum": ("the sum of all", lambda xp, line: xp.sum(line)),
    "sum_f64": ("the sum of all in float64", lambda xp, double_line: xp.sum(double_line)),
    "sum0": ("columns summed", lambda xp, a: xp.sum(a, axis=0)),
    "sum1": ("rows summed", lambda xp, a: xp.sum(a, axis=1)),
    "sum_3": ("rows of 3 summed", lambda xp, rows3: xp.sum(rows3, axis=1)),
    "sum_3x": ("three long rows added", lambda xp, columns3: xp.sum(columns3, axis=0)),
    "sum_16": ("rows of 16 summed", lambda xp, rows16: xp.sum(rows16, axis=1)),
    "sum_mid4": ("a middle axis of 4 summed", lambda xp, middle4: xp.sum(middle4, axis=1)),
    "sum_0of64": ("64 long columns summed", lambda xp, rows64: xp.sum(rows64, axis=0)),
    "argmin_16": ("where rows of 16 are least", lambda xp, rows16: rows16.argmin(1)),
    "argmax": ("where all are largest", lambda xp, line: line.argmax()),
    "argmax1": ("where rows are largest", lambda xp, a: a.argmax(1)),
    "any": ("whether any is above 2", lambda xp, a: xp.any(a > 2)),
    "var1": ("the variance of rows", lambda xp, a: xp.var(a, axis=1)),
    "std0": ("the standard deviation of columns", lambda xp, a: xp.std(a, axis=0)),
    "mean": ("the mean of all", lambda xp, line: xp.mean(line)),
    "norm_rows": ("rows over their norms", lambda xp, a: a / xp.sqrt(xp.sum(a * a, axis=1))[:, None]),
    "softmax": ("softmax of rows", lambda xp, a: xp.softmax(a)),
    "pairdist": ("squared distances of n points", distances),
}
