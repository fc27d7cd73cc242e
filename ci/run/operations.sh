#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Single operations in the layouts and shapes that programs have, and element-wise functions in float32 and float64
# (bench/operations), beside the best of the peers that are installed: on a GPU CuPy, PyTorch and JAX, on a CPU NumPy,
# PyTorch and JAX. Prints a table of each, and fails where a result is wrong.
# usage: ci/run/operations.sh [name...]    operations and functions (all of them by default)
#   KOINE_DEVICE   the device                     PYTHON   a Python with the peers
#   SCALE          times 2^20 elements: 64 on a GPU and 1 on a CPU by default
#   CORES=0,1      of a CPU, for all              SECONDS_EACH   how long each is repeated (0.15, functions 0.08)
#   DOCS=1         writes the tables into docs/benchmarks.md and the pictures into docs/images
# A koine_operations on the PATH is taken as it is (ci/gpu.sh puts one there); otherwise one is built into build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/run/twins.sh
start operations koine_operations
TOGETHER=1
failed=0
for kind in operations functions; do
  measure_twins $kind koine_operations bench/operations/operations.py \
    "$(told KOINE_DEVICE SCALE CORES SECONDS_EACH)ci/run/operations.sh $*" "$@" || failed=1
done
[ $failed = 0 ]
echo "operations: done, $SECONDS s"
