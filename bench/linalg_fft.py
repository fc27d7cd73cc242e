# SPDX-License-Identifier: Apache-2.0
"""Linear algebra and Fourier transforms beside the peers that are installed: NumPy, SciPy and PyTorch on the CPU, CuPy
and PyTorch on an NVIDIA card. Medians of rounds in turn, and the best peer's time over Koine's.

usage: KOINE_DEVICE=... python bench/linalg_fft.py cpu|cuda [a part of a line's name ...]     (koine on PYTHONPATH)
ROUNDS is how many rounds there are (5), SECONDS_EACH how long a line takes in each (0.2).
"""
import importlib
import math
import os
import statistics
import sys
import time

import koine as kn
import numpy as np

ROUNDS, SECONDS_EACH = int(os.environ.get("ROUNDS", 5)), float(os.environ.get("SECONDS_EACH", 0.2))
where, wanted = sys.argv[1], sys.argv[2:]
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
print("line", *makers, "best peer / koine", sep="\t")
ratios = []
for line, function, make in lines():
    if wanted and not any(part in line for part in wanted):
        continue
    given = make()
    runs = {who: run for who, maker in makers.items() if (run := maker(function, given))}
    if "koine" not in runs:
        print(line, "not there", sep="\t")
        continue
    counts, times = {}, {}
    for who, run in runs.items():
        run()
        counts[who] = max(1, min(200, int(SECONDS_EACH / max(seconds(run, 1), 1e-6))))
        times[who] = []
    for _ in range(ROUNDS):
        for who, run in runs.items():
            times[who].append(seconds(run, counts[who]))
    medians = {who: statistics.median(times[who]) for who in runs}
    ratios.append(min(medians[who] for who in runs if who != "koine") / medians["koine"])
    print(line, *(f"{medians[who] * 1e6:.1f} us" if who in medians else "-" for who in makers), f"{ratios[-1]:.2f}",
          sep="\t", flush=True)
print("geometric mean", f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f} of {len(ratios)} lines", sep="\t")
