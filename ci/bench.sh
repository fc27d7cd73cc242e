#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Benchmarks beside hand-written OpenCL and the peers that are installed (on a GPU CuPy and PyTorch, on a CPU NumPy and
# PyTorch, for sums by ids JAX, too), in one run: Koine and its peers take turns, so that what else the machine does hits
# both. Prints one table of medians.
# usage: ci/bench.sh [group...]     groups: elementwise reduce rows scan indexing segments sort matmul products random host planning transfer queues (all of them by default)
#   ROUNDS=5       turns of each group          SECONDS_EACH=0.5  seconds for each benchmark of a turn
#   KOINE_DEVICE   the device                   PYTHON            a Python with the peers
#   CORES=0,1      of a CPU, for all
#   DOCS=1         writes the table into docs/benchmarks.md
# A koine_bench on the PATH is taken as it is (ci/gpu.sh puts one there); otherwise one is built into build/.
set -euo pipefail
cd "$(dirname "$0")/.."
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "bench: FAILED while $step, after $SECONDS s"' EXIT
groups=("$@")
[ $# -gt 0 ] || groups=(elementwise reduce rows scan indexing segments sort matmul products random host planning transfer queues)

source ci/run/measured.sh
find_program koine_bench numpy
find_python

results=$(mktemp -d)
step="looking for the device"
koine_bench '--benchmark_filter=^host/node x . y/' --benchmark_min_time=0.001 "--benchmark_out=$results/device.json" \
  --benchmark_out_format=json >/dev/null 2>&1
pinned=() gpu=() failed=""
if grep -q '"selector": ".*:cpu:' "$results/device.json"; then pin_to_cores; else gpu=(--gpu); fi
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-0.5}
for group in "${groups[@]}"; do
  for ((round = 1; round <= rounds; ++round)); do
    step="running $group, round $round of $rounds"
    echo "== $step"
    report=$results/$group-$round-koine.json
    # A group that fails leaves the others.
    "${pinned[@]}" koine_bench "--benchmark_filter=^$group/" "--benchmark_min_time=$seconds" "--benchmark_out=$report" \
      --benchmark_out_format=json >"$results/log" 2>&1 || { tail -1 "$results/log"; rm -f "$report"; failed+=" $group"; continue; }
    case $group in planning | transfer | queues) continue ;; esac  # they have no peers, or in koine_bench itself
    "${pinned[@]}" "$python" bench/peers.py "${gpu[@]}" --seconds "$seconds" "$group" "$results/$group-$round-peers.json" ||
      failed+=" the peers of $group"
  done
done
step="making the table from $results"
# In the order of the groups above.
files=()
for group in "${groups[@]}"; do files+=($(compgen -G "$results/$group-*.json" || true)); done
docs=()
[ "${DOCS:-0}" != 1 ] || docs=(--docs docs/benchmarks.md)
"$python" bench/table.py "${docs[@]}" --command "$(told KOINE_DEVICE ROUNDS SECONDS_EACH CORES)ci/bench.sh $*" "${files[@]}"
step="running$failed"
[ -z "$failed" ]
echo "bench: done, $SECONDS s; the reports are in $results"
