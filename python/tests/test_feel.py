# SPDX-License-Identifier: Apache-2.0
"""What users of NumPy expect of an array: operators, subscripts, methods, text, numbers, copies, scopes, errors."""
import copy
import operator
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import koine as kn
import numpy as np
import pytest


def same(x, expected):
    assert isinstance(x, kn.Array)
    np.testing.assert_allclose(np.asarray(x), expected, rtol=1e-6)
    assert x.shape == np.shape(expected)


BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]


def test_operators():
    values, others = np.asarray([[1, 2], [3, 4]], dtype=np.float32), np.asarray([2, 3], dtype=np.float32)
    x, y = kn.asarray(values), kn.asarray(others)
    for operation in BINARY:
        same(operation(x, y), operation(values, others))
        same(operation(x, 2), operation(values, 2))
        same(operation(3, x), operation(3, values))
    a, b = np.asarray([12, 5]), np.asarray([3, 1])
    for operation in BITS:
        same(operation(kn.asarray(a), kn.asarray(b)), operation(a, b))
        same(operation(kn.asarray(a), 2), operation(a, 2))
        same(operation(13, kn.asarray(b)), operation(13, b))
    same(x @ x, values @ values)
    for unary in (operator.neg, operator.pos, abs):
        same(unary(x), unary(values))
    same(~kn.asarray(a), ~a)
    for got, expected in zip(divmod(x, 2), divmod(values, 2)):
        same(got, expected)


def test_in_place_operators_change_the_object():
    for operation in (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
                      operator.ipow):
        x, values = kn.asarray([5.0, 7.0]), np.asarray([5, 7], dtype=np.float32)
        kept, before = x, kn.asarray(x, copy=True)
        x = operation(x, 2)
        assert x is kept
        same(x, operation(values, 2))
        same(before, [5, 7])


VALUES = np.arange(60).reshape(3, 4, 5)
KEYS = [0, -1, (1, 2), (1, 2, 3), slice(1, None), (slice(None, None, -1), 1), (..., 2), (None, 1), (0, None, ..., 1),
        [0, 2], ([0, 1], [1, 2]), (slice(None), [0, 2]), VALUES > 30, (VALUES[:, 0, 0] > 10), (1, [True, False, True, False]),
        np.asarray([2, 0]), np.int32(1), (slice(None), np.asarray([[0, 1], [2, 3]])), True, (slice(0, 0),), [], ([0, 2], slice(1, 3)),
        (np.asarray([0, 1])[:, None], [1, 2])]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_subscripts_are_numpy_s(key):
    x = kn.asarray(VALUES)
    same(x[key], VALUES[key])

    def koine_s(entry):
        return kn.asarray(entry) if isinstance(entry, np.ndarray) else entry

    same(x[tuple(map(koine_s, key)) if isinstance(key, tuple) else koine_s(key)], VALUES[key])
    for value in (7, np.zeros_like(VALUES[key]) - 1):
        expected = VALUES.copy()
        expected[key] = value
        changed = kn.asarray(VALUES)
        changed[key] = value if np.isscalar(value) else kn.asarray(value)
        same(changed, expected)
        changed = kn.asarray(VALUES)
        changed[key] = value  # NumPy's array itself
        same(changed, expected)
    expected, changed = VALUES.copy(), kn.asarray(VALUES)
    expected[key] += 3
    changed[key] += 3
    same(changed, expected)


def test_wrong_subscripts():
    x = kn.asarray(VALUES)
    for key, error in ((3, IndexError), ((0, 4), IndexError), ((0, 0, 0, 0), IndexError), (1.5, IndexError), ("a", IndexError),
                       ([0.5], IndexError), ((..., ...), IndexError), (slice(None, None, 0), ValueError)):
        with pytest.raises(error):
            x[key]
        with pytest.raises(error):
            x[key] = 1
    with pytest.raises(ValueError):
        x[0] = kn.ones(3)
    with pytest.raises(ValueError, match="cannot be deleted"):
        del x[0]
    with pytest.raises(IndexError):
        x[kn.asarray([7])].tolist()
    same(x, VALUES)


def test_values_that_are_added_by_position():
    x, expected = kn.zeros(5), np.zeros(5)
    which = [1, 1, 3]
    assert x.at[kn.asarray(which)].add(2) is x
    np.add.at(expected, which, 2)
    same(x, expected)
    x.at[which].max(kn.asarray([9.0, 1.0, 5.0]))
    np.maximum.at(expected, which, [9, 1, 5])
    same(x, expected)
    x.at[0].add(1)
    x.at[:2].multiply(3)
    x.at[[4]].min(-1)
    same(x, [3, 27, 0, 5, -1])


METHODS = [("sum", ()), ("sum", (0,)), ("prod", (1,)), ("mean", ()), ("var", (0,)), ("std", ()), ("max", (1,)), ("min", ()),
           ("any", ()), ("all", (0,)), ("argmax", (1,)), ("argmin", ()), ("cumsum", ()), ("cumsum", (1,)), ("cumprod", (0,)),
           ("reshape", (6,)), ("reshape", (3, -1)), ("reshape", ((6, 1),)), ("ravel", ()), ("flatten", ()), ("transpose", ()),
           ("transpose", (1, 0)), ("swapaxes", (0, 1)), ("squeeze", ()), ("repeat", (2, 1)), ("argsort", (1,)), ("clip", (2, 4)),
           ("round", ()), ("copy", ()), ("conj", ()), ("tolist", ()), ("item", (3,)), ("item", (1, 2))]


@pytest.mark.parametrize("name,arguments", METHODS, ids=str)
def test_methods_are_numpy_s(name, arguments):
    values = np.asarray([[3, 1, 2], [6, 5, 4]], dtype=np.float32)
    got, expected = getattr(kn.asarray(values), name)(*arguments), getattr(values, name)(*arguments)
    if isinstance(got, kn.Array):
        same(got, expected)
    else:
        assert got == expected


def test_methods_with_names_and_attributes():
    values = np.asarray([[3, 1, 2], [6, 5, 4]], dtype=np.float32)
    x = kn.asarray(values)
    same(x.sum(axis=1, keepdims=True), values.sum(axis=1, keepdims=True))
    same(x.std(ddof=1), values.std(ddof=1))
    same(x.var(axis=0, correction=1), values.var(axis=0, ddof=1))
    same(x.take(kn.asarray([0, 2]), axis=1), values.take([0, 2], axis=1))
    assert x.astype("int8").dtype == kn.int8 and x.astype(np.float16).dtype == kn.float16
    assert (x.ndim, x.size, x.nbytes, x.itemsize, len(x)) == (2, 6, 24, 4, 2)
    same(x.T, values.T)
    same(x.dot(x.T), values.dot(values.T))
    same((x + 2j).imag, np.full((2, 3), 2))
    assert x.sort(axis=0) is None  # in place
    same(x, np.sort(values, axis=0))
    x.fill(2)
    same(x, np.full((2, 3), 2))
    assert 2 in x and 3 not in x
    assert [row.tolist() for row in kn.asarray([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    same(kn.transpose(x), np.full((3, 2), 2))


@pytest.mark.parametrize("values", [
    np.asarray([[1, 2.5], [3, 4]], dtype=np.float32), np.arange(3000), np.zeros((1001, 5), dtype=np.float32), np.float32(1.5),
    np.asarray([True, False]), np.asarray([1 + 2j, 0.5], dtype=np.complex64), np.asarray([1e10, 1e-10], dtype=np.float32),
    np.asarray([np.nan, np.inf], dtype=np.float32), np.zeros((0,), dtype=np.float32), np.arange(12).reshape(2, 3, 2)], ids=repr)
def test_printing_is_numpy_s(values):
    x = kn.asarray(np.asarray(values))
    assert str(x) == str(np.asarray(values))
    expected = repr(np.asarray(values)).replace(", dtype=float32", "").replace(", dtype=complex64", "")
    assert repr(x).replace(", dtype=float32", "").split(", shape=")[0].rstrip(")") == expected.split(", shape=")[0].rstrip(")")


def test_text():
    assert repr(kn.ones(2, dtype=kn.int8)) == "array([1, 1], dtype=int8)"
    assert f"{kn.asarray(1.25):.1f}" == "1.2" and f"{kn.ones(2)}" == "[1. 1.]"
    with pytest.raises(TypeError):
        format(kn.ones(2), ".1f")
    x = kn.ones((2, 2))
    page = x._repr_html_()
    assert "(2, 2)" in page and "float32" in page and "[1. 1.]" in page and str(x.device) in page
    assert repr(kn.float32) == "koine.float32" and str(kn.bool) == "bool"
    kn.set_print_options(precision=2)
    try:
        assert str(kn.asarray([1.23456])) == "[1.23]"
    finally:
        kn.set_print_options()


def test_one_element_is_a_number():
    for value in (3, 2.5, True, 1 + 2j):
        x = kn.asarray(value)
        assert x.item() == value and complex(x) == value and bool(x) is bool(value)
    assert int(kn.asarray(3)) == float(kn.asarray([[3.0]])) == 3 and [10, 20][kn.asarray(1)] == 20
    assert isinstance(kn.asarray(2).item(), int) and round(float(kn.asarray(2.75)), 1) == 2.8
    for call in (int, float, complex, operator.index):
        with pytest.raises(TypeError):
            call(kn.ones(2))
    with pytest.raises(TypeError):
        operator.index(kn.asarray(1.0))
    with pytest.raises(ValueError):
        bool(kn.ones(2))
    for call in (len, iter):
        with pytest.raises(TypeError):
            call(kn.asarray(1))
    with pytest.raises(TypeError):
        hash(kn.ones(1))


def test_arguments_stand_where_numpy_and_the_standard_have_them():
    values = np.asarray([[1, 4, 9, 16], [2, 3, 5, 7]], dtype=np.float32)
    x = kn.asarray(values)
    same(kn.diff(x, 2), np.diff(values, 2))
    same(kn.diff(x, axis=0), np.diff(values, axis=0))
    same(kn.diff(x, n=1, axis=0, prepend=kn.zeros((1, 4))), np.diff(values, axis=0, prepend=np.zeros((1, 4), np.float32)))
    same(kn.sum(x, 1), values.sum(1))
    same(kn.concat([x, x], 1), np.concatenate([values, values], 1))
    same(kn.pad(x, ((1, 0), (0, 2))), np.pad(values, ((1, 0), (0, 2))))
    same(kn.pad(x, 1, mode="edge"), np.pad(values, 1, mode="edge"))
    same(kn.roll(x, (1, 2), (0, 1)), np.roll(values, (1, 2), (0, 1)))
    same(kn.tile(x, (2, 1)), np.tile(values, (2, 1)))
    same(kn.repeat(x, kn.asarray([1, 2]), 0), np.repeat(values, [1, 2], 0))
    same(kn.clip(x, 3, 7), np.clip(values, 3, 7))
    same(kn.quantile(x, [0.25, 0.5], 1), np.quantile(values, [0.25, 0.5], 1))
    same(kn.tensordot(x, x, ((0, 1), (0, 1))), np.tensordot(values, values, ((0, 1), (0, 1))))
    same(kn.einsum("ij,kj->ik", x, x), values @ values.T)
    same(kn.interp(kn.asarray([0.5]), kn.asarray([0.0, 1.0]), kn.asarray([2.0, 4.0])), [3])
    same(kn.convolve(kn.asarray([1.0, 2.0]), kn.asarray([1.0, 1.0]), "same"), [1, 3])
    same(kn.full((2,), kn.asarray(3.0)), [3, 3])
    same(kn.nanvar(x, axis=0, ddof=1, dtype=None), np.nanvar(values, axis=0, ddof=1))
    same(kn.mean(kn.asarray([1, 2], dtype=kn.int8), dtype=kn.float32), 1.5)
    counts, edges = kn.histogram(x, bins=3, range=(0, 12))
    expected = np.histogram(values, bins=3, range=(0, 12))
    same(counts, expected[0])
    same(edges, expected[1])
    values, indices = kn.topk(x, 2)
    same(values, [[16, 9], [7, 5]])
    same(indices, [[3, 2], [3, 2]])
    for grid, expected in zip(kn.meshgrid(kn.arange(2), kn.arange(3), indexing="ij"),
                              np.meshgrid(np.arange(2), np.arange(3), indexing="ij")):
        same(grid, expected)


def test_what_there_is_of_linalg():
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = kn.asarray(values)
    for offset in (0, 1, -1, 3, -2):
        same(kn.linalg.diagonal(x, offset=offset), np.linalg.diagonal(values, offset=offset))
        same(kn.linalg.trace(x, offset=offset), np.linalg.trace(values, offset=offset))
    for axis in (None, 1, (0, 2)):
        for order in (0, 1, 2, 3, np.inf, -np.inf):
            same(kn.linalg.vector_norm(x, axis=axis, ord=order), np.linalg.vector_norm(values, axis=axis, ord=order))
    same(kn.linalg.vector_norm(kn.asarray([3, 4])), 5)


def test_equations_and_factorisations():
    values = np.random.default_rng(0).normal(size=(2, 5, 5)).astype(np.float32)
    right, vector = values[:, :, :2] + 1, values[0, 0]
    x, b = kn.asarray(values), kn.asarray(right)
    close = {"rtol": 1e-3, "atol": 1e-3}
    np.testing.assert_allclose(kn.linalg.solve(x, b), np.linalg.solve(values, right), **close)
    np.testing.assert_allclose(kn.linalg.solve(x, kn.asarray(vector)), np.linalg.solve(values, vector), **close)
    np.testing.assert_allclose(kn.linalg.inv(x), np.linalg.inv(values), **close)
    np.testing.assert_allclose(kn.linalg.matrix_power(x, -2), np.linalg.matrix_power(values, -2), **close)
    np.testing.assert_allclose(kn.linalg.det(x), np.linalg.det(values), **close)
    for own, other in zip(kn.linalg.slogdet(x), np.linalg.slogdet(values), strict=True):
        np.testing.assert_allclose(own, other, **close)
    lower, upper = np.tril(values) + 3 * np.eye(5, dtype=np.float32), np.triu(values, 1) + np.eye(5, dtype=np.float32)
    np.testing.assert_allclose(kn.linalg.solve_triangular(kn.asarray(lower), b, lower=True), np.linalg.solve(lower, right), **close)
    np.testing.assert_allclose(kn.linalg.solve_triangular(x, b, unit_diagonal=True), np.linalg.solve(upper, right), **close)
    tall = values[:, :, :3]
    w, v = kn.linalg.eig(x)
    np.testing.assert_allclose(values @ np.asarray(v), np.asarray(v * kn.expand_dims(w, axis=-2)), **close)
    np.testing.assert_allclose(kn.sum(kn.linalg.eigvals(x), axis=-1), np.trace(values, axis1=-2, axis2=-1), **close)
    own, other = kn.linalg.lstsq(x[0, :, :3], b[0]), np.linalg.lstsq(tall[0], right[0])
    for field, expected in zip((own.x, own.residuals, own.rank, own.singular_values), other, strict=True):
        np.testing.assert_allclose(field, expected, **close)
    np.testing.assert_allclose(kn.linalg.lstsq(x[:, :, :3], b, rtol=0.5).x[0], np.linalg.lstsq(tall[0], right[0], rcond=0.5)[0], **close)
    definite = values @ values.mT + np.eye(5, dtype=np.float32)
    np.testing.assert_allclose(kn.linalg.cholesky(kn.asarray(definite), upper=True), np.linalg.cholesky(definite, upper=True), **close)
    p, l, u = kn.linalg.lu(x)
    np.testing.assert_allclose(p @ l @ u, values, **close)
    q, r = kn.linalg.qr(x[:, :, :3], mode="complete")
    np.testing.assert_allclose(q @ r, values[:, :, :3], **close)
    assert q.shape == (2, 5, 5)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        np.asarray(kn.linalg.inv(kn.zeros((2, 2))))


def test_copies():
    x = kn.asarray([[1.5, 2], [3, 4]])
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.copy(), kn.array(x)):
        assert other is not x
        other += 1
        same(x, [[1.5, 2], [3, 4]])
    for value in (kn.float32, kn.bool, x.device, kn.sum, kn.random.default_rng):
        assert pickle.loads(pickle.dumps(value)) == value
    for dtype in kn.__array_namespace_info__().dtypes().values():
        one = kn.ones((2, 0, 3), dtype=dtype)
        assert pickle.loads(pickle.dumps(one)).dtype == dtype and pickle.loads(pickle.dumps(one)).shape == (2, 0, 3)
        assert pickle.loads(pickle.dumps(kn.ones(3, dtype=dtype))).tolist() == [1, 1, 1]


def test_types():
    assert kn.zeros(1, dtype=np.int16).dtype == kn.zeros(1, dtype="int16").dtype == kn.zeros(1, dtype=np.dtype("<i2")).dtype
    assert kn.zeros(1, dtype=int).dtype == kn.int64 and kn.zeros(1, dtype=float).dtype == kn.float32
    assert kn.zeros(1, dtype=bool).dtype == kn.bool
    for name in ("float32", "int8", "bool", "complex128", "uint64", "float16"):
        dtype = getattr(kn, name)
        assert np.dtype(dtype) == np.dtype(name) and dtype == np.dtype(name) and np.dtype(name) == dtype
        assert dtype == getattr(np, name) and dtype != np.int32 and dtype.itemsize == np.dtype(name).itemsize
        assert dtype.kind == np.dtype(name).kind
    assert {kn.float32: 1}[kn.ones(1).dtype] == 1
    for wrong in ("float31", 5, object(), np.dtype("M8[s]")):
        with pytest.raises(TypeError):
            kn.zeros(1, dtype=wrong)


def test_scopes():
    device = kn.default_device()
    with kn.device(device.selector) as chosen:
        assert kn.default_device() == chosen == device == device.selector
    with kn.DTypeScope(kn.float32):
        with kn.reproducible(), kn.matmul_precision("tf32"):
            assert float(kn.sum(kn.ones(1000))) == 1000
    with pytest.raises(ValueError):
        kn.matmul_precision("seven digits")
    for selector, error in (("no such vendor", ValueError), ("any:acc:17", kn.DeviceError)):
        with pytest.raises(error):
            kn.device(selector)
    queue = kn.Queue()
    with queue:
        x = kn.arange(1000, dtype=kn.float32) * 2
        x.eval()
    event = queue.record()
    event.wait()
    assert event.done
    queue.synchronize()
    assert float(x[999]) == 1998 and queue.device == device
    kn.synchronize()
    stats = kn.memory_stats()
    assert stats.limit > 0 and "in_use" in repr(stats)


def test_random_numbers():
    for seed in (0, 7, 2**64 - 1):
        first, again = kn.random.default_rng(seed), kn.random.default_rng(seed)
        assert first.normal(size=5).tolist() == again.normal(size=5).tolist()
    g = kn.random.default_rng(7)
    assert g.uniform(2, 3, (100,)).tolist() == [v for v in kn.random.default_rng(7).uniform(low=2, high=3, size=100).tolist() if 2 <= v < 3]
    assert abs(float(g.normal(5, 2, 20000).mean()) - 5) < 0.1 and abs(float(g.normal(5, 2, 20000).std()) - 2) < 0.1
    values = g.integers(3, 6, 1000).tolist()
    assert set(values) == {3, 4, 5} and set(g.integers(2, size=100, endpoint=True).tolist()) == {0, 1, 2}
    assert sorted(g.permutation(10).tolist()) == list(range(10))
    x = kn.arange(10)
    g.shuffle(x)
    assert sorted(x.tolist()) == list(range(10))
    assert set(g.choice(kn.asarray([5, 6]), 50).tolist()) == {5, 6} and len(set(g.choice(10, 10, replace=False).tolist())) == 10
    assert g.choice(2, 20, p=kn.asarray([0.0, 1.0])).tolist() == [1] * 20
    assert g.random().shape == () and g.random(3).dtype == kn.float32 and g.standard_normal((2, 2)).shape == (2, 2)
    assert g.poisson(3, 10).dtype == kn.int64 and g.binomial(5, 0.5, 10).dtype == kn.int64
    assert float(g.exponential(2, 10000).mean()) == pytest.approx(2, rel=0.1)
    assert float(g.gamma(3, size=10000).mean()) == pytest.approx(3, rel=0.1)
    kept = pickle.loads(pickle.dumps(g))
    assert kept.normal(size=3).tolist() == g.normal(size=3).tolist() and copy.copy(g).seed == 7
    for wrong in (lambda: kn.random.default_rng(-1), lambda: g.integers(3, 3), lambda: g.uniform(2, 1), lambda: g.normal(0, -1)):
        with pytest.raises(ValueError):
            wrong()


def test_errors_have_python_s_classes_and_name_the_function():
    x = kn.ones((2, 3))
    for call, error, word in (
            (lambda: kn.sum(x, axis=5), IndexError, "[sum]"), (lambda: x @ x, kn.ShapeError, "[matmul]"),
            (lambda: kn.bitwise_and(x, x), kn.DTypeError, "[bitwise_and]"), (lambda: kn.sum(x, axis="a"), TypeError, "axis"),
            (lambda: kn.sum(x, axi=1), TypeError, "it takes axis"), (lambda: kn.sum(), TypeError, "lacks"),
            (lambda: kn.sum(x, 1, 2), TypeError, "at most"), (lambda: kn.sum(x, 1, axis=1), TypeError, "twice"),
            (lambda: kn.sum([1, 2]), TypeError, "list"), (lambda: kn.zeros((-1,)), ValueError, "[zeros]"),
            (lambda: kn.arange(2**44).tobytes(), MemoryError, ""), (lambda: kn.load_npy("/no/such/file"), FileNotFoundError, "No such file or directory: '/no/such/file'"),
            (lambda: kn.Kernel("nonsense"), kn.KernelBuildError, "1"), (lambda: kn.concatenate, AttributeError, "kn.concat|koine.concat"),
            (lambda: kn.no_such_name, AttributeError, "no_such_name")):
        with pytest.raises(error) as raised:
            value = call()
            float(kn.sum(value))
        if "|" not in word:
            assert word in str(raised.value)
    assert issubclass(kn.ShapeError, ValueError) and issubclass(kn.DTypeError, TypeError)
    assert issubclass(kn.OutOfMemory, MemoryError) and issubclass(kn.DeviceError, RuntimeError)


def test_other_threads_run_while_koine_waits():
    x = kn.ones((700, 700))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    for _ in range(3):
        y = x
        for _ in range(10):
            y = y @ x / 700
        float(kn.sum(y))
    end = time.perf_counter()
    stop.set()
    thread.join()
    longest = max(b - a for a, b in zip(ticks, ticks[1:]))
    assert longest < max(0.25, (end - start) / 4)


def run(code, **named):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **named)


def test_a_fork_says_what_to_do():
    result = run("""
        import os, koine as kn
        float(kn.ones(3).sum())
        if os.fork() == 0:
            try:
                float((kn.ones(3) + 1).sum())
            except kn.DeviceError as error:
                print(error, flush=True)
            os._exit(0)
        os.wait()
        """)
    assert "fork" in result.stdout and result.returncode == 0


def test_ctrl_c_stops_a_wait_and_not_the_work():
    result = run("""
        import os, signal, threading, time
        import koine as kn, numpy as np
        signal.signal(signal.SIGINT, signal.default_int_handler)  # shells' background jobs ignore it
        source = '''kernel void wait(global float* y, long n) {
            float x = get_global_id(0) * 1e-3f;
            for (long i = 0; i < n; ++i) x = x * 0.999f + 0.5f;
            y[get_global_id(0)] = x; }'''
        kernel, queue, mask = kn.Kernel(source), kn.Queue(), kn.asarray([[True]])
        first = kn.Kernel("kernel void first(global float* x, global float* y) { y[0] = x[0]; }")
        borrowed = kn.from_dlpack(np.ones((1, 1), np.float32))
        kernel(1, kn.out((1, 1)), 10).tolist()  # some drivers compile when it is launched first
        first(1, kn.in_(borrowed), kn.out((1, 1))).tolist()
        def seconds():
            start = time.perf_counter()
            kernel(1, kn.out((1, 1)), 10_000_000).tolist()
            return time.perf_counter() - start
        with queue:  # for some six seconds; a time that was disturbed would make it a moment
            y = kernel(1, kn.out((1, 1)), int(6e7 / min(seconds() for _ in range(5))))
        waits = [lambda: float(y[0, 0]), lambda: np.asarray(y), y.tolist, lambda: bytes(y), lambda: str(y),
                 kn.synchronize, lambda: kn.synchronize(y.device), queue.synchronize, queue.record().wait,
                 lambda: kn.nonzero(y), y.nonzero, lambda: y[mask], lambda: kn.unique_values(y), lambda: kn.unique_all(y),
                 lambda: kn.unique_counts(y), lambda: kn.unique_inverse(y), lambda: kn.histogram(y),
                 lambda: kn.allclose(y, y), lambda: kn.array_equal(y, y),
                 lambda: kn.to_string(y), lambda: kn.save_npy(os.devnull, y), lambda: kn.save_npz(os.devnull, {"y": y})]
        waits += [lambda: y.to_device(other) for other in kn.devices() if other != y.device]
        if y.device.type == "cpu":
            waits += [lambda: first(1, kn.in_(borrowed), kn.out((1, 1))), lambda: borrowed.T]
        def interrupt(ready):
            ready.wait()  # a thread may take longer to start than the moment that follows
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        for number, wait in enumerate(waits):
            ready = threading.Event()
            threading.Thread(target=interrupt, args=(ready,)).start()
            try:
                ready.set()
                wait()
                print("missed", number)
            except KeyboardInterrupt:
                pass
        start = time.perf_counter()
        print(round(float(y[0, 0])), time.perf_counter() - start)
        """)
    words = result.stdout.split()
    # What was under way went on, and was still under way when the last wait had been stopped.
    assert len(words) == 2 and words[0] == "500" and float(words[1]) > 0.05, result.stdout + result.stderr
