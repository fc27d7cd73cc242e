#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# For a machine with an NVIDIA card and no network: builds into build-gpu/ with every core, then
#   ci/gpu.sh test [ctest arguments]      tests on the card, then on PoCL where there is one
#   ci/gpu.sh bench [benchmark arguments] benchmarks on the card
#   ci/gpu.sh COMMAND [arguments]         anything else, with build-gpu/ and its examples/ on the PATH
# Packages that the machine lacks are taken from .carry/*.deb (apt-get download), where that folder is there.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { sed -n '3,8s/^# //p' "$0"; exit 2; }
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "gpu: FAILED while $step, after $SECONDS s"' EXIT

step="unpacking .carry/*.deb"
marker=/var/tmp/koine-carry-unpacked
if compgen -G '.carry/*.deb' >/dev/null && [ ! -e $marker ]; then
  echo "== $step"
  for deb in .carry/*.deb; do
    # A package that carries a /lib of its own would replace the link that merged systems have there.
    if dpkg-deb -c "$deb" | awk '{print $6}' | grep -qvE '^\./($|usr/|etc/)'; then
      echo "$deb holds more than /usr and /etc; left out"
      continue
    fi
    dpkg -x "$deb" /
  done
  ldconfig
  touch $marker
fi

# Containers often hold NVIDIA's OpenCL library without the file that tells the loader of it.
step="registering NVIDIA's OpenCL"
for library in /usr/local/nvidia/lib64/libnvidia-opencl.so.1 /usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1; do
  if [ -e $library ] && [ ! -e /etc/OpenCL/vendors/nvidia.icd ]; then
    echo "== $step: $library"
    mkdir -p /etc/OpenCL/vendors
    echo $library >/etc/OpenCL/vendors/nvidia.icd
  fi
done

step="building into build-gpu/"
echo "== $step"
options=(-DCMAKE_BUILD_TYPE=Release -DKOINE_BUNDLE=ON)
# CUDA brings a loader and headers of its own, older than the distribution's.
loader=/usr/lib/x86_64-linux-gnu
if [ -e $loader/libOpenCL.so ]; then
  options+=("-DOpenCL_LIBRARY=$loader/libOpenCL.so" -DOpenCL_INCLUDE_DIR=/usr/include)
  export LD_LIBRARY_PATH=$loader${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
cmake -S . -B build-gpu "${options[@]}" "-DKOINE_BUILD_TESTS=$([ "$1" = bench ] && echo OFF || echo ON)"
cmake --build build-gpu --parallel "$(nproc)"
export PATH=$PWD/build-gpu:$PWD/build-gpu/examples:$PATH

what=$1
shift
case $what in
  test)
    failed=""
    for device in nvidia pocl; do
      if ! why=$(KOINE_DEVICE=$device koine devices 2>&1); then
        printf '== no %s device here, its tests are left out:\n%s\n' "$device" "$why"
        [ $device = pocl ] || failed="$failed $device (no device)"
        continue
      fi
      step="testing on $device"
      echo "== $step"
      KOINE_DEVICE=$device ctest --test-dir build-gpu --output-on-failure --parallel 4 "$@" || failed="$failed $device"
      awk -v device=$device '/^\[doctest\] test cases:/ { cases += $4 } /^\[doctest\] assertions:/ { checks += $3 }
        END { printf "%s: %d test cases, %d checks\n", device, cases, checks }' build-gpu/Testing/Temporary/LastTest.log
    done
    step="testing on$failed"
    [ -z "$failed" ]
    ;;
  bench)
    step="running the benchmarks"
    KOINE_DEVICE=${KOINE_DEVICE:-nvidia} koine_bench "$@"
    ;;
  *)
    step="running $what"
    "$what" "$@"
    ;;
esac
echo "gpu: $what done, $SECONDS s"
