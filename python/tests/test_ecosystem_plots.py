# SPDX-License-Identifier: Apache-2.0
"""matplotlib and seaborn draw Koine's arrays, the same picture as of NumPy's with these values."""
import os

# SciPy reads it when seaborn imports it; the tests of SciPy in the same run need it.
os.environ["SCIPY_ARRAY_API"] = "1"

import koine as kn
import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")
sns = pytest.importorskip("seaborn")

RANDOM = np.random.default_rng(7)
X = np.linspace(0, 10, 50, dtype=np.float32)
VALUES = {"x": X, "y": np.sin(X), "image": RANDOM.uniform(size=(8, 9)).astype(np.float32),
          "points": RANDOM.normal(size=(40, 2)).astype(np.float32), "n": np.arange(5), "counts": np.array([1, 4, 2, 8, 5])}
PLOTS = {
    "plot": lambda v: plt.plot(v["x"], v["y"]),
    "plot with limits": lambda v: (plt.plot(v["y"]), plt.ylim(v["y"].min(), v["y"].max()), plt.axhline(v["y"].mean())),
    "scatter": lambda v: plt.scatter(v["points"][:, 0], v["points"][:, 1], c=v["points"][:, 0], s=v["points"][:, 1] ** 2),
    "hist": lambda v: plt.hist(v["points"][:, 0], bins=5),
    "imshow": lambda v: plt.imshow(v["image"]),
    "contourf": lambda v: plt.contourf(v["image"]),
    "bar": lambda v: plt.bar(v["n"], v["counts"]),
    "errorbar": lambda v: plt.errorbar(v["n"], v["counts"], yerr=v["counts"] * 0.1),
    "fill_between": lambda v: plt.fill_between(v["x"], v["y"], v["y"] + 1, where=v["y"] > 0),
    "boxplot": lambda v: plt.boxplot(v["points"]),
    "hist of columns": lambda v: plt.hist(v["points"]),
    "plot_surface": lambda v: plt.figure().add_subplot(projection="3d").plot_surface(v["image"] * 2, v["image"] * 3, v["image"]),
    "lineplot": lambda v: sns.lineplot(x=v["x"], y=v["y"]),
    "scatterplot": lambda v: sns.scatterplot(x=v["points"][:, 0], y=v["points"][:, 1]),
    "histplot": lambda v: sns.histplot(v["points"][:, 0]),
    "heatmap": lambda v: sns.heatmap(v["image"]),
    "barplot": lambda v: sns.barplot(x=v["n"], y=v["counts"]),
    "kdeplot": lambda v: sns.kdeplot(v["points"][:, 0]),
}


def drawn(plot, values):
    plt.close("all")
    plot(values)
    plt.gcf().canvas.draw()
    return np.asarray(plt.gcf().canvas.buffer_rgba())


@pytest.mark.parametrize("name", PLOTS)
def test_the_picture_is_that_of_numpy_s_arrays(name):
    koine_s = {key: kn.asarray(value) for key, value in VALUES.items()}
    expected = drawn(PLOTS[name], VALUES)
    got = drawn(PLOTS[name], koine_s)
    plt.close("all")
    assert len(np.unique(expected.reshape(-1, 4), axis=0)) > 2 and got.shape == expected.shape
    # Rounding may move an edge by a fraction of a pixel.
    assert np.mean(np.any(np.abs(got.astype(int) - expected) > 32, axis=-1)) < 0.001
