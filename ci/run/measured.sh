# SPDX-License-Identifier: Apache-2.0
# Read by the scripts that measure, with `source`; it sets their `step`.

# find_program NAME [group...]: puts NAME on the PATH. One that is there already is taken as it is (ci/gpu.sh puts one
# there); otherwise the packages of these groups too are installed, and it is built into build/.
find_program() {
  local name=$1
  shift
  command -v "$name" >/dev/null && return
  step="installing packages"
  ci/run/packages.sh build test "$@"
  step="building into build/"
  command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
  cmake --preset release -DKOINE_BUILD_TESTS=OFF
  cmake --build --preset release --parallel "$(nproc)" --target "$name"
  export PATH=$PWD/build:$PATH
}

# find_python: sets `python`, one with NumPy.
find_python() {
  python=${PYTHON:-python3}
  "$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
}

# told NAME...: those variables that are set, as they stand before a command.
told() {
  local name
  for name; do [ -z "${!name:-}" ] || printf '%s=%q ' "$name" "${!name}"; done
}

# pin_to_cores: sets `pinned`, what to put before a command so that it and its threads keep to CORES, for CPUs.
pin_to_cores() {
  local cores=${CORES:-0,1}
  pinned=(taskset -c "$cores")
  OMP_NUM_THREADS=$(tr , '\n' <<<"$cores" | wc -l)
  # PoCL takes a thread for each core of the machine, unless it is told, by one name before 4.0 and by another since.
  export OMP_NUM_THREADS POCL_MAX_PTHREAD_COUNT=$OMP_NUM_THREADS POCL_CPU_MAX_CU_COUNT=$OMP_NUM_THREADS
  export JAX_PLATFORMS=cpu CUDA_VISIBLE_DEVICES=
}
