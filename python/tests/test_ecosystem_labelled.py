# SPDX-License-Identifier: Apache-2.0
"""Libraries that hold arrays of others: xarray gives their axes names, Dask and Cubed cut them into chunks."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import koine as kn

VALUES = np.random.default_rng(0).normal(size=(20, 6)).astype(np.float32)


def check(result, wanted, tolerance=1e-4):
    assert isinstance(result, kn.Array)
    np.testing.assert_allclose(np.asarray(result), wanted, rtol=tolerance, atol=tolerance)


def pairs(values):
    return np.stack([values[::2].sum(0), values[1::2].sum(0)])


@pytest.mark.parametrize("call, wanted", [
    (lambda xr, a: a.sum("t"), VALUES.sum(0)),
    (lambda xr, a: a.max(), VALUES.max()),
    (lambda xr, a: a.mean("t", skipna=False), VALUES.mean(0)),
    (lambda xr, a: a.mean("t"), VALUES.mean(0)),
    (lambda xr, a: a.std("t"), VALUES.std(0)),
    (lambda xr, a: xr.dot(a, a, dim="t"), (VALUES * VALUES).sum(0)),
    (lambda xr, a: a.prod("c"), VALUES.prod(1)),
    (lambda xr, a: a.argmax("t"), VALUES.argmax(0)),
    (lambda xr, a: a * 2 + 1, VALUES * 2 + 1),
    (lambda xr, a: -abs(a), -abs(VALUES)),
    (lambda xr, a: a > 0, VALUES > 0),
    (lambda xr, a: a.where(a > 0, 0), np.maximum(VALUES, 0)),
    (lambda xr, a: np.exp(a), np.exp(VALUES)),
    (lambda xr, a: a.clip(-1, 1), VALUES.clip(-1, 1)),
    (lambda xr, a: a.isel(c=1).sel(t=slice(3, 7)), VALUES[3:8, 1]),
    (lambda xr, a: a.T, VALUES.T),
    (lambda xr, a: a - a.mean("t", skipna=False), VALUES - VALUES.mean(0)),
    (lambda xr, a: xr.concat([a, a], "t"), np.concatenate([VALUES, VALUES])),
    (lambda xr, a: a.stack(both=("t", "c")), VALUES.ravel()),
    (lambda xr, a: a.groupby(a.t % 2).sum(), pairs(VALUES)),
    (lambda xr, a: xr.apply_ufunc(kn.tanh, a), np.tanh(VALUES)),
], ids=lambda case: None)
def test_xarray(call, wanted):
    xr = pytest.importorskip("xarray")
    array = xr.DataArray(kn.asarray(VALUES), dims=("t", "c"), coords={"t": np.arange(20)})
    check(call(xr, array).data, wanted)
    assert "Koine" in repr(array) or "koine" in repr(array) or "t: 20" in repr(array)


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_dask_chunks(scheduler):
    da = pytest.importorskip("dask.array")
    array = da.from_array(kn.asarray(VALUES), chunks=(5, 6), asarray=False)
    check((array * 2 + 1).compute(scheduler=scheduler), VALUES * 2 + 1)
    check(array.sum(axis=0).compute(scheduler=scheduler), VALUES.sum(0))
    check(da.exp(array).min(axis=1).compute(scheduler=scheduler), np.exp(VALUES).min(1))
    check(array[3:17:2, ::-1].compute(scheduler=scheduler), VALUES[3:17:2, ::-1])
    check(da.concatenate([array, array]).max(axis=1).compute(scheduler=scheduler), np.tile(VALUES.max(1), 2))


@pytest.mark.parametrize("executor", ["SingleThreadedExecutor", "ThreadsExecutor", "ProcessesExecutor"])
def test_cubed_reduces_what_is_larger_than_its_memory(executor, tmp_path):
    """16 MB of an allowed 10 MB a task: chunks go to disk, and are computed by one process, threads, or several processes."""
    pytest.importorskip("cubed")
    run = subprocess.run([sys.executable, "-W", "ignore", pathlib.Path(__file__).parent / "cubed_program.py", executor, tmp_path],
                         capture_output=True, text=True, timeout=500)
    assert run.returncode == 0, run.stderr
    module, mean, error = run.stdout.split()
    assert module == "koine"
    x = np.arange(4_000_000, dtype=np.float64) / 1e6
    assert abs(float(mean) - np.mean(np.exp(-x) * 2 + 1)) < 1e-4
    assert float(error) < 1e-5
