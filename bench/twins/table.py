#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sets the outputs of koine_programs or koine_operations and of their twins side by side, and says which results are
wrong.

usage: table.py --kind programs|operations|functions --list FILE [--together] [--docs PAGE --device NAME --command TEXT]
                [--picture FILE.svg] KOINE.txt PEER.txt...

Peers are called what their files are; --list is what `programs.py list` or `operations.py list` print. Prints a table in
Markdown: milliseconds of a step, then the best peer's time over Koine's (above 1 Koine is faster) and, of programs, the
milliseconds to the first result. A peer that failed, or whose result is not that of the others, leaves a blank. --docs
puts it into section "KIND NAME" of a page. Exits with 1 where Koine gives a wrong result or none.
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
# ... where each library draws its own random numbers, five deviations of what is estimated, ...
TOLERANCES = {"pi": 3e-3, "asian_option": 6e-2, "normal": 2e-2, "uniform": 2e-2, "permutation": 2e-2}
# ... and where equal elements may come in any order.
TOLERANCES["argsort"] = 2e-2

FIRST = {
    "apart": "First is the time from the start of a process to its first result, with empty caches.",
    "together": "First is the time to the first result with empty caches. All programs of a library ran in one process, "
                "so that it counts the start of a process for the first program alone, for others from the end of the one "
                "before.",
}


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


def read_list(path, kind):
    """{name: (words, what leaves it out)} of a kind, in the order of the table"""
    with open(path) as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return {name: tuple(rest[-2:]) if len(rest) > 1 else (rest[0], "")
            for name, *rest in lines if len(rest) == 1 or rest[0] == kind}


def agree(name, value, middle):
    return abs(value - middle) <= TOLERANCES.get(name, TOLERANCE) * abs(middle)


def drop_wrong(names, koine, peers):
    """Drops results that are away from the median of all, and gives sentences about them: (Koine's, peers')."""
    wrong, others = [], []
    for name in names:
        if name not in koine:
            wrong.append(f"{name}: Koine gives nothing.")
            continue
        sums = {who: rows[name][2] for who, rows in {"koine": koine, **peers}.items() if name in rows}
        middle = statistics.median_low(sums.values())
        # Of two that do not agree nobody knows which is right.
        alone = len(sums) == 2 and not agree(name, max(sums.values()), min(sums.values()))
        if alone or not agree(name, sums["koine"], middle):
            wrong.append(f"{name}: {', '.join(f'{who} gives {value:.9g}' for who, value in sums.items())}.")
            del koine[name]
            continue
        for who in peers:
            if who in sums and not agree(name, sums[who], middle):
                others.append(f"{name}: {who} gives {sums[who]:.9g}, the median of all is {middle:.9g}.")
                del peers[who][name]
    return wrong, others


def ratios(koine, peers):
    """{program: the best peer's time over Koine's}"""
    best = {name: [rows[name][1] for rows in peers.values() if name in rows] for name in koine}
    return {name: min(times) / koine[name][1] for name, times in best.items() if times}


def summary(kind, values):
    if not values:
        return "No peers.\n"
    mean = math.exp(statistics.fmean(math.log(value) for value in values.values()))
    lowest = min(values, key=values.get)
    level = sum(value >= 1 for value in values.values())
    return (
        f"Geometric mean of {len(values)} {kind}: {mean:.2f}. At least level: {level}. "
        f"Lowest: {lowest}, {values[lowest]:.2f}.\n"
    )


def milliseconds(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def table(kind, described, koine, peers):
    values = ratios(koine, peers)
    programs = kind == "programs"
    heads = [kind[:-1], *([] if programs else ["what it is"]), "Koine, ms", *peers, "best peer / Koine"]
    heads += ["first: Koine, ms", *peers] if programs else []
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for name in described:
        if name not in koine:
            continue
        cells = [name] if programs else [name, described[name][0]]
        for column in (1, 0) if programs else (1,):
            cells.append(milliseconds(koine[name][column]))
            cells += [milliseconds(rows[name][column]) if name in rows else "" for rows in peers.values()]
            cells += [f"{values[name]:.2f}" if name in values else ""] if column else []
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--kind", required=True)
    parser.add_argument("--list", required=True)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--docs")
    parser.add_argument("--device")
    parser.add_argument("--command", default="")
    parser.add_argument("--picture")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    kind, described = options.kind, read_list(options.list, options.kind)
    read_files = {os.path.basename(path).rsplit(".", 1)[0]: read(path) for path in options.files}
    peers = {who: rows for who, (rows, _) in read_files.items() if rows}
    koine = peers.pop("koine", {})
    asked = [name for name in described if any(name in rows for rows in (koine, *peers.values()))]
    wrong, others = drop_wrong(asked, koine, peers)
    about = "; ".join(text for _, text in read_files.values() if text)
    text = f"{made_by(about, options.command)}{table(kind, described, koine, peers)}\n"
    text += summary(kind, ratios(koine, peers))
    if kind == "programs":
        text += f"\n{FIRST['together' if options.together else 'apart']}\n"
    left_out = [f"{name} ({described[name][1]})" for name in asked if described[name][1]]
    if left_out:
        text += f"\nLeft out by definition: {', '.join(left_out)}.\n"
    if wrong or others:
        text += "\nResults that do not agree, left out: " + " ".join(wrong + others) + "\n"
    print(text)
    if options.picture and koine:
        draw(options.picture, about, koine, peers)
        text += f"\n![Times of {kind} beside Koine's](images/{os.path.basename(options.picture)})\n"
    if options.docs:
        replace_section(options.docs, f"{kind} {options.device}", text)
    if wrong or not koine:
        sys.exit(1)


if __name__ == "__main__":
    main()
