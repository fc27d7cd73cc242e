# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors on the CPU and Koine's arrays: both ways by DLPack, without a copy where the device shares the host's
memory, and as long as either side needs it."""
import gc

import numpy as np
import pytest

import koine as kn

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

SHARED = kn.default_device().type == "cpu"  # the host has the device's memory
needs_shared = pytest.mark.skipif(not SHARED, reason="the device has memory of its own")
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"]


def known(name):
    return getattr(kn, name) in kn._koine._dtypes(None)


def address(x):
    return np.asarray(x).__array_interface__["data"][0]


def let_go():
    for _ in range(10):
        kn.zeros(1)  # a call of any kind lets go
        gc.collect()


@pytest.mark.parametrize("name", list(filter(known, TYPES)))
def test_types_both_ways(name):
    values = (np.arange(24).reshape(2, 3, 4) % 5).astype(name)
    tensor = torch.from_dlpack(kn.asarray(values))
    assert tensor.dtype == getattr(torch, name) and tensor.shape == values.shape
    np.testing.assert_array_equal(tensor.numpy(), values)
    for source in (torch.from_numpy(values), torch.from_numpy(values).permute(2, 0, 1), torch.from_numpy(values)[:, 1:, ::2]):
        for x in (kn.from_dlpack(source), kn.asarray(source), kn.asarray(source, copy=True)):
            assert x.dtype == getattr(kn, name) and x.shape == tuple(source.shape)
            np.testing.assert_array_equal(np.asarray(x), source.numpy())


@pytest.mark.skipif(not known("bfloat16"), reason="the device has no bfloat16")
def test_bfloat16_both_ways():
    x = kn.asarray([1, 2.5, -3], dtype=kn.bfloat16)
    tensor = torch.from_dlpack(x)
    assert tensor.dtype == torch.bfloat16 and tensor.tolist() == [1, 2.5, -3]
    back = kn.from_dlpack(tensor * 2)
    assert back.dtype == kn.bfloat16 and back.tolist() == [2, 5, -6]


@pytest.mark.parametrize("taken", [torch.from_dlpack, torch.as_tensor, torch.tensor], ids=lambda f: f.__name__)
def test_tensors_of_arrays(taken):
    values = np.random.default_rng(0).normal(size=(30, 20)).astype(np.float32)
    for x, wanted in ((kn.asarray(values), values), (kn.asarray(values) * 2, values * 2), (kn.asarray(values).T, values.T),
                      (kn.asarray(values)[::2, 3:], values[::2, 3:]), (kn.asarray(values)[::-1, ::-3], values[::-1, ::-3]),
                      (kn.asarray(values)[:0], values[:0]), (kn.asarray(values)[2, 3], values[2, 3])):
        np.testing.assert_array_equal(taken(x).numpy(), wanted)


@needs_shared
def test_memory_is_used_where_it_lies():
    x = kn.arange(1000, dtype=kn.float32) * 2
    assert torch.from_dlpack(x).data_ptr() == torch.as_tensor(x).data_ptr() == address(x)
    assert torch.from_dlpack(x[10::2]).data_ptr() == address(x) + 40
    assert torch.from_dlpack(x, copy=True).data_ptr() != address(x)
    assert torch.from_dlpack(x[::-1]).data_ptr() != address(x)  # PyTorch has no negative strides
    tensor = torch.arange(4096, dtype=torch.float32)
    for back in (kn.from_dlpack(tensor), kn.asarray(tensor, copy=False)):
        assert address(back) == tensor.data_ptr()
    assert address(kn.asarray(tensor)) != tensor.data_ptr() and address(kn.from_dlpack(tensor, copy=True)) != tensor.data_ptr()


@needs_shared
def test_readers_of_a_tensor_have_finished_when_they_return():
    tensor = torch.arange(100_000, dtype=torch.float32)
    x = kn.from_dlpack(tensor)
    y = kn.sin(x) + x
    tensor.fill_(-1)
    wanted = np.arange(100_000, dtype=np.float32)
    np.testing.assert_allclose(np.asarray(y), np.sin(wanted.astype(np.float64)) + wanted, rtol=1e-5, atol=1e-5)
    assert float(x[5]) == -1  # the memory itself is shared
    x += 1
    assert tensor[5] == -1 and float(x[5]) == 0  # and never written


@needs_shared
def test_pytorch_knows_no_read_only_memory():
    """Its tensors are writable whatever the capsule says, as docs/python.md warns; a copy is PyTorch's own."""
    x = kn.arange(1000, dtype=kn.float32) * 1
    own = torch.from_dlpack(x, copy=True)
    own.add_(1)
    assert own[0] == 1 and float(x[0]) == 0
    torch.from_dlpack(x).add_(1)
    assert float(x[0]) == 1


def test_an_assignment_leaves_tensors_as_they_are():
    x = kn.arange(1000, dtype=kn.float32)
    tensor, seen = torch.from_dlpack(x), torch.as_tensor(x)
    x[:] = 0
    x += 1
    assert tensor.sum() == seen.sum() == 499500


def test_a_tensor_outlives_the_array_and_an_array_the_tensor():
    x = kn.arange(5000, dtype=kn.float32) * 2
    tensor, seen = torch.from_dlpack(x), torch.as_tensor(x)
    del x
    let_go()
    for _ in range(20):
        kn.full(5000, 7.0).eval()  # would take the memory if it were free
    assert tensor.sum() == seen.sum() == 4999 * 5000
    let_go()
    borrowed, source = kn._koine._borrowed(), torch.arange(5000, dtype=torch.float32)
    x = kn.from_dlpack(source)
    wanted = float(source.sum())
    del source
    let_go()
    others = [torch.full((5000,), 7.0) for _ in range(20)]
    assert float(kn.sum(x)) == wanted and len(others) == 20
    del x
    let_go()
    assert kn._koine._borrowed() == borrowed


def test_what_cannot_be_taken():
    with pytest.raises(BufferError, match="gradient"):
        kn.from_dlpack(torch.ones(3, requires_grad=True))
    with pytest.raises(BufferError, match="conj"):
        kn.from_dlpack(torch.ones(3, dtype=torch.complex64).conj())
    with pytest.raises(TypeError):
        kn.ones(3) + torch.ones(3)
    assert kn.from_dlpack(torch.ones(3, requires_grad=True).detach()).tolist() == [1, 1, 1]
