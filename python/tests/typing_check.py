# SPDX-License-Identifier: Apache-2.0
"""A user's program, read by mypy and pyright in test_packaging_types.py: what it does is right, and what they infer is
checked by reveal_type there. It is never run."""
from pathlib import Path

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


def kernels(x: kn.Array, folder: Path) -> list[kn.Array]:
    program = kn.Program.from_file(folder / "scaled.cl", defines={"OFFSET": 2}, device="cpu")
    again = kn.Program.from_binary(program.binary(), device=program.device)
    names: list[str] = again.kernel_names()
    kernel: kn.Kernel = again.kernel(names[0])
    queue = kn.Queue(kernel.device)
    event: kn.Event = queue.record()
    y = kernel(x.size, kn.in_(x), kn.out(x.shape, kn.float32), 2.0, local=(64,), offset=0, queue=queue, after=[event])
    kn.Kernel("__kernel void none() {}", "none", options="-w")(1, kn.local_memory(64), after=())
    saxpy = kn.ElementwiseKernel("T x, T y, float a", "T z", "z = a * x + y", "saxpy", preamble="")
    norm = kn.ReductionKernel("T x", "T y", map="x * x", combine="a + b", finish="sqrt(a)", identity="0")
    latest = kn.ScanKernel("int x", "int y", combine="b >= 0 ? b : a", identity="-1")
    rows: kn.Array = norm(saxpy(x, 1, 2.0), axis=-1, keepdims=True)
    last: kn.Array = latest(x, axis=0)
    with kn.profile.Session() as session, kn.reproducible(), queue:
        kn.eval(rows, last)
    seconds: float = sum(row.seconds for row in session.rows() if row.device == x.device)
    session.save_trace(str(folder / f"{seconds}.json"))
    print(kn.explain(rows, last, source=True), event.done, session.commands()[0].name)
    return [y, rows, last]
