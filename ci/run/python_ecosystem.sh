#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Python module with the packages that people use it with, from PyPI: scikit-learn, SciPy, xarray, Dask, Cubed,
# einops, opt_einsum, array-api-compat, array-api-extra, matplotlib, seaborn and PyTorch; holds linear algebra to its errors
# beside SciPy (linalg_accuracy.py); and runs the examples of examples/python. Builds into build-python/ as ci/run/array_api.sh
# does, or into the folder that BUILD names.
# usage: ci/run/python_ecosystem.sh [pytest arguments]
# TORCH_INDEX is the address of a package index with PyTorch's wheels for CPUs, 0.2 GB; PyPI's, which are taken without
# it, bring CUDA's libraries, 3 GB. TORCH=off leaves PyTorch out.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD build=$PWD/${BUILD:-build-python}
export KOINE_DEVICE=${KOINE_DEVICE:-pocl} POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl-cache}
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "python_ecosystem: FAILED while $step, after $SECONDS s"' EXIT

# The versions that were tested last: newer ones come here, with what fails on them.
packages=(array-api-compat==1.16.0 array-api-extra==0.11.5 cubed==0.27.0 dask==2026.8.0 einops==0.8.2 opt_einsum==3.4.0
  scikit-learn==1.9.1 scipy==1.17.1 xarray==2026.9.0 matplotlib==3.11.2 seaborn==0.13.2)

step="building the module"
SUITE=off ci/run/array_api.sh -k packaging
step="installing packages"
if [ "$(cat "$build/ecosystem" 2>/dev/null)" != "${packages[*]}" ]; then
  "$build/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "${packages[@]}"
  echo "${packages[*]}" >"$build/ecosystem"
fi
torch=(torch==2.15.0 ${TORCH_INDEX:+--index-url "$TORCH_INDEX"})
if [ "${TORCH:-on}" = off ]; then
  echo "python_ecosystem: TORCH=off, so PyTorch is not installed"
elif [ "$(cat "$build/torch" 2>/dev/null)" != "${torch[*]}" ]; then
  "$build/venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "${torch[@]}"
  echo "${torch[*]}" >"$build/torch"
fi

export PYTHONPATH=$build/python PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=agg
cd "$build"
step="testing on $KOINE_DEVICE"
"$build/venv/bin/python" -m pytest -p no:cacheprovider -q -rs --disable-warnings "$root"/python/tests/test_ecosystem_*.py "$@"
step="measuring errors of linear algebra"
"$build/venv/bin/python" "$root/ci/run/linalg_accuracy.py"
KERNELS=1 "$build/venv/bin/python" "$root/ci/run/linalg_accuracy.py" 1 2 3 31 32 33 100
for example in "$root"/examples/python/*.py; do
  step="running $example"
  "$build/venv/bin/python" "$example" --out "$build/$(basename "$example" .py).png"
done
echo "python_ecosystem: all passed on $KOINE_DEVICE, $SECONDS s"
