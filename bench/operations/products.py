# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors: square, tall, flat, in stacks, of three types."""

OPERATIONS = {
    "matvec": ("a @ row", lambda xp, a, row: a @ row),
    "vecmat": ("row @ a", lambda xp, a, row: row @ a),
    "tallvec": ("rows of 64 @ 64 numbers", lambda xp, rows64, few64: rows64 @ few64),
    "tallvecT": ("rows of 64, transposed @ a long vector", lambda xp, rows64, line_head: rows64.T @ line_head),
    "gram64": ("x.T @ x of rows of 64", lambda xp, rows64: rows64.T @ rows64),
    "skinny": ("rows of 64 @ 64 by 64", lambda xp, rows64, head64: rows64 @ head64),
    "batch8": ("many squares of 8 by 8", lambda xp, squares8: squares8 @ squares8),
    "batch64": ("many squares of 64 by 64", lambda xp, squares64: squares64 @ squares64),
    "mm512": ("a corner of 512 by 512, squared", lambda xp, corner: corner @ corner),
    "mm": ("a @ b", lambda xp, a, b: a @ b),
    "mmT": ("a.T @ b", lambda xp, a, b: a.T @ b),
    "mm_f16": ("a @ a in float16", lambda xp, half: half @ half),
    "mm_f64": ("a @ a in float64", lambda xp, double: double @ double),
}
