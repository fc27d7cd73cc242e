# SPDX-License-Identifier: Apache-2.0
"""Logistic regression with a bias and weight decay, by gradient descent; the loss is looked at in each step."""

STEPS = 10


def setup(xp, data, scale):
    features = xp.put(data.uniform((scale * 32768, 32), 1, -1, 1))
    noise = xp.put(data.uniform((scale * 32768,), 2, -1, 1))
    labels = xp.astype(features @ xp.linspace(-1, 1, 32, dtype="float32") + noise > 0, "float32")
    zero = xp.zeros((), dtype="float32")
    return features, labels, xp.zeros(32, dtype="float32"), zero, zero


def step(xp, features, labels, weights, bias, loss):
    scores = features @ weights + bias
    likely = xp.sigmoid(scores)
    loss = xp.mean(xp.maximum(scores, 0) - labels * scores + xp.log1p(xp.exp(-xp.abs(scores))))
    error = likely - labels
    weights = weights - (features.T @ error / features.shape[0] + 0.001 * weights)
    return features, labels, weights, bias - xp.mean(error), loss


def look(features, labels, weights, bias, loss):
    return float(loss)


def checksum(xp, features, labels, weights, bias, loss):
    return loss
