#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of operations and of devices on PoCL playing other devices: through tests/layers/vendor.cpp, which
# holds it to what it says.
# usage: ci/run/played.sh [play...]; a play is what KOINE_TEST_PLAY takes. TESTS=ops for a part.
set -euo pipefail
cd "$(dirname "$0")/../.."
plays=("$@")
[ ${#plays[@]} -gt 0 ] || plays=(amd nvidia no_fp64 small_groups)
build=build-ci
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/$build/pocl-cache}
# PoCL 3.1's optimiser compiles some kernels of cards wrongly.
export KOINE_BUILD_OPTIONS=${KOINE_BUILD_OPTIONS--cl-opt-disable}
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "played: FAILED while $step, after $SECONDS s"' EXIT

# What cannot hold there: <entry> <reason>. Each is printed with its reason.
left_out=(
  "device.two_devices|it needs two devices, and runs by itself below"
  "runtime.two_devices|the same"
  "device.quirks|what PoCL gets wrong is put right under its own name, not under the played one"
  "device.astray|a kernel that writes outside its buffers writes into this process: the card is played, the memory real"
)

step="building into $build/"
ci/run/packages.sh build test
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
mkdir -p "$POCL_CACHE_DIR"
cmake --preset ci >/dev/null
cmake --build --preset ci --parallel "$(nproc)" --target test_ops test_device test_runtime koine_vendor_layer
export OPENCL_LAYERS=$PWD/$build/libkoine_vendor_layer.so
unset KOINE_DEVICE

names=()
for each in "${left_out[@]}"; do
  echo "left out: ${each%%|*}: ${each#*|}"
  names+=("${each%%|*}")
done
without="^($(IFS='|'; echo "${names[*]}"))\$"
jobs=$(nproc)
run() { ctest --preset ci --parallel "${KOINE_TEST_JOBS:-$((jobs < 4 ? jobs : 4))}" --no-tests=error "$@"; }

for play in "${plays[@]}"; do
  step="testing on PoCL that plays $play"
  echo "== $step"
  KOINE_TEST_PLAY=$play run -L "^(${TESTS:-ops|device|runtime})\$" -E "$without"
  [ "${TESTS:-}" = ops ] || KOINE_TEST_PLAY="$play;$play" run -L "^(${TESTS:-device|runtime})\$" -R '\.two_devices$'
done
echo "played: all passed as ${plays[*]}, ${#left_out[@]} entries left out, $SECONDS s"
