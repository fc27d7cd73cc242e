#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compares Koine's own functions of one float32 with references for every value there is, on the device that KOINE_DEVICE
# names, by default PoCL's: hours. ci/test.sh has built what it runs.
set -euo pipefail
cd "$(dirname "$0")/../.."
export KOINE_DEVICE=${KOINE_DEVICE:-pocl} KOINE_TEST_EXHAUSTIVE=1 KOINE_TEST_ALL_FLOATS=1
build-ci/test_ops --source-file='*test_functions.cpp' --test-case='functions of one float32'
