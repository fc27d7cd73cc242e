#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzzer for a while: libFuzzer with sanitizers on .npy and .npz files, KOINE_* variables and cache files, then
# random programs of arrays on PoCL, played twice so that arrays move between devices, or on KOINE_DEVICE's.
# usage: ci/run/fuzz.sh [seconds for the programs, 600] [seed]
# A tenth of that time goes to each of the others, to programs that run by the host's steps and by kernels, and to those
# that run by all ways of a card, which is played where there is none. What fails lies in build-fuzz/findings; with a
# fix it joins the corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-600}
seed=${2:-$(date +%s)}
export KOINE_DEVICE=${KOINE_DEVICE:-pocl} POCL_DEVICES=${POCL_DEVICES:-pthread pthread}
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "fuzz: FAILED while $step, after $SECONDS s; see build-fuzz/findings"' EXIT

step="installing packages"
ci/run/packages.sh build test fuzz

step="building"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
cmake --preset fuzz
cmake --build --preset fuzz --parallel "$(nproc)"
cmake --preset ci
cmake --build --preset ci --parallel "$(nproc)" --target fuzz_graphs koine_vendor_layer

corpus=$PWD/tests/fuzz/files/corpus
mkdir -p build-fuzz/findings
cd build-fuzz/findings
inputs=0
for target in npy npz environment cache; do
  step="fuzzing $target"
  # What libFuzzer keeps stays with the build; the corpus grows by hand.
  mkdir -p "../kept-$target"
  folders=("../kept-$target" "$corpus/$target")
  [[ $target == np? ]] && folders+=(../../tests/data)
  "../fuzz_$target" -max_total_time=$((seconds / 10 + 1)) -max_len=4096 -print_final_stats=1 "${folders[@]}" 2>"$target.log" ||
    { tail -n 40 "$target.log"; exit 1; }
  count=$(awk '/number_of_executed_units/ { print $2 }' "$target.log")
  echo "fuzz: $target: $count inputs, all well"
  inputs=$((inputs + count))
done
step="fuzzing programs from seed $seed on"
../../build-ci/fuzz_graphs --seconds "$seconds" --seed "$seed" | tee graphs.log
step="comparing the host's steps with kernels from seed $seed on"
../../build-ci/fuzz_graphs --recent --ways --seconds $((seconds / 10 + 1)) --seed "$seed"
step="comparing a card's ways from seed $seed on"
card=()
[[ $KOINE_DEVICE == *nvidia* ]] || card=(OPENCL_LAYERS="$PWD/../../build-ci/libkoine_vendor_layer.so" KOINE_TEST_PLAY=nvidia
  KOINE_DEVICE=nvidia)
env "${card[@]}" ../../build-ci/fuzz_graphs --card-ways --seconds $((seconds / 10 + 1)) --seed "$seed"
echo "fuzz: all passed: $inputs files and values, $(awk '/ programs from seed / { n = $2 } END { print n }' graphs.log) programs, $SECONDS s"
