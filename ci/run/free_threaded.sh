#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the module for a free-threaded Python, runs python/tests with the GIL off, and builds, checks and uses its wheel.
# usage: ci/run/free_threaded.sh [pytest arguments]     WHEEL=off leaves the wheel out
# FREE_THREADED_PYTHON names the Python, by default python3.14t. Where there is none, CPython's source is fetched and
# built into build-free-threaded/python, which takes two minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/build-free-threaded
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "free_threaded: FAILED while $step, after $SECONDS s"' EXIT

# The version that was tested last, and its source's SHA-256, which is python.org's and the distributions'.
version=3.14.4 sum=d923c51303e38e249136fc1bdf3568d56ecb03214efdef48516176d3d7faaef8
addresses=("https://www.python.org/ftp/python/$version/Python-$version.tar.xz"
  "http://archive.ubuntu.com/ubuntu/pool/main/p/python3.14/python3.14_$version.orig.tar.xz"
  "http://deb.debian.org/debian/pool/main/p/python3.14/python3.14_$version.orig.tar.xz")

fetched() { echo "$sum $1" | sha256sum --check --status 2>/dev/null; }

# Prints nothing; leaves the interpreter in $build/python.
build_python() {
  ci/run/packages.sh cpython
  local archive=$build/Python-$version.tar.xz address
  mkdir -p "$build"
  for address in "${addresses[@]}"; do
    fetched "$archive" || curl --silent --fail --location --connect-timeout 15 --output "$archive" "$address" || true
  done
  fetched "$archive" || { echo "no source of Python $version: none of ${addresses[*]} gave it"; return 1; }
  rm -rf "$build/source" "$build/python"
  mkdir "$build/source"
  tar -xf "$archive" --strip-components=1 -C "$build/source"
  (cd "$build/source" && ./configure --quiet --disable-gil --disable-test-modules --prefix="$build/python" &&
    make -s -j"$(nproc)" && make -s install) >"$build/python.log" 2>&1 || { tail -20 "$build/python.log"; return 1; }
  rm -rf "$build/source"
}

python=${FREE_THREADED_PYTHON:-python3.14t}
if ! command -v "$python" >/dev/null; then
  python=$build/python/bin/python3.14t
  step="building a free-threaded Python $version"
  [ "$("$python" -V 2>/dev/null)" = "Python $version" ] || build_python
fi
export PYTHON=$python
echo "free_threaded: $("$python" -VV)"

step="running python/tests"
# Bundles as in ci/test.sh: builds without are ci/run/array_api.sh's own.
PYTHON_GIL=0 OPTIONS="-DKOINE_BUNDLE=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=ON" BUILD=$(basename "$build") SUITE=off ci/run/array_api.sh "$@"
if [ "${WHEEL:-on}" != off ]; then
  step="building the wheel"
  ci/run/python_wheel.sh
fi
echo "free_threaded: all passed, $SECONDS s"
