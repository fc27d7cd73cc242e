# SPDX-License-Identifier: Apache-2.0
"""The price of an Asian option by Monte Carlo: paths of 64 days, paid by their mean."""

import math

STEPS = 1


def setup(xp, data, scale):
    return xp.generator(1), xp.zeros((scale * 16384, 64), dtype="float32"), None


def step(xp, generator, like, _):
    rate, volatility, day = 0.05, 0.2, 1 / 64
    generator, noise = xp.random_normal(generator, like.shape)
    moves = (rate - volatility * volatility / 2) * day + volatility * math.sqrt(day) * noise
    prices = 100 * xp.exp(xp.cumsum(moves, axis=1))
    price = math.exp(-rate) * xp.mean(xp.maximum(xp.mean(prices, axis=1) - 100, 0))
    return generator, like, price


def checksum(xp, generator, like, price):
    return price
