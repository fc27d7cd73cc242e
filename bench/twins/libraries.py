# SPDX-License-Identifier: Apache-2.0
"""NumPy, CuPy, PyTorch and JAX under NumPy's names, for the programs and operations beside this folder.

A peer has its library's functions (`xp.exp`, `xp.sum(x, axis=0)`) and, under one name each, what the libraries spell in
different ways. Each is what the library's own users write.
"""

import numpy as np


class Peer:
    """NumPy, and what CuPy has in common with it."""

    name = "numpy"
    library = np

    def __getattr__(self, name):
        return getattr(self.library, name)

    def about(self):
        """Its name and version."""
        return f"NumPy {self.library.__version__}"

    def put(self, values):
        """The values of a NumPy array on the device."""
        return self.library.asarray(values)

    def jit(self, step):
        return step

    def wait(self, state):
        """Until the device has computed all of `state`."""

    def host(self, x):
        """The values of x as a NumPy array."""
        return np.asarray(x)

    def allow_float64(self):
        """Where a library would make float32 of it otherwise."""

    def astype(self, x, dtype):
        return x.astype(dtype)

    def set(self, x, index, value):
        """x with a part assigned."""
        x[index] = value
        return x

    def copy(self, x):
        """x for `set` to change."""
        return x.copy()

    def contiguous(self, x):
        """x in memory of its own, row by row."""
        return self.library.ascontiguousarray(x)

    def histogram(self, x, bins):
        return self.library.histogram(x, bins)[0]

    def take(self, x, positions):
        return x[positions]

    def topk(self, x, count):
        """The `count` largest of each row, in any order."""
        return self.library.partition(x, x.shape[-1] - count, axis=-1)[..., -count:]

    def count(self, ids, count):
        """How often each of 0 to count - 1 occurs."""
        return self.library.bincount(ids, minlength=count)

    def segment_sum(self, x, ids, count):
        if x.ndim == 1:
            return self.library.bincount(ids, weights=x, minlength=count).astype(x.dtype)
        return self.library.stack([self.segment_sum(column, ids, count) for column in x.T], axis=1)

    def segment_max(self, x, ids, count):
        result = self.library.full(count, -np.inf, x.dtype)
        self.library.maximum.at(result, ids, x)
        return result

    def sigmoid(self, x):
        return 1 / (1 + self.library.exp(-x))

    def softmax(self, x):
        e = self.library.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    def erf(self, x):
        from scipy.special import erf

        return erf(x)

    def lgamma(self, x):
        from scipy.special import gammaln

        return gammaln(x)

    def generator(self, seed):
        return self.library.random.default_rng(seed)

    def random_uniform(self, generator, shape):
        """(the generator for the next numbers, numbers)"""
        return generator, generator.random(shape, dtype=np.float32)

    def random_normal(self, generator, shape):
        return generator, generator.standard_normal(shape, dtype=np.float32)

    def permutation(self, generator, count):
        """0 to count - 1 in a random order."""
        return generator.permutation(count)


class CuPy(Peer):
    name = "cupy"

    def __init__(self):
        import cupy

        self.library = cupy

    def about(self):
        return f"CuPy {self.library.__version__}"

    def wait(self, state):
        self.library.cuda.Device().synchronize()

    def host(self, x):
        return self.library.asnumpy(x)

    def erf(self, x):
        from cupyx.scipy.special import erf

        return erf(x)

    def lgamma(self, x):
        from cupyx.scipy.special import gammaln

        return gammaln(x)

    def permutation(self, generator, count):
        return self.library.random.permutation(count)  # its generators have none

    def segment_sum(self, x, ids, count):
        import cupyx

        result = self.library.zeros((count,) + x.shape[1:], x.dtype)
        cupyx.scatter_add(result, ids, x)
        return result

    def segment_max(self, x, ids, count):
        import cupyx

        result = self.library.full(count, -np.inf, x.dtype)
        cupyx.scatter_max(result, ids, x)
        return result


class Torch(Peer):
    name = "torch"

    def __init__(self):
        import torch

        torch.set_grad_enabled(False)
        self.library = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"

    def about(self):
        return f"PyTorch {self.library.__version__}"

    def put(self, values):
        return self.library.as_tensor(values, device=self.device)

    def wait(self, state):
        if self.device == "cuda":
            self.library.cuda.synchronize()

    def host(self, x):
        return x.cpu().numpy()

    def copy(self, x):
        return x.clone()

    def contiguous(self, x):
        return x.contiguous()

    def flip(self, x):
        return self.library.flip(x, tuple(range(x.ndim)))

    def repeat(self, x, times):
        return self.library.repeat_interleave(x, times)

    def sort(self, x, axis=-1):
        return self.library.sort(x, axis)[0]

    def histogram(self, x, bins):
        return self.library.histc(x, bins)

    def astype(self, x, dtype):
        return x.to(getattr(self.library, dtype))

    def roll(self, x, shift, axis):
        return self.library.roll(x, shift, axis)

    def arange(self, *range, dtype="float32"):
        return self.library.arange(*range, dtype=getattr(self.library, dtype), device=self.device)

    def linspace(self, start, stop, num, dtype="float32"):
        return self.library.linspace(start, stop, num, dtype=getattr(self.library, dtype), device=self.device)

    def zeros(self, shape, dtype="float32"):
        return self.library.zeros(shape, dtype=getattr(self.library, dtype), device=self.device)

    def maximum(self, x, y):
        return self.library.clamp(x, min=y) if isinstance(y, (int, float)) else self.library.maximum(x, y)

    def max(self, x, axis=None):
        return self.library.amax(x, () if axis is None else axis)

    def min(self, x, axis=None):
        return self.library.amin(x, () if axis is None else axis)

    def std(self, x, axis=None):
        return self.library.std(x, axis, correction=0)

    def var(self, x, axis=None):
        return self.library.var(x, axis, correction=0)

    def pad(self, x, width, mode="constant"):
        mode = {"edge": "replicate"}.get(mode, mode)
        return self.library.nn.functional.pad(x[None, None], (width,) * 4, mode=mode)[0, 0]

    def take(self, x, positions):
        return x[positions.long()]

    def topk(self, x, count):
        return self.library.topk(x, count, dim=-1, sorted=False)[0]

    def count(self, ids, count):
        return self.library.bincount(ids, minlength=count)

    def segment_sum(self, x, ids, count):
        return x.new_zeros((count,) + x.shape[1:]).index_add_(0, ids, x)

    def segment_max(self, x, ids, count):
        return x.new_full((count,), -np.inf).scatter_reduce_(0, ids.long(), x, "amax")

    def sigmoid(self, x):
        return self.library.sigmoid(x)

    def softmax(self, x):
        return self.library.softmax(x, -1)

    def erf(self, x):
        return self.library.erf(x)

    def lgamma(self, x):
        return self.library.lgamma(x)

    def generator(self, seed):
        return self.library.Generator(self.device).manual_seed(seed)

    def random_uniform(self, generator, shape):
        return generator, self.library.rand(shape, generator=generator, device=self.device)

    def random_normal(self, generator, shape):
        return generator, self.library.randn(shape, generator=generator, device=self.device)

    def permutation(self, generator, count):
        return self.library.randperm(count, generator=generator, device=self.device)


class Jax(Peer):
    name = "jax"

    def __init__(self):
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")
        self.jax = jax
        self.library = jax.numpy

    def about(self):
        return f"JAX {self.jax.__version__}"

    def put(self, values):
        return self.jax.device_put(values)

    def jit(self, step):
        return self.jax.jit(step)

    def wait(self, state):
        self.jax.block_until_ready(state)

    def allow_float64(self):
        self.jax.config.update("jax_enable_x64", True)

    def copy(self, x):
        return x  # which `set` leaves as it is

    def contiguous(self, x):
        return x  # what a jitted step gives is

    def set(self, x, index, value):
        return x.at[index].set(value)

    def topk(self, x, count):
        return self.jax.lax.top_k(x, count)[0]

    def count(self, ids, count):
        return self.library.bincount(ids, length=count)

    def segment_sum(self, x, ids, count):
        return self.jax.ops.segment_sum(x, ids, count)

    def segment_max(self, x, ids, count):
        return self.jax.ops.segment_max(x, ids, count)

    def sigmoid(self, x):
        return self.jax.nn.sigmoid(x)

    def softmax(self, x):
        return self.jax.nn.softmax(x)

    def erf(self, x):
        return self.jax.scipy.special.erf(x)

    def lgamma(self, x):
        return self.jax.scipy.special.gammaln(x)

    def generator(self, seed):
        return self.jax.random.key(seed)

    def random_uniform(self, generator, shape):
        generator, part = self.jax.random.split(generator)
        return generator, self.jax.random.uniform(part, shape, "float32")

    def random_normal(self, generator, shape):
        generator, part = self.jax.random.split(generator)
        return generator, self.jax.random.normal(part, shape, "float32")

    def permutation(self, generator, count):
        return self.jax.random.permutation(generator, count)


PEERS = {peer.name: peer for peer in (Peer, CuPy, Torch, Jax)}
