# SPDX-License-Identifier: Apache-2.0
"""Memory that arrays and other libraries' objects share: DLPack in and out, buffers, and how long each side lives."""
import array
import copy
import ctypes
import gc
import os
import subprocess
import sys
import threading
import weakref

import koine as kn
import numpy as np
import pytest

SHARED = kn.default_device().type == "cpu"  # the host has the device's memory
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]


def known(name):
    return getattr(kn, name) in kn._koine._dtypes(None)


def address(values):
    return values.__array_interface__["data"][0]


@pytest.mark.parametrize("name", list(filter(known, DTYPES)))
def test_types_layouts_and_orders_of_bytes(name):
    values = (np.arange(24).reshape(2, 3, 4) % 5).astype(name)
    for source in (values, values.T, values[:, ::2, ::-1], np.asfortranarray(values), values[:0], values[1, 2, 3:],
                   values[0, 0, 0], values.astype(values.dtype.newbyteorder(">")), np.broadcast_to(values[0], (3, 3, 4))):
        x = kn.asarray(source)
        assert x.dtype == getattr(kn, name) and x.shape == source.shape
        for back in (np.asarray(x), np.from_dlpack(x), np.array(x), x.__array__()):
            assert back.dtype == np.dtype(name)
            np.testing.assert_array_equal(back, source)
        assert x.tolist() == source.tolist()


def test_bfloat16_goes_by_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.asarray([1, 2.5, -3], dtype=ml_dtypes.bfloat16)
    x = kn.asarray(values)
    assert x.dtype == kn.bfloat16 and np.dtype(x.dtype) == values.dtype
    back = np.asarray(x)
    assert back.dtype == values.dtype and back.tolist() == [1, 2.5, -3]


def test_asarray_copies_unless_told_otherwise():
    values = np.arange(1000, dtype=np.float32)
    copies = kn.asarray(values), kn.asarray(values, copy=True), kn.array(values)
    values[0] = 7
    assert all(float(x[0]) == 0 for x in copies)


@pytest.mark.skipif(not SHARED, reason="the device has memory of its own")
def test_memory_is_used_where_it_lies():
    values = np.arange(4096, dtype=np.float32)
    for x in (kn.asarray(values, copy=False), kn.from_dlpack(values), kn.from_dlpack(values, copy=False)):
        assert address(np.asarray(x)) == address(values)
        assert address(np.asarray(x[10:])) == address(values) + 40
    x = kn.arange(1000, dtype=kn.float32) * 2
    view = np.asarray(x)
    assert address(view) == address(np.from_dlpack(x)) and not view.flags.writeable
    assert not np.from_dlpack(x).flags.writeable and np.array(x).flags.writeable
    assert np.asarray(x[::2]).strides == (8,) and address(np.asarray(x[5:])) == address(view) + 20


@pytest.mark.skipif(not SHARED, reason="the device has memory of its own")
def test_readers_of_borrowed_memory_have_finished_when_they_return():
    values = np.arange(1000, dtype=np.float32)
    x = kn.asarray(values, copy=False)
    y, z, part, total = x + 1, kn.sin(x), (x[10:20] * 2), kn.sum(x)
    x2, x3 = kn.zeros(1000), kn.zeros(1000)
    x2 += x
    x3[:500] = x[500:]
    x3.at[500:].add(x[:500])
    values[:] = -1
    np.testing.assert_array_equal(np.asarray(x3), np.roll(np.arange(1000), 500))
    np.testing.assert_array_equal(np.asarray(y), np.arange(1000) + 1)
    np.testing.assert_allclose(np.asarray(z), np.sin(np.arange(1000)), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(part), np.arange(10, 20) * 2)
    assert float(total) == 499500 and float(x2[999]) == 999
    assert float(x[0]) == -1  # the memory itself is shared


@pytest.mark.skipif(not SHARED, reason="the device has memory of its own")
@pytest.mark.parametrize("read", [lambda i: kn.arange(1000)[i], lambda i: kn.arange(1000)[i, None], lambda i: assigned(i, 5),
                                  lambda i: assigned((i[::-1],), i), lambda i: i[None].T + 1, lambda i: i.real * 2,
                                  lambda i: divmod(i, 7)[1], lambda i: divmod(5, i + 1)[0], lambda i: kn.full(3, i[7])])
def test_what_is_made_of_borrowed_memory_is_computed_at_once(read):
    values = np.arange(999, -1, -1)
    expected = np.asarray(read(kn.asarray(values)))
    result = read(kn.asarray(values, copy=False))
    values[:] = 0
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.skipif(not SHARED, reason="the device has memory of its own")
@pytest.mark.parametrize("change", [lambda x: x.__iadd__(1), lambda x: x.__setitem__(3, 7), lambda x: x.fill(2), lambda x: x.sort(),
                                    lambda x: x.at[5:].add(x[:-5]), lambda x: kn.random.default_rng(3).shuffle(x)])
def test_what_changes_an_array_over_borrowed_memory_has_read_it_when_it_returns(change):
    values = np.arange(4095, -1, -1, dtype=np.float32)
    expected = kn.asarray(values)
    change(expected)
    x = kn.asarray(values, copy=False)
    change(x)
    values[:] = -1
    np.testing.assert_array_equal(np.asarray(x), np.asarray(expected))


# They compute for a while before they read, so that whoever does not wait for them is seen.
SLOW_SUMS = """kernel void sums(const global float* x, global float* y, long n) {
    float late = 0;
    for (long i = 0; i < 30000000; ++i) late = late * 0.999f + 0.5f;  // 500
    for (long i = 0; i < n; ++i) y[i] = x[i] + (late > 499.0f); }"""
SLOW_MARKS = SLOW_SUMS.replace("const global", "global")
SLOW_CHANGE = """kernel void change(global float* x, long n) {
    float late = 0;
    for (long i = 0; i < 30000000; ++i) late = late * 0.999f + 0.5f;
    for (long i = 0; i < n; ++i) x[i] += late > 499.0f; }"""


def counted_from_page(n):
    """0 to n - 1 from the start of a page on, so that a buffer of OpenCL can begin there, and a kernel get no copy."""
    memory = np.zeros(4 * n + 4096, dtype=np.uint8)
    values = memory[-address(memory) % 4096:][:4 * n].view(np.float32)
    values[:] = np.arange(n)
    return values


@pytest.mark.skipif(not SHARED, reason="the device has memory of its own")
@pytest.mark.parametrize("source, mark", [(SLOW_SUMS, lambda x: x), (SLOW_SUMS, kn.in_), (SLOW_MARKS, kn.in_),
                                          (SLOW_MARKS, lambda x: kn.in_(x).untyped())])
@pytest.mark.parametrize("made", [True, False])
def test_a_kernel_that_reads_borrowed_memory_has_finished_when_it_returns(source, mark, made):
    values = counted_from_page(5000)
    kernel, x, y = kn.Kernel(source), kn.asarray(values, copy=False), kn.zeros(5000)
    kernel(1, kn.in_(y), kn.out((5000,)), 5000).eval()  # some drivers compile at the first launch, which takes its time
    result = kernel(1, mark(x), kn.out((5000,)) if made else kn.out(y), 5000)
    values[:] = -1
    np.testing.assert_array_equal(np.asarray(result if made else y), np.arange(5000) + 1)
    assert float(x[7]) == -1  # it was not copied


@pytest.mark.parametrize("mark", [lambda x: x, kn.out, lambda x: kn.out(x).untyped()])
@pytest.mark.parametrize("writable", [True, False])
def test_a_kernel_never_writes_to_borrowed_memory(mark, writable):
    """As an assignment: the array moves into memory of its own, and the values that were there before are untouched."""
    values = counted_from_page(5000)
    values.flags.writeable = writable
    x = kn.asarray(values, copy=False if SHARED else None)
    kernel = kn.Kernel(SLOW_CHANGE)
    kernel(1, kn.out(kn.zeros(5000)), 5000)
    assert kernel(1, mark(x), 5000) is None
    np.testing.assert_array_equal(values, np.arange(5000))
    values.flags.writeable = True
    values[:] = -1
    np.testing.assert_array_equal(np.asarray(x), np.arange(5000) + 1)


def assigned(key, value):
    x = kn.zeros(1000, dtype=kn.int64)
    x[key] = value
    return x


@pytest.mark.parametrize("copied", [lambda x: x.copy(), copy.copy, copy.deepcopy, lambda x: kn.asarray(x, copy=True), kn.array,
                                    lambda x: x.reshape(10, 100, copy=True), lambda x: kn.reshape(x, (1000,), copy=True),
                                    lambda x: x.flatten(), lambda x: x.astype(x.dtype), lambda x: kn.astype(x, x.dtype)])
def test_copies_of_borrowed_memory_are_copies(copied):
    values = np.arange(1000, dtype=np.float32)
    result = copied(kn.from_dlpack(values))
    values[:] = -1
    np.testing.assert_array_equal(np.asarray(result).ravel(), np.arange(1000))


def test_an_assignment_never_writes_to_borrowed_memory():
    values = np.arange(100, dtype=np.float32)
    x = kn.from_dlpack(values)
    x[0] = 5
    x += 1
    assert values[0] == 0 and float(x[0]) == 6


def test_an_export_keeps_its_values():
    x = kn.arange(1000, dtype=kn.float32)
    views = [np.asarray(x), np.from_dlpack(x), memoryview(x)]
    x[:] = 0
    x += 1
    del x
    gc.collect()
    kn.zeros(1000).eval()
    for view in views:
        assert np.asarray(view).sum() == 499500


def test_the_buffer_lives_while_either_side_does():
    class Noted(np.ndarray):
        pass

    values = np.arange(5000, dtype=np.float32).view(Noted)
    gone = weakref.ref(values)
    x = kn.from_dlpack(values)
    part = x[1000:]
    del values, x
    gc.collect()
    if SHARED:
        assert gone() is not None
    assert float(part[0]) == 1000
    del part
    for _ in range(10):
        kn.zeros(1)  # a call of any kind lets go
        gc.collect()
    assert gone() is None


def test_nothing_is_left_of_many_exchanges():
    values = np.zeros(1000, dtype=np.float32)
    gc.collect()
    kn.zeros(1)
    before, borrowed = sys.getrefcount(values), kn._koine._borrowed()
    for _ in range(1000):
        x = kn.from_dlpack(values)
        np.from_dlpack(x)
        y = x + 1
        memoryview(y)
    del x, y
    kn.zeros(1)
    assert sys.getrefcount(values) == before
    assert kn._koine._borrowed() == borrowed


def test_memory_does_not_grow():
    """A million arrays and 10^5 exchanges in the nightly run (KOINE_TEST_EXHAUSTIVE=1), a part of both else."""
    many = 1_000_000 if os.environ.get("KOINE_TEST_EXHAUSTIVE") == "1" else 5_000
    values, x = np.ones(256, dtype=np.float32), kn.ones(256) * 2

    def work(count):
        for _ in range(count):
            x + 1
        for _ in range(count // 10):
            y = kn.from_dlpack(values)
            np.from_dlpack(y * 2)
        kn.synchronize()

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    work(2000)
    gc.collect()
    before, in_use = resident(), kn.memory_stats().in_use
    work(many)
    gc.collect()
    assert resident() - before < 20_000_000 and kn.memory_stats().in_use <= in_use + 65536


def test_elements_that_lie_backwards_are_copied_for_who_does_not_take_them():
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    for turned, expected in ((kn.asarray(values)[::-1], values[::-1]), (kn.asarray(values)[:, ::-2], values[:, ::-2])):
        taken = np.from_dlpack(turned)
        assert min(taken.strides) > 0
        np.testing.assert_array_equal(taken, expected)
        if SHARED:  # as they lie, for who wants that
            np.testing.assert_array_equal(np.from_dlpack(turned, copy=False), expected)


def test_capsules():
    x = kn.ones(10)
    versioned = x.__dlpack__(max_version=(1, 0))
    assert "dltensor_versioned" in repr(versioned) and "dltensor_versioned" not in repr(x.__dlpack__())
    assert np.asarray(kn._koine._from_capsule(versioned, None, None)).sum() == 10
    for taken in (versioned, object()):
        with pytest.raises(ValueError):
            kn._koine._from_capsule(taken, None, None)
    for wrong, error in (({"copy": False}, BufferError), ({"dl_device": (2, 0)}, BufferError), ({"stream": 1}, ValueError)):
        with pytest.raises(error):
            x.__dlpack__(**wrong)
    assert x.__dlpack_device__() == (1, 0)
    copied = np.from_dlpack(x, copy=True)
    assert copied.flags.writeable
    copied[0] = 5
    assert float(x[0]) == 1


def test_memory_of_opencl_goes_by_handle():
    class Sender:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack_device__(self):
            return 4, 0

        def __dlpack__(self, **named):
            return self.capsule

    x = kn.arange(1000, dtype=kn.float32)[100:] * 3
    expected = np.arange(100, 1000, dtype=np.float32) * 3
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    for named, name, at in (({}, b"dltensor", 0), ({"max_version": (1, 0)}, b"dltensor_versioned", 32)):
        capsule = x.__dlpack__(dl_device=(4, 0), **named)
        tensor = pointer(capsule, name) + at  # DLTensor: data, device, axes, type, shape, strides, offset
        memory = ctypes.c_void_p.from_address(tensor).value
        assert ctypes.c_int32.from_address(tensor + 8).value == 4
        offset = ctypes.c_uint64.from_address(tensor + 40).value
        values = np.zeros(900, dtype=np.float32)
        opencl = ctypes.CDLL("libOpenCL.so.1")
        code = opencl.clEnqueueReadBuffer(ctypes.c_void_p(kn.opencl.queue()), ctypes.c_void_p(memory), 1, ctypes.c_size_t(offset),
                                          ctypes.c_size_t(values.nbytes), ctypes.c_void_p(address(values)), 0, None, None)
        assert code == 0
        np.testing.assert_array_equal(values, expected)
        back = kn.from_dlpack(Sender(capsule))
        np.testing.assert_array_equal(np.asarray(back), expected)
        with pytest.raises(BufferError):
            kn.from_dlpack(Sender(x.__dlpack__(dl_device=(4, 0))), copy=False)
    buffer = kn.opencl.buffer(x)
    assert buffer.size == 3600 and buffer.handle and kn.opencl.context() and kn.opencl.device()
    again = kn.opencl.from_buffer(buffer.handle, (900,), kn.float32, offset=buffer.offset // 4)
    np.testing.assert_array_equal(np.asarray(again), expected)


def test_tensors_that_no_library_would_send():
    class Sender:
        def __init__(self, capsule=None, device=(1, 0), error=None):
            self.capsule, self.device, self.error = capsule, device, error

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **named):
            if self.error:
                raise self.error
            return self.capsule

    with pytest.raises(ValueError):
        kn.from_dlpack(Sender(capsule=5))
    with pytest.raises(BufferError):
        kn.from_dlpack(Sender(error=BufferError("no")))
    with pytest.raises(TypeError):
        kn.from_dlpack([1, 2])
    # Device type 2, CUDA's, which Koine does not take.
    good = np.ones(3, dtype=np.float32).__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    ctypes.c_int32.from_address(pointer(good, b"dltensor") + 8).value = 2
    with pytest.raises(BufferError):
        kn.from_dlpack(Sender(capsule=good))


def test_bad_input_is_refused_and_nothing_is_lost():
    for wrong in (np.asarray(["a"]), np.asarray([object()]), np.zeros(2, dtype="M8[s]"), np.zeros(2, dtype="f4,i4"),
                  np.zeros(2, dtype=np.longdouble), object(), "text", {1: 2}, None):
        with pytest.raises(TypeError):
            kn.asarray(wrong)
    for lists in ([[1], [1, 2]], [1, [2]], [[1], 2]):
        with pytest.raises(ValueError):
            kn.asarray(lists)
    big_endian = np.arange(3, dtype=">f4")
    assert kn.asarray(big_endian).tolist() == [0, 1, 2]
    for values in (big_endian, [1, 2]):
        with pytest.raises(ValueError):
            kn.asarray(values, copy=False)
    unaligned = np.frombuffer(b"\0" + np.arange(3, dtype=np.float32).tobytes(), dtype=np.float32, offset=1)
    assert kn.asarray(unaligned).tolist() == [0, 1, 2]
    read_only = np.arange(3)
    read_only.flags.writeable = False
    assert kn.asarray(read_only).tolist() == kn.from_dlpack(read_only).tolist() == [0, 1, 2]
    structured = np.zeros(3, dtype=[("a", "i1"), ("b", "<f4")])
    structured["b"] = [1, 2, 3]
    assert kn.asarray(structured["b"]).tolist() == [1, 2, 3]


def test_other_buffers_and_lists_of_arrays():
    assert kn.asarray(array.array("d", [1, 2])).dtype == kn.float64
    assert kn.asarray(bytearray(b"ab")).tolist() == [97, 98]
    assert kn.asarray([kn.asarray([1, 2]), np.asarray([3, 4])]).tolist() == [[1, 2], [3, 4]]
    assert kn.asarray([np.float32(1), kn.asarray(2.0)]).dtype == kn.float32

    class Series:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    assert kn.asarray(Series()).tolist() == [0, 1, 2]


def test_numpy_s_functions_stay_on_the_device():
    x = kn.asarray([[1.0, 2.0], [3.0, 4.0]])
    values = np.asarray(x)
    for function in (np.sum, np.sin, np.mean, np.exp, np.sqrt, np.transpose, np.cumsum, np.argmax, np.add.reduce,
                     lambda v: np.concatenate([v, v]), lambda v: np.stack([v, v], axis=1), lambda v: np.add(v, 1),
                     lambda v: np.power(v, 2), lambda v: np.sum(v, axis=1, keepdims=True), lambda v: np.where(v > 1, v, 0),
                     lambda v: np.std(v, ddof=1), lambda v: np.reshape(v, (4,)), lambda v: np.clip(v, 2, 3),
                     lambda v: np.matmul(v, v), lambda v: np.einsum("ij->j", v), lambda v: np.dot(v, v)):
        got = function(x)
        assert isinstance(got, kn.Array)
        np.testing.assert_allclose(np.asarray(got), function(values), rtol=1e-6)
    assert np.shape(x) == (2, 2) and np.ndim(x) == 2
    # What Koine has not is NumPy's, on the host.
    assert isinstance(np.cov(x), np.ndarray)
    np.testing.assert_allclose(np.cov(x), np.cov(values))
    for mixed in (lambda: x + values, lambda: values + x, lambda: np.add(x, values)):
        with pytest.raises(TypeError):
            mixed()
    assert (np.float32(2) * x).dtype == (x * np.float64(2)).dtype == (np.int64(3) + x).dtype == kn.float32


def test_threads_exchange_and_compute_at_once():
    failures = []

    def work(seed):
        try:
            for step in range(30):
                values = np.full(500, seed + step, dtype=np.float32)
                x = kn.from_dlpack(values)
                y = (x * 2 + 1)
                del values, x
                assert float(kn.sum(y)) == 500 * (2 * (seed + step) + 1)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures


def test_the_end_of_the_interpreter_is_clean():
    code = """
import numpy as np, koine as kn
values = np.arange(1e5, dtype=np.float32)
x = kn.from_dlpack(values)
y = x * 2
view = np.asarray(y)
class Late:
    def __del__(self):
        view[0]
late, also = Late(), [x, y, memoryview(y), x.__dlpack__()]
print(float(y[-1]))
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0 and result.stderr == "" and result.stdout == "199998.0\n"


def test_truths_that_are_neither_0_nor_1():
    """NumPy takes every byte but 0 for true."""
    truths = np.array([0, 2, 255, 1, 0, 0, 7], np.uint8).view(bool)
    for values in (truths, truths[::-1], truths[::2], truths.reshape(7, 1), np.asfortranarray(np.stack([truths, truths]))):
        x = kn.asarray(values)
        assert np.asarray(x).view(np.uint8).tolist() == (values.view(np.uint8) != 0).astype(np.uint8).tolist()
        assert int(kn.sum(x)) == np.count_nonzero(values)
        for how in (None, True):
            y = kn.from_dlpack(values, copy=how)
            assert np.asarray(y).view(np.uint8).tolist() == np.asarray(x).view(np.uint8).tolist()
            assert int(kn.sum(y)) == np.count_nonzero(values)
        for function in (kn.asarray, kn.from_dlpack):
            with pytest.raises(ValueError, match="neither 0 nor 1"):
                function(values, copy=False)
    between = np.array([0, 9, 1, 9, 1, 9], np.uint8).view(bool)[::2]  # what lies between does not matter
    if not SHARED:
        return
    assert kn.asarray(between, copy=False).tolist() == kn.from_dlpack(between, copy=False).tolist() == [False, True, True]
    assert kn.asarray(truths == 1, copy=False).tolist() == (truths == 1).tolist()
