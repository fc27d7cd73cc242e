#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The long runs, some hours: every test with every variant, again under the sanitizers, as other vendors' devices and on
# other implementations of OpenCL; clang-tidy; the binary interface; every call and allocation failing; memcheck; the
# array API standard's test suite, packages that use Koine from Python, and the wheel; the fuzzers; every kernel that the
# tests make, compiled for cards that are not here; every float32 value in the elementary functions; one short round of
# each benchmark, in which operations and programs give what other libraries do; the first answer of each function in
# 0.3 s. docs/reliability.md says what each is for.
set -euo pipefail
cd "$(dirname "$0")/.."
export KOINE_TEST_EXHAUSTIVE=1
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "nightly: FAILED while $step, after $SECONDS s"' EXIT

step="testing exhaustively"
# What .ci/run may have set in this folder is set back. Each file is compiled by itself here, as users compile them.
OPTIONS="-DKOINE_BUILD_BENCH=ON -DKOINE_BUNDLE=OFF -DKOINE_OPTIMIZE=-O2 -DKOINE_TESTS_TOGETHER=1" ci/test.sh
for preset in asan tsan; do
  step="testing with $preset"
  # The sanitizers look at the host code: every variant, but not the long runs.
  # Other drivers bring compilers of their own; PoCL's kernels are there from the run before.
  OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_CACHE_DIR=$PWD/build-ci/pocl-cache KOINE_TEST_EXHAUSTIVE=variants \
    PRESET=$preset ci/test.sh
done
export KOINE_TEST_EXHAUSTIVE=variants
step="playing other vendors' devices"
rm -rf build-ci/kernels
KOINE_DUMP_DIR=$PWD/build-ci/kernels ci/run/played.sh amd nvidia,few_units no_fp64 small_groups
step="compiling for cards that are not here"
ci/checks/check_targets amd nvidia spirv build-ci/kernels
step="testing on other implementations"
ci/run/implementations.sh
step="looking for what compilers do not warn of"
ci/checks/check_tidy
step="comparing the binary interface"
ci/checks/check_abi
step="failing every call"
ci/run/faults.sh 3 101
step="running memcheck"
ci/run/valgrind.sh
step="running the array API standard's tests"
KOINE_TEST_EXHAUSTIVE=1 ci/run/array_api.sh
step="using the Python module with the packages that people use it with"
ci/run/python_ecosystem.sh
step="building the Python wheel"
ci/run/python_wheel.sh
step="testing the module and its wheel on a free-threaded Python"
ci/run/free_threaded.sh
step="fuzzing"
ci/run/fuzz.sh "${FUZZ_SECONDS:-3600}"
step="comparing every float32"
ci/run/functions.sh
step="running the benchmarks"
# 0.01 s each shows that they run; figures worth keeping need a quiet machine and Google Benchmark's default.
KOINE_DEVICE=${KOINE_DEVICE:-pocl} build-ci/koine_bench --benchmark_min_time=0.01
step="asking each function for its first answer"
KOINE_DEVICE=pocl build-ci/koine_first --most 300
step="comparing operations and programs with other libraries"
export PATH=$PWD/build-ci:$PATH KOINE_DEVICE=${KOINE_DEVICE:-pocl}
SECONDS_EACH=0.01 ci/run/operations.sh
SECONDS_EACH=0.01 TOGETHER=1 ci/run/programs.sh
echo "nightly: all passed, $SECONDS s"
