# SPDX-License-Identifier: Apache-2.0
"""A user's program, read by mypy and pyright in test_packaging_types.py: what it does is right, and what they infer is
checked by reveal_type there. It is never run."""
import koine as kn


def softmax_rows(x: kn.Array, scale: float = 1.0) -> kn.Array:
    x = x * scale
    shifted = kn.exp(x - kn.max(x, axis=-1, keepdims=True))
    return shifted / kn.sum(shifted, axis=-1, keepdims=True)


def main() -> None:
    x = kn.reshape(kn.arange(12, dtype=kn.float32), (3, 4))
    y: kn.Array = softmax_rows(2 * x + 1 - x.T.T)
    rows, columns = y.shape
    total: float = float(kn.sum(y)) + rows + columns
    y[0, :] = 3
    part = y[1:, None, ..., ::-1] @ x.mT
    mask = (part > 0.5) & ~kn.isnan(part)
    unique = kn.unique_all(kn.asarray([3, 1, 2, 3]))
    order: kn.Array = unique.inverse_indices
    name: str = x.device.selector
    x += 1
    print(total, mask.ndim, order, name, kn.concat([x, y], axis=0).dtype == kn.float32, kn.take(x, kn.asarray([0]), axis=1))
