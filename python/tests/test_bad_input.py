# SPDX-License-Identifier: Apache-2.0
"""What no program should pass: each is the exception that a user of NumPy expects, and nothing is lost."""
import ctypes
import errno
import gc
import os
import pathlib
import subprocess
import sys

import koine as kn
import numpy as np
import pytest


class Raises:
    """Of whose protocols each fails for a reason of its own."""

    def __init__(self, error):
        self.error = error

    def fail(self, *arguments, **named):
        raise self.error

    __index__ = __float__ = __fspath__ = fail


def test_the_reason_of_a_users_own_class_is_not_lost():
    x = kn.arange(6)
    reason = Raises(ZeroDivisionError("its own"))
    for call in (lambda: x[reason], lambda: kn.reshape(x, (reason, 2)), lambda: kn.zeros(reason), lambda: kn.sum(x, axis=reason),
                 lambda: kn.nan_to_num(x * 1.0, nan=reason), lambda: kn.load_npy(reason)):
        with pytest.raises(ZeroDivisionError, match="its own"):
            call()
    for call in (lambda: kn.zeros("3"), lambda: kn.sum(x, axis=1.5), lambda: kn.nan_to_num(x * 1.0, nan="a"), lambda: kn.load_npy(3.5),
                 lambda: kn.random.default_rng("seed"), lambda: kn.random.default_rng(1.5)):
        with pytest.raises(TypeError, match=r"^\[.* takes "):
            call()


def test_paths_are_those_of_the_system(tmp_path):
    """Names of files are bytes, which need be no text: Python's own functions take all of them, and so do these."""
    x, source = kn.arange(3), "kernel void f(global float* x) {}"
    (tmp_path / "a").mkdir()
    odd = os.fsdecode(os.fsencode(tmp_path / "a") + b"/\xff")
    for path in (odd, os.fsencode(odd), pathlib.Path(odd)):
        kn.save_npy(path, x)
        assert os.listdir(os.fsencode(tmp_path / "a")) == [b"\xff"] and kn.load_npy(path).tolist() == [0, 1, 2]
        kn.save_npz(path, {"x": x})
        assert kn.load_npz(path)["x"].tolist() == [0, 1, 2]
        kn.profile.Session().save_trace(path)
        with open(path, "w") as file:
            file.write(source)
        assert kn.Program.from_file(path, include_folders=[path]).kernel_names() == ["f"]
        os.remove(path)
        for call in (kn.load_npy, kn.load_npz, kn.Program.from_file):
            with pytest.raises(FileNotFoundError) as raised:
                call(path)
            assert raised.value.errno == errno.ENOENT and raised.value.filename == odd
    no_folder, folder = str(tmp_path / "none" / "x"), str(tmp_path / "a")
    for call in (lambda path: kn.save_npy(path, x), lambda path: kn.save_npz(path, {"x": x}), kn.profile.Session().save_trace):
        for path, error in ((no_folder, FileNotFoundError), (folder, IsADirectoryError)):
            with pytest.raises(error) as raised:
                call(path)
            assert raised.value.filename == path and raised.value.strerror == os.strerror(raised.value.errno)
    for call in (kn.load_npy, kn.load_npz, kn.Program.from_file):
        with pytest.raises(IsADirectoryError) as raised:
            call(folder)
        assert raised.value.filename == folder
    for call in (kn.load_npy, lambda path: kn.save_npy(path, x), kn.profile.Session().save_trace, kn.Program.from_file):
        with pytest.raises(ValueError, match="null"):
            call("a\0b")
        with pytest.raises(TypeError, match=r"^\[.*path.*, got float"):
            call(3.5)


def test_messages_hold_bytes_that_are_no_text():
    with pytest.raises(ValueError, match=r"^\[einsum\] .*\\xc3"):
        kn.einsum("i\u00e9->i", kn.zeros((2, 2)))
    program = "import koine\ntry: koine.devices()\nexcept ValueError as error: print(type(error).__name__, str(error)[:12])"
    child = subprocess.run([sys.executable, "-c", program], env=dict(os.environ, KOINE_DEVICE=os.fsdecode(b"\xff")),
                           capture_output=True, text=True)
    assert child.stdout.startswith("ValueError [KOINE_DEVICE"[:12]), child


def test_wrong_arguments_are_told_of_by_function_and_parameter():
    x = kn.asarray([1.0, 2.0, 3.0])
    kernel = kn.Kernel("kernel void f(global float* x, int2 n, float y) { x[0] = n.x + y; }")
    source = "kernel void f(global float* x) {}"
    for call, said in ((lambda: kernel(1, x, (1, 2), 3, queue=3), r"\[__call__\] queue takes a queue .*, got int"),
                       (lambda: kernel(1, x, (1, 2), 3, after=[3]), r"\[__call__\] after takes a list of events, got list"),
                       (lambda: kernel(1, x, (1, 1.5), 3), r"\[Kernel\] an integer parameter takes a whole number, got float"),
                       (lambda: kn.Program(source, defines=3), r"\[Program\] defines takes a list of names, .*, got int"),
                       (lambda: kn.Program(source, defines="N"), r"\[Program\] defines takes a list of names, .*, got str"),
                       (lambda: kn.Program(source, defines={"N": None}), r"\[Program\] defines takes .*, got NoneType"),
                       (lambda: kn.Program(source, include_folders="here"), r"\[Program\] include_folders takes a list of paths, got str"),
                       (lambda: kn.copy_async(3, x), r"\[copy_async\] values takes a contiguous buffer of numbers, got int"),
                       (lambda: kn.copy_async(np.ones(3, np.float32), x, queue=3), r"\[copy_async\] queue takes a queue .*, got int"),
                       (lambda: kn.quantile(x, ["a"]), r"\[quantile\] q takes a list of real numbers, got list"),
                       (lambda: kn.histogram(x, range=("a", 1)), r"\[histogram\] range takes a list of real numbers, got tuple"),
                       (lambda: kn.histogram(x, range=(1,)), r"\[histogram\] range takes the two ends, a pair of numbers, got tuple")):
        with pytest.raises(TypeError, match=said):
            call()


def test_lists_that_contain_themselves_or_are_nested_too_deep():
    itself, both = [], [[1, 2]]
    itself.append(itself)
    both.append(both)
    deep = 1.0
    for _ in range(10_000):
        deep = [deep]
    for wrong in (itself, both, deep):
        with pytest.raises(ValueError):
            kn.asarray(wrong)
    many = 1.0
    for _ in range(64):
        many = [many]
    assert kn.asarray(many).shape == (1,) * 64 == np.asarray(many).shape
    # Python's own end to nested lists, taken apart bottom up.
    del deep, many
    gc.collect()


def test_lists_that_change_while_they_are_read():
    class Grows(list):
        def __iter__(self):
            return iter([1, 2, 3])

    class Shrinks:
        def __init__(self, owner):
            self.owner, self.ndim = owner, 0

        def item(self):
            self.owner.clear()
            return 1

    changing = []
    changing.extend([Shrinks(changing), 2, 3])
    for wrong in (Grows([1]), changing):
        with pytest.raises(ValueError):
            kn.asarray(wrong)


def test_buffers_of_ctypes():
    """Which leave the strides out."""
    assert kn.asarray((ctypes.c_int32 * 3)(1, 2, 3)).tolist() == [1, 2, 3]
    grid = ((ctypes.c_double * 2) * 3)((1, 2), (3, 4), (5, 6))
    assert kn.asarray(grid).tolist() == [[1, 2], [3, 4], [5, 6]] and kn.asarray(grid).dtype == kn.float64
    assert kn.asarray(((ctypes.c_float * 0) * 3)()).shape == (3, 0)
    shared = (ctypes.c_float * 64)(*range(64))
    if kn.default_device().type == "cpu":  # the host has the device's memory
        assert kn.asarray(shared, copy=False).tolist() == list(range(64))


def forged(**changes):
    """A sender of a tensor of DLPack, one of whose fields is not what it should be."""
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    offsets = {"data": (0, ctypes.c_void_p), "device": (8, ctypes.c_int32), "axes": (16, ctypes.c_int32), "code": (20, ctypes.c_uint8),
               "bits": (21, ctypes.c_uint8), "lanes": (22, ctypes.c_uint16), "shape": (24, ctypes.c_void_p),
               "byte_offset": (40, ctypes.c_uint64)}
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

    class Sender:
        kept = []

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **named):
            capsule = values.__dlpack__()
            tensor = pointer(capsule, b"dltensor")
            for name, value in changes.items():
                if name == "sizes":
                    self.kept.append((ctypes.c_int64 * len(value))(*value))
                    ctypes.c_void_p.from_address(tensor + 24).value = ctypes.addressof(self.kept[-1])
                else:
                    at, kind = offsets[name]
                    kind.from_address(tensor + at).value = value
            return capsule

    return Sender()


@pytest.mark.parametrize("changes", [{"data": None}, {"device": 2}, {"device": 77}, {"axes": -1}, {"shape": None}, {"sizes": (2, -3)},
                                     {"sizes": (2**40, 2**40)}, {"code": 200}, {"bits": 3}, {"lanes": 4}, {"code": 3}, {"bits": 0}],
                         ids=str)
def test_tensors_with_wrong_fields(changes):
    with pytest.raises((BufferError, ValueError, TypeError)):
        kn.from_dlpack(forged(**changes)).tolist()
    assert kn.from_dlpack(forged()).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_objects_that_keep_to_no_protocol():
    class Dlpack:
        def __init__(self, device, capsule=None):
            self.device, self.capsule = device, capsule

        def __dlpack_device__(self):
            return self.device

        def __dlpack__(self, **named):
            return self.capsule

    class Values:
        def __init__(self, result):
            self.result = result

        def __array__(self, dtype=None, copy=None):
            return self.result

    for wrong in (Dlpack(None), Dlpack(()), Dlpack(("a", 0)), Dlpack((1, 0), [1, 2]), Dlpack((1, 0)), Values([1, 2]), Values(None), Values("a"),
                  Values(np.asarray(["a"])), Raises(ValueError()), lambda: 1, type, np, iter([1]), (value for value in [1]), {1, 2}):
        with pytest.raises((TypeError, ValueError)):
            kn.asarray(wrong)
    own = Values(None)
    own.result = own
    with pytest.raises(TypeError):
        kn.asarray(own)


def test_sizes_past_memory():
    x = kn.ones(10)
    for wrong in (lambda: kn.zeros(2**70), lambda: kn.zeros((2**40, 2**40)), lambda: kn.ones((-1, 2)), lambda: kn.arange(1e300),
                  lambda: kn.broadcast_to(x, (2**60, 10)).copy(), lambda: kn.tile(x, 2**61), lambda: kn.repeat(x, 2**61)):
        with pytest.raises((ValueError, IndexError, OverflowError, MemoryError)):
            wrong().eval()
    big = kn.zeros(2**45) + kn.arange(2**45)
    for _ in range(2):
        with pytest.raises(MemoryError):
            big.eval()
    with pytest.raises(MemoryError):
        np.asarray(big)
    assert float((x * 2).sum()) == 20


def test_a_lack_of_memory_loses_nothing():
    device, limit = kn.default_device(), kn.memory_stats().limit
    values = np.arange(2**22, dtype=np.float32)
    x = kn.asarray(values).eval()
    kn.set_memory_limit(device, kn.memory_stats().in_use + 2**20)
    try:
        for call in (lambda: kn.asarray(values + 1).eval(), lambda: (x[::-1] + 1).eval(), lambda: x.__setitem__(slice(None, None, 2), x[1::2] * 2)):
            with pytest.raises(MemoryError):
                call()
                np.asarray(x)
    finally:
        kn.set_memory_limit(device, limit)
    np.testing.assert_array_equal(np.asarray(x)[1::2], values[1::2])


def test_refused_input_is_let_go_of():
    values = np.zeros(100_000, dtype=np.float32)
    gc.collect()
    kn.zeros(1)
    before = kn._koine._borrowed()
    for _ in range(200):
        for wrong in ({"code": 200}, {"lanes": 4}, {"sizes": (2, -3)}):
            with pytest.raises((BufferError, ValueError, TypeError)):
                kn.from_dlpack(forged(**wrong))
        with pytest.raises(ValueError):
            kn.asarray(values.astype(">f4"), copy=False)
        with pytest.raises(TypeError):
            kn.asarray(values.astype("f8").astype(np.longdouble))
    kn.zeros(1)
    assert kn._koine._borrowed() == before


def test_the_last_integer_as_an_endpoint():
    last = 2**63 - 1
    generator = kn.random.default_rng(1)
    assert generator.integers(last - 1, last - 1, endpoint=True).item() == last - 1
    with pytest.raises(ValueError, match="with endpoint it must be below"):
        generator.integers(0, last, endpoint=True)
