# SPDX-License-Identifier: Apache-2.0
# install.consumer: tests/install, configured, built and run against a moved installed tree and nothing else.

set(flags "")
if(KOINE_SANITIZE)
  set(flags "-fsanitize=${KOINE_SANITIZE}")
endif()
add_test(NAME install.consumer
  COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}" "-DSOURCE=${PROJECT_SOURCE_DIR}/tests/install"
          "-DCXX=${CMAKE_CXX_COMPILER}" "-DFLAGS=${flags}"
          "-DLIBDIR=${CMAKE_INSTALL_LIBDIR}" "-DTOOL=$<TARGET_EXISTS:koine_tool>"
          -P "${PROJECT_SOURCE_DIR}/tests/install/check.cmake")
set_tests_properties(install.consumer PROPERTIES LABELS install TIMEOUT 600
  ENVIRONMENT "KOINE_CACHE_DIR=${PROJECT_BINARY_DIR}/koine-cache")
