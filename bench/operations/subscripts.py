# SPDX-License-Identifier: Apache-2.0
"""Elements by position, by mask and by value."""

OPERATIONS = {
    "take": ("elements at random positions", lambda xp, line, positions: xp.take(line, positions)),
    "take_rows": ("rows at random positions", lambda xp, a, some_rows: xp.take(a, some_rows)),
    "mask": ("elements that a mask keeps, half", lambda xp, a, mask: a[mask]),
    "searchsorted": ("places in a sorted row", lambda xp, sorted_row, line: xp.searchsorted(sorted_row, line)),
    "histogram": ("counts in 100 bins", lambda xp, line: xp.histogram(line, 100)),
}
