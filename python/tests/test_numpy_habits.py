# SPDX-License-Identifier: Apache-2.0
"""What people write who come from NumPy: numbers beyond 64 bits, lists, ranges and arrays without axes as arguments, NumPy's
functions with the arguments that these have there."""
import collections
import sys

import koine as kn
import numpy as np
import pytest

INTEGERS, MATRIX, REALS = np.arange(6), np.arange(12).reshape(3, 4), np.linspace(0, 1, 5, dtype=np.float32)


@pytest.mark.parametrize("values", [INTEGERS, INTEGERS.astype(np.uint64), REALS])
def test_integers_beyond_64_bits_compare(values):
    x = kn.asarray(values)
    for number in (2**63, 2**64, -2**64, 2**70, 2**200):
        for compare in (lambda a: a == number, lambda a: a != number, lambda a: a < number, lambda a: number <= a):
            with np.errstate(over="ignore"):
                expected = compare(values)
            np.testing.assert_array_equal(np.asarray(compare(x)), expected)
        assert number not in x
    assert np.asarray(x < 10**400).all()  # beyond float64


def test_integers_beyond_64_bits_are_real_numbers_beside_real_ones():
    x = kn.asarray(REALS)
    for change in (lambda a: a + 2**64, lambda a: 2**70 * a, lambda a: a - (-2**64)):
        np.testing.assert_array_equal(np.asarray(change(x)), change(REALS))
    x[1] = 2**100
    x += 2**64
    x.fill(2**65)
    assert np.asarray(kn.multiply(2**64, x)).tolist() == [2.0**129 if 2.0**129 < 3.4e38 else np.inf] * 5
    with pytest.raises(OverflowError):
        x + 2**2000
    for change in (lambda a: a + 2**64, lambda a: a.fill(2**64), lambda a: a.__setitem__(0, -2**64)):
        with pytest.raises(OverflowError):
            change(kn.asarray(INTEGERS))


def test_repeats_as_a_list():
    x = kn.asarray(INTEGERS)
    for repeats in ([1, 2, 3, 0, 1, 2], (0,) * 5 + (1,)):
        assert np.asarray(kn.repeat(x, repeats)).tolist() == np.repeat(INTEGERS, repeats).tolist()
    assert np.asarray(kn.repeat(kn.asarray(MATRIX), [2, 0, 1], axis=0)).tolist() == MATRIX.repeat([2, 0, 1], axis=0).tolist()
    many = list(range(40))
    assert kn.repeat(kn.asarray(many), many).shape == (780,)
    with pytest.raises(ValueError):
        kn.repeat(x, [1, 2])


def test_sequences_are_arrays():
    for sequence in (range(4), collections.deque([1, 2]), [range(2), (3, 4)], range(3, 0, -1)):
        assert kn.asarray(sequence).tolist() == np.asarray(sequence).tolist()
    x = kn.asarray(MATRIX)
    assert x[range(1, 3)].tolist() == MATRIX[range(1, 3)].tolist() and x[range(0)].shape == (0, 4)
    x[0] = range(4)
    for wrong in ("ab", {1, 2}, {1: 2}, (each for each in range(2)), None):
        with pytest.raises(TypeError):
            kn.asarray(wrong)


def test_an_object_with_nothing_but_an_array_interface():
    class Image:
        pixels = np.arange(6, dtype=np.uint8).reshape(2, 3)
        __array_interface__ = {"shape": (2, 3), "typestr": "|u1", "version": 3, "data": pixels.tobytes()}

    assert kn.asarray(Image()).tolist() == Image.pixels.tolist() and kn.asarray(Image()).dtype == kn.uint8


def test_what_are_no_numbers_is_refused():
    for wrong in (np.datetime64("2020"), np.timedelta64(3, "s"), np.array(["2020"], dtype="M8[D]"), np.str_("a"), np.array(["a"]),
                  np.array([1, None]), np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), np.void(b"abc")):
        with pytest.raises(TypeError, match="asarray"):
            kn.asarray(wrong)


def test_an_array_without_axes_is_a_number():
    x = kn.asarray(INTEGERS)
    assert kn.arange(x[3]).shape == kn.zeros(x[3]).shape == (3,)
    assert kn.linspace(x[0], x[2], 3).tolist() == [0, 1, 2] and kn.full(2, x[4]).tolist() == [4, 4]
    with pytest.raises(TypeError):
        kn.arange(x)
    third = kn.asarray(1 / 3, dtype=kn.float64)
    assert round(third, 2) == 0.33 and round(third) == 0 and isinstance(round(third), int)
    with pytest.raises(TypeError):
        round(x)


def test_types_are_equal_to_what_names_them():
    x = kn.ones(2, dtype=kn.float64)
    for other in ("float64", np.float64, np.dtype("f8"), kn.float64):
        assert x.dtype == other and other == x.dtype and not x.dtype != other
    for other in ("float32", np.int64, kn.int64, "nonsense", "", None, 3, object()):
        assert x.dtype != other and not x.dtype == other


def test_arrays_go_backwards_as_lists_do():
    assert [int(each) for each in reversed(kn.asarray(INTEGERS))] == [5, 4, 3, 2, 1, 0]
    assert [each.tolist() for each in reversed(kn.asarray(MATRIX))] == MATRIX[::-1].tolist()


def test_errors_name_the_function_that_was_called():
    x = kn.asarray(INTEGERS)
    for call, kind, words in ((lambda: kn.asarray([1], dtype="nope"), TypeError, "[asarray] dtype"),
                              (lambda: kn.asarray([1], device=3), TypeError, "[asarray] device"),
                              (lambda: kn.linalg.svd(3), TypeError, "[svd] x"),
                              (lambda: kn.random.default_rng(-1), ValueError, "[default_rng] takes"),
                              (lambda: kn.histogram(x, bins=[0, 1]), TypeError, "[histogram] bins takes a number of bins, or an array"),
                              (lambda: kn.random.default_rng(1).choice([1]), TypeError, "[choice] a takes an array"),
                              (lambda: kn.concat([x, 1]), TypeError, "[concat] each entry takes an array"),
                              (lambda: kn.astype(x, None), TypeError, "[astype] dtype"),
                              (lambda: kn.finfo(None), TypeError, "[finfo] type"),
                              (lambda: kn.to_device(x, None), TypeError, "[to_device] device"),
                              (lambda: kn.histogram(x, range=("a", 1)), TypeError, "[histogram] range takes a list of real numbers"),
                              (lambda: bool(x), ValueError, "koine.any(x) or koine.all(x)"),
                              (lambda: 0 < x < 3, ValueError, "[bool] takes an array of one element, got shape (6,)")):
        with pytest.raises(kind) as caught:
            call()
        assert words in str(caught.value)
    assert repr(kn.finfo(kn.complex64)) == "koine.finfo(koine.float32)" and repr(kn.iinfo(kn.int8)) == "koine.iinfo(koine.int8)"


def test_bfloat16_is_printed_without_the_package_that_numpy_has_it_from(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    x = kn.asarray([1, 2.5], dtype=kn.bfloat16)
    assert repr(x) == "array([1. , 2.5], dtype=bfloat16)"
    with pytest.raises(ImportError, match="ml_dtypes"):
        np.asarray(x)


def test_arrays_are_printed_without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    for dtype in (kn.int64, kn.int8, kn.float32, kn.bfloat16, kn.bool):
        x = kn.asarray([1, 0], dtype=dtype)
        usual = dtype in (kn.int64, kn.float32, kn.bool)
        assert repr(x).startswith("array([") and repr(x).endswith("])" if usual else f"], dtype={dtype})")
        assert repr(x).count(str(dtype)) == (0 if usual else 1)


ON_DEVICE = [lambda a: np.sum(a=a, axis=0), lambda a: np.ravel(a, order="C"), lambda a: np.copy(a, order="K"),
             lambda a: np.clip(a, a_min=2, a_max=7), lambda a: np.clip(a, None, 3), lambda a: np.dot(a, 3), lambda a: np.dot(a, a.T),
             lambda a: np.dot(a[:, None], a.reshape(1, 4, 3)), lambda a: a.dot(a.reshape(1, 4, 3)),
             lambda a: np.where(a > 5), lambda a: np.squeeze(a[None], axis=0), lambda a: np.swapaxes(a, 0, 1),
             lambda a: np.cumsum(a, axis=1, dtype=np.float32), lambda a: np.std(a, axis=0, ddof=1), lambda a: np.sort(a, kind="stable"),
             lambda a: np.fft.rfft(a, axis=0), lambda a: np.fft.fft(a, norm="ortho"), lambda a: np.linalg.det((a % 5)[:, :3]),
             lambda a: np.sort(a[::-1], axis=None), lambda a: np.argsort(a[::-1], axis=None), lambda a: np.partition(a[::-1], 3, axis=None),
             lambda a: np.take_along_axis(a, np.argsort(-a, axis=None), axis=None), lambda a: a[::-1].argsort(None),
             lambda a: np.outer(a, a[0]), lambda a: np.linalg.svd(a, full_matrices=False).S, lambda a: np.linalg.inv((a % 5)[:, :3])]
ON_HOST = [lambda a: np.reshape(a, (4, 3), order="F"), lambda a: np.ravel(a, order="F"), lambda a: np.dot(3, a),
           lambda a: np.sum(a, axis=1, where=np.array([True, False, True, True])), lambda a: np.max(a, initial=100),
           lambda a: np.take(a, [1, 2], axis=1), lambda a: np.isin(a, [1, 2]), lambda a: np.linalg.norm(a),
           lambda a: np.linalg.qr(a, mode="r"), lambda a: np.linalg.svd(a, False)[1], lambda a: np.linspace(a[0], a[1], 3),
           lambda a: np.linalg.eigh(a[:, :3] + a[:, :3].T, "U")[0],
           lambda a: np.histogram(a, "auto")[0], lambda a: np.concatenate([a, [[1, 2, 3, 4]]]), lambda a: np.add(a, 1, dtype=np.float32)]


@pytest.mark.parametrize("call, kind", [(call, kn.Array) for call in ON_DEVICE] + [(call, object) for call in ON_HOST])
def test_numpy_s_functions_take_their_own_arguments(call, kind):
    got, expected = call(kn.asarray(MATRIX)), call(MATRIX)
    first = got[0] if isinstance(got, tuple) else got
    assert isinstance(first, kind) and (kind is kn.Array or not isinstance(first, kn.Array))
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-4, atol=1e-4)


def test_a_row_of_all_elements_is_no_place_to_sort_in():
    with pytest.raises(TypeError):
        kn.asarray(MATRIX).sort(axis=None)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize("key", [[1, 1, 4], np.array([3, 3]), 2, slice(None, None, -2)])
def test_numpy_s_updates_change_the_array_and_no_other_that_shares_its_memory(ufunc, key):
    x, expected = kn.asarray(REALS), REALS.copy()
    part, shared = x[:], memoryview(x)
    ufunc.at(x, key, 0.5)
    ufunc.at(expected, key, np.float32(0.5))
    np.testing.assert_array_equal(np.asarray(x), expected)
    assert part.tolist() == REALS.tolist() and shared.tolist() == REALS.tolist()


def test_updates_that_koine_has_not_are_refused():
    x = kn.asarray(REALS)
    for wrong in (lambda: np.subtract.at(x, [0], 1), lambda: np.negative.at(x, [0]), lambda: np.add.at(REALS.copy(), [0], x[:1])):
        with pytest.raises(TypeError, match="at]"):
            wrong()
    assert x.tolist() == REALS.tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint64", "int64"])
@pytest.mark.parametrize("shape", [(12,), (12, 3), (2, 12)])
def test_assignments_by_positions(dtype, shape):
    numbers = np.random.default_rng(1)
    expected = numbers.random(shape, dtype=np.float32)
    x, axis = kn.asarray(expected).eval(), shape.index(12)
    for count in (1, 4, 30):
        i = numbers.integers(0 if dtype[0] == "u" else -12, 12, count)
        key = (slice(None),) * axis + (i.astype(dtype),)
        own = tuple(kn.asarray(k).eval() if isinstance(k, np.ndarray) else k for k in key)
        part = expected[key].shape
        for value in (1.5, numbers.random(part, dtype=np.float32), numbers.random(part[-1:], dtype=np.float32)):
            before, held = x[...], expected.copy()
            expected[key] = value
            x[own] = kn.asarray(value).eval() if isinstance(value, np.ndarray) else value
            np.testing.assert_array_equal(np.asarray(x), expected)
            np.testing.assert_array_equal(np.asarray(before), held)
            del before
            expected[key] += value
            x[own] += kn.asarray(value) if isinstance(value, np.ndarray) else value
            np.testing.assert_array_equal(np.asarray(x), expected)


@pytest.mark.parametrize("length", [10, 1000, 5000])
def test_additions_at_positions_of_short_and_long_arrays(length):
    expected = np.full(length, -0.0, np.float32)
    expected[5] = np.inf
    x, i = kn.asarray(expected), np.array([2, 3, 2])
    np.add.at(expected, i, np.float32(0.5))
    x.at[kn.asarray(i)].add(0.5)
    np.testing.assert_array_equal(np.asarray(x).view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("length", [1, 100, 5000])
def test_counts_of_few_and_many(length):
    values = np.random.default_rng(2).integers(0, 50, length)
    for dtype in ("int8", "uint64", "int64"):
        counts = kn.bincount(kn.asarray(values.astype(dtype)))
        np.testing.assert_array_equal(np.asarray(counts), np.bincount(values))
    for wrong in (-1, 2**63 - 1):
        values[length // 2] = wrong
        with pytest.raises(ValueError):
            kn.bincount(kn.asarray(values))


@pytest.mark.parametrize("decimals", [-1, 0, 1, 3])
def test_rounding_to_decimal_digits(decimals):
    for values in (np.asarray([-1.25, 0.35, 2.5, 3.14159, 123.456, 98765.4321], np.float32), np.asarray([1.2345 - 67.89j], np.complex64)):
        for rounded in (kn.asarray(values).round(decimals), kn.asarray(values).round(decimals=decimals)):
            assert np.asarray(rounded).dtype == values.dtype
            np.testing.assert_array_equal(np.asarray(rounded), values.round(decimals))
    x = kn.asarray(INTEGERS)
    if decimals >= 0:
        assert x.round(decimals).tolist() == INTEGERS.tolist()
    else:
        with pytest.raises(ValueError, match="decimals of 0 or more"):
            x.round(decimals)


def test_what_is_called_otherwise_is_named():
    from koine._numpy_protocols import OTHERWISE

    for name, text in OTHERWISE.items():
        assert hasattr(np, name) and not hasattr(kn, name)
        with pytest.raises(AttributeError, match=f"koine has no {name}; write "):
            getattr(kn, name)
        if "." in text:  # what it names is there
            found = kn
            for part in text.replace("(", " ").replace(",", " ").split()[0].split(".")[1:]:
                found = getattr(found, part)
    with pytest.raises(AttributeError, match="vector_norm or matrix_norm"):
        kn.linalg.norm
    for name, ours in (("rand", "random"), ("randint", "integers"), ("normal", "normal"), ("seed", "random")):
        with pytest.raises(AttributeError, match=f"koine.random has no {name}; make a generator, .* and write rng.{ours}$"):
            getattr(kn.random, name)
    for module in (kn, kn.random, kn.linalg):
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            module.nonsense
