# SPDX-License-Identifier: Apache-2.0
"""Arrays from Python's objects and from other libraries' arrays, and for those."""
from . import _koine
from ._koine import Array, _convert, _from_capsule, _from_list, _to_capsule

CPU = (1, 0)  # DLPack's kDLCPU: what Koine gives and takes lies in the host's memory

# The types of a buffer's elements, by the letters of Python's struct.
FORMATS = {"?": "bool", "b": "int8", "h": "int16", "i": "int32", "l": "int64", "q": "int64", "B": "uint8", "H": "uint16",
           "I": "uint32", "L": "uint64", "Q": "uint64", "e": "float16", "f": "float32", "d": "float64"}


def _flatten(obj):
    """The shape of nested lists, and what they hold, in row-major order."""
    if hasattr(obj, "item"):  # an array of one element, another library's scalar
        return (), [obj.item()]
    if not isinstance(obj, (list, tuple)):
        return (), [obj]
    parts = [_flatten(entry) for entry in obj]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise ValueError("[asarray] got nested lists of different lengths")
    return (len(parts), *(shapes.pop() if shapes else ())), [value for _, values in parts for value in values]


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of Python's numbers in nested lists, of an array, of another library's, or of a buffer."""
    if isinstance(obj, Array):
        return _convert(obj, dtype, device, copy)
    if hasattr(obj, "__dlpack__"):
        # Unless asked otherwise a copy: the other library may change its memory, and ours are values.
        x = from_dlpack(obj, device=device, copy=copy is not False)
        return _convert(x, dtype, device, None if copy is not False else False)
    if copy is False:
        raise ValueError("[asarray] copy=False, but Python's numbers have to be copied")
    if not hasattr(obj, "item"):
        try:
            with memoryview(obj) as buffer:
                if buffer.format in FORMATS:
                    type = getattr(_koine, FORMATS[buffer.format])
                    return asarray(buffer.tolist(), dtype=dtype or type, device=device)
        except TypeError:
            pass  # no buffer
    shape, values = _flatten(obj)
    return _from_list(values, shape, dtype, device)


def from_dlpack(x, /, *, device=None, copy=None):
    """The array in another library's, which lies in the host's memory; without a copy where that can be."""
    if isinstance(x, Array):
        return _convert(x, None, device, copy)
    try:
        capsule = x.__dlpack__(dl_device=CPU, copy=copy)
    except TypeError:  # a library older than 2023.12 of the standard
        capsule = x.__dlpack__()
    return _from_capsule(capsule, device, copy)


def _dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    """The values as a capsule of the host's memory, which is a copy always."""
    if copy is False:
        raise BufferError("[__dlpack__] copy=False, but what Koine gives is a copy")
    if dl_device is not None and (int(dl_device[0]), dl_device[1]) != CPU:
        raise BufferError(f"[__dlpack__] got the device {dl_device}; Koine gives memory of the host, {CPU}")
    return _to_capsule(self)


def _dlpack_device(self, /):
    """DLPack's device type and number."""
    return CPU


Array.__dlpack__ = _dlpack
Array.__dlpack_device__ = _dlpack_device
