#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long runs: every test with every variant, again under the sanitizers, then one short round of each benchmark.
set -euo pipefail
cd "$(dirname "$0")/.."
export KOINE_TEST_EXHAUSTIVE=1
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "nightly: FAILED while $step, after $SECONDS s"' EXIT

step="testing exhaustively"
ci/test.sh
for preset in asan tsan; do
  step="testing with $preset"
  # The sanitizers look at the host code; one pass over the kernels is enough for that.
  KOINE_TEST_EXHAUSTIVE=0 PRESET=$preset ci/test.sh
done
step="running the benchmarks"
# 0.01 s each shows that they run; figures worth keeping need a quiet machine and Google Benchmark's default.
KOINE_DEVICE=${KOINE_DEVICE:-pocl} build-ci/koine_bench --benchmark_min_time=0.01
echo "nightly: all passed, $SECONDS s"
