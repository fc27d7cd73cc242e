#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the programs of this folder over another library: what koine_programs does over Koine.

usage: programs.py numpy|cupy|torch|jax [scale] [name...]
       programs.py list                                   names, and what each program does

Prints "name cold_ms steady_ms checksum". Cold is the time to the first result, of the first program from the start of
the process, and steady the median time of a step. SECONDS_EACH is how long each is repeated (0.3).
"""

import ast
import importlib
import pathlib
import sys

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent / "twins"))
import data  # noqa: E402
from run import Run, main  # noqa: E402


def described():
    """{name: (the first line of what its file says,)}. A program is a file of C++ and one of Python."""
    files = sorted(file for file in FOLDER.glob("*.py") if file.with_suffix(".cpp").exists())
    return {file.stem: (ast.get_docstring(ast.parse(file.read_text())).splitlines()[0],) for file in files}


def make(name, peer, scale):
    program = importlib.import_module(name)
    step = peer.jit(lambda *state: program.step(peer, *state))
    look = getattr(program, "look", None)
    state = program.setup(peer, data, scale)

    def call():
        nonlocal state
        for _ in range(program.STEPS):
            state = step(*state)
            if look:
                look(*state)
        peer.wait(state)

    return Run(program.STEPS, 0.3, False, call, lambda: program.checksum(peer, *state))


if __name__ == "__main__":
    main(__doc__, described(), make)
