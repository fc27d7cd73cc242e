# SPDX-License-Identifier: Apache-2.0
"""Kernels of the user's own, plans, profiles, queues and reproducible scopes: each value is compared with NumPy's."""
import json
import re

import numpy as np
import pytest

import koine as kn

SCALED = """__kernel void scaled(const __global float* x, __global float* y, float a) {
  const size_t i = get_global_id(0);
  y[i] = a * x[i] + OFFSET;
}"""
# Writes the sums of groups of four, from local memory, and reads a pointer that is not const.
GROUPS = """__kernel void groups(__global int* x, __global int* y, __local int* kept) {
  const size_t l = get_local_id(0);
  kept[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[get_group_id(0)] = kept[0] + kept[1] + kept[2] + kept[3];
}"""


def scaled(**options):
    return kn.Kernel(SCALED, defines={"OFFSET": 2}, **options)


def test_a_kernel_writes_an_array_and_gives_a_new_one():
    kernel, x, y = scaled(), np.arange(1000, dtype=np.float32), kn.zeros(1000, dtype=kn.float32)
    assert kernel(1000, kn.asarray(x), y, 3.0) is None
    np.testing.assert_array_equal(np.asarray(y), 3 * x + 2)
    made = kernel(1000, kn.asarray(x), kn.out(1000, kn.float32), -0.5)
    np.testing.assert_array_equal(np.asarray(made), -0.5 * x + 2)
    assert kernel.name == "scaled" and kernel.device == kn.default_device() and kernel.max_group > 0
    assert [text.split()[-1] for text in kernel.parameters] in (["x", "y", "a"], [])


def test_a_launch_has_offset_and_local_size():
    x, y = np.arange(12, dtype=np.float32), kn.full(12, -1.0, dtype=kn.float32)
    scaled()(8, kn.asarray(x), y, 1.0, local=4, offset=2)
    np.testing.assert_array_equal(np.asarray(y), np.where((x >= 2) & (x < 10), x + 2, -1))


def test_several_new_arrays_are_a_tuple():
    source = """__kernel void both(__global int* a, __global int* b) {
      a[get_global_id(0)] = get_global_id(0); b[get_global_id(0)] = -(int)get_global_id(0); }"""
    a, b = kn.Kernel(source)(5, kn.out(5, kn.int32), kn.out(5, kn.int32))
    assert (a.tolist(), b.tolist()) == ([0, 1, 2, 3, 4], [0, -1, -2, -3, -4])


def test_in_out_and_local_memory():
    x = kn.arange(16, dtype=kn.int32).eval()
    kernel, y, kept = kn.Kernel(GROUPS), kn.zeros(4, dtype=kn.int32), x.copy()
    kernel(16, kn.in_(x), kn.out(y), kn.local_memory(4 * 4), local=4)
    expected = np.arange(16, dtype=np.int32).reshape(4, 4).sum(axis=1)
    np.testing.assert_array_equal(np.asarray(y), expected)
    np.testing.assert_array_equal(np.asarray(x), np.asarray(kept))
    with pytest.raises(ValueError, match="const"):
        scaled()(1, kn.out(kn.zeros(1, dtype=kn.float32)), kn.zeros(1, dtype=kn.float32), 1.0)


def test_a_launch_changes_no_other_array():
    x = kn.arange(6, dtype=kn.float32)
    copy = kn.asarray(x, copy=True)
    scaled()(6, ones := kn.ones(6, dtype=kn.float32), x, 1.0)
    assert (x.tolist(), copy.tolist(), ones.tolist()) == ([3.0] * 6, [0, 1, 2, 3, 4, 5], [1.0] * 6)


def test_a_launch_on_a_queue_after_events():
    first, second = kn.Queue(), kn.Queue()
    kernel, x = scaled(), kn.arange(100, dtype=kn.float32)
    y = kernel(100, x, kn.out(100, kn.float32), 2.0, queue=first)
    event = first.record()
    z = kernel(100, y, kn.out(100, kn.float32), 0.5, queue=second, after=[event])
    second.synchronize()
    assert event.done and second.record() is not None and kn.Event().done
    np.testing.assert_array_equal(np.asarray(z), 0.5 * (2 * np.arange(100, dtype=np.float32) + 2) + 2)


def test_arrays_pass_between_queues():
    queue, other = kn.Queue(), kn.Queue()
    with queue:
        x = kn.arange(1000, dtype=kn.float32) * 2
    with other:
        y = kn.sqrt(x).eval()
    other.wait(queue.record())
    kn.synchronize()
    assert queue == queue and queue != other and queue.device == kn.default_device()
    np.testing.assert_allclose(np.asarray(y), np.sqrt(np.arange(1000, dtype=np.float32) * 2), rtol=3e-7)


def test_numbers_tuples_and_structs_are_arguments():
    source = """typedef struct { int a; float b; } pair;
    __kernel void all(__global float* y, float4 v, pair p, uchar c) { y[0] = v.x + 10 * v.w + p.a + p.b + c; }"""
    pair = np.array([(7, 0.25)], dtype=[("a", np.int32), ("b", np.float32)])
    y = kn.Kernel(source)(1, kn.out(1, kn.float32), (1.0, 2.0, 3.0, 4.0), pair.tobytes(), 200)
    assert float(y[0]) == 1 + 40 + 7 + 0.25 + 200


def test_an_untyped_argument_is_what_the_kernel_says():
    source = "__kernel void bits(const __global uint* x, __global uint* y) { y[get_global_id(0)] = x[get_global_id(0)]; }"
    x = np.array([1.0, -2.5, 3.0e-40], dtype=np.float32)
    y = kn.Kernel(source)(3, kn.in_(kn.asarray(x)).untyped(), kn.out(3, kn.uint32))
    np.testing.assert_array_equal(np.asarray(y), x.view(np.uint32))


def test_a_program_from_text_has_kernels():
    program = kn.Program(SCALED + GROUPS, defines={"OFFSET": 1.5})
    assert sorted(program.kernel_names()) == ["groups", "scaled"] and program.device == kn.default_device()
    y = program.kernel("scaled")(3, kn.asarray([1.0, 2.0, 3.0]), kn.out(3, kn.float32), 2.0)
    assert y.tolist() == [3.5, 5.5, 7.5]
    with pytest.raises(ValueError, match="nothing"):
        program.kernel("nothing")
    with pytest.raises(ValueError, match="name one"):
        kn.Kernel(SCALED + GROUPS, defines=["OFFSET"])


def test_a_program_from_a_file_finds_what_lies_beside_it(tmp_path):
    (tmp_path / "offset.h").write_text("#define OFFSET 4\n")
    (tmp_path / "scaled.cl").write_text('#include "offset.h"\n' + SCALED)
    program = kn.Program.from_file(tmp_path / "scaled.cl")
    y = program.kernel("scaled")(2, kn.asarray([1.0, 2.0]), kn.out(2, kn.float32), 1.0)
    assert y.tolist() == [5.0, 6.0]
    with pytest.raises(OSError):
        kn.Program.from_file(tmp_path / "none.cl")


def test_a_program_from_its_binary():
    binary = kn.Program(SCALED, defines={"OFFSET": 3}).binary()
    if not binary:
        pytest.skip("the driver gives no binaries")
    y = kn.Program.from_binary(binary).kernel("scaled")(2, kn.asarray([1.0, 2.0]), kn.out(2, kn.float32), 1.0)
    assert y.tolist() == [4.0, 5.0]
    with pytest.raises(kn.KernelBuildError):
        kn.Program.from_binary(b"no program")


def test_an_elementwise_kernel():
    saxpy = kn.ElementwiseKernel("T x, T y, float a", "T z", "z = a * x + y", "saxpy")
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones(4, dtype=np.float32)
    np.testing.assert_array_equal(np.asarray(saxpy(kn.asarray(x), kn.asarray(y), 0.5)), np.float32(0.5) * x + y)
    both = kn.ElementwiseKernel("int x", "int q, int r", "q = x / third(); r = x % third()",
                                preamble="int third(void) { return 3; }")
    q, r = both(kn.asarray(np.arange(10, dtype=np.int32)))
    assert (q.tolist(), r.tolist()) == ([x // 3 for x in range(10)], [x % 3 for x in range(10)])
    with pytest.raises(TypeError, match="1 to 24"):
        saxpy()


def test_a_reduction_kernel():
    norm = kn.ReductionKernel("T x", "T y", "norm", map="x * x", combine="a + b", finish="sqrt(a)", identity="0")
    x = np.random.default_rng(3).standard_normal((30, 50)).astype(np.float32)
    exact = x.astype(np.float64)
    for axis, keepdims in ((None, False), (0, False), (1, True)):
        got = np.asarray(norm(kn.asarray(x), axis=axis, keepdims=keepdims))
        expected = np.sqrt(np.sum(exact * exact, axis=axis, keepdims=keepdims))
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def test_a_scan_kernel():
    latest = kn.ScanKernel("int x", "int y", "latest", combine="b >= 0 ? b : a", identity="-1")
    x = np.array([-1, 4, -1, -1, 7, -1], dtype=np.int32)
    assert latest(kn.asarray(x)).tolist() == [-1, 4, 4, 4, 7, 7]
    products = kn.ScanKernel("int x", "int y", combine="a * b", identity="1", exclusive=True)
    table = np.arange(1, 13, dtype=np.int32).reshape(3, 4)
    expected = np.concatenate([np.ones((3, 1), np.int32), np.cumprod(table, axis=1)[:, :-1]], axis=1)
    np.testing.assert_array_equal(np.asarray(products(kn.asarray(table), axis=1)), expected)


def test_explain_names_the_steps_and_computes_nothing():
    x = kn.arange(1000, dtype=kn.float32).eval()
    y = kn.sum(kn.exp(x) + 1)
    plan = kn.explain(y)
    assert "exp" in plan and "sum" in plan
    assert "__kernel" in kn.explain(y, source=True) and "__kernel" not in plan
    assert kn.explain(y, y * 2, format="dot").startswith("digraph")
    with pytest.raises(ValueError, match="format|form"):
        kn.explain(y, format="poem")
    assert kn.explain(x) != plan


def test_a_session_counts_what_ran(tmp_path):
    x = kn.arange(5000, dtype=kn.float32).eval()
    kernel = scaled()
    own = kn.Queue()  # of a queue whose handle other code has, the driver may tell no times
    kn.synchronize()
    with kn.profile.Session() as session:
        assert session.running
        for _ in range(3):
            y = kernel(5000, x, kn.out(5000, kn.float32), 2.0, queue=own)
        kn.synchronize()
    assert not session.running
    [row] = [row for row in session.rows() if row.name == "scaled"]
    assert (row.kind, row.calls, row.device) == ("kernel", 3, x.device)
    assert row.bytes_read >= 3 * x.nbytes and row.bytes_written >= 3 * y.nbytes and 0 <= row.share <= 1
    commands = [command for command in session.commands() if command.name == "scaled"]
    assert len(commands) == 3 and all(c.kind == "kernel" and c.end >= c.start and c.device == x.device for c in commands)
    assert row.seconds == pytest.approx(sum(c.end - c.start for c in commands if c.timed), rel=1e-3, abs=1e-9)
    assert re.search(r"^ *scaled +3 ", session.table(), re.M) and str(session) == session.table()
    session.save_trace(str(tmp_path / "trace.json"))
    written = json.loads((tmp_path / "trace.json").read_text())
    events = written["traceEvents"] if isinstance(written, dict) else written
    assert sum(event.get("name") == "scaled" for event in events) == 3
    assert json.loads(session.trace()) == written
    session.clear()
    assert session.rows() == [] and session.commands() == []


def test_a_session_starts_and_stops():
    session = kn.profile.Session(start=False, max_commands=1)
    kernel, x = scaled(), kn.zeros(10, dtype=kn.float32).eval()
    kernel(10, x, kn.out(10, kn.float32), 1.0)
    assert session.rows() == []
    session.start()
    kernel(10, x, kn.out(10, kn.float32), 1.0)
    kernel(10, x, kn.out(10, kn.float32), 1.0)
    session.stop()
    [row] = [row for row in session.rows() if row.name == "scaled"]
    assert row.calls == 2 and len(session.commands()) == 1


def test_the_bandwidth_of_memory():
    try:
        measured = kn.profile.bandwidth()
    except kn.DeviceError as error:
        pytest.skip(str(error))  # the driver told no times
    assert 1e8 < measured < 1e14


def tree(values):
    """The sum of float32 in the order of reproducible scopes, as docs/architecture.md describes it."""
    while len(values) > 1:
        blocks = []
        for begin in range(0, len(values), 4096):
            block = values[begin:begin + 4096]
            running = np.zeros(32, dtype=np.float32)
            for part in range(0, len(block), 32):
                piece = block[part:part + 32]
                running[:len(piece)] += piece
            half = 16
            while half:
                running = running[:half] + running[half:2 * half]
                half //= 2
            blocks.append(running[0])
        values = np.array(blocks, dtype=np.float32)
    return values[0]


@pytest.mark.parametrize("count", [31, 4096, 4097, 300_000])
def test_reproducible_sums_have_the_bits_of_the_documented_tree(count):
    values = np.random.default_rng(count).standard_normal(count).astype(np.float32)
    x = kn.asarray(values)
    with kn.reproducible():
        sums = [kn.sum(x) for _ in range(3)]
        other = kn.sum(kn.reshape(x, (1, -1)), axis=1)
    expected = tree(values).tobytes()
    assert [s.tobytes() for s in sums] == [expected] * 3 and other.tobytes() == expected


def test_reproducible_scopes_nest():
    x = kn.asarray(np.random.default_rng(1).standard_normal(100_000).astype(np.float32))
    usual = kn.sum(x).tobytes()
    with kn.reproducible():
        inside = kn.sum(x)  # belongs to the scope, whenever it is evaluated
        with kn.reproducible(False):
            off = kn.sum(x)
    assert inside.tobytes() == tree(np.asarray(x)).tobytes() and off.tobytes() == usual
