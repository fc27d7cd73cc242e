# SPDX-License-Identifier: Apache-2.0
"""The correlation matrix of 64 columns."""

STEPS = 1


def setup(xp, data, scale):
    samples = xp.put(data.uniform((scale * 16384, 64), 1))
    return samples + xp.linspace(0, 1, 64, dtype="float32") * samples[:, :1], None


def step(xp, samples, _):
    centred = samples - xp.mean(samples, axis=0)
    scaled = centred / xp.std(samples, axis=0)
    return samples, scaled.T @ scaled / samples.shape[0]


def checksum(xp, samples, matrix):
    return xp.mean(matrix * matrix)
