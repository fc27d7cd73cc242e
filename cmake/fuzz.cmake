# SPDX-License-Identifier: Apache-2.0
# tests/fuzz: fuzz_graphs, random programs against a plain interpreter.

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
add_executable(fuzz_graphs ${sources})
target_link_libraries(fuzz_graphs PRIVATE koine_settings koine::koine doctest::doctest)
# The op table itself, so that a new row joins; nothing else of lib/ is linked.
target_include_directories(fuzz_graphs PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/lib")
target_compile_options(fuzz_graphs PRIVATE $<$<CONFIG:Release>:-O1>)
