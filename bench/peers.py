#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The work of koine_bench in NumPy and PyTorch or, with --gpu, in CuPy and PyTorch, where they can be imported.

usage: peers.py [--gpu] [--seconds S] GROUP OUT.json

GROUP: elementwise, reduce, rows, scan, indexing, segments, sort, matmul, products, random or host
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import time


def blas_in_use():
    """What serves NumPy's matrix products, by the libraries that the process has loaded."""
    import numpy

    numpy.ones((8, 8)) @ numpy.ones((8, 8))
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if ".so" in line}
    for path in sorted(paths, key=lambda p: "openblas" not in p.rsplit("/", 1)[-1]):
        name = path.rsplit("/", 1)[-1]
        if "mkl_rt" in name or "mkl_core" in name:
            return "MKL"
        for symbol in ("openblas_get_config", "scipy_openblas_get_config64_"):
            if "blas" not in path:
                break
            try:
                function = getattr(ctypes.CDLL(path), symbol)
            except (OSError, AttributeError):
                continue
            function.restype = ctypes.c_char_p
            return function().decode().strip()
    return "no OpenBLAS: a slow reference BLAS, perhaps"


def name_cpu_for_openblas():
    """Starts this program again with the CPU named, where OpenBLAS does not know it (one newer than OpenBLAS itself)
    and would use its oldest kernels, a tenth as fast."""
    if "OPENBLAS_CORETYPE" in os.environ or "Prescott" not in blas_in_use():
        return
    with open("/proc/cpuinfo") as cpuinfo:
        flags = next((line for line in cpuinfo if line.startswith("flags")), "").split()
    core = "SkylakeX" if "avx512dq" in flags else "Haswell" if "avx2" in flags else None
    if core:
        os.environ["OPENBLAS_CORETYPE"] = core
        os.execv(sys.executable, [sys.executable] + sys.argv)


def time_of(step, finish, seconds):
    """The median time of a step that leaves the device idle."""
    step()
    finish()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        finish()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def time_of_many(step, finish, seconds, count=1000):
    """The median time of a short step, with many of them between two waits that are not timed."""
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            step()
        times.append((time.perf_counter() - start) / count)
        finish()
    return statistics.median(times)


def numpy_peer(device):
    import numpy

    name_cpu_for_openblas()
    generator = numpy.random.default_rng(42)

    def uniform(shape, dtype="float32"):
        return generator.random(shape, dtype="float32").astype(dtype)

    return numpy, uniform, lambda: None


def cupy_peer(device):
    import cupy

    def uniform(shape, dtype="float32"):
        return cupy.random.random(shape, dtype="float32").astype(dtype)

    return cupy, uniform, cupy.cuda.Device().synchronize


def torch_peer(device):
    import torch

    # Matrix products in float32 proper, as everybody else computes them here.
    torch.backends.cuda.matmul.allow_tf32 = False

    def uniform(shape, dtype="float32"):
        return torch.rand(shape, device=device).to(getattr(torch, dtype))

    if device == "cpu":
        return torch, uniform, lambda: None
    torch.cuda.synchronize()
    return torch, uniform, torch.cuda.synchronize


def jax_peer(device):
    import jax

    key = jax.random.key(42)

    def uniform(shape, dtype="float32"):
        return jax.random.uniform(key, shape if isinstance(shape, tuple) else (shape,)).astype(dtype)

    return jax.numpy, uniform, lambda: None  # its steps wait for themselves


def elementwise(xp, uniform, gpu):
    log = 28 if gpu else 24
    a, b = uniform(2**log), uniform(2**log)
    c = xp.empty_like(a)
    yield f"add 2^{log}", lambda: xp.add(a, b, out=c), False
    yield f"exp(-a*a)*b+1 2^{log}", lambda: xp.exp(-a * a) * b + 1, False


def reduce(xp, uniform, gpu):
    log = 14 if gpu else 12
    x = uniform((2**log, 2**log))
    line = x.reshape(-1)
    yield f"sum 2^{2 * log}", lambda: line.sum(), False
    yield f"mean 2^{2 * log}", lambda: line.mean(), False
    yield f"argmax 2^{2 * log}", lambda: line.argmax(), False
    yield f"sum axis 0 of {2**log}^2", lambda: x.sum(0), False
    yield f"sum axis 1 of {2**log}^2", lambda: x.sum(1), False


def sort(xp, uniform, gpu):
    log = 26 if gpu else 22
    count = 2**log
    line = uniform(count)
    rows, short = uniform((count // 1000, 1000)), uniform((count // 10, 10))
    yield f"sort 2^{log}", lambda: xp.sort(line), False
    yield f"argsort 2^{log}", lambda: xp.argsort(line), False
    yield f"unique of 1000 among 2^{log}", lambda: xp.unique(xp.floor(line * 1000)), False
    yield f"unique and inverse of 1000 among 2^{log}", lambda: xp.unique(xp.floor(line * 1000), return_inverse=True), False
    if xp.__name__ == "torch":
        yield "topk 10 of rows of 1000", lambda: xp.topk(rows, 10), False
        yield f"topk 10 of 2^{log}", lambda: xp.topk(line, 10), False
    else:  # the largest in any order
        yield "topk 10 of rows of 1000", lambda: xp.partition(rows, 990, axis=1)[:, 990:], False
        yield f"topk 10 of 2^{log}", lambda: xp.partition(line, count - 10)[count - 10 :], False
    yield "sort of rows of 1000", lambda: xp.sort(rows), False
    yield "sort of rows of 10", lambda: xp.sort(short), False


def softmax(xp, x):
    if hasattr(xp, "softmax"):
        return xp.softmax(x, -1)
    power = xp.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def rows(xp, uniform, gpu):
    log = 26 if gpu else 24
    kept = {"keepdim": True} if xp.__name__ == "torch" else {"keepdims": True}

    def layer_norm(x):
        if xp.__name__ == "torch":  # as PyTorch's users write it
            return xp.nn.functional.layer_norm(x, x.shape[-1:])
        distance = x - x.mean(-1, **kept)
        return distance / xp.sqrt((distance * distance).mean(-1, **kept) + 1e-5)

    def logsumexp(x):
        if xp.__name__ == "torch":
            return xp.logsumexp(x, -1)
        high = x.max(-1, **kept)
        return xp.log(xp.exp(x - high).sum(-1)) + high[:, 0]

    for length in (64, 256, 1024, 8192):
        x = uniform((2**log // length, length))
        variance = (lambda: x.var(-1, correction=0)) if xp.__name__ == "torch" else lambda: x.var(-1)
        yield f"softmax of {length}", lambda: softmax(xp, x), False
        yield f"layer norm of {length}", lambda: layer_norm(x), False
        yield f"shares of norm of {length}", lambda: x / xp.sqrt((x * x).mean(-1, **kept)), False
        yield f"logsumexp of {length}", lambda: logsumexp(x), False
        yield f"var of {length}", variance, False
        yield f"norm of {length}", lambda: xp.linalg.norm(x, axis=-1), False
        yield f"sum of {length}", lambda: x.sum(-1), False


def scan(xp, uniform, gpu):
    line, square = uniform(1 << 24), uniform((4096, 4096))
    yield "cumulative_sum 2^24", lambda: xp.cumsum(line, 0), False
    yield "cumulative_sum axis 0 of 4096^2", lambda: xp.cumsum(square, 0), False
    yield "cumulative_sum axis 1 of 4096^2", lambda: xp.cumsum(square, 1), False
    for rows, length in ((16384, 1024), (262144, 64)):
        x = uniform((rows, length))
        yield f"softmax rows of {length}", lambda: softmax(xp, x), False


def indexing(xp, uniform, gpu):
    x = uniform(1 << 24)
    mask, positions = x < 0.5, xp.asarray(uniform(1 << 24) * (1 << 24), dtype=xp.int64)
    yield "mask, half 2^24", lambda: x[mask], False
    yield "positions, random 2^24", lambda: x[positions], False


def segments(xp, uniform, gpu):
    log = 26 if gpu else 24
    n = 2**log
    library = xp.__name__

    def whole(x):
        return x.to(xp.int32) if library == "torch" else x.astype("int32")

    def adder(x, ids, groups):
        """The sum of rows by id: for each library its own way to it."""
        if library == "torch":
            wide = ids.long()
            return lambda: x.new_zeros((groups, *x.shape[1:])).index_add_(0, wide, x)
        if library == "cupy":
            import cupyx

            def step():
                out = xp.zeros((groups, *x.shape[1:]), "float32")
                cupyx.scatter_add(out, ids, x)

            return step
        if library == "jax.numpy":
            import jax

            sums = jax.jit(lambda x, ids: jax.ops.segment_sum(x, ids, groups))
            return lambda: sums(x, ids).block_until_ready()
        if x.ndim == 1:
            return lambda: xp.bincount(ids, weights=x, minlength=groups)

        def step():
            out = xp.zeros((groups, *x.shape[1:]), "float32")
            xp.add.at(out, ids, x)

        return step

    x = uniform(n)
    for groups, name in ((10, "10"), (1000, "1000"), (10**6, "10^6")):
        ids = whole(uniform(n) * groups)
        yield f"sum of 2^{log} into {name}", adder(x, ids, groups), False
        if groups == 1000:
            in_order = ids.sort().values if library == "torch" else xp.sort(ids)
            yield f"sum of 2^{log} into {name}, sorted", adder(x, in_order, groups), False
            if library == "jax.numpy":
                import jax

                counts = jax.jit(lambda x, ids: xp.bincount(ids, x, length=1000))
                yield f"bincount of 2^{log} with weights", lambda: counts(x, ids).block_until_ready(), False
            else:
                # What each takes without converting: the ids of NumPy and CuPy, PyTorch's weights of any type.
                named = ids if library in ("torch", "cupy") else ids.astype("int64")
                yield f"bincount of 2^{log} with weights", lambda: xp.bincount(named, weights=x), False
    rows, ids = uniform((n // 64, 64)), whole(uniform(n // 64) * 1000)
    yield f"sum of 2^{log} as rows of 64 into 1000", adder(rows, ids, 1000), False


def matmul(xp, uniform, gpu):
    # NumPy multiplies float16 without a BLAS: minutes at these sizes.
    # Those of PyTorch may take as long.
    for dtype in ("float32", "float64", "float16") if gpu else ("float32", "float64"):
        for n in (1024, 2048, 4096) if gpu else (1024, 2048):
            a, b = uniform((n, n), dtype), uniform((n, n), dtype)
            yield f"{dtype} {n}", lambda: a @ b, False
    side = 16384 if gpu else 4096
    a, b = uniform((side, side)), uniform(side)
    yield f"float32 {side}^2 by a vector", lambda: a @ b, False
    if not gpu:
        return
    for n in (512, 1001, 8192):
        a, b = uniform((n, n)), uniform((n, n))
        yield f"float32 {n}", lambda: a @ b, False
    a, b = uniform((4096, 4096)), uniform((4096, 4096))
    yield "float32 4096, the first transposed", lambda: a.T @ b, False
    yield "float32 4096, the second transposed", lambda: a @ b.T, False
    for n in (1024, 2048, 4096, 8192):
        a, b = uniform((n, n)), uniform((n, n))
        yield f"3xtf32 {n}", lambda: a @ b, False  # beside float32 proper
    if xp.__name__ == "torch":
        xp.backends.cuda.matmul.allow_tf32 = True
        for n in (1001, 1024, 2048, 4001, 4096, 8192):
            a, b = uniform((n, n)), uniform((n, n))
            yield f"tf32 {n}", lambda: a @ b, False
        a, b = uniform((4096, 4096)), uniform((4096, 4096))
        yield "tf32 4096, the first transposed", lambda: a.T @ b, False
        yield "tf32 4096, the second transposed", lambda: a @ b.T, False
        xp.backends.cuda.matmul.allow_tf32 = False
        for n in (1024, 2048, 4096, 8192):
            a, b = uniform((n, n), "bfloat16"), uniform((n, n), "bfloat16")
            yield f"bfloat16 {n}", lambda: a @ b, False
    for dtype, n in (("float16", 512), ("float16", 1001), ("float16", 8192), ("float64", 512), ("float64", 1001), ("float64", 8192)):
        a, b = uniform((n, n), dtype), uniform((n, n), dtype)
        yield f"{dtype} {n}", lambda: a @ b, False
    many = 2**20
    for work, first, second in (
        ("float16 64 of 512", (64, 512, 512), (64, 512, 512)),
        ("float16 16384 of 64", (16384, 64, 64), (16384, 64, 64)),
        ("float16 64 x 2^20 by 2^20 x 64", (64, many), (many, 64)),
        ("float32 64 x 2^20 by 2^20 x 64", (64, many), (many, 64)),
        ("float32 2^21 of 3", (2 * many, 3, 3), (2 * many, 3, 3)),
        ("float32 2^20 of 8", (many, 8, 8), (many, 8, 8)),
        ("float32 2^18 of 16", (many // 4, 16, 16), (many // 4, 16, 16)),
        ("float32 16384 of 64", (16384, 64, 64), (16384, 64, 64)),
        ("float32 2^20 x 64 by 64 x 64", (many, 64), (64, 64)),
        ("float32 2^20 x 64 by 64 x 4", (many, 64), (64, 4)),
        ("float32 2^20 x 64 by a vector", (many, 64), (64,)),
        ("float32 2^21 x 32 by a vector", (2 * many, 32), (32,)),
        ("float32 8192^2 by a vector", (8192, 8192), (8192,)),
        ("float32 a vector by 8192^2", (8192,), (8192, 8192)),
    ):
        dtype = work.split()[0]
        a, b = uniform(first, dtype), uniform(second, dtype)
        yield work, lambda: a @ b, False


def products(xp, uniform, gpu):
    if xp.__name__ == "torch":  # other names, other options
        return
    line, other, square = uniform(4096), uniform(4096), uniform((4096, 4096))
    yield "outer 2^12 by 2^12", lambda: xp.outer(line, other), False
    a, b = uniform((64, 32, 64)), uniform((32, 64, 512))
    yield "tensordot (64, 32, 64) (32, 64, 512)", lambda: xp.tensordot(a, b, ((1, 2), (0, 1))), False
    m, n = uniform((1024, 1024)), uniform((1024, 1024))
    yield "einsum ij,jk->ik 1024", lambda: xp.einsum("ij,jk->ik", m, n, optimize=True), False
    tall, flat, last = uniform((4096, 64)), uniform((64, 4096)), uniform((4096, 64))
    chain = "ij,jk,kl->il"
    yield f"einsum {chain} 4096 64 4096 64", lambda: xp.einsum(chain, tall, flat, last, optimize=True), False
    c, d = uniform((256, 256, 256)), uniform((256, 256, 256))
    yield "einsum bij,bij->b 256 by 256^2", lambda: xp.einsum("bij,bij->b", c, d, optimize=True), False
    yield "einsum ij,j->i 4096", lambda: xp.einsum("ij,j->i", square, line, optimize=True), False
    yield "einsum ii 4096", lambda: xp.einsum("ii", square), False
    signal, window = uniform(1 << 20), uniform(64)
    yield "convolve 2^20 with 2^6", lambda: xp.convolve(signal, window), False
    yield "correlate 2^20 with 2^6", lambda: xp.correlate(signal, window), False
    yield "pad 4096^2 by a constant", lambda: xp.pad(square, 8), False
    yield "pad 4096^2, reflected", lambda: xp.pad(square, 8, "reflect"), False
    points, heights = xp.arange(1000, dtype="float32") * 0.001, uniform(1000)
    yield "interp 2^20 among 1000", lambda: xp.interp(signal, points, heights), False


def random(xp, uniform, gpu):
    log = 26 if gpu else 22
    n = 2**log
    device = "cuda" if gpu else "cpu"
    if xp.__name__ == "torch":
        def numbers(value):
            return xp.full((n,), value, device=device)

        shape, rate, trials, large, chance = (numbers(value) for value in (2.5, 3.0, 100.0, 1000.0, 0.3))
        works = {
            "uniform": lambda: xp.rand(n, device=device),
            "normal": lambda: xp.randn(n, device=device),
            "exponential": lambda: xp.empty(n, device=device).exponential_(),
            "gamma of 2.5": lambda: xp._standard_gamma(shape),
            "poisson of 3": lambda: xp.poisson(rate),
            "poisson of 100": lambda: xp.poisson(trials),
            "poisson of 1000": lambda: xp.poisson(large),
            "binomial of 100 and 0.3": lambda: xp.binomial(trials, chance),
            "permutation": lambda: xp.randperm(n, device=device),
        }
    else:
        g = xp.random.default_rng(42)
        works = {
            "uniform": lambda: g.random(n, dtype="float32"),
            "normal": lambda: g.standard_normal(n, dtype="float32"),
            "exponential": lambda: g.standard_exponential(n, dtype="float32"),
            "gamma of 2.5": lambda: g.standard_gamma(2.5, n, dtype="float32"),
            "poisson of 3": lambda: g.poisson(3, n),
            "poisson of 100": lambda: g.poisson(100, n),
            "poisson of 1000": lambda: g.poisson(1000, n),
            "binomial of 100 and 0.3": lambda: g.binomial(100, 0.3, n),
            "permutation": lambda: (xp.random if gpu else g).permutation(n),
        }
    for work, step in works.items():
        yield f"{work} 2^{log}", step, False


def host(xp, uniform, gpu):
    a, b = uniform(16), uniform(16)
    last = a

    def link():
        nonlocal last
        last = last * b + 1

    yield "chain of small kernels, one evaluation", link, True
    yield "small kernel, built and enqueued", lambda: a * b + 1, True
    yield "small kernel, built, enqueued and finished", lambda: a * b + 1, False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--seconds", type=float, default=0.5)
    groups = ("elementwise", "reduce", "rows", "scan", "indexing", "segments", "sort", "matmul", "products", "random",
              "host")
    parser.add_argument("group", choices=groups)
    parser.add_argument("out")
    options = parser.parse_args()

    rows = []
    context = {}
    peers = [("CuPy", cupy_peer) if options.gpu else ("NumPy", numpy_peer), ("PyTorch", torch_peer)]
    if options.group == "segments":
        peers.append(("JAX", jax_peer))
    for name, make in peers:
        try:
            xp, uniform, finish = make("cuda" if options.gpu else "cpu")
        except Exception as error:  # not installed, or without a card
            context[name] = f"left out: {error}"
            continue
        context[name] = sys.modules[xp.__name__.partition(".")[0]].__version__
        try:
            for work, step, many in globals()[options.group](xp, uniform, options.gpu):
                try:
                    seconds = (time_of_many if many else time_of)(step, finish, options.seconds)
                except Exception as error:  # one that a library cannot run leaves the others
                    print(f"{name} has no {options.group}/{work}: {error}", file=sys.stderr)
                    continue
                rows.append({"run_name": f"{options.group}/{work}/{name}", "real_time": seconds * 1e9, "time_unit": "ns"})
        except Exception as error:
            print(f"{name} has no more of {options.group}: {error}", file=sys.stderr)
    if not options.gpu and "left out" not in context["NumPy"]:
        context["NumPy"] += ", " + blas_in_use()
    with open(options.out, "w") as out:
        json.dump({"context": context, "benchmarks": rows}, out, indent=1)


if __name__ == "__main__":
    main()
