# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions on Koine's arrays: what Koine has stays on the device; the rest is NumPy's own, on the host."""
import importlib

from . import _koine
from ._koine import Array

# What is called otherwise here.
NAMES = {"absolute": "abs", "amax": "max", "amin": "min", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin",
         "arcsinh": "asinh", "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "around": "round",
         "concatenate": "concat", "conjugate": "conj", "cumprod": "cumulative_prod", "cumsum": "cumulative_sum",
         "degrees": "rad2deg", "dot": "matmul", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift", "mod": "remainder",
         "power": "pow", "radians": "deg2rad", "right_shift": "bitwise_right_shift", "rint": "round",
         "true_divide": "divide"}
# What stands in the place of what people look for next.
OTHERWISE = {"argwhere": "koine.stack(koine.nonzero(x), axis=1)", "array_split": "slices x[a:b]",
             "average": "koine.mean(x), or koine.sum(x * w) / koine.sum(w)", "column_stack": "koine.stack(arrays, axis=1)",
             "cross": "koine.linalg.cross", "diag": "koine.linalg.diagonal(x), or koine.eye(n) * v", "diagonal": "koine.linalg.diagonal",
             "dstack": "koine.stack(arrays, axis=2)", "flatnonzero": "koine.nonzero(koine.reshape(x, -1))[0]",
             "hstack": "koine.concat(arrays, axis=1), or axis=0 of rows", "inner": "koine.vecdot", "load": "koine.load_npy",
             "ravel": "koine.reshape(x, -1)", "save": "koine.save_npy", "savez": "koine.save_npz", "split": "slices x[a:b]",
             "swapaxes": "koine.moveaxis, or koine.permute_dims", "trace": "koine.linalg.trace",
             "unique": "koine.unique_values, unique_counts, unique_inverse or unique_all",
             "vstack": "koine.stack(arrays), or koine.concat(arrays) of matrices"}
OTHERWISE |= {name: f"koine.{ours}" for name, ours in NAMES.items()}
# What NumPy calls an array that is passed by name, and arguments that are called otherwise.
FIRST = ("a", "x", "arr")
ARGUMENTS = {"ddof": "correction", "a_min": "min", "a_max": "max"}
ATTRIBUTES = ("shape", "ndim", "size")
METHODS = ("clip", "copy", "cumprod", "cumsum", "dot", "ravel", "squeeze", "swapaxes")
# NumPy's namespaces and those here, but for functions whose arguments mean more in NumPy.
SPACES = {"numpy": "koine", "numpy.fft": "koine.fft", "numpy.linalg": "koine.linalg"}
HOSTS = ("lstsq", "qr")
# What takes arrays of both libraries and gives NumPy's, as matplotlib calls it.
MIXES = ("broadcast_arrays",)
# What takes arrays of any number of axes as rows of their elements.
ROWS = ("outer",)
# What adds to parts of an array, by the methods of `x.at[...]`.
UPDATES = {"add": "add", "multiply": "multiply", "maximum": "max", "minimum": "min"}
# How a TypeError says that a function takes no such arguments, which NumPy's may.
UNKNOWN = ("has no parameter", "arguments without a name", "positional argument", "unexpected keyword", "lacks the argument",
           "got list", "got str", "got tuple", "takes a number, got koine.Array", "doesn't apply to a")


def _ours(name, space="koine"):
    name = NAMES.get(name, name)
    return None if name.startswith("_") else getattr(importlib.import_module(space), name, None)


def _arguments(args, kwargs):
    """The arguments of a function of NumPy's as Koine's takes them, without those that say what is so anyway."""
    named = {}
    for name, value in kwargs.items():
        if name in FIRST and not args:
            args = (value,)
        elif not (name == "kind" or name in ("dtype", "order", "out") and value is None or name == "order" and value in ("C", "K")):
            named[ARGUMENTS.get(name, name)] = value
    return args, named


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
    name, space = function.__name__, SPACES.get(function.__module__)
    if name in ATTRIBUTES and len(args) == 1 and not kwargs:
        return getattr(args[0], name)
    if space is not None and name not in HOSTS and kwargs.get("out") is None:
        ours_args, named = _arguments(args, kwargs)
        ours = getattr(Array, name) if name in METHODS else _ours(name, space)
        if name == "where" and len(ours_args) == 1:
            ours = _koine.nonzero
        if name in ROWS and space == "koine":
            ours_args = [x.ravel() if isinstance(x, Array) else x for x in ours_args]
        if callable(ours):
            try:
                return ours(*ours_args, **named)
            except TypeError as error:
                unknown = UNKNOWN + ("got ndarray",) if name in MIXES else UNKNOWN
                if not any(words in str(error) for words in unknown):
                    raise
    return function(*_on_host(args), **_on_host(kwargs))


def _update(name, x, key, *values):
    """np.add.at(x, key, values). NumPy's own must not see x: it writes even to memory that is marked as read-only."""
    if not isinstance(x, Array) or name not in UPDATES or len(values) != 1:
        raise TypeError(f"[{name}.at] takes a Koine array and values as one of {', '.join(UPDATES)}; it changes no other, and in no "
                        "other way")
    getattr(x.at[key], UPDATES[name])(values[0])


def _array_ufunc(self, ufunc, method, *inputs, **kwargs):
    """np.sin(x) is koine.sin(x), np.add.reduce(x) koine.sum(x)."""
    if method == "at":
        return _update(ufunc.__name__, *inputs)
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
