#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh checkout to a running program: installs packages, builds into build/, runs the main example
# on the best device there is. Arguments go to the example.
set -euo pipefail
cd "$(dirname "$0")/.."
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "quickstart: FAILED while $step"' EXIT

step="installing packages"
echo "== 1/3 $step"
ci/run/packages.sh build

step="building into build/"
echo "== 2/3 $step"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
cmake --preset release -DKOINE_BUILD_TESTS=OFF -DKOINE_BUILD_BENCH=OFF
cmake --build --preset release --parallel "$(nproc)"

step="running the example"
echo "== 3/3 $step"
[ -x build/koine ] && build/koine devices
example=digits
[ -x build/examples/$example ] || example=first
build/examples/$example "$@"
echo "quickstart: done; build/libkoine.so is the library, build/examples/$example ran"
