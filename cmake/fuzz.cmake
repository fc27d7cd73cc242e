# SPDX-License-Identifier: Apache-2.0
# tests/fuzz: fuzz_graphs, random programs against a plain interpreter; and hostile files and variables, which
# fuzz_files replays, and which libFuzzer makes up where KOINE_FUZZ asks for it (clang).

option(KOINE_FUZZ "Build libFuzzer programs, and what they feed with coverage" OFF)

set(folder "${PROJECT_SOURCE_DIR}/tests/fuzz")
if(NOT KOINE_FUZZ)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  koine_bundled(compiled fuzz_graphs ${sources})
  add_executable(fuzz_graphs ${compiled})
  target_link_libraries(fuzz_graphs PRIVATE koine_settings koine::koine doctest::doctest)
  # The op table itself, so that a new row joins; nothing of lib/ is linked but what users see.
  target_include_directories(fuzz_graphs PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/lib")
  # As of the tests: kernels are what its time goes to, and optimisation took more of it than it gave back.
  target_compile_options(fuzz_graphs PRIVATE $<$<CONFIG:Release>:-O0>)
  target_precompile_headers(fuzz_graphs PRIVATE
    <algorithm> <cmath> <functional> <map> <random> <sstream> <koine/koine.hpp> "${folder}/check.hpp"
    "${folder}/families.hpp" "${folder}/print.hpp" "${folder}/resolution.hpp" "${PROJECT_SOURCE_DIR}/tests/support/judge.hpp")
  add_test(NAME fuzz.graphs COMMAND fuzz_graphs "${folder}/corpus")
  set_tests_properties(fuzz.graphs PROPERTIES LABELS fuzz TIMEOUT 900 ENVIRONMENT "POCL_DEVICES=pthread pthread")
endif()

# What reads files and variables knows no OpenCL and no arrays: for libFuzzer it is compiled by itself, which takes
# seconds; else the library has it.
set(sources "")
if(KOINE_FUZZ)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/lib/base/*.cpp"
    "${PROJECT_SOURCE_DIR}/lib/device/*.cpp" "${PROJECT_SOURCE_DIR}/lib/tuning/*.cpp")
  list(APPEND sources "${PROJECT_SOURCE_DIR}/lib/cl/selector.cpp" "${PROJECT_SOURCE_DIR}/lib/runtime/disk_cache.cpp")
endif()
set(targets npy npz environment cache)
foreach(target IN LISTS targets)
  list(APPEND sources "${folder}/files/${target}.cpp")
endforeach()
add_library(koine_fuzz_targets OBJECT ${sources} "${folder}/files/allocations.cpp")
target_link_libraries(koine_fuzz_targets PRIVATE koine_settings PUBLIC fmt::fmt ZLIB::ZLIB Threads::Threads)
target_include_directories(koine_fuzz_targets
  PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/lib" "${PROJECT_SOURCE_DIR}/tests")
if(KOINE_FUZZ)
  target_compile_options(koine_fuzz_targets PRIVATE -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined)
  foreach(target IN LISTS targets)
    add_executable(fuzz_${target} "${folder}/files/libfuzzer.cpp")
    target_compile_definitions(fuzz_${target} PRIVATE KOINE_FUZZ_TARGET=fuzz_${target})
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${target} PRIVATE koine_settings koine_fuzz_targets)
  endforeach()
else()
  add_executable(fuzz_files "${folder}/files/replay.cpp")
  target_link_libraries(fuzz_files PRIVATE koine_settings koine_fuzz_targets koine_internal)
  add_test(NAME fuzz.files COMMAND fuzz_files "${folder}/files/corpus" "${PROJECT_SOURCE_DIR}/tests/data")
  set_tests_properties(fuzz.files PROPERTIES LABELS fuzz TIMEOUT 300)
endif()
