# SPDX-License-Identifier: Apache-2.0
"""Writes what a script has measured into a page of docs, between <!-- NAME --> and <!-- end of NAME -->.

usage: page.py PAGE NAME ABOUT COMMAND <TABLE
"""

import datetime
import os
import shlex
import sys


def replace_section(path, name, text):
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    with open(path) as file:
        page = file.read()
    if page.count(start) != 1 or page.count(end) != 1:
        sys.exit(f"{path} has no section {start} ... {end}")
    before, rest = page.split(start)
    with open(path, "w") as file:
        file.write(f"{before}{start}\n{text}{end}{rest.split(end)[1]}")


def told(*names):
    """Those variables of the environment that are set, as they stand before a command."""
    return "".join(f"{name}={shlex.quote(os.environ[name])} " for name in names if os.environ.get(name))


def of_device(koine):
    """What the Python module says of itself and of its device."""
    device = koine.default_device()
    cores = f", {len(os.sched_getaffinity(0))} cores" if ":cpu:" in device.selector else ""
    return f"Koine {koine.__version__} on {device.selector} ({device.name}{cores}), driver {device.driver}"


def made_by(about, command):
    """The line above a table: devices and versions, the day, and the command."""
    return f"{about}. {datetime.date.today()}, `{command.strip()}`.\n\n"


if __name__ == "__main__":
    page, name, about, command = sys.argv[1:]
    replace_section(page, name, made_by(about, command) + sys.stdin.read())
