#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets the outputs of koine_programs and programs.py side by side, and says which results are wrong.

usage: table.py [--docs PAGE --section NAME --command TEXT] [--picture FILE.svg] KOINE.txt PEER.txt...

Peers are called what their files are. Prints a table in Markdown: milliseconds of a step, then the best peer's time over
Koine's (above 1 Koine is faster), then milliseconds to the first result. --docs puts it into section
"programs NAME" of a page. Exits with 1 where results do not agree.
"""

import argparse
import math
import os
import statistics
import sys

from picture import draw

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from page import made_by, replace_section

# How far a checksum may lie from the median of all, as a part of it: sums of float32 in another order, ...
TOLERANCE = 1e-3
# ... and where each library draws its own random numbers, five deviations of what is estimated.
TOLERANCES = {"pi": 3e-3, "asian_option": 6e-2}


def read(path):
    """({program: (cold, steady, checksum)}, what the file says of device and versions)"""
    rows, about = {}, ""
    with open(path) as file:
        for line in file:
            words = line.split()
            if line.startswith("#"):
                about = line[1:].strip()
            elif len(words) == 4 and words[1] != "failed:":
                rows[words[0]] = tuple(float(word) for word in words[1:])
    return rows, about


def wrong_results(results):
    """Sentences about checksums that are away from the median of all, and about programs that Koine did not run."""
    wrong = []
    for name in sorted({name for rows in results.values() for name in rows}):
        sums = {who: rows[name][2] for who, rows in results.items() if name in rows}
        middle = statistics.median_low(sums.values())
        for who, value in sums.items():
            if not abs(value - middle) <= TOLERANCES.get(name, TOLERANCE) * abs(middle):
                wrong.append(f"{name}: {who} gives {value:.9g}, the median of all is {middle:.9g}")
        if "koine" not in sums:
            wrong.append(f"{name}: koine gives nothing")
    return wrong


def ratios(koine, peers):
    """{program: the best peer's time over Koine's}"""
    best = {name: [rows[name][1] for rows in peers.values() if name in rows] for name in koine}
    return {name: min(times) / koine[name][1] for name, times in best.items() if times}


def summary(values):
    if not values:
        return "no peers\n"
    mean = math.exp(statistics.fmean(math.log(value) for value in values.values()))
    lowest = min(values, key=values.get)
    level = sum(value >= 1 for value in values.values())
    return (
        f"Geometric mean of {len(values)} programs: {mean:.2f}. At least level: {level}. "
        f"Lowest: {lowest}, {values[lowest]:.2f}.\n"
    )


def milliseconds(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(koine, peers):
    values = ratios(koine, peers)
    heads = ["program", "Koine, ms", *peers, "best peer / Koine", "first: Koine, ms", *peers]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name, (cold, steady, _) in koine.items():
        cells = [name, milliseconds(steady)]
        cells += [milliseconds(rows[name][1]) if name in rows else "" for rows in peers.values()]
        cells += [f"{values[name]:.2f}" if name in values else "", milliseconds(cold)]
        cells += [milliseconds(rows[name][0]) if name in rows else "" for rows in peers.values()]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--docs")
    parser.add_argument("--section")
    parser.add_argument("--command", default="")
    parser.add_argument("--picture")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    read_files = {os.path.basename(path).rsplit(".", 1)[0]: read(path) for path in options.files}
    results = {who: rows for who, (rows, _) in read_files.items() if rows}
    koine = results.pop("koine", {})
    about = "; ".join(text for _, text in read_files.values() if text)
    text = f"{made_by(about, options.command)}{table(koine, results)}\n"
    text += summary(ratios(koine, results))
    print(text)

    wrong = wrong_results({"koine": koine, **results})
    for line in wrong:
        print(f"WRONG {line}")
    if wrong:
        sys.exit(1)
    if options.picture:
        draw(options.picture, about, koine, results)
        text += f"\n![Times of programs beside Koine's](images/{os.path.basename(options.picture)})\n"
    if options.docs:
        replace_section(options.docs, f"programs {options.section}", text)


if __name__ == "__main__":
    main()
