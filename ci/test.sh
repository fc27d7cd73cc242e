#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs packages, builds with warnings as errors into build-ci/, runs every test on PoCL or on KOINE_DEVICE's
# devices. Arguments go to ctest (-R ops for a part). PRESET=asan or tsan tests under a sanitizer, TARGET=test_stress
# builds one program alone, OPTIONS are CMake's.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${PRESET:-ci}
build=build-$preset
export KOINE_DEVICE=${KOINE_DEVICE:-pocl}
# PoCL's own cache stays with the build, as Koine's does without being told, so that a cold run is one `rm -r` away.
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/$build/pocl-cache}
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "test: FAILED while $step, after $SECONDS s"' EXIT

step="installing packages"
echo "== 1/3 $step"
ci/run/packages.sh build test

# PoCL before 5.0 lacks the fault for which tests give memory back late (tests/support/host_memory.cpp).
pocl=$(dpkg-query -W -f '${Version}' libpocl2 2>/dev/null || true)
if [ -n "$pocl" ] && dpkg --compare-versions "$pocl" lt 5.0; then export KOINE_TEST_FREE=${KOINE_TEST_FREE:-at_once}; fi

step="building into $build/"
echo "== 2/3 $step"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
mkdir -p "$POCL_CACHE_DIR"
cmake --preset "$preset" ${OPTIONS:-}
cmake --build --preset "$preset" --parallel "$(nproc)" ${TARGET:+--target "$TARGET"}

# Programs whose kernels PoCL has compiled are folders of its cache, whichever process asked for them.
programs() { find "$POCL_CACHE_DIR" -mindepth 3 -maxdepth 3 -name program.bc | wc -l; }
step="testing on $KOINE_DEVICE"
echo "== 3/3 $step"
# One more than there are processors, since some tests wait for processes to end.
jobs=$(($(nproc) + 1))
before=$(programs)
PATH=$PWD/ci/run/pocl:$PATH ctest --preset "$preset" --parallel "${KOINE_TEST_JOBS:-$((jobs < 4 ? jobs : 4))}" "$@"

# Each ctest entry is a source file of many cases: add up what doctest says, and what leave_out() of tests/support does.
log=$build/Testing/Temporary/LastTest.log
grep -o 'left out: .*' "$log" | sort | uniq -c | sed 's/^ *\([0-9]*\) /\1 x /' || true
sums=$(awk '/^\[doctest\] test cases:/ { cases += $4 } /^\[doctest\] assertions:/ { checks += $3 }
  END { printf "%d test cases, %d checks", cases, checks }' "$log")
compiled=$(($(programs) - before))
echo "test: PoCL compiled $compiled programs that were not in its cache; $before were"
echo "test: all passed on $KOINE_DEVICE: $sums, $SECONDS s"
