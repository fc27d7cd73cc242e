# SPDX-License-Identifier: Apache-2.0
"""Functions with several results, by name."""
from collections import namedtuple

from . import _koine

UniqueAllResult = namedtuple("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = namedtuple("UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = namedtuple("UniqueInverseResult", ["values", "inverse_indices"])
TopkResult = namedtuple("TopkResult", ["values", "indices"])
HistogramResult = namedtuple("HistogramResult", ["counts", "edges"])


def unique_all(x, /):
    """The values of x in rising order, where each stands first, which one each element is, and how often each occurs."""
    return UniqueAllResult(*_koine._unique_all(x))


def unique_counts(x, /):
    """The values of x in rising order, and how often each occurs."""
    return UniqueCountsResult(*_koine._unique_counts(x))


def unique_inverse(x, /):
    """The values of x in rising order, and which one each element is."""
    return UniqueInverseResult(*_koine._unique_inverse(x))


def topk(x, k, /, axis=-1, *, largest=True):
    """The k largest elements along one axis, the largest first, and their positions."""
    return TopkResult(*_koine._topk(x, k, axis, largest=largest))


def histogram(x, /, bins=10, range=None):
    """How many elements lie in each of several equal parts of a range, or between edges, and the edges."""
    return HistogramResult(*_koine._histogram(x, bins, range))
