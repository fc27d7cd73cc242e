# SPDX-License-Identifier: Apache-2.0
"""Elements moved: transposed, rolled, joined, padded, repeated, assigned."""

OPERATIONS = {
    "copy_T": ("a.T in memory of its own", lambda xp, a: xp.contiguous(a.T)),
    "roll0": ("rows rolled by one", lambda xp, a: xp.roll(a, 1, 0)),
    "roll1": ("columns rolled by one", lambda xp, a: xp.roll(a, 1, 1)),
    "concat": ("a above b", lambda xp, a, b: xp.concatenate([a, b], 0)),
    "concat1": ("a beside b", lambda xp, a, b: xp.concatenate([a, b], 1)),
    "stack3": ("three arrays interleaved", lambda xp, line, other_line: xp.stack([line, other_line, line], -1)),
    "pad1": ("zeros around a", lambda xp, a: xp.pad(a, 1)),
    "tile": ("a row n times, in memory of its own", lambda xp, row: xp.tile(row, (len(row), 1))),
    "repeat": ("each element of a row n times", lambda xp, row: xp.repeat(row, len(row))),
    "setpart": ("a copy of a, zero but for the rim", lambda xp, a: xp.set(xp.copy(a), (slice(1, -1), slice(1, -1)), 0)),
}
