# SPDX-License-Identifier: Apache-2.0
"""A least-squares fit of 32 weights by gradient descent."""

STEPS = 10


def setup(xp, data, scale):
    features = xp.put(data.uniform((scale * 32768, 32), 1, -1, 1))
    noise = xp.put(data.uniform((scale * 32768,), 2, -1, 1))
    targets = features @ xp.linspace(-1, 1, 32, dtype="float32") + 0.1 * noise
    return features, targets, xp.zeros(32, dtype="float32")


def step(xp, features, targets, weights):
    error = features @ weights - targets
    gradient = features.T @ error / features.shape[0]
    return features, targets, weights - 0.5 * gradient


def checksum(xp, features, targets, weights):
    return xp.sum(weights * weights)
