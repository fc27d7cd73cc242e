# SPDX-License-Identifier: Apache-2.0
# `koine bench`: every line of its table, briefly measured, and the same as JSON.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")
unset(ENV{KOINE_LOG})

run(0 bench --seconds 1)
foreach(line IN ITEMS "y = -x, a copy of [0-9.]+ [KMG]iB" "x . y" "sum.x." "[0-9.]+ [KMG]iB from host to device"
    "[0-9.]+ [KMG]iB from device to host" "a small kernel, one of many" "a small kernel, waited for" "matmul [0-9]+ x [0-9]+ float16"
    "matmul [0-9]+ x [0-9]+ float32" "matmul [0-9]+ x [0-9]+ complex64" "matmul [0-9]+ x [0-9]+ int32"
    "sort of [0-9.]+ [KMG]iB float32" "sort of [0-9.]+ [KMG]iB int32")
  expect_match("${printed}" "\n${line} +[0-9.]+  [BFGLMOPops/u]+ ")
endforeach()
expect("${printed}" "copy: the speed of the first line")

run(0 devices --json)
string(JSON chosen GET "${printed}" default)
execute_process(COMMAND "${TOOL}" bench --seconds 1 --device ${chosen} --json RESULT_VARIABLE result OUTPUT_VARIABLE json)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "ended with ${result}\n${json}")
endif()
string(JSON selector GET "${json}" device selector)
if(NOT selector STREQUAL chosen)
  message(FATAL_ERROR "${chosen} was asked for\n${json}")
endif()
string(JSON count LENGTH "${json}" results)
if(count LESS 13)
  message(FATAL_ERROR "${count} results\n${json}")
endif()
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${json}" results ${i} name)
  string(JSON unit GET "${json}" results ${i} unit)
  string(JSON value GET "${json}" results ${i} value)
  if(NOT value GREATER 0 OR NOT unit MATCHES "^(GB/s|us|GFLOP/s|Gop/s|M/s)$")
    message(FATAL_ERROR "${name} is ${value} ${unit}")
  endif()
endforeach()

# It keeps to the limit of memory.
set(ENV{KOINE_MEMORY_LIMIT} 16MiB)
run(0 bench --seconds 1)
unset(ENV{KOINE_MEMORY_LIMIT})

run(1 bench --device nosuchvendor)
expect("${printed}" "\"nosuchvendor\" matches no device")
run(2 bench --seconds 0)
run(2 bench --seconds soon)
set(ENV{OCL_ICD_VENDORS} "${WORK}")
run(1 bench)
expect("${printed}" "no usable OpenCL device was found")
