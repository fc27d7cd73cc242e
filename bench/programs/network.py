# SPDX-License-Identifier: Apache-2.0
"""Training steps of a network of two layers on batches of a data set, gradients written out."""

STEPS = 8


def setup(xp, data, scale):
    batch = data.side(scale) // 4
    images = data.uniform((8 * batch, 784), 1)
    labels = data.integers((8 * batch,), 2, 10)
    batches = [(xp.put(images[i : i + batch]), xp.put(labels[i : i + batch])) for i in range(0, 8 * batch, batch)]
    w1 = xp.put(data.uniform((784, 256), 3, -0.05, 0.05))
    w2 = xp.put(data.uniform((256, 10), 4, -0.1, 0.1))
    return batches, w1, xp.zeros(256, dtype="float32"), w2, xp.zeros(10, dtype="float32")


def step(xp, batches, w1, b1, w2, b2):
    x, labels = batches[0]
    truth = xp.astype(labels[:, None] == xp.arange(10, dtype="int32"), "float32")

    hidden = xp.maximum(x @ w1 + b1, 0)
    likely = xp.softmax(hidden @ w2 + b2)

    error = (likely - truth) / x.shape[0]
    hidden_error = (error @ w2.T) * (hidden > 0)
    w2 = w2 - 0.1 * (hidden.T @ error)
    b2 = b2 - 0.1 * xp.sum(error, axis=0)
    w1 = w1 - 0.1 * (x.T @ hidden_error)
    b1 = b1 - 0.1 * xp.sum(hidden_error, axis=0)
    return batches[1:] + batches[:1], w1, b1, w2, b2


def checksum(xp, batches, w1, b1, w2, b2):
    return xp.sum(w2 * w2) + xp.sum(xp.abs(b2))
