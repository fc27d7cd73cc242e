# SPDX-License-Identifier: Apache-2.0
# One element as Python's number, which cards read ahead of the wait: its value, its errors, and who reads meanwhile.
import threading

import koine as kn
import numpy as np
import pytest

TYPES = ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128").split()


@pytest.mark.parametrize("name", TYPES)
def test_elements_of_each_type_are_numpy_s(name):
    values = np.asarray([0, 1, 2, 100]).astype(name)
    x = kn.asarray(values)
    for i in range(4):
        assert x[i].item() == values[i].item()
        assert bool(x[i]) == bool(values[i])
    if name == "uint64":
        assert kn.asarray(np.asarray([2**64 - 2], np.uint64)).item() == 2**64 - 2


def test_elements_after_kernels():
    x = kn.arange(10)
    for k in range(1, 41):
        x = x + 1
        assert int(x.sum()) == 45 + 10 * k
        assert int(x[3]) == 3 + k
        assert bool(kn.any(x > 9 + k)) is False and bool(kn.any(x > 8 + k)) is True


def test_what_is_out_of_range_is_told_each_time_and_nobody_else():
    x = kn.arange(10)
    wrong, right = x[kn.asarray([3, 10])], x[kn.asarray([3, 9])]
    kn.eval(wrong)  # by a kernel of its own
    kn.eval(right)
    for _ in range(3):
        with pytest.raises(IndexError, match="index 10 is out of range"):
            int(wrong[0])
        with pytest.raises(IndexError, match="index 10 is out of range"):
            int(kn.sum(wrong) + 1)
        assert int(right[1]) == 9


def test_threads_read_elements_of_their_own_queues():
    wrong = []

    def work(number):
        with kn.Queue():
            x = kn.zeros(100, dtype=kn.int64) + number
            for k in range(1, 101):
                x = x + 1
                value = int(x[k % 100])
                if value != number + k:
                    wrong.append((number, k, value))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_many_reads_keep_no_memory():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    x = kn.arange(1000)[5]
    for _ in range(2000):
        int(x)
    before = resident()
    for _ in range(20000):
        int(x)
    assert resident() - before < 1_000_000  # 50 bytes each
