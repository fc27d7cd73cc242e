# SPDX-License-Identifier: Apache-2.0
"""PageRank over a list of links: each page hands its rank on, the sums by page."""

STEPS = 5


def setup(xp, data, scale):
    pages = scale * 16384
    start, end = (xp.put(data.integers((16 * pages,), seed, pages)) for seed in (1, 2))
    links = xp.astype(xp.maximum(xp.count(start, pages), 1), "float32")
    return start, end, links, xp.zeros(pages, dtype="float32") + 1 / pages


def step(xp, start, end, links, ranks):
    pages = ranks.shape[0]
    handed = xp.take(ranks / links, start)
    return start, end, links, 0.15 / pages + 0.85 * xp.segment_sum(handed, end, pages)


def checksum(xp, start, end, links, ranks):
    return xp.sum(ranks * ranks) * ranks.shape[0]
