# SPDX-License-Identifier: Apache-2.0
"""Solves a partial differential equation: two chemicals that diffuse and react (Gray and Scott, 1983) grow patterns.

    python examples/python/patterns.py [--size 256] [--steps 6000] [--out patterns.png]      needs koine, numpy, matplotlib"""
import argparse
import time

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

FEED, KILL, DIFFUSION_U, DIFFUSION_V = 0.037, 0.060, 0.16, 0.08


def laplacian(x):
    return kn.roll(x, 1, axis=0) + kn.roll(x, -1, axis=0) + kn.roll(x, 1, axis=1) + kn.roll(x, -1, axis=1) - 4 * x


def step(u, v):
    """One step of Euler's method, which becomes one kernel for both."""
    reaction = u * v * v
    return (u + DIFFUSION_U * laplacian(u) - reaction + FEED * (1 - u),
            v + DIFFUSION_V * laplacian(v) + reaction - (FEED + KILL) * v)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--out", default="patterns.png")
    options = parser.parse_args()

    size, random = options.size, np.random.default_rng(3)
    u, v = np.ones((size, size), np.float32), np.zeros((size, size), np.float32)
    for x, y in random.integers(0, size - 8, (20, 2)):
        u[x:x + 8, y:y + 8], v[x:x + 8, y:y + 8] = 0.5, 0.25
    u, v = kn.asarray(u), kn.asarray(v)

    pictures, start = [], time.perf_counter()
    for number in range(1, options.steps + 1):
        u, v = step(u, v)
        if number % 10 == 0:
            kn.eval(u, v)
        if number % (options.steps // 4) == 0:
            pictures.append((number, np.asarray(v)))
    seconds = time.perf_counter() - start
    print(f"{u.device}: {options.steps} steps of {size} x {size} in {seconds:.1f} s, {options.steps / seconds:.0f} a second")

    figure, axes = plt.subplots(1, 4, figsize=(12, 3.3))
    for axis, (number, picture) in zip(axes, pictures):
        axis.imshow(picture, cmap="viridis")
        axis.set_title(f"step {number}")
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(options.out, dpi=60)


if __name__ == "__main__":
    main()
