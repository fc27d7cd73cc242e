# SPDX-License-Identifier: Apache-2.0
"""Prices options: European ones by Black and Scholes' formula beside random paths, Asian ones by the paths alone.

    python examples/python/options.py [--paths 200000] [--out options.png]      needs koine, numpy, matplotlib"""
import argparse
import time

import matplotlib.pyplot as plt
import numpy as np

import koine as kn

SPOT, RATE, VOLATILITY, YEARS, STEPS = 100.0, 0.03, 0.25, 1.0, 64


def normal_cdf(x):
    return 0.5 * kn.erfc(-x / 2**0.5)


def black_scholes(strike):
    """The price of a call, and how it moves with the share (delta)."""
    spread = VOLATILITY * YEARS**0.5
    d1 = (kn.log(SPOT / strike) + (RATE + VOLATILITY**2 / 2) * YEARS) / spread
    discounted = strike * kn.exp(-RATE * YEARS)
    return SPOT * normal_cdf(d1) - discounted * normal_cdf(d1 - spread), normal_cdf(d1)


def paths(random, count):
    """Prices of the share after each step, a row for each path: geometric Brownian motion."""
    step = YEARS / STEPS
    moves = (RATE - VOLATILITY**2 / 2) * step + VOLATILITY * step**0.5 * random.standard_normal((count, STEPS))
    return SPOT * kn.exp(kn.cumulative_sum(moves, axis=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=200_000)
    parser.add_argument("--out", default="options.png")
    options = parser.parse_args()

    start = time.perf_counter()
    strike = kn.linspace(60, 140, 33)
    exact, delta = black_scholes(strike)
    prices = paths(kn.random.default_rng(7), options.paths)
    discount = float(np.exp(-RATE * YEARS))
    final, average = prices[:, -1], kn.mean(prices, axis=1)
    # Payoffs of all paths for all strikes; the table of paths by strikes is never stored.
    european = discount * kn.mean(kn.maximum(final[:, None] - strike, 0), axis=0)
    asian = discount * kn.mean(kn.maximum(average[:, None] - strike, 0), axis=0)
    strike, exact, delta, european, asian = (np.asarray(x) for x in (strike, exact, delta, european, asian))
    print(f"{prices.device}: {options.paths} paths of {STEPS} steps in {time.perf_counter() - start:.2f} s; "
          f"largest difference from the formula {np.abs(european - exact).max():.3f}")

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    left.plot(strike, exact, label="European, formula")
    left.plot(strike, european, ".", label="European, paths")
    left.plot(strike, asian, "--", label="Asian, paths")
    left.set(xlabel="strike", ylabel="price of a call")
    left.legend()
    right.plot(strike, delta, color="tab:green")
    right.set(xlabel="strike", ylabel="delta")
    figure.tight_layout()
    figure.savefig(options.out, dpi=80)


if __name__ == "__main__":
    main()
