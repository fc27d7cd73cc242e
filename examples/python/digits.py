# SPDX-License-Identifier: Apache-2.0
"""Trains a small network to read handwritten digits on whatever device there is, and draws what it got wrong.

    python examples/python/digits.py [--epochs 40] [--out digits.png]      needs koine, numpy, matplotlib"""
import argparse
import pathlib
import time

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

DATA = pathlib.Path(__file__).parent.parent / "digits" / "data"


def layer(random, inputs, outputs):
    """Weights as He et al. (2015) draw them, and biases."""
    return [random.standard_normal((inputs, outputs)) * (2 / inputs) ** 0.5, kn.zeros((outputs,))]


def forward(network, x):
    (w1, b1), (w2, b2) = network
    hidden = kn.maximum(x @ w1 + b1, 0)
    return hidden, kn.softmax(hidden @ w2 + b2, axis=-1)


def train(network, x, one_hot, rate):
    """One step of gradient descent on the mean cross-entropy."""
    (w1, b1), (w2, b2) = network
    hidden, guess = forward(network, x)
    error = (guess - one_hot) / x.shape[0]
    back = kn.where(hidden > 0, error @ w2.T, 0)
    return [[w1 - rate * (x.T @ back), b1 - rate * kn.sum(back, axis=0)],
            [w2 - rate * (hidden.T @ error), b2 - rate * kn.sum(error, axis=0)]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--out", default="digits.png")
    options = parser.parse_args()

    images, labels = np.load(DATA / "images.npy"), np.load(DATA / "labels.npy")
    test = np.arange(len(images)) % 5 == 0  # every fifth is held out
    pixels = kn.asarray((images.reshape(-1, 64) / 16).astype(np.float32))
    one_hot = kn.asarray(np.eye(10, dtype=np.float32)[labels])
    learn, held = kn.asarray(np.flatnonzero(~test)), kn.asarray(np.flatnonzero(test))

    random = kn.random.default_rng(1)
    network = [layer(random, 64, 256), layer(random, 256, 10)]
    x, y, batch, start = pixels[learn], one_hot[learn], 64, time.perf_counter()
    for epoch in range(options.epochs):
        rate = 0.5 * (1 - epoch / options.epochs)
        for first in range(0, x.shape[0] - batch + 1, batch):
            part = slice(first, first + batch)
            network = train(network, x[part], y[part], rate)
        kn.eval(*network[0], *network[1])

    read = np.asarray(kn.argmax(forward(network, pixels[held])[1], axis=-1))
    right = read == labels[test]
    print(f"{pixels.device}: {100 * right.mean():.1f} % of {len(read)} held-out images, {time.perf_counter() - start:.1f} s")

    figure, axes = plt.subplots(4, 12, figsize=(9, 3.6))
    order = np.argsort(right, kind="stable")  # wrong ones first
    for place, axis in zip(order, axes.flat):
        axis.imshow(images[test][place].reshape(8, 8), cmap="gray_r")
        axis.set_title(str(read[place]), color="tab:green" if right[place] else "tab:red", fontsize=9)
        axis.axis("off")
    figure.tight_layout()
    figure.savefig(options.out, dpi=80)


if __name__ == "__main__":
    main()
