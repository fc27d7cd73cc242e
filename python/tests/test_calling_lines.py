# SPDX-License-Identifier: Apache-2.0
"""Logs and traces name the line of Python that asked for a kernel."""
import json
import os
import subprocess
import sys
import textwrap

PROGRAM = textwrap.dedent("""\
    import numpy as np, koine as kn
    x = kn.asarray([1.0, 2.0])
    y = x + 1

    def shown(z):
        return str(z)

    float(y[0])
    print(shown(x * 3))
    np.sum(x).item()
    list(x - 2)[0].eval()
    """)


def test_log_lines_end_with_the_line_that_asked(tmp_path):
    path = tmp_path / "asks.py"
    path.write_text(PROGRAM)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, env=os.environ | {"KOINE_LOG": "launch"})
    assert run.returncode == 0, run.stderr
    lines = [line.partition(", asked by ") for line in run.stderr.splitlines()]
    assert lines and all(line.startswith("koine launch: ") for line, _, _ in lines), run.stderr
    # In shown() the line is that of str(): the innermost outside of koine, as NumPy, which prints, asks nothing itself.
    asked = [(line.removeprefix("koine launch: ").split("_")[0], place) for line, _, place in lines]
    for name, number in (("add", 8), ("mul", 6), ("sum", 10), ("sub", 11)):
        assert (name, f"{path}:{number}") in asked, asked


TRACED = textwrap.dedent("""\
    import json, koine as kn
    x = kn.arange(1000, dtype=kn.float32).eval()
    kn.synchronize()  # some drivers tell no times of what begins behind work of before
    with kn.profile.Session() as session:
        (x * 2).eval()
    events = [event for event in json.loads(session.trace())["traceEvents"] if event["name"] == "mul_f32"]
    print(json.dumps([event["args"]["asked by"] for event in events]))
    """)


def test_events_of_a_trace_have_the_line_that_asked(tmp_path):
    """In a process of its own: a queue whose handle somebody has taken records nothing from then on."""
    path = tmp_path / "traced.py"
    path.write_text(TRACED)
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [f"{path}:5"]


def test_a_call_without_a_line_names_none():
    """From Python's own C code, before any frame: atexit's functions."""
    code = "import atexit, functools, koine as kn; x = kn.ones(3) * 2; atexit.register(x.eval)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"KOINE_LOG": "launch"})
    assert run.returncode == 0 and "launch: mul" in run.stderr.replace("fill", "mul") and "asked by" not in run.stderr, run.stderr
