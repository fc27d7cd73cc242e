# SPDX-License-Identifier: Apache-2.0
"""Arrays from Python's objects and from other libraries' arrays."""
from collections.abc import Sequence

from . import _koine
from ._koine import Array, _convert, _from_buffer, _from_capsule, _from_list, asarray

HOST = (1, 0)  # DLPack's kDLCPU
OPENCL = 4  # its kDLOpenCL
NUMBERS = (int, float, complex, list, tuple, range)
NO_NUMBERS = frozenset("OSUVMmT")  # NumPy's kinds of types


def _as_array(obj, dtype, device, copy):
    """asarray of what is not just copied: of other objects than numbers, lists and small buffers, or with options."""
    if isinstance(obj, Array):
        return _convert(obj, dtype, device, copy)
    own = getattr(obj, "dtype", None)  # which NumPy's scalars have, too
    if own is None and isinstance(obj, NUMBERS):
        if copy is False:
            raise ValueError("[asarray] copy=False, but Python's numbers have to be copied")
        x = _from_list(obj, dtype, device)
        if x is None:  # arrays among the entries
            return _koine.stack([asarray(entry, dtype=dtype, device=device) for entry in obj])
        return x
    if not _is_of_numbers(own):
        raise TypeError(f"[asarray] got elements of NumPy's type {own}; it takes bools, integers, floating and complex numbers")
    x = _foreign(obj, dtype, device, copy)
    if x is None and isinstance(obj, Sequence) and not isinstance(obj, str):
        return asarray(list(obj), dtype, device=device, copy=copy)
    if x is None:
        raise TypeError(f"[asarray] got {type(obj).__name__}; it takes numbers, nested lists of them, buffers and other "
                        "libraries' arrays")
    if dtype is None and device is None:
        return x
    return _convert(x, dtype, device, None if copy is not False else False)


def _is_of_numbers(type):
    """Whether elements of the type may be numbers; dates, strings, records and objects have types of other kinds."""
    return type is None or getattr(type, "kind", None) not in NO_NUMBERS or type.name == "bfloat16"


def _foreign(obj, wanted, device, copy):
    """The array in an object that offers its memory by one of the protocols, or None."""
    x = _from_buffer(obj, None, wanted, device, copy)
    if x is not None:
        return x
    if getattr(getattr(obj, "dtype", None), "name", None) == "bfloat16" and hasattr(obj, "view") and hasattr(obj, "__array_interface__"):
        return _from_buffer(obj.view("uint16"), "bfloat16", wanted, device, copy)  # ml_dtypes' has no letter of its own
    if hasattr(obj, "__dlpack__"):
        try:
            return from_dlpack(obj, device=device, copy=copy is not False)
        except BufferError as error:  # of dates, strings and the like
            raise TypeError(f"[asarray] {error}") from None
    if hasattr(obj, "__array__"):
        values = obj.__array__()
        known = values is not obj and hasattr(values, "dtype") and _is_of_numbers(values.dtype)
        return _foreign(values, wanted, device, copy) if known else None
    if hasattr(obj, "__array_interface__"):  # without a buffer, as images of PIL's
        import numpy

        return _foreign(numpy.asarray(obj), wanted, device, copy)
    if hasattr(obj, "item") and getattr(obj, "ndim", None) == 0:
        return _from_list(obj, None, device)
    return None


def array(obj, /, dtype=None, *, device=None, copy=True):
    """asarray, whose result is an object of its own unless copy says otherwise.

    Parameters
    ----------
    obj : Any
        What the array is made of.
    dtype : dtype, optional
        The type of the result's elements; by default that of the values.
    device : Device or str, optional
        The device of the result; by default that of the input, or the default device.
    copy : bool, optional
        As in asarray, but True by default.

    Returns
    -------
    Array
    """
    return asarray(obj, dtype, device=device, copy=copy)


def from_dlpack(x, /, *, device=None, copy=None):
    """The array in another library's, by DLPack; without a copy where that can be and copy is not True.

    An array without a copy sees what is written to that memory later: each function that reads it has finished when it
    returns.

    Parameters
    ----------
    x : Any
        The other library's array, which has __dlpack__.
    device : Device or str, optional
        The device of the result; by default that of the memory, or the default device.
    copy : bool, optional
        True always copies, False never does and raises where it would have to, None does where it has to.

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        For what has no __dlpack__.
    BufferError
        Where the other library cannot give what is asked for.
    """
    if isinstance(x, Array):
        return _convert(x, None, device, copy)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"[from_dlpack] got {type(x).__name__}, which has no __dlpack__")
    try:
        where = int(x.__dlpack_device__()[0]) if hasattr(x, "__dlpack_device__") else 1
    except (IndexError, TypeError, ValueError):
        raise TypeError(f"[from_dlpack] got {type(x).__name__}, whose __dlpack_device__ gives no pair of integers") from None
    asked = {} if where in (1, OPENCL) else {"dl_device": HOST}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), copy=copy, **asked)
    except TypeError:  # a library older than 2023.12 of the standard
        capsule = x.__dlpack__()
    return _from_capsule(capsule, device, copy)


def _index_array(obj):
    """The positions or the mask that stand in a subscript as a list or as another library's array; or None."""
    listed = isinstance(obj, (list, tuple, range))
    try:
        x = asarray(obj, dtype=None if not listed or len(obj) else _koine.int64)
    except TypeError:
        return None
    except (ValueError, BufferError):
        if listed:  # of different lengths, say
            raise
        return None
    return x if _koine.isdtype(x.dtype, ("integral", "bool")) else None
