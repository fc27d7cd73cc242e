# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms: the standard's extension fft, transforms along two axes, cosine and sine transforms."""
from ._koine import _fft

__all__ = ["dct", "dst", "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "idct", "idst", "ifft", "ifft2", "ifftn",
           "ifftshift", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn"]

globals().update({name: getattr(_fft, name) for name in __all__})
