#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One table from the JSON files of koine_bench and peers.py: medians over all files, Koine beside each peer.

usage: table.py [--docs PAGE --command TEXT] FILE.json...

--docs puts it into section "groups gpu" or "groups cpu" of a page, too.
"""

import argparse
import json
import re
import statistics

from page import made_by, replace_section

NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

# What is asked for: (Koine's work, the peer's work, peer, target), all but the target as patterns of names. A target is
# the least speed beside the peer, or, without a peer, the most nanoseconds.
TARGETS = [
    (r"elementwise/exp.* 2\^24", None, "NumPy", 5.0),
    (r"reduce/sum 2\^24", None, "NumPy", 1.5),
    (r"matmul/float32 (1024|2048)", None, "NumPy", 0.9),
    (r"elementwise/add 2\^28", None, "hand-written", 0.95),
    (r"elementwise/exp.* 2\^28", r"elementwise/add 2\^28", "hand-written", 0.95),
    (r"transfer/(to|from) device 1 GiB", None, "driver pinned", 0.5),
    (r"host/node .*", None, None, 1000),
    (r"planning/plan 1000 nodes.*", None, None, 300_000),  # 300 ns a node
    (r"host/small kernel, (built and )?enqueued", r"host/small kernel, enqueued", "bare launch", 1 / 1.5),
    (r"host/small kernel, built, .*", r"host/small kernel, enqueued and finished", "bare launch", 1 / 1.5),
]


def read(paths):
    times, rates, context = {}, {}, {}
    for path in paths:
        with open(path) as file:
            report = json.load(file)
        context.update({k: v for k, v in report["context"].items() if isinstance(v, str) and not v.startswith("left out")})
        for row in report["benchmarks"]:
            name = row["run_name"].removesuffix("/real_time")
            time = row["real_time"] * NANOSECONDS[row["time_unit"]]
            work, who = name.rsplit("/", 1)
            times.setdefault((work, who), []).append(time)
            for rate in ("bytes_per_second", "flops"):
                if rate in row:
                    rates[work] = (rate, row[rate] * time)  # of one step, so that peers get a rate too
    return {key: statistics.median(values) for key, values in times.items()}, rates, context


def time_text(nanoseconds):
    for unit in ("ns", "us", "ms"):
        if nanoseconds < 1000:
            break
        nanoseconds /= 1000
    else:
        unit = "s"
    return f"{nanoseconds:.3g} {unit}"


def cell(time, rate):
    if rate is None:
        return time_text(time)
    kind, amount = rate
    per_second = amount / time
    unit = "B/s" if kind == "bytes_per_second" else "FLOP/s"
    scaled, prefix = (per_second / 1e12, "T") if per_second >= 1e12 else (per_second / 1e9, "G")
    return f"{time_text(time)}, {scaled:.3g} {prefix}{unit}"


def target_of(work, peer_work, who):
    for pattern, peer_pattern, peer, target in TARGETS:
        if peer == who and re.fullmatch(pattern, work) and re.fullmatch(peer_pattern or re.escape(work), peer_work):
            return target
    return None


def comparisons(times):
    """(work, peer's work, peer) for every row of the table, in the order of the benchmarks."""
    for work, who in times:
        if who != "koine":
            continue
        peers = [(w, p) for w, p in times if w == work and p != "koine"]
        for pattern, peer_pattern, peer, _ in TARGETS:
            if peer_pattern and re.fullmatch(pattern, work):
                others = [(w, p) for w, p in times if p == peer and re.fullmatch(peer_pattern, w)]
                peers += [other for other in others if other not in peers]
        for peer_work, peer in peers or [(work, None)]:
            yield work, peer_work, peer


def row(times, rates, work, peer_work, peer):
    koine = times[work, "koine"]
    target = target_of(work, peer_work, peer)
    cells = [work, cell(koine, rates.get(work))]
    if peer is None:
        cells += ["", ""]
        wanted = f"at most {time_text(target)}" if target else ""
        met = target and koine <= target
    else:
        other = times[peer_work, peer]
        elsewhere = "" if peer_work == work else f" ({peer_work.split('/', 1)[1]})"
        cells += [f"{peer}{elsewhere}: {cell(other, rates.get(peer_work))}", f"{other / koine:.2f}"]
        wanted = f"at least {target:.2f}" if target else ""
        met = target and other / koine >= target
    return cells + [wanted, "" if target is None else "met" if met else "MISSED"]


def markdown(table):
    widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(cells, widths)) + " |" for cells in table]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--docs")
    parser.add_argument("--command", default="")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()

    times, rates, context = read(options.files)
    peers = ("NumPy", "CuPy", "PyTorch", "JAX")
    about = ", ".join([context.get("device", "no device"), f"driver {context.get('driver', 'unknown')}",
                       *(f"{key} {context[key]}" for key in peers if key in context)])
    table = [["work", "Koine", "peer", "speed beside it", "target", ""]]
    table += [row(times, rates, *comparison) for comparison in comparisons(times)]
    missed = sum(cells[-1] == "MISSED" for cells in table)
    text = made_by(about, options.command) + markdown(table)
    text += f"\n{missed} targets missed.\n" if missed else "\nAll targets met.\n"
    print(text)
    if options.docs:
        where = "gpu" if ":gpu:" in context.get("selector", "") else "cpu"
        replace_section(options.docs, f"groups {where}", text)


if __name__ == "__main__":
    main()
