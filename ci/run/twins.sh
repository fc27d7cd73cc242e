# SPDX-License-Identifier: Apache-2.0
# Read by programs.sh and operations.sh, with `source`: runs a program of C++ over Koine and its twin in Python over the
# peers that are installed (on a GPU CuPy, PyTorch and JAX, on a CPU NumPy, PyTorch and JAX), with empty caches, and sets
# their outputs side by side.

source ci/run/measured.sh

# start NAME PROGRAM: sets up what follows, for the script of this name. It sets `folder`, `python`, and the device's.
start() {
  script=$1 step="starting" folder=$(mktemp -d)
  trap 'code=$?; rm -rf "$folder"; [ $code -eq 0 ] || echo "$script: FAILED while $step, after $SECONDS s"' EXIT
  find_program "$2" numpy
  find_python
  find_device "$2"
}

# one WHO COMMAND... [name...]: a process with empty caches, its lines to the file of WHO.
one() {
  local who=$1 caches=$folder/caches
  shift
  rm -rf "$caches"
  mkdir -p "$caches"
  KOINE_CACHE_DIR=$caches/koine POCL_CACHE_DIR=$caches/pocl CUDA_CACHE_PATH=$caches/cuda CUPY_CACHE_DIR=$caches/cupy \
    "${pinned[@]}" "$@" >>"$folder/$who.lines" || echo "$who: not all ran: $(grep failed: "$folder/$who.lines" | tail -1)"
}

# find_device PROGRAM: sets who runs, where, and at what scale.
find_device() {
  step="looking for the device"
  pinned=()
  about=$("$1" 1 none || true) # there is nothing of this name, but the first line tells the device
  if [[ $about == *:cpu:* ]]; then
    device=cpu peers=(numpy torch jax) scale=${SCALE:-1}
    pin_to_cores
  else
    device=gpu peers=(cupy torch jax) scale=${SCALE:-64}
  fi
}

# measure_twins KIND PROGRAM TWIN.py COMMAND [name...]: all of that kind, or those of these names, with a table of their
# own; COMMAND is what the table says it was made by.
measure_twins() {
  local kind=$1 program=$2 twin=$3 told=$4 who name names=() wanted=("${@:5}") files docs=() together=()
  "$python" "$twin" list >"$folder/list"
  for name in "${wanted[@]}"; do
    cut -f1 "$folder/list" | grep -qxF "$name" || { echo "there is no $name; $twin list prints all names"; return 1; }
  done
  while IFS=$'\t' read -r name what _; do
    [ "$kind" = programs ] || [ "$what" = "$kind" ] || continue
    [ ${#wanted[@]} -gt 0 ] && [[ " ${wanted[*]} " != *" $name "* ]] || names+=("$name")
  done <"$folder/list"
  [ ${#names[@]} -gt 0 ] || return 0
  rm -f "$folder"/*.txt "$folder"/*.lines
  for who in koine "${peers[@]}"; do
    step="running $kind over $who"
    local command=("$python" "$twin" "$who" "$scale")
    if [ "$who" = koine ]; then
      command=("$program" "$scale")
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

  step="comparing $kind"
  files=("$folder/koine.txt")
  for who in "${peers[@]}"; do [ ! -e "$folder/$who.txt" ] || files+=("$folder/$who.txt"); done
  [ "${TOGETHER:-0}" != 1 ] || together=(--together)
  if [ "${DOCS:-0}" = 1 ]; then
    mkdir -p docs/images
    docs=(--docs docs/benchmarks.md --device "$device" --picture "docs/images/$kind-$device.svg")
  fi
  "$python" bench/twins/table.py --kind "$kind" --list "$folder/list" "${together[@]}" --command "$told" "${docs[@]}" \
    "${files[@]}"
}
