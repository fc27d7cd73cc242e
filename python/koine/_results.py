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
    return UniqueAllResult(*_koine._unique_all(x))


def unique_counts(x, /):
    return UniqueCountsResult(*_koine._unique_counts(x))


def unique_inverse(x, /):
    return UniqueInverseResult(*_koine._unique_inverse(x))


def topk(x, k, /, axis=-1, *, largest=True):
    return TopkResult(*_koine._topk(x, k, axis, largest=largest))


def histogram(x, /, bins=10, range=None):
    return HistogramResult(*_koine._histogram(x, bins, range))


for _function in (unique_all, unique_counts, unique_inverse, topk, histogram):
    _function.__doc__ = _koine._docstring(_function.__name__)  # the headers'
