#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes products.inc: what NumPy makes of einsum, tensordot, outer, kron and vecdot. Each row is one expression in C++
and what it gives, over small whole numbers; the names are those of test_products.cpp."""
import pathlib

import numpy as np


def small(*shape):
    return np.arange(np.prod(shape, dtype=np.int64)).reshape(shape) * 5 % 11 - 4


scalar, one, v, w = small(), small(1), small(3), small(4)
a, b, c, s, row, none, flat = small(2, 3), small(3, 4), small(4, 2), small(3, 3), small(1, 3), small(3, 0), small(0, 4)
t, u, d, z, four = small(2, 3, 4), small(4, 3, 2), small(3, 2, 3), small(3, 3, 0), small(2, 1, 3, 3)
many, x = small(2, 3, 1, 2, 2), small(3, 2)

EINSUM = [
    ("ij,jk->ik", "a b"), ("ij,jk", "a b"), ("ij,jk->ki", "a b"), ("jk,ij", "b a"), (" i j , j k -> i  k ", "a b"),
    ("ij->ji", "a"), ("ij", "a"), ("ji", "a"), ("bA", "a"), ("bA->", "a"), ("ij->j", "a"), ("ij->", "a"), ("ii", "s"),
    ("ii->i", "s"), ("iji->j", "d"), ("iji->ji", "d"), ("iji", "d"), ("...ii->...i", "four"), ("...ii", "four"),
    ("i...i->...", "d"), ("", "scalar"), ("->", "scalar"), ("...", "t"), ("...->...", "t"), ("i...->...", "t"),
    ("i,i", "v v"), ("i,i->i", "v v"), ("i,j", "v w"), ("i,j->ji", "v w"), ("i,j->", "v w"), ("i,j->j", "v w"),
    (",ij", "scalar a"), (",", "scalar scalar"), ("ij,ij->i", "a a"), ("ij,ij->", "a a"), ("ij,j->i", "a v"),
    ("ij,j->ij", "a v"), ("ii,i->i", "s v"), ("ii,ij->j", "s s"), ("ij,ji->", "s s"), ("i,i", "one v"),
    ("ij,jk", "row s"), ("ij,ij->ij", "row a"), ("ij,kj->ik", "row a"), ("i,ij->j", "one a"), ("i,i->i", "one one"),
    ("ij,ki->jk", "row row"), ("ijk,kjm->im", "t u"), ("ijk,kjm", "t u"), ("ijk,kjm->jim", "t u"),
    ("ijk,kjm->kmij", "t u"), ("ijk,kji", "t u"), ("ijk,jk->i", "t b"), ("ijk,jk->ij", "t b"), ("ijk,mj->imk", "t s"),
    ("...ij,...jk->...ik", "t c"), ("...j,jk", "a b"), ("ij...,j...->i...", "t b"), ("...,...", "v a"),
    ("...,...->...", "v four"), ("i...,...->i...", "s v"), ("...a,...b", "a row"), ("i->...i", "v"),
    ("ij,jk,kl->il", "a b c"), ("ij,jk,ki->", "s s s"), ("ij,jk,kl", "a b c"), ("i,ij,j->", "v s v"),
    ("i,i,i->i", "v v v"), ("i,j,k->kji", "v w v"), ("ij,jk,kl,lm->im", "a b c a"), ("abcde,bd,c->ae", "many x one"),
    ("i,ij,ijk->k", "one row t"), ("ij,jk->ik", "none flat"), ("ij->i", "none"), ("ij,jk,kl->il", "none flat c"),
    ("ij,kl->", "none b"), ("iij->ij", "z"), ("ii...,jk->...k", "z s"),
]
OTHERS = [
    ("kn::tensordot(a, b, {.axes = 1})", np.tensordot(a, b, 1)),
    ("kn::tensordot(a, b, {.axes = 0})", np.tensordot(a, b, 0)),
    ("kn::tensordot(t, b)", np.tensordot(t, b, 2)),
    ("kn::tensordot(scalar, t, {.axes = 0})", np.tensordot(scalar, t, 0)),
    ("kn::tensordot(t, u, {.axes = {{2}, {0}}})", np.tensordot(t, u, ((2,), (0,)))),
    ("kn::tensordot(t, u, {.axes = {{1, 2}, {1, 0}}})", np.tensordot(t, u, ((1, 2), (1, 0)))),
    ("kn::tensordot(t, u, {.axes = {{-1, 0}, {0, -1}}})", np.tensordot(t, u, ((-1, 0), (0, -1)))),
    ("kn::tensordot(t, u, {.axes = {{0, 1, 2}, {2, 1, 0}}})", np.tensordot(t, u, ((0, 1, 2), (2, 1, 0)))),
    ("kn::tensordot(a, v, {.axes = {{}, {}}})", np.tensordot(a, v, ((), ()))),
    ("kn::tensordot(none, flat, {.axes = 1})", np.tensordot(none, flat, 1)),
    ("kn::tensordot(row, s, {.axes = {{1}, {1}}})", np.tensordot(row, s, ((1,), (1,)))),
    ("kn::outer(v, w)", np.outer(v, w)),
    ("kn::outer(one, w)", np.outer(one, w)),
    ("kn::outer(none(0), w)", np.outer(none[0], w)),
    ("kn::kron(a, b)", np.kron(a, b)),
    ("kn::kron(v, w)", np.kron(v, w)),
    ("kn::kron(v, t)", np.kron(v, t)),
    ("kn::kron(t, a)", np.kron(t, a)),
    ("kn::kron(scalar, a)", np.kron(scalar, a)),
    ("kn::kron(row, s)", np.kron(row, s)),
    ("kn::kron(none, a)", np.kron(none, a)),
    ("kn::vecdot(v, v)", np.dot(v, v)),
    ("kn::vecdot(a, v)", a @ v),
    ("kn::vecdot(t, w)", t @ w),
    ("kn::vecdot(t, t, {.axis = 1})", (t * t).sum(1)),
    ("kn::vecdot(t, b, {.axis = -2})", (t * b).sum(1)),
    ("kn::vecdot(four, s, {.axis = -1})", (four * s).sum(-1)),
    ("kn::vecdot(row, d)", (row * d).sum(-1)),
    ("kn::vecdot(none, none)", (none * none).sum(-1)),
]


def texts(array):
    array = np.asarray(array)
    return [f"(V{{{', '.join(str(int(value)) for value in values)}}})" for values in (array.shape, array.ravel())]


lines = ["// SPDX-License-Identifier: Apache-2.0",
         "// Written by products.py: KN_GOLDEN(call, shape of the result, its values)"]
for subscripts, names in EINSUM:
    operands = names.split()
    call = f'kn::einsum("{subscripts}", {{{", ".join(operands)}}})'
    result = np.einsum(subscripts, *[globals()[name] for name in operands])
    lines.append(f"KN_GOLDEN(({call}), {', '.join(texts(result))})")
for call, result in OTHERS:
    lines.append(f"KN_GOLDEN(({call}), {', '.join(texts(result))})")
pathlib.Path(__file__).with_suffix(".inc").write_text("\n".join(lines) + "\n")
