# SPDX-License-Identifier: Apache-2.0
"""Draws the times of programs as an SVG: a row for each program, a dot for each library on a logarithmic axis."""

import math
from xml.sax.saxutils import escape

COLOURS = {"koine": "#d1495b", "numpy": "#8d99ae", "cupy": "#66a182", "torch": "#edae49", "jax": "#00798c"}
LEFT, RIGHT, ROW, TOP = 150, 690, 20, 62


def draw(path, about, koine, peers):
    """Times beside Koine's, which is 1: what lies to the right takes longer."""
    names = sorted(koine, key=lambda name: min((rows[name][1] for rows in peers.values() if name in rows), default=0) / koine[name][1])
    beside = {who: {name: rows[name][1] / koine[name][1] for name in names if name in rows} for who, rows in peers.items()}
    every = [1.0] + [value for values in beside.values() for value in values.values()]
    low, high = math.floor(math.log2(min(every))), math.ceil(math.log2(max(every)))
    high = max(high, low + 1)
    bottom = TOP + ROW * len(names)

    def x(value):
        return LEFT + (RIGHT - LEFT) * (math.log2(value) - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{bottom + 40}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<text x="12" y="20" font-size="14" font-weight="bold">Time of a step beside Koine\'s: to the right of 1 Koine is faster</text>',
    ]
    at = 12
    for who in ["koine", *peers]:
        parts.append(f'<circle cx="{at + 5}" cy="38" r="5" fill="{COLOURS.get(who, "black")}"/><text x="{at + 15}" y="42">{who}</text>')
        at += 85
    for power in range(low, high + 1, max(1, (high - low) // 8)):
        label = f"{2**power}" if power >= 0 else f"1/{2**-power}"
        parts.append(f'<line x1="{x(2.0**power):.1f}" y1="{TOP - 8}" x2="{x(2.0**power):.1f}" y2="{bottom}" stroke="#ddd"/>')
        parts.append(f'<text x="{x(2.0**power):.1f}" y="{bottom + 15}" text-anchor="middle">{label}</text>')
    parts.append(f'<line x1="{x(1):.1f}" y1="{TOP - 8}" x2="{x(1):.1f}" y2="{bottom}" stroke="{COLOURS["koine"]}"/>')
    for row, name in enumerate(names):
        y = TOP + ROW * row + ROW // 2
        parts.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        for who, values in {**beside, "koine": {name: 1.0}}.items():
            if name in values:
                parts.append(f'<circle cx="{x(values[name]):.1f}" cy="{y}" r="5" fill="{COLOURS.get(who, "black")}" fill-opacity="0.85"/>')
    parts.append(f'<text x="12" y="{bottom + 32}" font-size="10" fill="#666">{escape(about)}</text></svg>')
    with open(path, "w") as file:
        file.write("\n".join(parts) + "\n")
