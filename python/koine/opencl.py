# SPDX-License-Identifier: Apache-2.0
"""Koine beside other OpenCL code in one process: handles are integers, as pyopencl's int_ptr and from_int_ptr have them."""
from ._koine import _opencl_handles

__all__ = ["Buffer", "adopt", "buffer", "context", "device", "event", "from_buffer", "handle", "queue", "writable_buffer"]
globals().update({name: getattr(_opencl_handles, name) for name in __all__})
