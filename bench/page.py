# SPDX-License-Identifier: Apache-2.0
"""Writes what a script has measured into a page of docs, between <!-- NAME --> and <!-- end of NAME -->."""

import datetime
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


def made_by(about, command):
    """The line above a table: devices and versions, the day, and the command."""
    return f"{about}. {datetime.date.today()}, `{command}`.\n\n"
