# SPDX-License-Identifier: Apache-2.0
"""Koine from Python: the main namespace of the Python array API standard."""
from math import e, inf, nan, pi

from . import _opencl

_opencl.prepare()  # before the library is loaded, which needs the OpenCL loader

from . import _koine
from ._koine import __version__
from ._signatures import inspectable

for _name, _value in vars(_koine).items():
    if not _name.startswith("_"):
        globals()[_name] = inspectable(_value) if hasattr(_value, "__nb_signature__") else _value

from ._creation import asarray, from_dlpack
from ._inspection import API_VERSION as __array_api_version__, __array_namespace_info__
from ._sets import unique_all, unique_counts, unique_inverse

newaxis = None
