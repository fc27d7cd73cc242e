# SPDX-License-Identifier: Apache-2.0
"""Running sums, sorts, and what needs an order."""

OPERATIONS = {
    "cumsum": ("running sums of one long row", lambda xp, line: line.cumsum(0)),
    "cumsum0": ("running sums down columns", lambda xp, a: a.cumsum(0)),
    "cumsum1": ("running sums along rows", lambda xp, a: a.cumsum(1)),
    "sort": ("all sorted", lambda xp, line: xp.sort(line)),
    "argsort": ("the order of all", lambda xp, line: line.argsort()),
    "sort_int": ("integers below 1000 sorted", lambda xp, keys: xp.sort(keys)),
    "sort1": ("rows sorted", lambda xp, a: xp.sort(a, axis=1)),
    "unique": ("distinct integers", lambda xp, keys: xp.unique(keys)),
    "topk": ("the 100 largest of all", lambda xp, line: xp.topk(line, 100)),
    "median": ("the median of all", lambda xp, line: xp.median(line)),
}
