# SPDX-License-Identifier: Apache-2.0
"""Solves Poisson's equation by Fourier transforms: a photograph again from its edges, without the weak ones.

    python examples/python/poisson.py [--threshold 0.05] [--out poisson.png]      needs koine, numpy, matplotlib"""
import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

DATA = pathlib.Path(__file__).parent.parent / "pictures" / "data"


def edges(u, threshold):
    """The second differences of u, without the differences of neighbours that are below the threshold."""
    total = 0
    for axis in (0, 1):
        difference = kn.roll(u, -1, axis=axis) - u
        strong = kn.where(kn.abs(difference) >= threshold, difference, 0)
        total = total + strong - kn.roll(strong, 1, axis=axis)
    return total


def solve(f, mean):
    """The periodic u of this mean whose second differences are f: the transform makes them multiples of each wave."""
    def second(waves):
        return -4 * kn.sin(np.pi * waves) ** 2  # 2 cos(x) - 2 with all its digits

    factors = second(kn.fft.fftfreq(f.shape[0]))[:, None] + second(kn.fft.rfftfreq(f.shape[1]))
    # The constant wave has no differences; it is what the mean is for.
    return kn.fft.irfft2(kn.where(factors == 0, mean * f.size, kn.fft.rfft2(f) / factors))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threshold", type=float, default=0.05)
    parser.add_argument("--out", default="poisson.png")
    options = parser.parse_args()

    photograph = kn.asarray(np.load(DATA / "photograph.npy").astype(np.float32) / 255)
    rows, columns = photograph.shape
    mirrored = photograph  # at its borders, so that it is periodic without an edge where its ends meet
    for axis in (0, 1):
        mirrored = kn.concat([mirrored, kn.flip(mirrored, axis=axis)], axis=axis)
    mean = float(kn.mean(photograph))
    again = solve(edges(mirrored, 0), mean)[:rows, :columns]
    print(f"{photograph.device}: from all its second differences the photograph is back within "
          f"{float(kn.max(kn.abs(again - photograph))):.1g} of white")

    strong = edges(mirrored, options.threshold)
    pictures = {"photograph": photograph, "its strong edges": kn.clip(strong[:rows, :columns] + 0.5, 0, 1),
                "the solution for them": solve(strong, mean)[:rows, :columns]}
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.7))
    for axis, (name, picture) in zip(axes, pictures.items()):
        axis.imshow(np.asarray(picture), cmap="gray", vmin=0, vmax=1)
        axis.set_title(name)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(options.out, dpi=60)


if __name__ == "__main__":
    main()
