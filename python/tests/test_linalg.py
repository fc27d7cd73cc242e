# SPDX-License-Identifier: Apache-2.0
"""Functions of matrices and factorisations that NumPy lacks: what must hold of them, and SciPy's answers where it is installed."""
import numpy as np
import pytest

import koine as kn

RNG = np.random.default_rng(0)
STACK = RNG.normal(size=(2, 6, 6)).astype(np.float32)
CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def hermitian(x):
    return x + np.swapaxes(x, -1, -2).conj()


def test_expm():
    values = np.array([[[0, 1], [-1, 0]], [[0, 0], [3, 0]]], dtype=np.float32)
    np.testing.assert_allclose(kn.linalg.expm(kn.asarray(values)),
                               [[[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]], [[1, 0], [3, 1]]], **CLOSE)


@pytest.mark.parametrize("lower", [True, False])
def test_ldl(lower):
    values = hermitian(STACK)
    read = np.tril(values) if lower else np.triu(values)
    lu, d, perm = (np.asarray(part) for part in kn.linalg.ldl(kn.asarray(read), lower=lower))
    np.testing.assert_allclose(lu @ d @ lu.mT, values, **CLOSE)
    triangle = np.take_along_axis(lu, perm[..., None], axis=-2)
    assert np.array_equal(triangle, np.tril(triangle) if lower else np.triu(triangle))
    assert kn.linalg.ldl(kn.asarray(values)).perm.dtype == kn.int64


@pytest.mark.parametrize("output", ["real", "complex"])
def test_schur(output):
    t, z = (np.asarray(part) for part in kn.linalg.schur(kn.asarray(STACK), output=output))
    np.testing.assert_allclose(z @ t @ z.mT.conj(), STACK, **CLOSE)
    np.testing.assert_allclose(z.mT.conj() @ z, np.broadcast_to(np.eye(6), STACK.shape), **CLOSE)
    assert np.array_equal(t, np.triu(t, -1 if output == "real" else 0))
    assert t.dtype == (np.float32 if output == "real" else np.complex64)


def test_what_is_refused():
    with pytest.raises(ValueError, match="schur"):
        kn.linalg.schur(kn.ones((2, 2)), output="upper")
    with pytest.raises(np.linalg.LinAlgError, match="expm"):
        kn.linalg.expm(kn.ones((2, 3)))


@pytest.fixture
def scipy_linalg():
    return pytest.importorskip("scipy.linalg")


@pytest.mark.parametrize("norm", [1e-3, 1, 30])
def test_expm_beside_scipy(scipy_linalg, norm):
    values = RNG.normal(size=(3, 7, 7)) * norm / 7
    np.testing.assert_allclose(kn.linalg.expm(kn.asarray(values)), scipy_linalg.expm(values), rtol=1e-10, atol=1e-12 * np.exp(norm))
    turned = values + 1j * values[::-1]
    own, other = np.asarray(kn.linalg.expm(kn.asarray(turned))), scipy_linalg.expm(turned)
    assert np.linalg.norm(own - other) < 1e-12 * np.linalg.norm(other)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("is_hermitian", [True, False])
def test_ldl_beside_scipy(scipy_linalg, lower, is_hermitian):
    values = RNG.normal(size=(7, 7)) + 1j * RNG.normal(size=(7, 7))
    values = hermitian(values) if is_hermitian else values + values.T
    values[np.diag_indices(7)] *= 0.01
    own = kn.linalg.ldl(kn.asarray(values), lower=lower, hermitian=is_hermitian)
    for part, expected in zip(own, scipy_linalg.ldl(values, lower=lower, hermitian=is_hermitian), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-9, atol=1e-9)


def test_schur_beside_scipy(scipy_linalg):
    # The eigenvalues of T's blocks are unique, their order and signs are not.
    values = RNG.normal(size=(8, 8))
    for output in ("real", "complex"):
        own, other = kn.linalg.schur(kn.asarray(values), output=output).T, scipy_linalg.schur(values, output=output)[0]
        # The real parts of a pair are equal but for rounding, which must not decide the order.
        found, expected = (sorted(np.linalg.eigvals(np.asarray(t)), key=lambda z: (z.real.round(6), z.imag)) for t in (own, other))
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
