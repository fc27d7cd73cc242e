# SPDX-License-Identifier: Apache-2.0
"""A mean without outliers: what lies within three deviations, estimated by medians."""

STEPS = 1


def setup(xp, data, scale):
    samples = xp.put(data.uniform(((scale << 20) - 1,), 1, -1, 1))
    return samples * samples * samples + 0.5, None


def step(xp, samples, _):
    away = xp.abs(samples - xp.median(samples))
    kept = away < 3 * 1.4826 * xp.median(away)
    return samples, xp.sum(xp.where(kept, samples, 0)) / xp.sum(kept)


def checksum(xp, samples, mean):
    return mean
