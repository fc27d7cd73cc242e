# SPDX-License-Identifier: Apache-2.0
"""Finds the principal components of handwritten digits: the directions in which their 64 pixels vary most.

    python examples/python/components.py [--out components.png]      needs koine, numpy, matplotlib"""
import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

DATA = pathlib.Path(__file__).parent.parent / "digits" / "data"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default="components.png")
    options = parser.parse_args()

    labels = np.load(DATA / "labels.npy")
    images = kn.asarray((np.load(DATA / "images.npy").reshape(-1, 64) / 16).astype(np.float32))
    centred = images - kn.mean(images, axis=0)
    variances, directions = kn.linalg.eigh(centred.T @ centred / (images.shape[0] - 1))
    components = kn.flip(directions.T, axis=0)  # eigenvalues rise, so the last come first
    points = np.asarray(centred @ components[:2].T)
    print(f"{images.device}: two of 64 components have "
          f"{100 * float(kn.sum(variances[-2:]) / kn.sum(variances)):.1f} % of the variance")

    figure = plt.figure(figsize=(9, 3.6), layout="constrained")
    left, right = figure.subfigures(1, 2)
    for axis, component in zip(left.subplots(2, 4).flat, np.asarray(components)):
        axis.imshow(component.reshape(8, 8), cmap="coolwarm")
        axis.axis("off")
    axis = right.subplots()
    for digit in range(10):
        axis.scatter(*points[labels == digit].T, s=4, label=str(digit))
    axis.set(xlabel="first component", ylabel="second component")
    axis.legend(loc="center left", bbox_to_anchor=(1, 0.5), markerscale=3)
    figure.savefig(options.out, dpi=60)


if __name__ == "__main__":
    main()
