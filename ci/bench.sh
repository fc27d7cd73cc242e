#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Benchmarks beside hand-written OpenCL and NumPy (on a GPU: CuPy and PyTorch where they are installed), in one run:
# Koine and its peers take turns, so that what else the machine does hits both. Prints one table of medians.
# usage: ci/bench.sh [group...]     groups: elementwise reduce rows scan indexing segments sort matmul products random host planning transfer queues (all of them by default)
#   ROUNDS=5       turns of each group          SECONDS_EACH=0.5  seconds for each benchmark of a turn
#   KOINE_DEVICE   the device                   PYTHON            a Python with the peers
#   DOCS=1         writes the table into docs/benchmarks.md
# A koine_bench on the PATH is taken as it is (ci/gpu.sh puts one there); otherwise one is built into build/.
set -euo pipefail
cd "$(dirname "$0")/.."
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "bench: FAILED while $step, after $SECONDS s"' EXIT
groups=("$@")
[ $# -gt 0 ] || groups=(elementwise reduce scan indexing segments sort matmul products random host planning transfer queues)

source ci/run/measured.sh
find_program koine_bench numpy
python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

results=$(mktemp -d)
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-0.5}
for group in "${groups[@]}"; do
  for ((round = 1; round <= rounds; ++round)); do
    step="running $group, round $round of $rounds"
    echo "== $step"
    koine_bench "--benchmark_filter=^$group/" "--benchmark_min_time=$seconds" \
      "--benchmark_out=$results/$group-$round-koine.json" --benchmark_out_format=json >/dev/null 2>&1
    case $group in planning | transfer | queues) continue ;; esac  # they have no peers, or in koine_bench itself
    gpu=()
    grep -q '"selector": ".*:gpu:' "$results/$group-$round-koine.json" && gpu=(--gpu)
    "$python" bench/peers.py "${gpu[@]}" --seconds "$seconds" "$group" "$results/$group-$round-peers.json"
  done
done
step="making the table from $results"
# In the order of the groups above.
files=()
for group in "${groups[@]}"; do files+=("$results/$group-"*.json); done
docs=()
[ "${DOCS:-0}" != 1 ] || docs=(--docs docs/benchmarks.md)
"$python" bench/table.py "${docs[@]}" --command "ROUNDS=$rounds SECONDS_EACH=$seconds ci/bench.sh $*" "${files[@]}"
echo "bench: done, $SECONDS s; the reports are in $results"
