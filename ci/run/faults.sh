#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fails each OpenCL call and each allocation of a workload of everything in its turn: every place, every code, once and
# from then on, in every way of working.
# usage: ci/run/faults.sh [one in [one in, on new devices]]: not at each place, but at one in so many, others every day.
# On new devices, where programs are made each time, that is one in 13 if nothing is said.
set -euo pipefail
cd "$(dirname "$0")/../.."
export KOINE_DEVICE=${KOINE_DEVICE:-pocl} KOINE_TEST_EXHAUSTIVE=1
export KOINE_TEST_STRIDE=${1:-1} KOINE_TEST_OFFSET=$(($(date +%s) / 86400))
on_new_devices=${2:-13}
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "faults: FAILED while $step, after $SECONDS s"' EXIT

step="building"
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/build-ci/pocl-cache}
ci/run/packages.sh build test
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
mkdir -p "$POCL_CACHE_DIR"
cmake --preset ci >/dev/null
cmake --build --preset ci --parallel "$(nproc)" --target test_faults koine_fail_layer

report=$(mktemp)
trap 'code=$?; rm -f "$report"; [ $code -eq 0 ] || echo "faults: FAILED while $step, after $SECONDS s"' EXIT
export OPENCL_LAYERS=$PWD/build-ci/libkoine_fail_layer.so

# sweep <test case> [NAME=value...]: one way of working.
sweep() {
  step="$*"
  echo "== $step"
  env "${@:2}" build-ci/test_faults --no-version --no-skip --test-case="$1" | tee -a "$report"
}

# Programs are there already, or none is kept, for one queue, for two and with waiting after each launch.
export KOINE_CACHE=off
calls="each call fails in its turn"
sweep "$calls"
sweep "$calls while two queues share the work"
sweep "$calls while every launch is waited for"
sweep "each allocation on the host fails in its turn"
sweep "each call that looks for devices fails in its turn"
# On a device that is new each time: programs are compiled, compiled and written, or loaded.
for queues in 0 1; do
  for sync in 0 1; do
    way=("KOINE_TEST_STRIDE=$on_new_devices" "KOINE_TEST_TWO_QUEUES=$queues" "KOINE_SYNC=$sync")
    sweep "$calls on a device that is new" "${way[@]}"
    sweep "$calls on a device that is new while programs are kept on disk" "${way[@]}"
  done
done

total=$(awk '/^faults injected:/ { sum += $3 } END { print sum + 0 }' "$report")
step="counting"
[ "$total" -gt 0 ] || { echo "faults: nothing was injected"; exit 1; }
echo "faults injected, by kind:"
awk '/^  [0-9]+  / { count = $1; sub(/^ +[0-9]+ +/, ""); sum[$0] += count } END { for (kind in sum) printf "%10d  %s\n", sum[kind], kind }' "$report" | sort -rn
echo "faults: $total injected, at one place in $KOINE_TEST_STRIDE, on new devices one in $on_new_devices; every one ended in the right answer or in an error, $SECONDS s"
