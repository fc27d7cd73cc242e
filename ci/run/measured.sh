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
