# SPDX-License-Identifier: Apache-2.0
"""koine.fft against numpy.fft, argument by argument."""
import numpy as np
import pytest

import koine as kn

numbers = np.random.default_rng(3)
reals = numbers.standard_normal((3, 4, 10))
values = reals + 1j * numbers.standard_normal((3, 4, 10))
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
TWO = ["fft2", "ifft2", "rfft2", "irfft2"]


def both(name, *arguments, **options):
    given = reals if name.startswith(("rfft", "ihfft")) else values
    got = getattr(kn.fft, name)(kn.asarray(given), *arguments, **options)
    expected = getattr(np.fft, name)(given, *arguments, **options)
    assert got.shape == expected.shape
    assert str(got.dtype).endswith(str(expected.dtype))
    np.testing.assert_allclose(np.asarray(got), expected, rtol=0, atol=1e-13 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("name", ONE)
def test_along_an_axis(name):
    both(name)
    both(name, 7)
    both(name, n=13, axis=1, norm="ortho")
    both(name, axis=0, norm="forward")


@pytest.mark.parametrize("name", SEVERAL)
def test_along_several_axes(name):
    both(name)
    both(name, axes=(0, 2), norm="ortho")
    both(name, s=(5, 6), axes=(-1, 1), norm="forward")


@pytest.mark.parametrize("name", TWO)
def test_along_two_axes(name):
    both(name)
    both(name, (6, 5), (0, 1), "ortho")


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_cosines_and_sines(norm):
    j, k = np.arange(10), np.arange(10)[:, None]
    for name, wave in (("dct", np.cos(np.pi * (2 * j + 1) * k / 20)), ("dst", np.sin(np.pi * (2 * j + 1) * (k + 1) / 20))):
        matrix = 2 * wave / {"backward": 1, "ortho": np.sqrt(20), "forward": 20}[norm]
        if norm == "ortho":
            matrix[0 if name == "dct" else -1] /= np.sqrt(2)
        got = getattr(kn.fft, name)(kn.asarray(reals), norm=norm)
        np.testing.assert_allclose(np.asarray(got), reals @ matrix.T, rtol=0, atol=1e-13)
        for kind in (1, 2, 3, 4):
            there = getattr(kn.fft, name)(kn.asarray(reals), kind, None, 1, norm)
            back = getattr(kn.fft, "i" + name)(there, type=kind, n=4, axis=1, norm=norm)
            np.testing.assert_allclose(np.asarray(back), reals, rtol=0, atol=1e-14)


def test_convolution():
    x, y = reals[0, 0], reals[1, 1, :4]
    for mode in ("full", "same", "valid"):
        got = kn.fftconvolve(kn.asarray(x), kn.asarray(y), mode)
        np.testing.assert_allclose(np.asarray(got), np.convolve(x, y, mode), rtol=0, atol=1e-13)
    rows = kn.fftconvolve(kn.asarray(reals), kn.asarray(reals[:1, :1, :4]), axes=-1)
    np.testing.assert_allclose(np.asarray(rows)[2, 3], np.convolve(reals[2, 3], reals[0, 0, :4]), rtol=0, atol=1e-13)


def test_frequencies_and_shifts():
    for n in (1, 4, 7):
        for name in ("fftfreq", "rfftfreq"):
            np.testing.assert_allclose(np.asarray(getattr(kn.fft, name)(n, d=0.5, dtype=kn.float64)),
                                       getattr(np.fft, name)(n, d=0.5))
    assert kn.fft.fftfreq(4, dtype=kn.float32).dtype == kn.float32
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 1, (0, 2)):
            np.testing.assert_array_equal(np.asarray(getattr(kn.fft, name)(kn.asarray(reals), axes=axes)),
                                          getattr(np.fft, name)(reals, axes=axes))


def test_wrong_calls_name_the_function():
    x = kn.asarray(values)
    with pytest.raises(ValueError, match=r"\[fft\].*norm"):
        kn.fft.fft(x, norm="other")
    with pytest.raises(TypeError, match=r"\[ifft2\]"):
        kn.fft.ifft2()
    with pytest.raises(ValueError, match=r"\[irfft\]"):
        kn.fft.irfft(x, n=0)
