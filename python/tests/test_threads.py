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


def gil_seen_free(code):
    """Runs code that defines `work`, which stays in C++ for long, and prints its seconds and the longest time in which another
    thread could not run meanwhile."""
    result = run("""
        import sys, threading, time
        import koine as kn
        sys.setswitchinterval(1e-4)
        going, gaps = True, [0.0]

        def look():
            last = time.perf_counter()
            while going:
                time.sleep(1e-4)
                now = time.perf_counter()
                gaps[0] = max(gaps[0], now - last)
                last = now
        """ + code + """
        looker = threading.Thread(target=look)
        looker.start()
        time.sleep(0.02)
        gaps[0] = 0.0
        start = time.perf_counter()
        work()
        seconds, gap = time.perf_counter() - start, gaps[0]
        going = False
        looker.join()
        print(seconds, gap)
        """)
    assert result.returncode == 0, result.stderr
    return map(float, result.stdout.split())


def test_other_threads_run_while_a_kernel_is_launched_for_the_first_time():
    """Some drivers compile only then."""
    seconds, gap = gil_seen_free("""
        new = time.time_ns() % 1000003  # what no cache has
        lines = "".join(f"x = x * {n}.5f + {n}; if (x > {new + n}e9f) x -= y[{n} % 64];" for n in range(200))
        kernel = kn.Kernel("kernel void f(global float* y) { float x = get_global_id(0);" + lines + "y[get_global_id(0)] = x; }")
        y = kn.zeros(64).eval()
        kn.synchronize()
        def work():
            kernel(64, kn.out(y), local=(16,))
        """)
    if seconds < 0.1:
        pytest.skip(f"this driver has nothing to compile at the launch, which took {seconds:.3f} s")
    assert gap < seconds / 2, (seconds, gap)


@pytest.mark.parametrize("call", ["trace()", "save_trace('/dev/null')"])
def test_other_threads_run_while_a_trace_is_written(call):
    seconds, gap = gil_seen_free(f"""
        import koine.profile
        with kn.profile.Session() as session:
            x = kn.zeros((300, 300)).eval()
            for _ in range(60_000):
                x = (x + 1).eval()
        def work():
            session.{call}
        """)
    if seconds < 0.05:
        pytest.skip(f"the trace takes {seconds:.3f} s, too short to be seen")
    assert gap < seconds / 2, (seconds, gap)


def test_an_array_that_a_kernel_changes_is_read_before_or_after_and_changed_in_place():
    kernel = kn.Kernel("kernel void add(global long* x, long a) { x[get_global_id(0)] += a; }")
    x = kn.zeros(1000, dtype=kn.int64)

    def work(number):
        for _ in range(100):
            if number % 2:
                kernel(1000, kn.out(x), 1)
            else:
                x.__iadd__(1)
            values = np.asarray(x)
            assert values.min() == values.max()

    together(work)
    assert x.tolist() == [400] * 1000
    sums, other = kn.zeros(8, dtype=kn.int64), kn.ones(8, dtype=kn.int64)
    both = kn.Kernel("kernel void both(global long* x, global long* y) { size_t i = get_global_id(0); x[i] += 1; y[i] += 1; }")

    def crossed(number):
        for _ in range(100):
            both(8, *((kn.out(sums), kn.out(other)) if number % 2 else (kn.out(other), kn.out(sums))))

    together(crossed)
    assert sums.tolist() == [400] * 8 and other.tolist() == [401] * 8


# Work whose kernel a compiler reads for a second: the tokens of a condition double from macro to macro.
SLOW = """
        macros = ["#define M0 +1", *(f"#define M{i} M{i - 1} M{i - 1}" for i in range(1, 20))]
        unique = f"constant int not_cached_{time.time_ns()} = 0;"
        text = "\\n".join([*macros, "#define TWO 2.0f", "#if 0 M19", "#endif", unique, ""])
        twice = kn.ElementwiseKernel("T x", "T z", "z = TWO * x", "twice", preamble=text)
        x, y = kn.ones(50_000).eval(), kn.ones(100_000).eval()
        kn.synchronize()
"""


@pytest.mark.parametrize("statement", ["for _ in range(2000): z = z + x", "for _ in range(2000): z += 1", "y[10:50010] = z", "y[::2] += z"])
def test_other_threads_run_while_an_operator_or_an_assignment_compiles(statement):
    seconds, gap = gil_seen_free(SLOW + f"""
        z = twice(x)
        def work():
            global z, y
            {statement}
        """)
    assert seconds > 0.1
    assert gap < seconds / 2, (seconds, gap)


def test_an_array_that_an_assignment_waits_to_change_is_read_before_or_after_it():
    result = run("""
        import threading, time
        import koine as kn""" + SLOW + """
        seen = []

        def look():
            while going:
                part = y[10:50010]  # once: the other thread changes y between two looks
                seen.append(kn.min(part).item() == kn.max(part).item())

        def change():
            for _ in range(3):
                y.__iadd__(1)

        going = True
        threads = [threading.Thread(target=look), threading.Thread(target=change)]
        for thread in threads:
            thread.start()
        y[10:50010] = twice(x)
        threads[1].join()
        going = False
        threads[0].join()
        print(all(seen), float(y[9]), 2 <= float(y[10]) <= 5)
        """)
    assert (result.returncode, result.stdout) == (0, "True 4.0 True\n"), result
