# SPDX-License-Identifier: Apache-2.0
"""Koine: arrays on every OpenCL device, under the names of the Python array API standard."""
import atexit as _atexit
from math import e, inf, nan, pi

from . import _opencl

_opencl.prepare()  # before the library is loaded, which needs the OpenCL loader

from . import _koine
from ._koine import *
from ._koine import __version__, bool

# Objects that others still hold must not be touched once the interpreter ends.
_atexit.register(_koine._interpreter_ends)

from ._creation import _as_array, _index_array, array, from_dlpack
from ._inspection import API_VERSION as __array_api_version__, __array_namespace_info__
from ._results import histogram, topk, unique_all, unique_counts, unique_inverse
from . import _array, fft, linalg, opencl, profile, random

newaxis = None


def __getattr__(name):
    from ._numpy_protocols import OTHERWISE

    if name in OTHERWISE:
        raise AttributeError(f"koine has no {name}; write {OTHERWISE[name]}")
    raise AttributeError(f"module 'koine' has no attribute {name!r}")
