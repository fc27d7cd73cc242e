# SPDX-License-Identifier: Apache-2.0
"""What the standard's suite does not look at: NumPy's arrays in and out, Python's objects and errors."""
import array
import copy
import gc
import inspect
import shutil
import subprocess
import sys

import koine as kn
import numpy as np
import pytest

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]


def known(name):
    return getattr(kn, name) in kn._koine._dtypes(None)


def numpy_values(name, shape=(3, 4)):
    return (np.arange(np.prod(shape)).reshape(shape) % 2 * 3).astype(name)


@pytest.mark.parametrize("name", list(filter(known, DTYPES)))
def test_arrays_go_to_numpy_and_back(name):
    values = numpy_values(name)
    for source in (values, values.T, values[::2, ::-1], values[:0], values[1, 1:2]):
        for x in (kn.from_dlpack(source), kn.asarray(source)):
            assert x.dtype == getattr(kn, name)
            assert x.shape == source.shape
            back = np.from_dlpack(x)
            assert back.dtype == source.dtype
            np.testing.assert_array_equal(back, source)


def test_memory_of_numpy_lives_as_long_as_the_array():
    values = np.arange(100000, dtype=np.float32)
    x = kn.from_dlpack(values)
    expected = values.sum(dtype=np.float64)
    del values
    gc.collect()
    assert float(kn.sum(x, dtype=kn.float64)) == expected


def test_asarray_of_numpy_is_a_copy():
    values = np.arange(64, dtype=np.float32)
    x = kn.asarray(values)
    values[:] = 0
    assert float(kn.sum(x)) == 2016


def test_a_capsule_that_nobody_takes_gives_its_memory_back():
    x = kn.ones(10)
    for _ in range(3):
        x.__dlpack__()
    gc.collect()
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)  # without a version nobody can be told that the memory is read-only
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))


def test_a_capsule_is_taken_once():
    capsule = kn.ones(10).__dlpack__()
    kn._koine._from_capsule(capsule, None, None)
    with pytest.raises(ValueError):
        kn._koine._from_capsule(capsule, None, None)


def test_an_assignment_changes_one_array_and_all_its_names():
    x = kn.asarray([1, 2, 3])
    same, part, other = x, x[:2], kn.asarray(x, copy=True)
    x += 1
    x[0] = 9
    assert same is x and np.from_dlpack(x).tolist() == [9, 3, 4]
    assert np.from_dlpack(part).tolist() == [1, 2]
    assert np.from_dlpack(other).tolist() == [1, 2, 3]


def test_in_place_operators_keep_type_and_shape():
    x = kn.asarray([4, 9])
    for statement in ("x /= 2", "x **= 0.5", "x //= kn.ones((2, 2), dtype=kn.int64)", "x += kn.ones((2, 2), dtype=kn.int64)"):
        with pytest.raises((TypeError, ValueError)):
            exec(statement)
        assert x.shape == (2,) and x.dtype == kn.int64
    x //= 2
    x **= 2
    assert np.from_dlpack(x).tolist() == [4, 16]


def test_scalars_are_weak():
    assert (kn.asarray([1], dtype=kn.int8) + 1).dtype == kn.int8
    assert (1.5 * kn.asarray([1], dtype=kn.float32)).dtype == kn.float32
    assert (kn.asarray([1], dtype=kn.uint64) + (2**63)).dtype == kn.uint64
    with pytest.raises(ValueError):
        kn.asarray([1], dtype=kn.int8) + 128
    with pytest.raises(OverflowError):
        kn.asarray([1]) + 2**64


def test_asarray_of_python_s_objects():
    assert kn.asarray([[1, 2], [3, 4]]).shape == (2, 2)
    assert kn.asarray([]).dtype == kn.float32 and kn.asarray([[], []]).shape == (2, 0)
    assert kn.asarray([True, 2]).dtype == kn.int64 and kn.asarray([1, 2.5]).dtype == kn.float32
    assert int(kn.asarray(2**64 - 1, dtype=kn.uint64)) == 2**64 - 1
    assert kn.asarray([kn.asarray(1), 2]).shape == (2,)
    assert kn.asarray([np.int64(1), np.float32(2)]).dtype == kn.float32 and int(kn.asarray(np.uint8(3))) == 3
    for buffer, dtype in ((array.array("d", [1, 2]), kn.float64), (bytes([1, 2]), kn.uint8),
                          (memoryview(np.array([[1, 2]], dtype=np.int16)), kn.int16)):
        x = kn.asarray(buffer)
        assert x.dtype == dtype and np.from_dlpack(x).ravel().tolist() == [1, 2]
    assert kn.asarray(memoryview(np.zeros((2, 0), dtype=np.int8))).shape == (2, 0)
    assert kn.asarray(np.broadcast_to(np.float32(3), (2, 2))).shape == (2, 2)  # read-only
    for wrong, error in (([[1], [1, 2]], ValueError), (["a"], TypeError), ([1, None], TypeError), (object(), TypeError),
                         (2**64, OverflowError)):
        with pytest.raises(error):
            kn.asarray(wrong)
    for value, dtype in ((128, kn.int8), (-1, kn.uint8), (2**63, kn.int64)):
        with pytest.raises(OverflowError):
            kn.asarray([value], dtype=dtype)


def test_subscripts():
    values = np.arange(24).reshape(2, 3, 4)
    x = kn.asarray(values)
    for key in (0, -1, (0, 1), (..., 1), (slice(None), None, 2), slice(None, None, -1), (slice(-100, 100, 2), 1),
                (slice(-2**70, 2**70), 0), (np.int64(1), 2)):
        np.testing.assert_array_equal(np.from_dlpack(x[key]), values[key])
    for key in ("a", 1.0, 1.5, 1j, (0, "a"), (0, 1.0), object(), {1}, [1.0], [[0.0, 1.0]], ["a"], [None], np.float64(1), np.asarray([1.0]),
                np.asarray("a"), slice("a"), (0, slice(1.5))):
        for call in (lambda a: a[key], lambda a: a.__setitem__(key, 0)):
            with pytest.raises((IndexError, TypeError)) as numpy_s:
                call(values)
            with pytest.raises(numpy_s.type, match="subscript|slice") as ours:
                call(x)
            assert ours.type is numpy_s.type
    with pytest.raises(IndexError, match="array of float32"):
        x[kn.asarray([1.0])]
    for position in (2, -3, 2**70, -2**70):
        with pytest.raises(IndexError):
            x[position]
    assert [int(row[0, 0]) for row in x] == [0, 12]
    assert list(range(5))[kn.asarray(2)] == 2
    with pytest.raises(TypeError):
        range(5)[kn.asarray(2.0)]


def test_errors_are_python_s():
    x = kn.ones((2, 3))
    for call, error in ((lambda: kn.sum(x, axis=2), IndexError), (lambda: x @ x, ValueError),
                        (lambda: kn.bitwise_and(x, x), TypeError), (lambda: kn.reshape(x, (5,)), ValueError),
                        (lambda: float(x), TypeError), (lambda: bool(x), ValueError), (lambda: x + "a", TypeError), (lambda: kn.add(x, None), TypeError)):
        with pytest.raises(error):
            call()
    assert (x == None) is False and (x != "a") is True  # noqa: E711


def test_arrays_do_not_mix_with_numpy_s():
    for call in (lambda: kn.ones(3) + np.ones(3), lambda: np.ones(3) + kn.ones(3), lambda: hash(kn.ones(3))):
        with pytest.raises(TypeError):
            call()
    assert (np.float64(2) * kn.ones(3)).dtype == kn.float32


def test_nothing_is_left_at_the_end_of_a_process():
    code = """
import numpy as np, koine as kn
x = kn.from_dlpack(np.arange(6.0).reshape(2, 3))
x[0] += kn.sum(x, axis=0)
y, part, info = kn.unique_all(x), x[:, kn.asarray([0, 1])], kn.__array_namespace_info__()
try:
    kn.reshape(x, (5,))
except ValueError:
    pass
print(np.from_dlpack(part), float(x[1, 2]))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == ""  # nanobind lists what it still holds


def test_segments():
    x, ids = kn.asarray([1.0, 2.0, 4.0]), kn.asarray([1, 0, 1])
    for name, expected in [("sum", [2, 5, 0]), ("mean", [2, 2.5, np.nan]), ("prod", [2, 4, 1]),
                           ("max", [2, 4, -np.inf]), ("min", [2, 1, np.inf])]:
        result = getattr(kn, "segment_" + name)(x, ids, count=3)
        np.testing.assert_array_equal(np.from_dlpack(result), expected)
    assert np.from_dlpack(kn.segment_count(ids)).tolist() == [1, 2]
    assert np.from_dlpack(kn.bincount(ids, weights=x, minlength=3)).tolist() == [2, 5, 0]
    with pytest.raises(IndexError):
        float(kn.segment_sum(x, ids, count=1)[0])


def test_namespace():
    x = kn.ones(1)
    assert x.__array_namespace__() is kn and x.__array_namespace__(api_version="2024.12") is kn
    for unknown in ("2999.12", "2019", "newest", ""):
        with pytest.raises(ValueError):
            x.__array_namespace__(api_version=unknown)
    assert str(inspect.signature(kn.clip)) == "(x, /, min=None, max=None)"
    assert not hasattr(kn.linalg, "norm")
    assert copy.copy(kn.float32) is kn.float32 and {kn.float32: 1}[kn.ones(1).dtype] == 1


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm")
def test_the_module_shows_nothing_but_its_entry():
    """Else what it has of the C++ library might serve others, too: torch, imported after it, crashed."""
    shown = subprocess.run(["nm", "-D", "--defined-only", kn._koine.__file__], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in shown.stdout.splitlines()] == ["PyInit__koine"]
