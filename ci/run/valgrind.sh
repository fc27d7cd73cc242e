#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Memcheck over what begins, ends, forks, loads and unloads: the tests of files and threads without a device, and on PoCL
# each of the programs that tests/runtime/test_exit.cpp, tests/device/test_fork.cpp and tests/load start, which a glob finds. Fails on
# any invalid access, any use of an undefined value and any block that is definitely lost, but for
# ci/baselines/valgrind.supp. Arguments are patterns of case names ("*fork*") in place of all.
set -euo pipefail
cd "$(dirname "$0")/../.."
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "valgrind: FAILED while $step, after $SECONDS s"' EXIT
work=$PWD/build-ci/valgrind
export KOINE_DEVICE=pocl KOINE_CACHE_DIR=$work/koine-cache
# Valgrind shows a processor without AVX-512, for which PoCL compiles other kernels than outside: a cache of their own.
export POCL_CACHE_DIR=$work/pocl-cache
# One driver: the others' libraries take seconds each to load here, and are not what is looked at.
export OCL_ICD_VENDORS=$work/vendors
# Of the kernel that a process ends beside: some seconds here, as without memcheck.
export KOINE_TEST_ROUNDS=10000000
export KOINE_TEST_PLUGIN=$PWD/build-ci/libkoine_test_plugin.so KOINE_TEST_LIBRARY=$PWD/build-ci/libkoine.so

step="installing packages"
ci/run/packages.sh build test valgrind
step="building into build-ci/"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
cmake --preset ci
cmake --build --preset ci --parallel "$(nproc)" --target test_unit test_runtime test_device test_load
rm -rf "$work/logs"
mkdir -p "$work/logs" "$POCL_CACHE_DIR" "$OCL_ICD_VENDORS"
cp /etc/OpenCL/vendors/pocl.icd "$OCL_ICD_VENDORS"

# cases PROGRAM FILES: the names of the skipped cases in these files, one a line.
cases() {
  "build-ci/$1" --list-test-cases --no-skip --no-version --source-file="$2" | grep '^child: '
}

failed=0 count=0 running=0
# check PROGRAM ARGUMENTS...: runs it under memcheck, which writes a log for each process, empty unless there is an error.
# In forked children what belongs to the parent's other threads is lost, as nobody is there to free it.
check() {
  local logs=$work/logs/$count code=0 log
  # shellcheck disable=SC2016  # for the inner shell, which becomes valgrind: its id tells parent from children
  timeout 1800 bash -c 'echo $$ >"$0" && exec valgrind "$@"' "$logs.parent" --quiet --fair-sched=try --leak-check=full \
    --show-leak-kinds=definite --num-callers=40 --suppressions=ci/baselines/valgrind.supp --log-file="$logs.%p.log" \
    "build-ci/$1" --no-version "${@:2}" >"$logs.out" 2>&1 || code=$?
  for log in "$logs".*.log; do
    [ "$log" = "$logs.$(cat "$logs.parent").log" ] || sed -i '/ definitely lost in loss record /,/^==[0-9]*== $/d' "$log"
  done
  if [ $code -ne 0 ] || grep -q '^==' "$logs".*.log; then
    echo "valgrind: errors, or exit code $code, from $*"
    cat "$logs".*.log "$logs.out" | head -150 || true
    return 1
  fi
}

# finished: waits for one of those that run. start CHECK'S ARGUMENTS...: beside as many others as there are processors.
finished() {
  wait -n || failed=$((failed + 1))
  running=$((running - 1))
}
start() {
  [ $running -lt "$(nproc)" ] || finished
  count=$((count + 1)) running=$((running + 1))
  check "$@" &
}

step="running the tests without a device"
# Without the writers that are killed: a death by a signal counts as an error here.
[ $# -gt 0 ] || start test_unit --source-file-exclude='*killed*'
step="running what begins and ends"
declare -A program_of
while IFS=$'\t' read -r program name; do
  program_of[$name]=$program
done < <(
  cases test_runtime '*/test_exit.cpp' | sed 's/^/test_runtime\t/'
  cases test_device '*/test_fork.cpp' | sed 's/^/test_device\t/'
  cases test_load '*' | sed 's/^/test_load\t/'
)
for name in "${!program_of[@]}"; do
  # The same.
  [[ $name == *"nobody catches"* ]] && continue
  keep=$([ $# -eq 0 ] && echo 1 || true)
  for pattern in "$@"; do
    # shellcheck disable=SC2053  # a pattern is meant
    [[ $name == $pattern ]] && keep=1
  done
  [ -n "$keep" ] || continue
  echo "== $name, $SECONDS s"
  start "${program_of[$name]}" --no-skip --test-case="$name"
done
while [ $running -gt 0 ]; do finished; done

[ $failed -eq 0 ] && [ $count -gt $(($# == 0)) ] || exit 1
echo "valgrind: $count programs, no error, $SECONDS s"
