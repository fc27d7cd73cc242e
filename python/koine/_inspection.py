# SPDX-License-Identifier: Apache-2.0
"""The standard's namespace inspection, and the way from an array to its namespace."""
import importlib

from . import _koine

API_VERSION = "2025.12"
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", API_VERSION)  # each keeps the names of those before
# The standard's; Koine has float16 and bfloat16 besides.
_STANDARD = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
             "complex64", "complex128")


class Info:
    """What this library can do."""

    def capabilities(self):
        return _koine._capabilities()

    def default_device(self):
        return _koine.default_device()

    def default_dtypes(self, *, device=None):
        return _koine._default_dtypes(device)

    def devices(self):
        return tuple(_koine.devices())

    def dtypes(self, *, device=None, kind=None):
        known = _koine._dtypes(device)
        return {name: type for name in _STANDARD if (type := getattr(_koine, name)) in known
                and (kind is None or _koine.isdtype(type, kind))}


def __array_namespace_info__():
    """The inspection functions of this namespace."""
    return Info()


def _array_namespace(self, /, *, api_version=None):
    """The namespace of the functions that take this array."""
    if api_version not in (None, *VERSIONS):
        raise ValueError(f"[__array_namespace__] got version {api_version}; Koine follows {API_VERSION}")
    return importlib.import_module(__package__)


_koine.Array.__array_namespace__ = _array_namespace
