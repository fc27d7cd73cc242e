#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whole programs (bench/programs) beside the peers that are installed: on a GPU CuPy, PyTorch and JAX, on a CPU NumPy,
# PyTorch and JAX. Each program runs in a process of its own, with empty caches, so that its first result counts all that
# a first start costs. Prints a table, and fails where a result is wrong.
# usage: ci/run/programs.sh [name...]    programs (all of them by default)
#   KOINE_DEVICE   the device                     PYTHON   a Python with the peers
#   SCALE          times 2^20 elements: 64 on a GPU and 1 on a CPU by default
#   CORES=0,1      of a CPU, for all              PROGRAM_SECONDS=0.3   how long each program is repeated
#   TOGETHER=1     all programs of a library in one process: quicker, and first results lack the start
#   DOCS=1         writes the table into docs/benchmarks.md and the picture into docs/images
# A koine_programs on the PATH is taken as it is (ci/gpu.sh puts one there); otherwise one is built into build/.
set -euo pipefail
cd "$(dirname "$0")/../.."
step="starting"
folder=$(mktemp -d)
trap 'code=$?; rm -rf "$folder"; [ $code -eq 0 ] || echo "programs: FAILED while $step, after $SECONDS s"' EXIT

source ci/run/measured.sh
find_program koine_programs numpy
python=${PYTHON:-python3}
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3

# one WHO COMMAND... [name...]: a process with empty caches, its lines to the file of WHO.
one() {
  local who=$1 caches=$folder/caches
  shift
  rm -rf "$caches"
  mkdir -p "$caches"
  KOINE_CACHE_DIR=$caches/koine POCL_CACHE_DIR=$caches/pocl CUDA_CACHE_PATH=$caches/cuda CUPY_CACHE_DIR=$caches/cupy \
    "${pinned[@]}" "$@" >>"$folder/$who.lines" || echo "$who: a program failed: $(grep failed: "$folder/$who.lines" | tail -1)"
}

step="looking for the device"
names=("$@")
pinned=()
about=$(koine_programs 1 none || true)  # there is no program of this name, but the first line tells the device
if [[ $about == *:cpu:* ]]; then
  section=cpu peers=(numpy torch jax) scale=${SCALE:-1} pinned=(taskset -c "${CORES:-0,1}")
  OMP_NUM_THREADS=$(tr , '\n' <<<"${CORES:-0,1}" | wc -l)
  export OMP_NUM_THREADS JAX_PLATFORMS=cpu CUDA_VISIBLE_DEVICES=
else
  section=gpu peers=(cupy torch jax) scale=${SCALE:-64}
fi
[ ${#names[@]} -gt 0 ] || for file in bench/programs/*.py; do
  [ ! -e "${file%.py}.cpp" ] || [ "$file" = bench/programs/data.py ] || names+=("$(basename "$file" .py)")
done

for who in koine "${peers[@]}"; do
  step="running $who"
  command=("$python" bench/programs/programs.py "$who" "$scale")
  if [ "$who" = koine ]; then
    command=(koine_programs "$scale")
  elif ! "$python" -c "import $who" 2>/dev/null; then
    continue
  fi
  echo "== $step"
  if [ "${TOGETHER:-0}" = 1 ]; then
    one "$who" "${command[@]}" "${names[@]}"
  else
    for name in "${names[@]}"; do one "$who" "${command[@]}" "$name"; done
  fi
  mv "$folder/$who.lines" "$folder/$who.txt"
done

step="comparing results"
files=("$folder/koine.txt")
for who in "${peers[@]}"; do [ ! -e "$folder/$who.txt" ] || files+=("$folder/$who.txt"); done
docs=()
if [ "${DOCS:-0}" = 1 ]; then
  mkdir -p docs/images
  docs=(--docs docs/benchmarks.md --section $section --picture docs/images/programs-$section.svg)
fi
"$python" bench/programs/table.py --command "SCALE=$scale ci/run/programs.sh" "${docs[@]}" "${files[@]}"
echo "programs: done, $SECONDS s"
