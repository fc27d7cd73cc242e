# SPDX-License-Identifier: Apache-2.0
"""Koine from Python: the main namespace of the Python array API standard."""
from math import e, inf, nan, pi

from ._koine import *  # noqa: F403
from ._koine import __version__
from ._creation import asarray, from_dlpack
from ._inspection import API_VERSION as __array_api_version__, __array_namespace_info__
from ._sets import unique_all, unique_counts, unique_inverse

newaxis = None
