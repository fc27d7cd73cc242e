# SPDX-License-Identifier: Apache-2.0
# koine_bench: every bench/*.cpp in one Google Benchmark program; koine_start, which measures one start; koine_first,
# which measures the first answer of each function; koine_accuracy, which makes docs/accuracy.md; koine_programs and
# koine_operations.

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
if(sources)
  find_package(benchmark CONFIG REQUIRED)
  add_executable(koine_bench ${sources})
  # koine_internal: the bare-launch and build-a-node figures are taken below the public interface.
  target_link_libraries(koine_bench PRIVATE koine_settings koine_internal benchmark::benchmark)
endif()

add_executable(koine_start "${PROJECT_SOURCE_DIR}/bench/start/main.cpp")
target_link_libraries(koine_start PRIVATE koine_settings koine_internal)

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/first/*.cpp" "${PROJECT_SOURCE_DIR}/tools/koine/calls*.cpp")
add_executable(koine_first ${sources})
target_link_libraries(koine_first PRIVATE koine_settings koine::koine)
target_include_directories(koine_first PRIVATE "${PROJECT_SOURCE_DIR}/tools/koine")

# Measures against the references of the tests, for each row of the op table.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/accuracy/*.cpp")
add_executable(koine_accuracy ${sources})
target_link_libraries(koine_accuracy PRIVATE koine_settings koine::koine)
target_include_directories(koine_accuracy PRIVATE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/lib")

# Whole programs and single operations beside their twins in Python: ci/run/programs.sh, ci/run/operations.sh.
foreach(name programs operations)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/${name}/*.cpp" "${PROJECT_SOURCE_DIR}/bench/twins/*.cpp")
  add_executable(koine_${name} ${sources})
  target_link_libraries(koine_${name} PRIVATE koine_settings koine::koine)
  target_include_directories(koine_${name} PRIVATE "${PROJECT_SOURCE_DIR}/bench/twins")
endforeach()
