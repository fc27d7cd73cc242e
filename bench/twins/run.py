# SPDX-License-Identifier: Apache-2.0
"""Times programs and operations over another library: what main.cpp does over Koine. programs.py and operations.py call
it with what they have."""

import os
import sys
import time
from typing import Callable, NamedTuple

from libraries import PEERS


class Run(NamedTuple):
    """What is timed, made for one library and one scale."""

    steps: int  # between two looks of the clock
    seconds: float  # how long it is repeated, where SECONDS_EACH does not say
    inputs_first: bool  # whether the time to the first result begins now
    call: Callable  # all steps, computed when it returns
    checksum: Callable  # a number that all libraries must agree on


def now():
    """Seconds on the clock that /proc tells the start of processes by."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def process_start():
    with open("/proc/self/stat") as file:
        return int(file.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")


def measure(name, make, peer, scale, start):
    run = make(name, peer, scale)
    if run is None:
        return
    seconds = float(os.environ.get("SECONDS_EACH", run.seconds))
    if run.inputs_first:
        start = now()
    run.call()
    computed = now()
    checksum = float(run.checksum())
    cold = (computed if run.inputs_first else now()) - start
    run.call()
    times, begin = [], now()
    while len(times) < 3 or (now() - begin < seconds and len(times) < 1000):
        before = now()
        run.call()
        times.append((now() - before) / run.steps)
    print(f"{name} {1e3 * cold:.1f} {1e3 * sorted(times)[len(times) // 2]:.4f} {checksum:.9g}", flush=True)


def main(usage, described, make):
    """`described` are all names with a few words about each, and what libraries leave them out; `make` gives the Run of
    (name, peer, scale), or None where the library is left out."""
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in ("list", *PEERS):
        sys.exit(usage)
    if arguments[0] == "list":
        for name, words in described.items():
            print(name, *words, sep="\t")
        return
    scale = int(arguments[1]) if len(arguments) > 1 else 1
    failed, start = 0, process_start()
    peer = PEERS[arguments[0]]()
    print(f"# {peer.about()}", flush=True)
    for name in arguments[2:] or described:
        try:
            measure(name, make, peer, scale, start)
        except Exception as error:  # one that a library cannot run leaves the others
            print(f"{name} failed: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}", flush=True)
            failed += 1
        start = now()
    sys.exit(1 if failed else 0)
