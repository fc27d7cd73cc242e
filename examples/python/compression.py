# SPDX-License-Identifier: Apache-2.0
"""Compresses a photograph by its singular value decomposition: a sum of a few columns times rows is near to it.

    python examples/python/compression.py [--ranks 5 20 60] [--out compression.png]      needs koine, numpy, matplotlib"""
import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

DATA = pathlib.Path(__file__).parent.parent / "pictures" / "data"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, nargs="+", default=[5, 20, 60])
    parser.add_argument("--out", default="compression.png")
    options = parser.parse_args()

    photograph = kn.asarray(np.load(DATA / "photograph.npy").astype(np.float32) / 255)
    u, s, vh = kn.linalg.svd(photograph, full_matrices=False)
    rows, columns = photograph.shape

    figure, axes = plt.subplots(1, len(options.ranks) + 2, figsize=(12, 3.3))
    for axis, rank in zip(axes, options.ranks):
        image = (u[:, :rank] * s[:rank]) @ vh[:rank]
        energy = 1 - float(kn.sum((photograph - image) ** 2) / kn.sum(photograph**2))
        numbers = rank * (rows + columns + 1) / photograph.size
        print(f"{u.device}: rank {rank}: {100 * energy:.1f} % of the energy in {100 * numbers:.1f} % of the numbers")
        axis.imshow(np.asarray(image), cmap="gray", vmin=0, vmax=1)
        axis.set_title(f"rank {rank}")
    axes[-2].imshow(np.asarray(photograph), cmap="gray", vmin=0, vmax=1)
    axes[-2].set_title("photograph")
    for axis in axes[:-1]:
        axis.axis("off")
    axes[-1].semilogy(np.asarray(s))
    axes[-1].set_title("singular values")
    figure.tight_layout()
    figure.savefig(options.out, dpi=60)


if __name__ == "__main__":
    main()
