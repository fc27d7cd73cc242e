# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone and twice (one generated source each, with the warnings of the library),
# and no OpenCL name is reachable but through opencl.hpp (ci/checks/check_headers).

set(sources "")
foreach(header IN LISTS KOINE_HEADERS)
  get_filename_component(name "${header}" NAME_WE)
  set(source "${PROJECT_BINARY_DIR}/generated/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include <koine/${name}.hpp>\n#include <koine/${name}.hpp>\n")
  list(APPEND sources "${source}")
endforeach()
if(sources)
  add_library(koine_header_check OBJECT ${sources})
  target_link_libraries(koine_header_check PRIVATE koine_settings koine::koine)
  target_include_directories(koine_header_check SYSTEM PRIVATE "${KOINE_CLHPP_INCLUDE_DIR}")
endif()

add_test(NAME headers.no_opencl COMMAND "${PROJECT_SOURCE_DIR}/ci/checks/check_headers" "${CMAKE_CXX_COMPILER}")
set_tests_properties(headers.no_opencl PROPERTIES LABELS headers)

# Settings under which a program does not fit the library are refused in one sentence.
add_test(NAME headers.settings COMMAND "${PROJECT_SOURCE_DIR}/ci/checks/check_settings" "${CMAKE_CXX_COMPILER}" clang++)
set_tests_properties(headers.settings PROPERTIES LABELS headers)
