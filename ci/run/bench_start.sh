#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The time from main to the first result of exp(-a*a)*b+1 in a fresh process: with an empty cache (the driver's own
# empty too), a warm one and none (the driver's own warm). Processes take turns; prints medians in milliseconds.
# usage: ci/run/bench_start.sh
#   ROUNDS=9       processes of each kind       KOINE_DEVICE   the device
#   CORES=0,1      of a CPU, for all            DOCS=1         writes the table into docs/benchmarks.md
# A koine_start on the PATH is taken as it is (ci/gpu.sh puts one there); otherwise one is built into build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "bench_start: FAILED while $step, after $SECONDS s"' EXIT

source ci/run/measured.sh
find_program koine_start

step="looking for the device"
about=$(koine_start about)
device=gpu pinned=()
if [[ $about == *:cpu:* ]]; then
  device=cpu
  pin_to_cores
fi
folder=$(mktemp -d)
trap 'code=$?; rm -rf "$folder"; [ $code -eq 0 ] || echo "bench_start: FAILED while $step, after $SECONDS s"' EXIT

# start_with <name of the caches> <KOINE_CACHE> [driver]: one process, with Koine's cache and the drivers' in a folder.
start_with() {
  local caches=$folder/$1
  mkdir -p "$caches/pocl" "$caches/cuda"
  POCL_CACHE_DIR=$caches/pocl CUDA_CACHE_PATH=$caches/cuda KOINE_CACHE_DIR=$caches/koine KOINE_CACHE=$2 \
    "${pinned[@]}" koine_start "${@:3}"
}

# The median of what follows a word in a file's lines.
median() {
  awk -v word="$1" '{ for (i = 1; i < NF; ++i) if ($i == word) print $(i + 1) }' "$2" | sort -g |
    awk '{ x[NR] = $1 } END { printf "%.1f", NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'
}

step="filling the caches"
start_with warm rw >/dev/null
start_with warm off >/dev/null
rounds=${ROUNDS:-9}
for ((round = 1; round <= rounds; ++round)); do
  step="running round $round of $rounds"
  rm -rf "$folder/empty"
  start_with empty rw >>"$folder/empty.log"
  start_with warm rw >>"$folder/warm.log"
  start_with warm off >>"$folder/off.log"
  start_with warm off driver >>"$folder/driver.log"
done
if grep -v ' built 0 ' "$folder/warm.log"; then
  step="looking whether the warm processes compiled nothing"
  exit 1
fi

step="making the table"
{
  echo "| cache | total | discovery | context and queue | arrays | build or load, and run | read |"
  echo "|---|---|---|---|---|---|---|"
  for cache in empty warm off; do
    row="| $cache"
    for word in total discovery queue arrays chain read; do row+=" | $(median $word "$folder/$cache.log")"; done
    echo "$row |"
  done
  echo
  row="Of each total the driver takes $(median total "$folder/driver.log") by itself:"
  for word in platforms devices queue; do row+=" $word $(median $word "$folder/driver.log"),"; done
  echo "${row%,}."
} >"$folder/table"
told=$(told KOINE_DEVICE ROUNDS CORES)ci/run/bench_start.sh
if [ "${DOCS:-0}" = 1 ]; then
  python3 bench/page.py docs/benchmarks.md "start $device" "$about" "$told" <"$folder/table"
fi
echo "from main to the first result, ms, medians of $rounds processes on $about:"
cat "$folder/table"
echo "bench_start: done, $SECONDS s"
