# SPDX-License-Identifier: Apache-2.0
"""Libraries of array functions on Koine's arrays: array-api-compat, array-api-extra, einops, opt_einsum. Results stay
Koine's arrays, and are NumPy's values."""
import numpy as np
import pytest

import koine as kn

VALUES = np.random.default_rng(0).normal(size=(20, 6)).astype(np.float32)


@pytest.fixture
def x():
    return kn.asarray(VALUES)


def check(result, wanted, tolerance=1e-4):
    assert isinstance(result, kn.Array)
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=tolerance, atol=tolerance)


def test_array_api_compat(x):
    compat = pytest.importorskip("array_api_compat")
    assert compat.is_array_api_obj(x) and compat.array_namespace(x, x) is kn
    assert compat.device(x) == x.device and compat.size(x) == 120
    check(compat.to_device(x, x.device), VALUES)
    with pytest.raises(TypeError):
        compat.array_namespace(x, VALUES)


def sorted_by_numpy(xpx, x):
    return xpx.lazy_apply(np.sort, x, as_numpy=True)


@pytest.mark.parametrize("call, wanted", [
    (lambda p, x: p.at(x, (slice(None), 0)).set(3.0, copy=True)[:, 0], np.full(20, 3.0)),
    (lambda p, x: p.at(x, 1).add(2.0, copy=True)[1, :], VALUES[1] + 2),
    (lambda p, x: p.cov(x.T), np.cov(VALUES.T)),
    (lambda p, x: p.kron(x[:2, :2], x[:2, :3]), np.kron(VALUES[:2, :2], VALUES[:2, :3])),
    (lambda p, x: p.pad(x, 1), np.pad(VALUES, 1)),
    (lambda p, x: p.setdiff1d(kn.asarray([1, 2, 3]), kn.asarray([2])), [1, 3]),
    (lambda p, x: p.nunique(kn.asarray([1, 2, 2])), 2),
    (lambda p, x: p.one_hot(kn.asarray([1, 0]), 3), [[0, 1, 0], [1, 0, 0]]),
    (lambda p, x: p.create_diagonal(x[:3, 0]), np.diag(VALUES[:3, 0])),
    (lambda p, x: p.apply_where(x > 0, x, kn.log1p, fill_value=0.0), np.log1p(np.maximum(VALUES, 0))),
    (lambda p, x: p.sinc(x), np.sinc(VALUES)),
    (lambda p, x: p.expand_dims(x, axis=(0, 2))[0, :, 0, :], VALUES),
    (lambda p, x: p.atleast_nd(x, ndim=3)[0], VALUES),
    (lambda p, x: p.isclose(x, x), np.ones((20, 6))),
    (sorted_by_numpy, np.sort(VALUES)),
], ids=lambda case: None)
def test_array_api_extra(x, call, wanted):
    xpx = pytest.importorskip("array_api_extra")
    check(call(xpx, x), wanted)
    np.testing.assert_array_equal(np.asarray(x), VALUES)


def test_einops_by_its_array_api_functions(x):
    pytest.importorskip("einops")
    from einops import array_api as einops

    check(einops.rearrange(x, "(a b) c -> a (b c)", a=4), VALUES.reshape(4, 30))
    check(einops.reduce(x, "(a b) c -> a c", "mean", b=5), VALUES.reshape(4, 5, 6).mean(1))
    check(einops.repeat(x, "a c -> a 2 c"), np.repeat(VALUES[:, None], 2, 1))
    packed, shapes = einops.pack([x, x], "* c")
    check(packed, np.concatenate([VALUES, VALUES]))
    check(einops.unpack(packed, shapes, "* c")[1], VALUES)


def test_opt_einsum_contracts_by_koines_functions(x):
    opt_einsum = pytest.importorskip("opt_einsum")
    check(opt_einsum.contract("ij,jk,kl->il", x, x.T, x), VALUES @ VALUES.T @ VALUES, 1e-3)
    expression = opt_einsum.contract_expression("ij,kj->ik", (20, 6), (20, 6))
    check(expression(x, x), VALUES @ VALUES.T)
