# SPDX-License-Identifier: Apache-2.0
# What all subcommands have in common: --help without a device, and exit code 2 for a command line that cannot be read.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")

set(ENV{OCL_ICD_VENDORS} "${WORK}")  # no driver
run(0 --version)
expect_match("${printed}" "^koine [0-9]+\\.[0-9]+\\.[0-9]+\n$")
run(0 --help)
set(help "${printed}")
foreach(command IN ITEMS bench cache devices doctor monitor tune)
  expect("${help}" "\n  ${command} ")
  run(0 ${command} --help)
  expect("${printed}" "Usage: koine ${command} ")
  if(command STREQUAL "cache")
    list(APPEND command list)
  endif()
  run(2 ${command} --no-such-option)
  expect("${printed}" "--no-such-option")
endforeach()
run(2)
expect("${printed}" "A subcommand is required")
run(2 no-such-command)

# Without the OpenCL loader, of which a file that is no library takes the place here.
file(WRITE "${WORK}/libOpenCL.so.1" "no library")
set(ENV{LD_LIBRARY_PATH} "${WORK}:$ENV{LD_LIBRARY_PATH}")
run(1 doctor)
expect("${printed}" "koine: the OpenCL loader does not load: ${WORK}/libOpenCL.so.1: ")
expect("${printed}" "apt install ocl-icd-libopencl1")
