# SPDX-License-Identifier: Apache-2.0
"""Computes a picture (a Julia set), then blurs it, sharpens it and finds its edges.

    python examples/python/image.py [--size 512] [--out image.png]      needs koine, numpy, matplotlib"""
import argparse
import time

import matplotlib.pyplot as plt
import numpy as np

import koine as kn


def julia(size, c=-0.79 + 0.156j, steps=120):
    """How fast each point of the plane escapes under z -> z * z + c, as a smooth number of steps."""
    axis = kn.linspace(-1.5, 1.5, size)
    re, im = kn.meshgrid(axis, axis)
    count = kn.zeros((size, size))
    for number in range(steps):
        inside = re * re + im * im < 256
        re, im = kn.where(inside, re * re - im * im + c.real, re), kn.where(inside, 2 * re * im + c.imag, im)
        count = count + kn.where(inside, 1, 0)
        if number % 8 == 7:
            kn.eval(re, im, count)  # eight steps are one kernel, the same one each time
    return count - kn.log2(kn.maximum(kn.log2(re * re + im * im + 1), 1e-3))


def blur(image, radius=4):
    """A Gaussian blur, down the columns and along the rows."""
    weights = [np.exp(-0.5 * (k / radius * 2) ** 2) for k in range(-radius, radius + 1)]
    for axis in (0, 1):
        image = sum(kn.roll(image, k - radius, axis=axis) * float(w / sum(weights)) for k, w in enumerate(weights))
    return image


def edges(image):
    """The length of Sobel's gradient."""
    def smooth(x, axis):
        return kn.roll(x, 1, axis=axis) + 2 * x + kn.roll(x, -1, axis=axis)

    def difference(x, axis):
        return kn.roll(x, -1, axis=axis) - kn.roll(x, 1, axis=axis)

    return kn.hypot(difference(smooth(image, 0), 1), difference(smooth(image, 1), 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--out", default="image.png")
    options = parser.parse_args()

    start = time.perf_counter()
    picture = julia(options.size)
    picture = picture / kn.max(picture)
    soft = blur(picture)
    results = {"computed": picture, "blurred": soft, "sharpened": kn.clip(picture + 1.5 * (picture - soft), 0, 1),
               "edges": kn.sqrt(kn.clip(edges(soft), 0, 1))}
    pixels = {name: np.asarray(values) for name, values in results.items()}
    print(f"{picture.device}: {options.size} x {options.size} in {time.perf_counter() - start:.2f} s")

    figure, axes = plt.subplots(1, 4, figsize=(12, 3.3))
    for axis, (name, values) in zip(axes, pixels.items()):
        axis.imshow(values, cmap="magma", vmin=0, vmax=1)
        axis.set_title(name)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(options.out, dpi=60)


if __name__ == "__main__":
    main()
