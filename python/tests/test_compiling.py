# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a compiler is waited for: the wait ends, nothing is lost, and the compiler finishes by itself."""
import subprocess
import sys
import textwrap

# A text that compilers read for a second or so: the tokens of a condition double from macro to macro.
SLOW = """
import os, signal, sys, threading, time
import koine as kn, numpy as np
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells' background jobs ignore it
TOKENS = 20

def slow(name):
    macros = ["#define M0 +1", *(f"#define M{i} M{i - 1} M{i - 1}" for i in range(1, TOKENS + 1))]
    unique = f"constant int not_cached_{time.time_ns()} = 0;"
    return "\\n".join([*macros, f"#define {name} 2.0f", f"#if 0 M{TOKENS}", "#endif", unique, ""])

def interrupted(work):
    "Stops the work by Ctrl-C. It stops sooner than it ends when it is done anew, for which it goes on by itself."
    sent = []
    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    threading.Timer(0.1, send).start()
    try:
        work()
        time.sleep(0.3)
    except KeyboardInterrupt:
        pass
    stopped = time.perf_counter()
    result = work()
    assert stopped - sent[0] < time.perf_counter() - stopped
    return result

def twice(name):
    return kn.ElementwiseKernel("T x", "T z", f"z = {name} * x", name.lower(), preamble=slow(name))

x = kn.ones(100_000).eval()
"""


def run(code):
    return subprocess.run([sys.executable, "-c", SLOW + textwrap.dedent(code)], capture_output=True, text=True, timeout=120)


def test_ctrl_c_stops_the_wait_for_a_compiler():
    result = run("""
        y = twice("A")(x)
        print(interrupted(lambda: float(kn.sum(y))))
        source = slow("B") + "kernel void b(global const float* x, global float* y) { y[0] = B * x[0]; }"
        print(interrupted(lambda: kn.Kernel(source))(1, x, kn.out(1, kn.float32)).tolist())
        """)
    assert (result.returncode, result.stdout) == (0, "200000.0\n[2.0]\n"), result


def test_what_was_stopped_goes_on_while_others_compile_and_the_interpreter_ends():
    result = run("""
        y = twice("C")(x)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            y.eval()
        except KeyboardInterrupt:
            print(float(kn.sum(kn.sin(x * 0) + 1)))  # another program
        """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "100000.0\n", ""), result


def test_a_handler_that_returns_lets_the_wait_go_on_and_may_compute():
    result = run("""
        seen = []
        signal.signal(signal.SIGUSR1, lambda *_: seen.append(float(kn.sum(x[:10]))))
        y = twice("D")(x)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        value = float(kn.sum(y))
        print(value, seen)
        """)
    assert (result.returncode, result.stdout) == (0, "200000.0 [10.0]\n"), result


def test_a_handler_may_compile_in_an_assignment():
    result = run("""
        z, other = kn.ones(100).eval(), twice("F")(x[:10])
        def assign(*_):
            z[10:20] = other
        signal.signal(signal.SIGUSR1, assign)
        y = twice("G")(x)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        print(float(kn.sum(y)), float(kn.sum(z)))
        """)
    assert (result.returncode, result.stdout) == (0, "200000.0 110.0\n"), result


def test_a_launch_whose_argument_needs_a_compiler_is_stopped():
    result = run("""
        source = "kernel void add(global const float* x, global float* y) { y[0] += x[0]; }"
        kernel, total = kn.Kernel(source), kn.zeros(1)
        kernel(1, x, total)
        y = twice("E")(x)
        interrupted(lambda: kernel(1, y, total))  # which adds once, not twice
        print(total.tolist())
        """)
    assert (result.returncode, result.stdout) == (0, "[3.0]\n"), result


def test_ctrl_c_stops_an_assignment_that_compiles():
    """The array stays what it was."""
    result = run("""
        y = kn.zeros(100_000).eval()
        for statement in ("y[10:] = z[10:]", "y.at[10:].add(z[10:])", "y[:10] = w[:10]"):
            z = w = twice("H")(x)
            before, sent = y.tolist(), []
            def send():
                sent.append(time.perf_counter())
                os.kill(os.getpid(), signal.SIGINT)
            threading.Timer(0.1, send).start()
            try:
                exec(statement)
                print("missed", statement)
            except KeyboardInterrupt:
                stopped = time.perf_counter()
            assert y.tolist() == before
            exec(statement)
            assert stopped - sent[0] < time.perf_counter() - stopped, statement
        print(float(y[0]), float(y[10]), float(y[-1]))
        """)
    assert (result.returncode, result.stdout) == (0, "2.0 4.0 4.0\n"), result


def test_a_handler_of_ctrl_c_that_returns_lets_the_assignment_begin_anew():
    """And may use the array."""
    result = run("""
        y, seen = kn.zeros(100_000).eval(), []
        def handler(*_):
            seen.append(float(y[5]))
            y[0] = 7
        signal.signal(signal.SIGINT, handler)
        z = twice("I")(x)
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        y[10:] = z[10:]
        print(seen, float(y[0]), float(y[9]), float(y[10]))
        """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "[0.0] 7.0 0.0 2.0\n", ""), result
