# SPDX-License-Identifier: Apache-2.0
"""Run by ci/run/python_wheel.sh where a wheel is installed, with nothing but Python's own library: what needs the driver's
compiler, the host's steps and a product, beside values known without Koine."""
import math

import koine as kn

x = kn.linspace(0, 1, 100_001, dtype=kn.float64)
assert abs(float(kn.mean(kn.exp(x))) - (math.e - 1)) < 1e-4
a = kn.reshape(kn.arange(10_000, dtype=kn.float32), (100, 100))
wanted = sum((9900 + k) * (99 + 100 * k) for k in range(100))
assert abs(float((a @ a)[99, 99]) / wanted - 1) < 1e-5
assert int(kn.sort(kn.asarray([3, 1, 2]))[2]) == 3
assert "Parameters" in kn.sum.__doc__
print(f"the wheel works: koine {kn.__version__} on {x.device}")
