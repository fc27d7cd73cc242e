# SPDX-License-Identifier: Apache-2.0
"""Linear algebra and Fourier transforms beside the peers that are installed: NumPy, SciPy and PyTorch on the CPU, CuPy
and PyTorch on an NVIDIA card. Medians of rounds in turn, and the best peer's time over Koine's.

usage: KOINE_DEVICE=... python bench/linalg_fft.py [--docs] cpu|cuda [a part of a line's name ...]  (koine on PYTHONPATH)
ROUNDS is how many rounds there are (5), SECONDS_EACH how long a line takes in each (0.2). A peer that takes SECONDS_MOST
(2) for one call is timed by that call alone. --docs writes the tables into docs/linalg.md and docs/fft.md.
"""
import importlib
import math
import os
import shlex
import statistics
import sys
import time

import koine as kn
import numpy as np

from page import made_by, of_device, replace_section, told

ROUNDS, SECONDS_EACH = int(os.environ.get("ROUNDS", 5)), float(os.environ.get("SECONDS_EACH", 0.2))
SECONDS_MOST = float(os.environ.get("SECONDS_MOST", 2))
docs = "--docs" in sys.argv
where, *wanted = [argument for argument in sys.argv[1:] if argument != "--docs"]
numbers = np.random.default_rng(1)


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


scipy, torch, cupy = optional("scipy"), optional("torch"), optional("cupy") if where == "cuda" else None
if scipy:
    import scipy.fft
    import scipy.linalg
if torch:
    torch.backends.cuda.matmul.allow_tf32 = False


def results(value):
    return value if isinstance(value, tuple) else (value,)


def of_koine(name, given):
    function = kn
    for part in name.split("."):
        function = getattr(function, part, None)
        if function is None:
            return None
    arrays = [kn.asarray(x).eval() for x in given]

    def run():
        kn.eval(*results(function(*arrays)))
        kn.synchronize()
    return run


def of_numpy(module, name, given):
    """NumPy's names, in NumPy, CuPy and, with its own arrays, PyTorch."""
    function = module
    for part in name.split("."):
        function = getattr(function, part, None)
        if function is None:
            return None
    return lambda: function(*given)


def of_cupy(name, given):
    run = of_numpy(cupy, name, [cupy.asarray(x) for x in given])
    return run and (lambda: (run(), cupy.cuda.Device().synchronize()))


def of_torch(name, given):
    run = of_numpy(torch, name, [torch.asarray(x, device=where) for x in given])
    return run and (lambda: (run(), torch.cuda.synchronize() if where == "cuda" else None))


def of_scipy(name, given):
    if name.startswith("fft."):
        function = getattr(scipy.fft, name[4:], None)
        return function and (lambda: function(*given, workers=2))
    one = {"solve": lambda a, b: scipy.linalg.solve(a, b, check_finite=False),
           "cholesky": lambda a: scipy.linalg.cholesky(a, lower=True, check_finite=False),
           "qr": lambda a: scipy.linalg.qr(a, mode="economic", check_finite=False),
           "eigh": lambda a: scipy.linalg.eigh(a, driver="evd", check_finite=False),
           "svd": lambda a: scipy.linalg.svd(a, check_finite=False)}.get(name.removeprefix("linalg."))
    return (lambda: one(*given)) if one and given[0].ndim == 2 else None


def matrices(shape, dtype, kind):
    a = numbers.standard_normal(shape)
    if kind in ("cholesky", "eigh"):
        a = a @ np.swapaxes(a, -1, -2) / shape[-1] + np.eye(shape[-1])
    given = [a.astype(dtype)]
    if kind == "solve":
        given.append(numbers.standard_normal((*shape[:-1], 1)).astype(dtype))
    return given


def lines():
    large = 4096 if where == "cuda" else 1024
    for dtype in (np.float32, np.float64):
        short = np.dtype(dtype).name
        for kind in ("cholesky", "solve", "qr"):
            yield f"{kind} {large} {short}", f"linalg.{kind}", lambda k=kind, d=dtype: matrices((large, large), d, k)
        for kind in ("eigh", "svd"):
            yield f"{kind} 1024 {short}", f"linalg.{kind}", lambda k=kind, d=dtype: matrices((1024, 1024), d, k)
        many = 4096 if where == "cuda" else 256
        for kind in ("cholesky", "solve", "qr", "eigh", "svd"):
            yield (f"{kind} {many}x64x64 {short}", f"linalg.{kind}",
                   lambda k=kind, d=dtype: matrices((many, 64, 64), d, k))
        for kind in ("det", "inv", "solve", "qr"):
            yield f"{kind} 20000x4x4 {short}", f"linalg.{kind}", lambda k=kind, d=dtype: matrices((20000, 4, 4), d, k)
    shapes = [(1 << 20,), (1024, 1024), (1009,), (105000,), (1024,), (4096, 64)]
    for shape in shapes + ([(1 << 24,), (4096, 4096)] if where == "cuda" else []):
        name = "fft2" if len(shape) == 2 and shape[0] == shape[1] else "fft"
        for dtype in (np.complex64, np.complex128):
            text = "x".join(map(str, shape))
            yield (f"{name} {text} {np.dtype(dtype).name}", f"fft.{name}", lambda s=shape, d=dtype:
                   [(numbers.standard_normal(s) + 1j * numbers.standard_normal(s)).astype(d)])
    yield f"rfft {1 << 20} float32", "fft.rfft", lambda: [numbers.standard_normal(1 << 20).astype(np.float32)]


def seconds(run, count):
    begin = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - begin) / count


makers = {"koine": of_koine}
if where == "cuda":
    makers |= {"cupy": of_cupy} if cupy else {}
else:
    makers |= {"numpy": lambda name, given: of_numpy(np, name, given)} | ({"scipy": of_scipy} if scipy else {})
makers |= {"torch": of_torch} if torch else {}


def median_times(runs):
    """{who: seconds}, of rounds in turn"""
    counts, times = {}, {}
    for who in list(runs):
        try:
            first = seconds(runs[who], 1)  # what is compiled once is compiled here
            if first < SECONDS_MOST:
                first = seconds(runs[who], 1)
        except Exception as error:  # a peer that cannot leaves a blank
            print(f"{who}: {error}", file=sys.stderr)
            continue
        counts[who], times[who] = max(1, min(200, int(SECONDS_EACH / max(first, 1e-6)))), [first]
    for _ in range(ROUNDS):
        for who in times:
            if times[who][0] < SECONDS_MOST:
                times[who].append(seconds(runs[who], counts[who]))
    return {who: statistics.median(taken[1:] or taken) for who, taken in times.items()}


def versions():
    modules = {"NumPy": np if where == "cpu" else None, "SciPy": scipy if where == "cpu" else None, "CuPy": cupy,
               "PyTorch": torch}
    return "; ".join([of_device(kn), *(f"{name} {module.__version__}" for name, module in modules.items() if module)])


def write(page, rows):
    """Puts rows, and what they come to, into a page's section."""
    heads = ["work, us", *(NAMES[who] for who in makers), "best peer / Koine"]
    text = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    text += ["| " + " | ".join(cells) + " |" for cells, _ in rows]
    given = told("KOINE_DEVICE", "ROUNDS", "SECONDS_EACH", "SECONDS_MOST") + f"python bench/linalg_fft.py {where} {shlex.join(wanted)}"
    replace_section(os.path.join("docs", page), f"speed {'gpu' if where == 'cuda' else 'cpu'}",
                    made_by(versions(), given) + "\n".join(text) + f"\n\n{mean_of([ratio for _, ratio in rows])}\n")


def mean_of(ratios):
    ratios = [ratio for ratio in ratios if ratio]
    if not ratios:
        return "No peers."
    return f"Geometric mean of {len(ratios)} lines: {math.exp(statistics.fmean(map(math.log, ratios))):.2f}."


NAMES = {"koine": "Koine", "numpy": "NumPy", "scipy": "SciPy", "cupy": "CuPy", "torch": "PyTorch"}
print("line", *makers, "best peer / koine", sep="\t")
rows = []  # the cells of a line, and its ratio
for line, function, make in lines():
    if wanted and not any(part in line for part in wanted):
        continue
    given = make()
    medians = median_times({who: run for who, maker in makers.items() if (run := maker(function, given))})
    if "koine" not in medians:
        print(line, "not there", sep="\t")
        continue
    peers = [seconds_taken for who, seconds_taken in medians.items() if who != "koine"]
    ratio = min(peers) / medians["koine"] if peers else None
    rows.append(([line, *(f"{medians[who] * 1e6:.1f}" if who in medians else "" for who in makers),
                  f"{ratio:.2f}" if ratio else ""], ratio))
    print(*rows[-1][0], sep="\t", flush=True)
print(mean_of([ratio for _, ratio in rows]))
if docs:
    transforms = [row for row in rows if "fft" in row[0][0]]
    for page, part in (("linalg.md", [row for row in rows if row not in transforms]), ("fft.md", transforms)):
        if part:
            write(page, part)
