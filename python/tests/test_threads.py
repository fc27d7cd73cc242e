# SPDX-License-Identifier: Apache-2.0
"""Several threads of Python: what they share, and threads that still compute when the interpreter ends."""
import subprocess
import sys
import textwrap
import threading

import koine as kn
import numpy as np
import pytest


def run(code, timeout=60):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout)


def together(work, count=4):
    """Runs work(number) on several threads that begin at once."""
    failures, begin = [], threading.Barrier(count)

    def body(number):
        try:
            begin.wait()
            work(number)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert failures == []


def test_threads_that_compute_do_not_disturb_the_end_of_the_interpreter():
    result = run("""
        import threading, time, koine as kn
        x = kn.ones((200, 200))
        done = [0] * 4

        def work(number):
            while True:
                assert float((x + number).sum()) == 40000 * (number + 1)
                x[0, [0, 1]].eval()
                done[number] += 1

        for number in range(4):
            threading.Thread(target=work, args=(number,), daemon=True).start()
        while min(done) < 3:
            time.sleep(0.01)
        print("ends")
        """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "ends\n", "")


def test_a_slow_import_in_one_thread_stops_no_other():
    """Subscripts and assignments call functions of the package, which another thread may be about to import."""
    result = run("""
        import builtins, sys, threading, time, koine as kn
        x, found = kn.asarray([1, 2, 3]), builtins.__import__

        def slow(name, *rest, **named):
            if name == "koine":
                time.sleep(0.2)
            return found(name, *rest, **named)

        builtins.__import__ = slow
        results = []
        threads = [threading.Thread(target=lambda: results.append(x[[0, 2]].tolist()), daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        print(results, flush=True)
        """)
    assert result.stdout == "[[1, 3], [1, 3]]\n", result.stderr


def test_a_generator_gives_each_thread_numbers_of_its_own():
    generator, drawn = kn.random.default_rng(5), [None] * 4

    def work(number):
        drawn[number] = [generator.uniform(size=4) for _ in range(200)]

    together(work)
    values = {tuple(np.asarray(x).tolist()) for each in drawn for x in each}
    assert len(values) == 800
    reference = kn.random.default_rng(5)
    assert values == {tuple(np.asarray(reference.uniform(size=4)).tolist()) for _ in range(800)}


def test_copies_that_go_on_beside_work_are_started_by_any_thread():
    sources = [np.full(1000, number, dtype=np.float32) for number in range(4)]

    def work(number):
        for _ in range(50):
            x = kn.zeros(1000)
            event = kn.copy_async(sources[number], x)
            event.wait()
            assert float(x.sum()) == 1000 * number

    together(work)


def test_one_array_is_changed_and_read_by_several_threads():
    x = kn.zeros(100, dtype=kn.int64)

    def work(number):
        for _ in range(100):
            x.__iadd__(1)
            x[number] = 0
            value = int(x[50])
            assert 0 < value <= 400

    together(work)
    assert int(x[50]) == 400


def test_scopes_belong_to_a_thread():
    seen = {}

    def work(number):
        with kn.DTypeScope(kn.float32 if number % 2 else kn.float64):
            for _ in range(50):
                seen[number, kn.zeros(1).dtype.name] = True

    if kn.float64 not in kn._koine._dtypes(None):
        pytest.skip("the device has no float64")
    together(work)
    assert sorted(seen) == [(0, "float64"), (1, "float32"), (2, "float64"), (3, "float32")]
