# SPDX-License-Identifier: Apache-2.0
"""SciPy's functions that follow the array API standard (SCIPY_ARRAY_API=1) on Koine's arrays, beside the same on NumPy's."""
import os

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest

import koine as kn

scipy = pytest.importorskip("scipy")
from scipy import cluster, constants, integrate, ndimage, optimize, signal, special, stats  # noqa: E402

VALUES = np.random.default_rng(0).normal(size=(20, 6)).astype(np.float32)
POSITIVE = np.abs(VALUES) + np.float32(0.1)
FUNCTIONS = {
    "special.erf": lambda x, p: special.erf(x), "special.expit": lambda x, p: special.expit(x),
    "special.logsumexp": lambda x, p: special.logsumexp(x, axis=0), "special.softmax": lambda x, p: special.softmax(x, axis=0),
    "special.log_softmax": lambda x, p: special.log_softmax(x, axis=0), "special.xlogy": lambda x, p: special.xlogy(p, p),
    "special.entr": lambda x, p: special.entr(p), "special.gammaln": lambda x, p: special.gammaln(p),
    "stats.gmean": lambda x, p: stats.gmean(p), "stats.hmean": lambda x, p: stats.hmean(p),
    "stats.zscore": lambda x, p: stats.zscore(x), "stats.skew": lambda x, p: stats.skew(x),
    "stats.kurtosis": lambda x, p: stats.kurtosis(x), "stats.moment": lambda x, p: stats.moment(x, 3),
    "stats.variation": lambda x, p: stats.variation(p), "stats.sem": lambda x, p: stats.sem(x),
    "stats.describe": lambda x, p: stats.describe(x).variance, "stats.iqr": lambda x, p: stats.iqr(x),
    "stats.tmean": lambda x, p: stats.tmean(x), "stats.trim_mean": lambda x, p: stats.trim_mean(x, 0.1),
    "stats.ttest_1samp": lambda x, p: stats.ttest_1samp(x, 0.0).pvalue,
    "stats.pearsonr": lambda x, p: stats.pearsonr(x[:, 0], x[:, 1]).statistic,
    "integrate.trapezoid": lambda x, p: integrate.trapezoid(x, axis=0),
    "integrate.cumulative_trapezoid": lambda x, p: integrate.cumulative_trapezoid(x, axis=0),
    "cluster.vq.whiten": lambda x, p: cluster.vq.whiten(x), "cluster.vq.vq": lambda x, p: cluster.vq.vq(x, x[:3])[0],
    "signal.detrend": lambda x, p: signal.detrend(x, type="constant"),
    "signal.convolve": lambda x, p: signal.convolve(x[:, 0], x[:3, 1], method="direct"),
    "ndimage.gaussian_filter": lambda x, p: ndimage.gaussian_filter(x, 1.0),
    "optimize.rosen": lambda x, p: optimize.rosen(x[:, 0]),
    "constants.convert_temperature": lambda x, p: constants.convert_temperature(x, "C", "K"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gives_what_it_gives_of_numpys_arrays(name):
    result = FUNCTIONS[name](kn.asarray(VALUES), kn.asarray(POSITIVE))
    assert isinstance(result, (kn.Array, float)), type(result)
    np.testing.assert_allclose(np.asarray(result), FUNCTIONS[name](VALUES, POSITIVE), rtol=1e-3, atol=1e-4)


def test_makes_windows():
    window = signal.windows.hann(9, xp=kn)
    assert isinstance(window, kn.Array)
    np.testing.assert_allclose(np.asarray(window), signal.windows.hann(9), atol=1e-6)
