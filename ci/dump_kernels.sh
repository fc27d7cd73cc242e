#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fills a folder with the text of every program that the ops and device tests, random graphs among them, make on cards:
# PoCL plays them (tests/layers/vendor.cpp). For ci/check_targets.
# usage: ci/dump_kernels.sh folder [ctest argument...]
#   PLAY="amd nvidia,few_units"   the devices that are played, one after the other
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { sed -n '3,6s/^# //p' "$0"; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "dump_kernels: FAILED while $step, after $SECONDS s"' EXIT

step="installing packages"
ci/packages.sh build test
step="building into build-ci/"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
cmake --preset ci
cmake --build --preset ci --parallel "$(nproc)" --target test_ops test_device koine_vendor_layer

# The layer shows only what is played, and a test's own caches would be found for the wrong device's name.
export OPENCL_LAYERS=$PWD/build-ci/libkoine_vendor_layer.so KOINE_DUMP_DIR=$folder
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/build-ci/pocl-cache}
mkdir -p "$POCL_CACHE_DIR"
for play in ${PLAY:-amd nvidia,few_units}; do
  step="testing on PoCL that plays $play"
  KOINE_TEST_PLAY=$play KOINE_DEVICE=${play%%,*} ctest --preset ci --parallel "$(nproc)" -L 'ops|device' "$@"
done
echo "dump_kernels: $(find "$folder" -name '*.cl' | wc -l) texts in $folder, $SECONDS s"
