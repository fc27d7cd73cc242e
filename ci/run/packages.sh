#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian/Ubuntu packages that Koine needs. usage: ci/run/packages.sh group...
# KOINE_SKIP_PACKAGES=1 leaves the system alone: for machines where the same things come another way.
set -euo pipefail

declare -A groups=(
  # The library, the koine command, the examples; PoCL so that there is a device on every machine.
  [build]="g++ cmake ninja-build ocl-icd-opencl-dev opencl-clhpp-headers libclblast-dev libfmt-dev libdlpack-dev
           libcli11-dev libstb-dev zlib1g-dev pocl-opencl-icd libopenblas0 libhwy-dev"
  # Tests and benchmarks; pkg-config because the installed koine.pc is tested with it, clang because users have it.
  [test]="doctest-dev librandom123-dev libbenchmark-dev pkg-config clang-14"
  # Other OpenCL implementations to test on: ci/run/implementations.sh.
  [rusticl]="mesa-opencl-icd"
  [intel]="python3-venv"
  [oclgrind]="oclgrind"
  # clang with libFuzzer and the sanitizers.
  [fuzz]="clang-16 libclang-rt-16-dev"
  [lint]="clang-format-14 python3"
  # The static checks of .clang-tidy, and the compiler whose command lines they read.
  [tidy]="clang-14 clang-tidy-14"
  # Reads the ABI of the library and compares it: ci/checks/check_abi.
  [abi]="abigail-tools"
  # Memcheck over the tests that begin and end processes.
  [valgrind]="valgrind"
  # The Python module, whose other needs come from PyPI: ci/run/array_api.sh.
  [python]="python3-venv python3-dev"
  # CPython itself, from its source: ci/run/free_threaded.sh.
  [cpython]="gcc make xz-utils curl ca-certificates zlib1g-dev libssl-dev libffi-dev libbz2-dev liblzma-dev libsqlite3-dev"
  # A system without compilers, in which a wheel is used: ci/run/python_wheel.sh.
  [wheel]="debootstrap"
  [numpy]="python3-numpy libopenblas0-pthread"
  # Compilers for cards that are not here: a group for each word of ci/checks/check_targets.
  [amd]="python3 clang-19 lld-19 rocm-device-libs"
  [nvidia]="python3 clang-19 libclc-15"
  [spirv]="python3 clang-15 llvm-spirv-15 spirv-tools"
)

wanted=()
for group in "$@"; do
  [ -n "${groups[$group]:-}" ] || { echo "packages.sh: no group '$group'; there are: ${!groups[*]}"; exit 2; }
  read -r -d '' -a names <<<"${groups[$group]}" || true
  wanted+=("${names[@]}")
done

if [ "${KOINE_SKIP_PACKAGES:-0}" = 1 ]; then
  echo "packages.sh: KOINE_SKIP_PACKAGES=1, nothing installed"
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "There is no apt-get here. Install what these Debian packages hold, then run again with KOINE_SKIP_PACKAGES=1:"
  printf '  %s\n' "${wanted[@]}"
  exit 1
fi

missing=()
for name in "${wanted[@]}"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "packages.sh: all ${#wanted[@]} packages are installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Installing needs root, and there is no sudo here. As root: apt-get install ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi
echo "packages.sh: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "packages.sh: installed ${#missing[@]} packages"
