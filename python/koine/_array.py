# SPDX-License-Identifier: Apache-2.0
"""What the array object offers to Python's protocols and to NumPy, beyond its operators."""
import html

from . import _koine
from ._creation import HOST, OPENCL
from ._koine import Array, _to_capsule, dtype
from ._printing import representation, text


def _dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The values as a capsule, by DLPack: read-only and without a copy where the host has the device's memory.

    A consumer that names no version is given a copy, since only versions from 1.0 on can say that memory is read-only.
    dl_device=(4, n), DLPack's OpenCL, gives a cl_mem of Koine's context, whose values are there. BufferError where copy
    is False and a copy is needed, and for other devices than these.
    """
    if stream is not None:
        raise ValueError("[__dlpack__] stream: what Koine gives is finished, so it takes None")
    versioned = max_version is not None and max_version[0] >= 1
    if dl_device is not None and int(dl_device[0]) == OPENCL:
        return _koine._to_opencl_capsule(self.copy() if copy else self, versioned, int(dl_device[1]))
    if dl_device is not None and (int(dl_device[0]), dl_device[1]) != HOST:
        raise BufferError(f"[__dlpack__] got the device {tuple(dl_device)}; Koine gives memory of the host, {HOST}, and of "
                          f"OpenCL, ({OPENCL}, 0)")
    if copy is False and not versioned:
        raise BufferError("[__dlpack__] copy=False needs max_version=(1, 0) or later, which can say that the memory is "
                          "read-only")
    try:
        return _to_capsule(self, versioned, copy)
    except ValueError as error:
        raise BufferError(str(error)) from None


def _dlpack_device(self, /):
    """DLPack's device type and number of what __dlpack__ gives."""
    return HOST


def _bfloat16():
    """The type of NumPy's arrays of bfloat16."""
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise ImportError("[bfloat16] NumPy's type of this name is in the package ml_dtypes, which is not installed; "
                          "x.astype(koine.float32) goes to NumPy without it") from None
    return bfloat16


def _numpy(self, /, dtype=None, copy=None):
    """The values as NumPy's array, read-only where it shares the memory."""
    import numpy

    _koine._raise_what_stopped(self)
    if self.dtype == _koine.bfloat16:
        shared = numpy.frombuffer(self.tobytes(), dtype=_bfloat16()).reshape(self.shape)
    else:
        shared = numpy.asarray(memoryview(self))
    if dtype is not None and shared.dtype != dtype:
        if copy is False:
            raise ValueError("[__array__] copy=False, but another type needs a copy")
        return shared.astype(dtype)
    return shared.copy() if copy else shared


def _to_numpy(self, /):
    """The values as numpy.asarray(x) gives them, by the name that pandas and others have; matplotlib asks for it."""
    return _numpy(self)


def _numpy_dtype(self):
    """NumPy's type of the same elements; of bfloat16 the one of ml_dtypes."""
    import numpy

    return numpy.dtype(_bfloat16() if self.name == "bfloat16" else self.name)


def _reduce(self, /):
    """For pickle: elements, type and shape. They go to the default device of who reads them."""
    return _koine._from_bytes, (self.tobytes(), self.dtype.name, self.shape)


def _format(self, spec, /):
    """Of one element as the number is formatted, of others as they are printed."""
    if self.size == 1 and spec:
        return format(self.item(), spec)
    if spec:
        raise TypeError(f"[format] '{spec}' formats an array of one element, got shape {self.shape}")
    return str(self)


def _reversed(self):
    """Goes along the first axis from its end."""
    return iter(self[::-1])


def _round(self, ndigits=None, /):
    """Of an array without axes the number, rounded as Python does."""
    if self.ndim != 0:
        raise TypeError(f"[round] takes an array without axes, got shape {self.shape}; koine.round rounds each element")
    return round(self.item(), ndigits)


def _html(self):
    """For Jupyter: shape, type, device, and the values."""
    head = f"koine.Array, shape {self.shape}, {self.dtype}, {self.device}"
    return f"<div><small>{html.escape(head)}</small><pre>{html.escape(str(self))}</pre></div>"


class At:
    """The parts of an array that values are added to, all of them where positions repeat: `x.at[which].add(values)`.

    Each method changes the array as an assignment does, and returns it."""

    __slots__ = ("_array", "_key")

    def __init__(self, array, key=...):
        self._array, self._key = array, key

    def __getitem__(self, key):
        return At(self._array, key)

    def add(self, values, /):
        """What np.add.at does."""
        return self._array._at_add(self._key, values)

    def multiply(self, values, /):
        """The elements times the values."""
        return self._array._at_multiply(self._key, values)

    def max(self, values, /):
        """The largest, NaN where one is."""
        return self._array._at_max(self._key, values)

    def min(self, values, /):
        """The smallest, NaN where one is."""
        return self._array._at_min(self._key, values)


Array.__dlpack__ = _dlpack
Array.__dlpack_device__ = _dlpack_device
Array.__array__ = _numpy
Array.__array_priority__ = 1000
Array.to_numpy = _to_numpy
Array.__reduce__ = _reduce
Array.__format__ = _format
Array.__reversed__ = _reversed
Array.__round__ = _round
Array.__str__ = text
Array.__repr__ = representation
Array._repr_html_ = _html
Array.at = property(At, doc=At.__doc__)
dtype.__numpy_dtype__ = property(_numpy_dtype)
dtype.dtype = property(_numpy_dtype)

from . import _numpy_protocols  # NumPy's functions on arrays
