# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms: the standard's extension fft, and transforms along two axes."""
from ._koine import _fft

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft",
           "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

globals().update({name: getattr(_fft, name) for name in __all__})
