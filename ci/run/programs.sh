#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whole programs (bench/programs) beside the peers that are installed: on a GPU CuPy, PyTorch and JAX, on a CPU NumPy,
# PyTorch and JAX. Each program runs in a process of its own, with empty caches, so that its first result counts all that
# a first start costs. Prints a table, and fails where a result is wrong.
# usage: ci/run/programs.sh [name...]    programs (all of them by default)
#   KOINE_DEVICE   the device                     PYTHON   a Python with the peers
#   SCALE          times 2^20 elements: 64 on a GPU and 1 on a CPU by default
#   CORES=0,1      of a CPU, for all              SECONDS_EACH=0.3   how long each program is repeated
#   TOGETHER=1     all programs of a library in one process: quicker, and first results lack the start
#   DOCS=1         writes the table into docs/benchmarks.md and the picture into docs/images
# A koine_programs on the PATH is taken as it is (ci/gpu.sh puts one there); otherwise one is built into build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
source ci/run/twins.sh
start programs koine_programs
measure_twins programs koine_programs bench/programs/programs.py \
  "$(told KOINE_DEVICE TOGETHER SCALE CORES SECONDS_EACH)ci/run/programs.sh $*" "$@"
echo "programs: done, $SECONDS s"
