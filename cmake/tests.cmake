# SPDX-License-Identifier: Apache-2.0
# Tests. One doctest program for each of tests/unit (no device), tests/runtime, tests/ops, tests/device, tests/stress,
# tests/load and tests/faults; one ctest entry for each source file, or for several of them with KOINE_TESTS_TOGETHER. A file
# is the grain because every entry is a process: it pays for the driver's start and for loading its kernels, half a second
# of PoCL's compiler, which a test case of a few milliseconds should not, and still fails on its own.

find_package(doctest CONFIG REQUIRED)

# doctest's own code and the helpers, compiled once for all programs.
add_library(koine_test_support OBJECT
  "${PROJECT_SOURCE_DIR}/tests/support/main.cpp" "${PROJECT_SOURCE_DIR}/tests/support/host_memory.cpp")
target_link_libraries(koine_test_support PRIVATE koine_settings PUBLIC doctest::doctest)
target_compile_features(koine_test_support PUBLIC cxx_std_20)
target_include_directories(koine_test_support
  PUBLIC "${PROJECT_SOURCE_DIR}/tests" PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_compile_definitions(koine_test_support PRIVATE KOINE_TEST_CACHE_DIR="${PROJECT_BINARY_DIR}/koine-cache")

# The one face of the library's inside that tests see.
add_library(koine_test_inner OBJECT "${PROJECT_SOURCE_DIR}/tests/support/inner.cpp")
target_link_libraries(koine_test_inner PRIVATE koine_settings koine_internal)
target_include_directories(koine_test_inner PRIVATE "${PROJECT_SOURCE_DIR}/tests")

# What most tests include, compiled once for all programs. It is a program, too, because it has to be compiled as they are.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/test_headers.cpp" CONTENT "// Only what is included.\n")
add_executable(koine_test_headers EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/generated/test_headers.cpp")
target_link_libraries(koine_test_headers PRIVATE koine_settings koine_test_support)
# Tests are wide in types and short in loops: half of their compile time would go to optimisation.
set(KOINE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
target_compile_options(koine_test_headers PRIVATE ${KOINE_TEST_OPTIONS})
target_precompile_headers(koine_test_headers PRIVATE
  <doctest/doctest.h> <algorithm> <cmath> <complex> <cstdint> <functional> <iostream> <map> <string> <vector>)

# Files of tests/device and tests/ops that one ctest entry runs: more of them share a process, which takes less time; one
# by itself is easily asked for by its name.
set(KOINE_TESTS_TOGETHER 1 CACHE STRING "Test files in one ctest entry")
# Alone in any case: those whose profiles begin with their device's context, and the longest.
set(KOINE_TESTS_ALONE profile linalg_solve reproducible)
# What these test is how the library's functions are composed, of many expressions that nothing else has. The host computes
# their small steps, as it does for users, but where KOINE_TEST_EXHAUSTIVE asks for all variants: there kernels do.
set(KOINE_TESTS_BY_HOST closeness expm fft_dct golden integer_statistics lstsq matrices mixed_integers nan_statistics
  numpy_names signal spellings)

# koine_add_test(<entry> <folder> <file>... [ENVIRONMENT NAME=value...]): registers test_<folder> with these files of its
# folder, to run with that environment.
function(koine_add_test entry folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ENVIRONMENT")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS REPLACE "(.+)" "*/tests/${folder}/test_\\1.cpp" OUTPUT_VARIABLE files)
  list(JOIN files "," files)
  add_test(NAME ${entry} COMMAND test_${folder} --no-version --force-colors=false "--source-file=${files}")
  # doctest is content with a filter that matches nothing; a test that ran nothing has not passed.
  string(REGEX MATCH "^[^.]*" label "${entry}")
  set_tests_properties(${entry} PROPERTIES
    LABELS ${label} TIMEOUT 900 FAIL_REGULAR_EXPRESSION "test cases:[ ]+0 " ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()

# koine_add_groups(<most> <folder> <file>... [ENVIRONMENT NAME=value...]): registers <folder>.<file> for each of these, or
# for as many of them as <most>, by the first.
function(koine_add_groups most folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ENVIRONMENT")
  set(some "")
  while(arg_UNPARSED_ARGUMENTS)
    list(POP_FRONT arg_UNPARSED_ARGUMENTS name)
    list(APPEND some ${name})
    list(LENGTH some count)
    if(count EQUAL most OR NOT arg_UNPARSED_ARGUMENTS)
      list(GET some 0 first)
      koine_add_test(${folder}.${first} ${folder} ${some} ENVIRONMENT ${arg_ENVIRONMENT})
      set(some "")
    endif()
  endwhile()
endfunction()

# koine_add_tests(<folder> <library> [TOGETHER] [NAME=value...]): builds test_<folder> and registers <folder>.<file> for
# each of its files, to run with that environment; with TOGETHER for so many as KOINE_TESTS_TOGETHER says, by the first.
function(koine_add_tests folder library)
  cmake_parse_arguments(PARSE_ARGV 2 arg "TOGETHER" "" "")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
  if(NOT sources)
    return()
  endif()
  koine_bundled(compiled test_${folder} APART ${sources})
  add_executable(test_${folder} ${compiled})
  target_link_libraries(test_${folder} PRIVATE koine_settings koine_test_support ${library})
  if("${library}" STREQUAL "koine_internal")
    target_link_libraries(test_${folder} PRIVATE koine_test_inner)
  endif()
  target_compile_options(test_${folder} PRIVATE ${KOINE_TEST_OPTIONS})
  target_compile_definitions(test_${folder} PRIVATE KOINE_TEST_DIR="${PROJECT_SOURCE_DIR}/tests")
  target_precompile_headers(test_${folder} REUSE_FROM koine_test_headers)
  set(names "")
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" NAME_WE)
    string(REGEX REPLACE "^test_" "" name "${file}")
    list(APPEND names ${name})
  endforeach()
  set(most 1)
  if(arg_TOGETHER)
    set(most ${KOINE_TESTS_TOGETHER})
    foreach(name IN LISTS KOINE_TESTS_ALONE)
      if(name IN_LIST names)
        list(REMOVE_ITEM names ${name})
        koine_add_test(${folder}.${name} ${folder} ${name} ENVIRONMENT ${arg_UNPARSED_ARGUMENTS})
      endif()
    endforeach()
    set(by_host ${names})
    list(REMOVE_ITEM names ${KOINE_TESTS_BY_HOST})
    list(REMOVE_ITEM by_host ${names})
    koine_add_groups(${most} ${folder} ${by_host} ENVIRONMENT ${arg_UNPARSED_ARGUMENTS} KOINE_TEST_BY_HOST=1)
  endif()
  koine_add_groups(${most} ${folder} ${names} ENVIRONMENT ${arg_UNPARSED_ARGUMENTS})
endfunction()

koine_add_tests(unit koine_internal)
koine_add_tests(ops koine::koine TOGETHER)
if(TARGET test_ops)
  # The op table itself, so that a row without a reference does not compile; nothing else of lib/ is linked.
  target_include_directories(test_ops PRIVATE "${PROJECT_SOURCE_DIR}/lib")
endif()
# Its references round after every operation, as the devices do.
set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/device/test_reproducible.cpp"
  PROPERTIES COMPILE_OPTIONS -ffp-contract=off)
# Units on a device, by their own headers; iterations by a LAPACK that never converges, too.
add_library(koine_test_lapack MODULE "${PROJECT_SOURCE_DIR}/tests/plugins/lapack.cpp")
target_link_libraries(koine_test_lapack PRIVATE koine_settings)
koine_add_tests(runtime koine_internal "KOINE_TEST_LAPACK=$<TARGET_FILE:koine_test_lapack>")
if(TARGET test_runtime)
  add_dependencies(test_runtime koine_test_lapack)
endif()
koine_add_tests(device koine_internal TOGETHER)
if(TARGET test_device)
  # Two devices where there may be only one: PoCL shows the CPU as often as it is named here. Elsewhere this changes
  # nothing.
  koine_add_test(device.two_devices device errors devices error_names
    ENVIRONMENT "POCL_DEVICES=pthread pthread")
  # Products of a CPU whose host has no BLAS.
  koine_add_test(device.matmul_kernels device matmul products einsum ENVIRONMENT KOINE_BLAS=off)
  # Sorts of a CPU by the host.
  koine_add_test(device.sort_host device sort topk sets quantiles ENVIRONMENT KOINE_HOST_STEPS=on)
  # Random numbers that the host makes.
  koine_add_test(device.random_host device random ENVIRONMENT KOINE_HOST_STEPS=on)
endif()

if(TARGET test_runtime)
  koine_add_test(runtime.two_devices runtime transfers context ENVIRONMENT "POCL_DEVICES=pthread pthread")
endif()

# Steps that the host does itself, which all other tests leave to the kernels that they are about. The op table once more.
koine_add_tests(host koine_internal KOINE_HOST_STEPS=on)
if(TARGET test_ops)
  add_test(NAME host.ops COMMAND test_ops --no-version --force-colors=false)
  set_tests_properties(host.ops PROPERTIES LABELS host TIMEOUT 900 ENVIRONMENT KOINE_HOST_STEPS=on)
endif()

# tests/stress runs on two devices as well, and with so few programs in memory that they come and go all the time. A
# program of its own, small enough to be built with each sanitizer.
koine_add_tests(stress koine::koine "POCL_DEVICES=pthread pthread" KOINE_PROGRAM_LIMIT=12)

# Every kernel file at sizes that an interpreter can run: ci/run/implementations.sh has Oclgrind watch it.
koine_add_tests(tiny koine_internal)

# tests/faults runs with a layer between loader and driver that makes OpenCL calls fail. Layers came with OpenCL 3's
# headers.
find_path(KOINE_CL_LAYER_INCLUDE_DIR CL/cl_layer.h HINTS ${OpenCL_INCLUDE_DIRS} DOC "Folder of CL/cl_layer.h")
mark_as_advanced(KOINE_CL_LAYER_INCLUDE_DIR)
if(KOINE_CL_LAYER_INCLUDE_DIR)
  foreach(layer fail vendor)
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/layers/${layer}*.cpp")
    add_library(koine_${layer}_layer MODULE ${sources})
    target_link_libraries(koine_${layer}_layer PRIVATE koine_settings)
    target_include_directories(koine_${layer}_layer PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_include_directories(koine_${layer}_layer SYSTEM PRIVATE "${KOINE_CL_LAYER_INCLUDE_DIR}")
  endforeach()
  # Without the cache of programs, so that each run makes the same calls.
  koine_add_tests(faults koine_internal "OPENCL_LAYERS=$<TARGET_FILE:koine_fail_layer>" KOINE_CACHE=off)
endif()
if(TARGET test_faults)
  add_dependencies(test_faults koine_fail_layer)
endif()
# tests/vendors runs with a layer that makes PoCL answer as other devices; each test says which.
if(TARGET koine_vendor_layer)
  koine_add_tests(vendors koine_internal "OPENCL_LAYERS=$<TARGET_FILE:koine_vendor_layer>")
  add_dependencies(test_vendors koine_vendor_layer)
endif()
# What cards do in other ways than CPUs: what products and transforms go on with, rounds of loops in a kernel each, and
# stacks of small matrices.
if(TARGET koine_vendor_layer AND TARGET test_device)
  koine_add_test(vendors.own_ways device product_epilogues cast_products fused_transforms explain loop_rounds small_factors
    ENVIRONMENT "OPENCL_LAYERS=$<TARGET_FILE:koine_vendor_layer>" KOINE_TEST_PLAY=amd KOINE_CACHE=off KOINE_DEVICE=)
endif()

# The longest are begun first, so that other processors are not idle at the end.
foreach(test faults.every_call vendors.dispatch vendors.tuning vendors.own_ways device.linalg_solve
    device.reproducible)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST 1000)
  endif()
endforeach()

# tests/load links no Koine: it loads the shared one, and a plugin that uses it, and lets go of them again.
add_library(koine_test_plugin MODULE "${PROJECT_SOURCE_DIR}/tests/plugins/plugin.cpp")
target_link_libraries(koine_test_plugin PRIVATE koine_settings koine::koine)
# With symbols that are unique in the process a library is never unloaded.
target_compile_options(koine_test_plugin PRIVATE -fno-gnu-unique)
koine_add_tests(load ${CMAKE_DL_LIBS}
  "KOINE_TEST_PLUGIN=$<TARGET_FILE:koine_test_plugin>" "KOINE_TEST_LIBRARY=$<TARGET_FILE:koine>")
if(TARGET test_load)
  add_dependencies(test_load koine_test_plugin)
endif()

# LeakSanitizer crashes at the end of a process with a plugin open and threads at work, one time in two at that of
# host.host_steps, and does not come to an end in one whose devices came and went; all else is looked at there, and what
# devices hold is counted by the layer.
if(KOINE_SANITIZE MATCHES address)
  foreach(test load.load host.host_steps faults.every_call)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0")
    endif()
  endforeach()
endif()

find_program(KOINE_CLANG NAMES clang clang-16 clang-15 clang-14 DOC "A clang that compiles OpenCL C")
mark_as_advanced(KOINE_CLANG)
if(KOINE_CLANG)
  add_test(NAME kernels.compile_alone COMMAND "${PROJECT_SOURCE_DIR}/ci/checks/check_kernels" "${KOINE_CLANG}")
  set_tests_properties(kernels.compile_alone PROPERTIES LABELS kernels)
endif()

# tests/tool: the `koine` command, a script for each subcommand.
if(TARGET koine_tool)
  add_library(koine_test_driver MODULE "${PROJECT_SOURCE_DIR}/tests/tool/driver.cpp")
  target_link_libraries(koine_test_driver PRIVATE koine_settings)
  set(layer "")
  if(TARGET koine_vendor_layer)
    set(layer "$<TARGET_FILE:koine_vendor_layer>")
  endif()
  foreach(command IN ITEMS command bench cache devices doctor monitor tune)
    add_test(NAME tool.${command} COMMAND "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:koine_tool>"
      "-DWORK=${PROJECT_BINARY_DIR}/tool-check/${command}" "-DDRIVER=$<TARGET_FILE:koine_test_driver>" "-DLAYER=${layer}"
      -P "${PROJECT_SOURCE_DIR}/tests/tool/${command}.cmake")
    set_tests_properties(tool.${command} PROPERTIES LABELS tool TIMEOUT 300)
  endforeach()
endif()

# tests/examples: the programs of examples/tutorial and examples/pictures, each of which checks its values.
if(TARGET example_tutorial_1_work_items)
  foreach(folder IN ITEMS tutorial pictures)
    add_test(NAME examples.${folder} COMMAND "${CMAKE_COMMAND}"
      "-DPROGRAMS=${PROJECT_BINARY_DIR}/examples/${folder}" "-DSOURCES=${PROJECT_SOURCE_DIR}/examples/${folder}"
      "-DWORK=${PROJECT_BINARY_DIR}/examples-check/${folder}" -P "${PROJECT_SOURCE_DIR}/tests/examples/${folder}.cmake")
    set_tests_properties(examples.${folder} PROPERTIES LABELS examples TIMEOUT 300)
  endforeach()
endif()

include(cmake/fuzz.cmake)
include(cmake/check_headers.cmake)
include(cmake/check_lines.cmake)
include(cmake/check_install.cmake)
