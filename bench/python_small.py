# SPDX-License-Identifier: Apache-2.0
"""Small arrays from Python: some hundred operations of 10 and of 1000 elements, each evaluated, beside NumPy's on the
CPU or PyTorch's on a card; the best of several rounds in turn, worst ratios last.

usage: KOINE_DEVICE=... python bench/python_small.py [--docs] cpu|cuda [a part of a line ...]      (koine on PYTHONPATH)
       KOINE_DEVICE=... python bench/python_small.py building   what building x + y takes in Python beyond C++'s time, by
                                                                the koine_bench that KOINE_BENCH names, or PATH
       KOINE_DEVICE=... taskset -c 0,1 python bench/python_small.py mixture   whole fits of scikit-learn's GaussianMixture
                                                                to 10^5 points of 20 numbers, in float32, on two cores
ROUNDS is how many rounds there are (5), SECONDS_EACH how long a line takes in each (0.01), SIZES the numbers of
elements ("10 1000"). --docs writes what they come to, some lines and those farthest behind into docs/python.md. On a card "enqueued" is the time until the next line of Python runs, "finished" with a wait.
"""
import copy
import itertools
import json
import math
import os
import pickle
import shlex
import subprocess
import sys
import time

import koine as kn
import numpy as np

from page import made_by, of_device, replace_section, told

ROUNDS, SECONDS_EACH = int(os.environ.get("ROUNDS", 5)), float(os.environ.get("SECONDS_EACH", 0.01))
SIZES = [int(size) for size in os.environ.get("SIZES", "10 1000").split()]
docs = "--docs" in sys.argv
where, *wanted = [argument for argument in sys.argv[1:] if argument != "--docs"]
card = where == "cuda"
if card:
    import torch

# Expressions of arrays, a line each: Koine's, then `| name: ` and another library's where it is written otherwise, or
# "-" where it has none. xp is the library, n the number of elements, host are the values of x in NumPy, g is a
# generator; for arrays see values().
ARRAYS = """
x + y
x + 1.0
x * 2.0 + y
x / y
-x
x > y
i == 0.5
x ** 2
i + j
i // 3
i % 7
i & j
c * c
m & (x > y)
~m
abs(x)
xp.sqrt(y)
xp.exp(x)
xp.sin(x)
xp.tanh(x)
xp.atan2(x, y)
xp.maximum(x, y)
xp.where(m, x, y)
xp.where(m, x, 0.0)
xp.clip(x, 0.2, 0.8)
xp.isnan(x)
xp.round(x)
xp.astype(x, xp.float64) | torch: x.to(xp.float64)
x.astype(xp.int32) | torch: x.to(xp.int32)
xp.sum(x)
xp.mean(x)
xp.max(x)
xp.prod(x)
xp.std(x) | torch: xp.std(x, correction=0)
xp.argmax(x)
xp.any(m)
xp.all(m)
x.sum()
xp.sum(i)
xp.sum(a, axis=0)
xp.sum(a, axis=1)
xp.max(a, axis=1) | torch: xp.amax(a, axis=1)
xp.count_nonzero(i)
xp.cumulative_sum(x) | torch: xp.cumsum(x, 0)
xp.median(x)
xp.diff(x)
xp.linalg.vector_norm(x)
x[3]
x[2:8]
x[::2]
x[::-1]
x[m]
x[p]
a[0]
a[:, 1]
a[0, 2]
x[None]
a[..., p]
xp.take(x, p)
xp.zeros(n) | torch: xp.zeros(n, device=device)
xp.ones(n) | torch: xp.ones(n, device=device)
xp.full(n, 1.5) | torch: xp.full((n,), 1.5, device=device)
xp.empty(n) | torch: xp.empty(n, device=device)
xp.arange(n) | torch: xp.arange(n, device=device)
xp.linspace(0.0, 1.0, n) | torch: xp.linspace(0.0, 1.0, n, device=device)
xp.eye(4) | torch: xp.eye(4, device=device)
xp.zeros_like(x)
xp.ones_like(x)
xp.asarray([1.0, 2.0, 3.0]) | torch: xp.asarray([1.0, 2.0, 3.0], device=device)
xp.asarray(1.5) | torch: xp.asarray(1.5, device=device)
xp.asarray(host) | numpy: xp.array(host) | torch: xp.tensor(host, device=device)
xp.tril(s)
xp.reshape(x, (2, -1))
a.T
a.T + 1.0
xp.concat([x, y])
xp.stack([x, y])
xp.stack([x, y], axis=1)
xp.flip(x) | torch: xp.flip(x, (0,))
xp.roll(x, 1)
xp.tile(x, (2,))
xp.repeat(x, 2) | torch: xp.repeat_interleave(x, 2)
xp.pad(x, 1) | torch: xp.nn.functional.pad(x, (1, 1))
xp.broadcast_to(x, (2, n))
xp.expand_dims(x, axis=0) | torch: xp.unsqueeze(x, 0)
x.copy() | torch: x.clone()
xp.sort(x) | torch: xp.sort(x)[0]
xp.argsort(x)
xp.unique_values(k) | torch: xp.unique(k)
xp.searchsorted(w, w)
xp.isin(i, j)
xp.bincount(k)
xp.interp(w, w, w) | torch: -
x @ y
s @ s
s @ v
xp.outer(v, v)
xp.einsum("ij,jk->ik", s, s)
xp.tensordot(s, s, axes=1) | torch: xp.tensordot(s, s, dims=1)
xp.linalg.cross(t, t)
xp.linalg.trace(s) | torch: xp.trace(s)
xp.linalg.diagonal(s) | torch: xp.diagonal(s)
xp.linalg.inv(h)
xp.linalg.det(h)
xp.linalg.solve(h, v)
xp.linalg.cholesky(h)
xp.linalg.eigvalsh(h)
xp.fft.fft(f)
xp.fft.rfft(r)
xp.convolve(x, v) | torch: -
g.random(n) | torch: xp.rand(n, device=device)
g.standard_normal(n) | torch: xp.randn(n, device=device)
g.integers(0, 10, n) | torch: xp.randint(0, 10, (n,), device=device)
g.permutation(n) | torch: xp.randperm(n, device=device)
"""
# Those that give several arrays.
TUPLES = """
xp.nonzero(m) | torch: xp.nonzero(m, as_tuple=True)
xp.unique_all(k) | torch: -
xp.unique_counts(k) | torch: xp.unique(k, return_counts=True)
xp.meshgrid(v, v) | torch: xp.meshgrid(v, v, indexing="xy")
xp.unstack(a) | torch: xp.unbind(a)
xp.histogram(x, 5) | torch: -
xp.topk(x, 4) | numpy: -
xp.linalg.qr(s)
xp.linalg.eigh(h)
xp.linalg.svd(s)
"""
# Those that change an array, named first. On a card the new values are asked for, which PyTorch computes at once.
CHANGES = """
x[3] = 1.5
x[2:8] = 1.5
x[2:8] = y[2:8]
x[:] = y
x[::2] = 0.0
x[m] = 1.5
x[p] = 1.5
x[p] = v
a[0] = a[1]
a[:, 1] = 1.5
a[0, 2] = 1.5
x[3] += 0.5
x[2:8] += 0.5
x[p] += v
x += y
x *= 1.01
i += 1
x.at[p].add(v) | numpy: xp.add.at(x, p, v) | torch: x.index_add_(0, p, v)
"""
# Those that give what is no array.
STATEMENTS = """
float(z)
int(z)
bool(z)
z.item()
float(x[3])
x.tolist()
list(x)
[float(each) for each in v]
repr(x)
str(v)
xp.asarray(x) | koine: np.asarray(x) | torch: x.cpu().numpy()
np.asarray(x + y) | torch: (x + y).cpu().numpy()
xp.from_dlpack(x)
memoryview(x) | torch: -
len(x)
x.shape
x.dtype
copy.deepcopy(x)
pickle.dumps(x)
pickle.loads(pickled)
float(xp.sum(x))
if xp.any(m): pass
"""


def values(n):
    numbers = np.random.default_rng(1)
    x, i = numbers.random(n).astype(np.float32), np.arange(n, dtype=np.int32)
    f = (numbers.random(16) + 1j * numbers.random(16)).astype(np.complex64)
    return {"x": x, "y": x[::-1] + np.float32(0.5), "c": (x + 1j * x).astype(np.complex64), "m": x > 0.5,
            "i": i, "j": i[::-1].copy(), "k": numbers.integers(0, 10, n), "p": np.array([1, 4, 2, 7]),
            "w": np.arange(n) / n,  # in order
            "a": np.resize(x, (max(n // 10, 2), 10)), "s": numbers.random((4, 4)).astype(np.float32),
            "h": np.eye(4, dtype=np.float32) * 4 + 1,  # positive definite
            "f": f, "r": f.real.copy(), "v": np.array([1, 2, 3, 4], np.float32), "t": np.array([1, 2, 3], np.float32),
            "z": np.array(1.0)}


def names_of(who, n):
    """What expressions of one library find."""
    xp = {"koine": kn, "numpy": np}.get(who) or torch
    make = {"koine": lambda value: kn.asarray(value).eval(), "numpy": np.copy,
            "torch": lambda value: torch.tensor(value, device=where)}[who]
    made = {name: make(value) for name, value in values(n).items()}
    return made | {"xp": xp, "n": n, "host": values(n)["x"], "g": None if who == "torch" else xp.random.default_rng(7),
                   "np": np, "copy": copy, "pickle": pickle, "device": where, "pickled": pickle.dumps(made["x"]),
                   "evaluate": kn.eval}


def lines():
    for text, koine in ((ARRAYS, "({}).eval()"), (TUPLES, "evaluate(*{})"), (STATEMENTS, "{}"),
                        (CHANGES, "{0}; {0[0]}.eval()" if card else "{}")):
        for line in text.strip().splitlines():
            name, *others = line.split(" | ")
            own = dict(other.split(": ", 1) for other in others)
            shown = own.pop("koine", name)
            yield name, {"koine": koine.format(shown)} | {who: own.get(who, name) for who in ("numpy", "torch")}


def timed(statement, names, wait, each_time):
    """A function of a number of times that gives the seconds they take; it waits for each, or for all when the clock
    was read."""
    body = f"        {statement}\n" + "        wait()\n" * each_time
    text = ("def run(count):\n    global x, i\n    begin = clock()\n    for _ in repeat(None, count):\n" + body +
            "    seconds = clock() - begin\n    wait()\n    return seconds\n")
    space = names | {"clock": time.perf_counter, "repeat": itertools.repeat, "wait": wait}
    exec(text, space)
    return space["run"]


def runs_of(statements, n):
    who = ["koine", "torch" if card else "numpy"]
    waits = {"koine": kn.synchronize, "numpy": lambda: None, "torch": torch.cuda.synchronize if card else None}
    each = {}
    for library in who:
        if statements[library] == "-":
            return None
        names = names_of(library, n)
        for kind in ("enqueued", "finished") if card else ("",):
            each[library, kind] = timed(statements[library], names, waits[library], kind == "finished")
    return each


def measured(each):
    """The least seconds of each in rounds by turns."""
    counts, least = {}, {}
    for key, run in each.items():
        for _ in range(3):
            run(1)
        took = max(run(5) / 5, 2e-8)
        counts[key] = max(1, min(100000 if not card else 300, int(SECONDS_EACH / took)))
        least[key] = math.inf
    for _ in range(ROUNDS):
        for key, run in each.items():
            least[key] = min(least[key], run(counts[key]) / counts[key])
    return least


def building():
    """Prints what it takes to build x + y, and to let go of it: the least of rounds by turns, here and in C++."""
    made = {name: kn.asarray(np.ones(16, np.float32)).eval() for name in "xy"}
    run = timed("x + y", made, lambda: None, False)
    program = [os.environ.get("KOINE_BENCH", "koine_bench"), "--benchmark_filter=^host/node x . y/koine",
               "--benchmark_format=json", "--benchmark_min_time=0.1"]
    python = cpp = math.inf
    for _ in range(ROUNDS):
        python = min(python, run(100000) / 100000 * 1e6)
        told = json.loads(subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout)["benchmarks"]
        cpp = min(cpp, *(each["real_time"] for each in told))
    print(f"x + y of 16 elements, built and let go of: Python {python:.3f} us, C++ {cpp:.3f} us, {python - cpp:.3f} us more")


def mixture():
    """Prints the seconds of a whole fit of each kind of covariance, here and with NumPy: the least of rounds by turns."""
    os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported
    import warnings

    import sklearn
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    warnings.simplefilter("ignore", ConvergenceWarning)  # all do the same number of iterations
    generator = np.random.default_rng(0)
    centres = 3 * generator.normal(size=(5, 20))
    points = (centres[generator.integers(5, size=100_000)] + generator.normal(size=(100_000, 20))).astype(np.float32)
    given = {"koine": kn.asarray(points), "numpy": points}
    print("covariance", "koine s", "numpy s", "ratio", sep="\t")
    with sklearn.config_context(array_api_dispatch=True):
        for kind in ("full", "tied", "diag", "spherical"):
            least, fits = dict.fromkeys(given, math.inf), {}
            for _ in range(ROUNDS + 1):  # the first compiles
                for library, x in given.items():
                    start = time.perf_counter()
                    # A start that Koine can take, too: docs/python.md.
                    model = GaussianMixture(5, covariance_type=kind, init_params="random", random_state=0, max_iter=20, tol=0)
                    fits[library] = np.asarray(model.fit(x).weights_)
                    least[library] = min(least[library], time.perf_counter() - start)
            np.testing.assert_allclose(fits["koine"], fits["numpy"], atol=0.02)
            koine, peer = least["koine"], least["numpy"]
            print(kind, f"{koine:.3f}", f"{peer:.3f}", f"{koine / peer:.2f}", sep="\t", flush=True)


# Lines that the page shows wherever they stand.
SHOWN = ("x + y", "xp.exp(x)", "c * c", "xp.sum(x)", "xp.any(m)", "xp.zeros(n)", "xp.asarray(host)", "x.copy()", "x[3]", "x[p]",
         "x[m]", "x[3] = 1.5", "x[p] = v", "x[p] += v", "x.at[p].add(v)", "float(x[3])", "xp.interp(w, w, w)",
         "xp.bincount(k)", "xp.linalg.solve(h, v)", "xp.linalg.inv(h)", "xp.fft.fft(f)")


def mean_of(rows):
    return math.exp(sum(math.log(row[0]) for row in rows) / len(rows))


def write(rows):
    """What all lines come to, then of the fewest elements some lines and the twenty farthest behind, into the page."""
    peer = "PyTorch" if card else "NumPy"
    module = torch if card else np
    about = f"{of_device(kn)}; {peer} {module.__version__}"
    command = told("KOINE_DEVICE", "ROUNDS", "SECONDS_EACH", "SIZES") + f"python bench/python_small.py {where} {shlex.join(wanted)}"
    text = ""
    for n, kind in sorted({row[2:4] for row in rows}):
        group = [row for row in rows if row[2:4] == (n, kind)]
        ahead = sum(row[0] <= 1 for row in group)
        text += (f"Of {n} elements{', ' + kind if kind else ''}: {mean_of(group):.2f} of {peer}'s time, the geometric mean of "
                 f"{len(group)} lines, of which {ahead} take no longer than {peer}'s.\n\n")
    few = [row for row in rows if row[2] == min(SIZES)]
    text += f"| microseconds, of {min(SIZES)} elements | {'until | ' if card else ''}Koine | {peer} | Koine / {peer} |\n"
    text += "|---" * (5 if card else 4) + "|\n"
    for row in sorted(few, key=lambda row: -row[0]):
        if row[1] in SHOWN or row in few[-20:]:
            ratio, name, _, kind, koine, other = row
            text += (f"| `{name.replace('|', chr(92) + '|')}` | {kind + ' | ' if card else ''}{koine:.2f} | {other:.2f} | "
                     f"{ratio:.2f} |\n")
    replace_section("docs/python.md", f"small arrays {'gpu' if card else 'cpu'}", made_by(about, command) + text)


def main():
    rows = []
    for name, statements in lines():
        if wanted and not any(part in name for part in wanted):
            continue
        for n in SIZES:
            try:
                each = runs_of(statements, n)
                least = measured(each) if each else None
            except Exception as error:
                print(f"{name} ({n}): {type(error).__name__}: {error}", file=sys.stderr)
                continue
            if least is None:
                continue
            for kind in dict.fromkeys(kind for _, kind in least):
                koine, peer = (least[library, kind] * 1e6 for library in dict.fromkeys(library for library, _ in least))
                rows.append((koine / peer, f"{name}", n, kind, koine, peer))
    rows.sort()
    print("ratio", "koine us", "peer us", "line", sep="\t")
    for ratio, name, n, kind, koine, peer in rows:
        print(f"{ratio:.2f}", f"{koine:.2f}", f"{peer:.2f}", f"{name}  of {n} {kind}", sep="\t")
    print(f"geometric mean of {len(rows)}: {mean_of(rows):.2f}")
    if docs:
        write(rows)


{"building": building, "mixture": mixture}.get(where, main)()
