# SPDX-License-Identifier: Apache-2.0
"""A table's rows by 1000 keys: sums, counts, largest values, and each row beside the mean of its group."""

STEPS = 1


def setup(xp, data, scale):
    shape = (scale << 20,)
    return xp.put(data.integers(shape, 1, 1000)), xp.put(data.uniform(shape, 2)), None, None, None


def step(xp, keys, values, means, largest, beside):
    sums = xp.segment_sum(values, keys, 1000)
    counts = xp.count(keys, 1000)
    largest = xp.segment_max(values, keys, 1000)
    means = sums / xp.astype(counts, "float32")
    return keys, values, means, largest, values - xp.take(means, keys)


def checksum(xp, keys, values, means, largest, beside):
    return xp.sum(means) + xp.sum(largest) + xp.mean(beside * beside)
