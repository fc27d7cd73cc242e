#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the programs of this folder over another library: what main.cpp does over Koine.

usage: programs.py numpy|cupy|torch|jax [scale] [name...]

Prints "name cold_ms steady_ms checksum". Cold is the time to the first result, of the first program from the start of
the process, and steady the median time of a step. PROGRAM_SECONDS is how long each is repeated (0.3).
"""

import importlib
import os
import sys
import time

sys.dont_write_bytecode = True
import data  # noqa: E402
from peers import peer_of  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
# A program is a file of C++ and one of Python.
FILES = set(os.listdir(FOLDER))
NAMES = sorted(file[:-3] for file in FILES - {"data.py"} if file.endswith(".py") and file[:-3] + ".cpp" in FILES)


def now():
    """Seconds on the clock that /proc tells the start of processes by."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def process_start():
    with open("/proc/self/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")


def measure(name, peer, scale, start, seconds):
    program = importlib.import_module(name)
    step = peer.jit(lambda *state: program.step(peer, *state))
    look = getattr(program, "look", None)

    def run(state):
        for _ in range(program.STEPS):
            state = step(*state)
            if look:
                look(*state)
        peer.wait(state)
        return state

    state = run(program.setup(peer, data, scale))
    checksum = float(program.checksum(peer, *state))
    cold = now() - start
    state = run(state)
    times, begin = [], now()
    while len(times) < 3 or (now() - begin < seconds and len(times) < 1000):
        before = now()
        state = run(state)
        times.append((now() - before) / program.STEPS)
    print(f"{name} {1e3 * cold:.1f} {1e3 * sorted(times)[len(times) // 2]:.4f} {checksum:.9g}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    scale = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    seconds = float(os.environ.get("PROGRAM_SECONDS", 0.3))
    failed, start = 0, process_start()
    peer = peer_of(sys.argv[1])
    print(f"# {peer.about()}", flush=True)
    for name in sys.argv[3:] or NAMES:
        try:
            measure(name, peer, scale, start, seconds)
        except Exception as error:  # one program that a library cannot run leaves the others
            print(f"{name} failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}", flush=True)
            failed += 1
        start = now()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
