# SPDX-License-Identifier: Apache-2.0
"""The results of the unique functions by name."""
from collections import namedtuple

from . import _koine

UniqueAll = namedtuple("UniqueAll", ["values", "indices", "inverse_indices", "counts"])
UniqueCounts = namedtuple("UniqueCounts", ["values", "counts"])
UniqueInverse = namedtuple("UniqueInverse", ["values", "inverse_indices"])


def unique_all(x, /):
    """The values of x in rising order, where each stands first, which one each element is, and how often each occurs."""
    return UniqueAll(*_koine.unique_all(x))


def unique_counts(x, /):
    """The values of x in rising order, and how often each occurs."""
    return UniqueCounts(*_koine.unique_counts(x))


def unique_inverse(x, /):
    """The values of x in rising order, and which one each element is."""
    return UniqueInverse(*_koine.unique_inverse(x))
