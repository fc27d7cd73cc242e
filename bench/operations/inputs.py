# SPDX-License-Identifier: Apache-2.0
"""What operations read, by name: the numbers of inputs.cpp. Each is made at its first use and kept."""

import numpy as np


class Inputs:
    """n by n elements, n * n = `scale` times 2^20 of them, on a library's device."""

    def __init__(self, peer, data, scale):
        self.peer, self.data, self.n = peer, data, data.side(scale)
        self.made = {}

    def __getitem__(self, name):
        if name not in self.made:
            if name not in MAKERS:  # a part of another, which views where the library has views
                source, view = VIEWS[name]
                self.made[name] = view(self[source], self.n)
            elif name == "generator":
                self.made[name] = self.peer.generator(1)
            else:
                self.made[name] = self.peer.put(MAKERS[name](self.data, self.n))
        return self.made[name]


def _positions(data, n):
    """Places among n * n in two parts, since 24 binary digits may be too few for one."""
    count, low = n * n // 4, 1024
    return data.integers((count,), 8, n * n // low, "int64") * low + data.integers((count,), 9, low, "int64")


MAKERS = {
    "a": lambda data, n: data.uniform((n, n), 1),
    "b": lambda data, n: data.uniform((n, n), 2),
    "row": lambda data, n: data.uniform((n,), 3),
    "sorted_row": lambda data, n: np.sort(data.uniform((n,), 3)),
    "bytes": lambda data, n: (data.uniform((n, n), 1) * np.float32(255)).astype(np.uint8),
    "mask": lambda data, n: data.uniform((n, n), 1) > 0.5,
    "half": lambda data, n: data.uniform((n, n), 1).astype(np.float16),
    "double": lambda data, n: data.uniform((n, n), 1).astype(np.float64),
    "rows3": lambda data, n: data.uniform((n * n // 4, 3), 4),  # points, three numbers each
    "columns3": lambda data, n: data.uniform((3, n * n // 4), 5),  # the same, all of one coordinate together
    "few64": lambda data, n: data.uniform((64,), 6),
    "keys": lambda data, n: data.integers((n * n,), 7, 1000),
    "positions": _positions,
    "x": lambda data, n: data.uniform((n * n,), 10, 0.1, 3.1),  # for functions
    "y": lambda data, n: data.uniform((n * n,), 11, 0.1, 0.9),
    "x64": lambda data, n: data.uniform((n * n,), 10, 0.1, 3.1).astype(np.float64),
    "y64": lambda data, n: data.uniform((n * n,), 11, 0.1, 0.9).astype(np.float64),
    "generator": None,
}
VIEWS = {
    "line": ("a", lambda a, n: a.reshape(-1)),
    "other_line": ("b", lambda b, n: b.reshape(-1)),
    "double_line": ("double", lambda double, n: double.reshape(-1)),
    "rows16": ("a", lambda a, n: a.reshape(-1, 16)),
    "rows64": ("a", lambda a, n: a.reshape(-1, 64)),
    "middle4": ("a", lambda a, n: a.reshape(-1, 4, 16)),
    "squares8": ("a", lambda a, n: a.reshape(-1, 8, 8)),
    "squares64": ("a", lambda a, n: a.reshape(-1, 64, 64)),
    "corner": ("a", lambda a, n: a[:512, :512]),
    "head64": ("rows64", lambda rows64, n: rows64[:64]),
    "line_head": ("line", lambda line, n: line[: n * n // 64]),
    "points": ("rows3", lambda rows3, n: rows3[:n]),
    "some_rows": ("keys", lambda keys, n: keys[:n] + 0),
}
