# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on Koine's arrays: what Koine has stays on the device; the rest is NumPy's own, on the host."""
from . import _koine
from ._koine import Array

# What is called otherwise here.
NAMES = {"absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
         "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "around": "round",
         "concatenate": "concat", "conjugate": "conj", "cumprod": "cumulative_prod", "cumsum": "cumulative_sum",
         "degrees": "rad2deg", "dot": "matmul", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift", "mod": "remainder",
         "power": "pow", "radians": "deg2rad", "right_shift": "bitwise_right_shift", "rint": "round",
         "true_divide": "divide"}
# Arguments that are called otherwise.
ARGUMENTS = {"a": 0, "x": 0, "arr": 0, "ddof": "correction", "kind": None, "order": None}
ATTRIBUTES = ("shape", "ndim", "size")


def _ours(name):
    name = NAMES.get(name, name)
    import koine

    return None if name.startswith("_") else getattr(koine, name, None)


def _on_host(value):
    """The same arguments with NumPy's arrays."""
    import numpy

    if isinstance(value, Array):
        return numpy.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_on_host, value))
    if isinstance(value, dict):
        return {name: _on_host(each) for name, each in value.items()}
    return value


def _array_function(self, function, types, args, kwargs):
    """np.sum(x) is koine.sum(x), with the result on the device; what Koine has not, NumPy computes on the host."""
    name = function.__name__
    if function.__module__ == "numpy" and kwargs.get("out") is None:
        if name in ATTRIBUTES and len(args) == 1 and not kwargs:
            return getattr(args[0], name)
        ours = _ours(name)
        if name in ("cumsum", "cumprod"):
            return getattr(args[0], name)(*args[1:], **{k: v for k, v in kwargs.items() if k != "out"})
        if name in ("ravel", "squeeze", "swapaxes", "clip", "copy"):
            return getattr(args[0], name)(*args[1:], **kwargs)
        if callable(ours):
            named = {ARGUMENTS.get(k, k): v for k, v in kwargs.items() if k not in ("out", "kind", "order", "dtype") or k == "dtype" and v is not None}
            named.pop(None, None)
            try:
                return ours(*args, **named)
            except TypeError as error:
                unknown = ("has no parameter", "arguments without a name", "unexpected keyword")
                if not any(words in str(error) for words in unknown):
                    raise
    return function(*_on_host(args), **_on_host(kwargs))


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """np.sin(x) is koine.sin(x), np.add.reduce(x) koine.sum(x)."""
    for value in inputs:
        if not isinstance(value, Array) and getattr(value, "ndim", 0) > 0:
            raise TypeError(f"[{ufunc.__name__}] got {type(value).__name__} of shape {value.shape} beside a Koine array; "
                            "koine.asarray(value) makes it one, numpy.asarray(x) the other way round")
    if kwargs.get("out") is not None and any(out is not None for out in kwargs["out"]):
        raise TypeError(f"[{ufunc.__name__}] out= takes no array of Koine, or none of NumPy's beside one")
    kwargs.pop("out", None)
    ours = _ours(ufunc.__name__)
    if method == "__call__" and ours is not None and not kwargs:
        return ours(*inputs)
    if method == "reduce" and ufunc.__name__ in REDUCTIONS:
        kwargs.setdefault("axis", 0)
        return getattr(_koine, REDUCTIONS[ufunc.__name__])(*inputs, **kwargs)
    return getattr(ufunc, method)(*_on_host(inputs), **kwargs)


REDUCTIONS = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all",
              "logical_or": "any"}

Array.__array_function__ = _array_function
Array.__array_ufunc__ = _array_ufunc
