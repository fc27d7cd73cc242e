#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests on other OpenCL implementations than PoCL, each as the only one that its processes see, and compares the
# bits of two of them in one process.
# usage: ci/run/implementations.sh [rusticl] [intel] [oclgrind] [together] [-- ctest arguments], by default all four
#   rusticl   Mesa's, on llvmpipe, from Debian: the whole suite but tests/vendors; it has no float64
#   intel     Intel's CPU runtime, from PyPI, in a folder of the build tree: the whole suite but tests/vendors
#   oclgrind  interprets kernels and reports data races and accesses out of bounds: tests/tiny, which runs every file
#             of kernels/, in the CPU's loops and, with tests/layers/vendor.cpp between, in a card's
#   together  PoCL and rusticl in one process: what promises its bits has the same ones on both. TOGETHER_SECONDS, by
#             default 1800, is the most that each of its two processes may take
set -euo pipefail
cd "$(dirname "$0")/../.."
names=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  names+=("$1")
  shift
done
shift $(($# > 0))
[ ${#names[@]} -gt 0 ] || names=(rusticl intel oclgrind together)
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "implementations: FAILED while $step, after $SECONDS s"' EXIT
# Their programs are no use to anybody else.
export KOINE_CACHE=off
log=build-ci/Testing/Temporary/LastTest.log

# The versions that were tested last: newer ones come here, with what fails on them.
intel_packages=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0)

# alone <library>: the one driver that processes started from here on see.
alone() {
  echo "$1" >"$folder/driver.icd"
  export OCL_ICD_VENDORS=$folder/driver.icd
}

# In tests/vendors PoCL plays other devices.
whole_suite() { ci/test.sh -LE '^vendors$' "$@"; }

rusticl() {
  ci/run/packages.sh rusticl
  alone libRusticlOpenCL.so.1
  export RUSTICL_ENABLE=llvmpipe KOINE_DEVICE=mesa:cpu MESA_SHADER_CACHE_DIR=$folder/cache
  mkdir -p "$MESA_SHADER_CACHE_DIR"
  whole_suite "$@"
}

intel() {
  ci/run/packages.sh intel
  if [ "$(cat "$folder/packages" 2>/dev/null)" != "${intel_packages[*]}" ]; then
    echo "installing ${intel_packages[*]} into $folder/venv"
    rm -rf "$folder/venv"
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "${intel_packages[@]}"
    echo "${intel_packages[*]}" >"$folder/packages"
  fi
  alone "$folder/venv/lib/libintelocl.so"
  KOINE_DEVICE=intel:cpu whole_suite "$@"
}

# What Oclgrind reports ends with the kernel that it happened in.
reports() { grep -B3 -A6 $'^\tKernel: ' "$1"; }

# watched <word> <ctest arguments>: tests/tiny under Oclgrind; the log stays in $folder/<word>.log.
watched() {
  KOINE_LOG=jit ci/test.sh -R '^tiny\.' "${@:2}" || { reports $log; return 1; }
  cp $log "$folder/$1.log"
  if reports "$folder/$1.log"; then
    echo "oclgrind: the reports above are faults of kernels"
    return 1
  fi
  missing=()
  for kernel in kernels/*.cl; do
    # A kernel's purpose line is part of every program that is built from it.
    purpose=$(sed -n 2p "$kernel")
    grep -qF "$purpose" "$folder/$1.log" || missing+=("$(basename "$kernel" .cl)")
  done
  echo "oclgrind, $1: no races, no access out of bounds; not run: ${missing[*]:-none}"
}

oclgrind() {
  ci/run/packages.sh oclgrind
  alone /usr/lib/oclgrind/liboclgrind-rt-icd.so
  # Clang turns restrict, and structures that functions give back (complex numbers on CPUs), into an intrinsic that
  # Oclgrind does not know: the former always, the latter where it optimises. Cards have 48 KiB of local memory, not 32.
  export KOINE_DEVICE=oclgrind OCLGRIND_DATA_RACES=1 OCLGRIND_LOCAL_MEM_SIZE=49152
  OCLGRIND_BUILD_OPTIONS="-Drestrict= -cl-opt-disable" watched cpu "$@"
  local cpu=("${missing[@]}")
  export OPENCL_LAYERS=$PWD/build-ci/libkoine_vendor_layer.so KOINE_TEST_PLAY=card OCLGRIND_BUILD_OPTIONS=-Drestrict=
  watched gpu "$@"
  for kernel in "${cpu[@]}"; do
    # Beside programs in PTX, by AMD's instructions, and where groups may wait for each other, or sorts by such (the
    # buckets of sums by ids): nothing of it is here.
    case $kernel in
      matmul_split | matmul_matrix | sort_sweep | scatter_buckets | side_by_side | lu_spread | qr_spread | solve_spread)
        continue ;;
    esac
    case " ${missing[*]} " in *" $kernel "*) echo "oclgrind: kernels/$kernel.cl was never run; tests/tiny has to"; return 1 ;; esac
  done
  for kernel in $(grep -lE '^#if.*KN_CPU' kernels/*.cl); do
    kernel=$(basename "$kernel" .cl)
    case $kernel in sort_sweep | scatter_buckets) continue ;; esac
    case " ${cpu[*]} ${missing[*]} " in
      *" $kernel "*) echo "oclgrind: kernels/$kernel.cl has loops of both shapes, and one was never run"; return 1 ;;
    esac
  done
  # It would have been seen.
  build-ci/test_tiny --no-skip '--test-case=child: a race and*' >"$folder/faults.log" 2>&1 || true
  for report in "data race at local memory" "Invalid write of size 4 at global memory"; do
    grep -q "$report" "$folder/faults.log" || { echo "oclgrind: a fault made on purpose gave no \"$report\""; return 1; }
  done
}

# These tests go through the devices of their process, and fail where one's bits are not the first one's. A process each:
# rusticl takes most of the time, and compiles one kernel after another.
together() {
  ci/run/packages.sh rusticl
  mkdir -p "$folder/drivers" "$folder/cache"
  cp /etc/OpenCL/vendors/pocl.icd "$folder/drivers"
  echo libRusticlOpenCL.so.1 >"$folder/drivers/rusticl.icd"
  export OCL_ICD_VENDORS=$folder/drivers RUSTICL_ENABLE=llvmpipe KOINE_DEVICE='pocl;mesa:cpu' \
    MESA_SHADER_CACHE_DIR=$folder/cache
  cmake --preset ci >/dev/null
  cmake --build --preset ci --target test_device
  local files=(reproducible same_bits) processes=() failed=() file i device
  for file in "${files[@]}"; do
    timeout "${TOGETHER_SECONDS:-1800}" build-ci/test_device --source-file="*/device/test_$file.cpp" >"$folder/$file.log" 2>&1 &
    processes+=($!)
  done
  for i in "${!files[@]}"; do
    wait "${processes[i]}" || failed+=("${files[i]}, which ended with $?")
    tail -n 40 "$folder/${files[i]}.log"
  done
  [ ${#failed[@]} -eq 0 ] || { echo "together: ${failed[*]}; 124 is the end of its time"; return 1; }
  for device in pocl mesa; do
    grep -q "^same bits.* on $device:" "$folder/same_bits.log" || { echo "together: $device took no part"; return 1; }
  done
}

for name in "${names[@]}"; do
  case $name in rusticl | intel | oclgrind | together) ;; *) echo "there is no '$name'; there are: rusticl intel oclgrind together"; exit 2 ;; esac
done
if [ ${#names[@]} -eq 1 ]; then
  step="testing on $names"
  echo "== $step"
  folder=$PWD/build-ci/implementations/$names
  mkdir -p "$folder"
  $names "$@"
  echo "implementations: all passed on $names, $SECONDS s"
  exit
fi
failed=()
for name in "${names[@]}"; do ci/run/implementations.sh "$name" -- "$@" || failed+=("$name"); done
step="testing on ${failed[*]:-nothing}"
[ ${#failed[@]} -eq 0 ]
echo "implementations: all passed on ${names[*]}, $SECONDS s"
