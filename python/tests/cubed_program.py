# SPDX-License-Identifier: Apache-2.0
"""Run by test_ecosystem_labelled.py: a mean and a product of 4,000,000 elements by Cubed, each chunk of which is Koine's.

    cubed_program.py <executor> <folder>      prints the module, the mean, and the product's largest relative error"""
import os
import sys

os.environ["CUBED_BACKEND_ARRAY_API_MODULE"] = "koine"

import numpy as np


def main(executor, folder):
    import cubed
    import cubed.array_api as xp
    from cubed.backend_array_api import namespace
    from cubed.runtime.executors import local

    spec = cubed.Spec(folder, allowed_mem="10MB", reserved_mem=0)
    run = {"executor": getattr(local, executor)()}
    x = xp.reshape(xp.arange(0, 4_000_000, dtype=xp.float32, chunks=250_000, spec=spec), (2000, 2000)) / 1e6
    mean = xp.mean(xp.exp(-x) * 2 + 1).compute(**run)
    product = np.asarray(xp.sum(x[:500] @ x.T, axis=0).compute(**run))
    values = np.arange(4_000_000).reshape(2000, 2000) / 1e6
    wanted = (values[:500] @ values.T).sum(0)
    print(namespace.__name__, float(mean), np.abs(product / wanted - 1).max())


if __name__ == "__main__":
    main(*sys.argv[1:])
