#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python module into build-python/ and runs the array API standard's own test suite on it, on PoCL or on
# KOINE_DEVICE's devices. What may fail stands in python/array_api_xfails.txt with the reason; any other failure fails.
# usage: ci/run/array_api.sh [pytest arguments]     MAX_EXAMPLES=20 of hypothesis, JOBS=2 processes
# PYTHON=python3 names the Python; BUILD is to be another folder for another one.
# SUITE=off builds and runs python/tests alone, to which the arguments go then. BUILD=build-ci builds the module in a
# folder where the library is built already. OPTIONS are CMake's.
# The suite is data-apis/array-api-tests with its submodule, in the folder that ARRAY_API_TESTS names, by default
# ../shared/array-api-tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD build=$PWD/${BUILD:-build-python}
suite=${ARRAY_API_TESTS:-../shared/array-api-tests}
if [ "${SUITE:-on}" != off ] && [ ! -d "$suite/array_api_tests" ]; then
  echo "array_api: no suite in $suite; ARRAY_API_TESTS names the folder of a clone:"
  echo "  git clone --recurse-submodules https://github.com/data-apis/array-api-tests"
  exit 2
fi
[ "${SUITE:-on}" = off ] || suite=$(cd "$suite" && pwd)
export KOINE_DEVICE=${KOINE_DEVICE:-pocl} POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl-cache}
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "array_api: FAILED while $step, after $SECONDS s"' EXIT

# The versions that were tested last: newer ones come here, with what fails on them.
packages=(nanobind==3.1.0 numpy==2.4.6 pytest==9.2.0 pytest-json-report==1.5.0 pytest-xdist==3.8.0
  hypothesis==6.170.15 ndindex==1.10.1 ml_dtypes==0.6.0 mypy==2.4.1 basedpyright==1.40.2)

step="installing packages"
echo "== 1/3 $step"
ci/run/packages.sh build python
mkdir -p "$POCL_CACHE_DIR"
python=${PYTHON:-python3}
abi=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))')
# There is none for a free-threaded Python, whose module needs none.
[[ $abi == cpython-*t-* ]] || packages+=(nanobind-backend==1.0.0)
key="${packages[*]} $("$python" -VV) $abi"
if [ "$(cat "$build/packages" 2>/dev/null)" != "$key" ]; then
  rm -rf "$build/venv"
  "$python" -m venv "$build/venv"
  "$build/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "${packages[@]}"
  echo "$key" >"$build/packages"
fi

step="building into build-python/"
echo "== 2/3 $step"
command -v ninja >/dev/null && export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"
options=(-DKOINE_BUILD_PYTHON=ON -DPython_EXECUTABLE="$build/venv/bin/python")
[ -n "${BUILD:-}" ] || options+=(-DKOINE_BUILD_TESTS=OFF -DKOINE_BUILD_BENCH=OFF -DKOINE_BUILD_EXAMPLES=OFF)
cmake -S . -B "$build" "${options[@]}" ${OPTIONS:-}
cmake --build "$build" --parallel "$(nproc)" --target koine_python koine_main

step="testing on $KOINE_DEVICE"
echo "== 3/3 $step"
export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 PATH=$root/ci/run/pocl:$PATH
cd "$build" # the suite's folder may be read-only: what hypothesis keeps goes here
pytest=("$build/venv/bin/python" -m pytest -p no:cacheprovider -q -rs --numprocesses "${JOBS:-2}")
if [ "${SUITE:-on}" = off ]; then
  "${pytest[@]}" "$root/python/tests" "$@"
  echo "array_api: python/tests pass on $KOINE_DEVICE, $SECONDS s"
  exit 0
fi
"${pytest[@]}" "$root/python/tests"
# What nanobind calls leaked behind the last test is what pytest and hypothesis still hold.
ARRAY_API_TESTS_MODULE=koine "${pytest[@]}" --disable-deadline --max-examples "${MAX_EXAMPLES:-20}" \
  --disable-warnings --tb=short -rX \
  --xfails-file "$root/python/array_api_xfails.txt" "$suite/array_api_tests" "$@"
echo "array_api: no failure but the expected ones on $KOINE_DEVICE, $SECONDS s"
