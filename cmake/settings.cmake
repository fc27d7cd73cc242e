# SPDX-License-Identifier: Apache-2.0
# Settings that every target shares: language, warnings, sanitizers, compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The tool must find the library wherever the installed tree is moved to.
file(RELATIVE_PATH KOINE_BIN_TO_LIB "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set(CMAKE_INSTALL_RPATH "$ORIGIN/${KOINE_BIN_TO_LIB}")

# -O2 rather than CMake's -O3: the work is in the kernels, and the host code compiles noticeably faster.
set(KOINE_OPTIMIZE -O2 CACHE STRING "Optimisation of a release build")
set(CMAKE_CXX_FLAGS_RELEASE "${KOINE_OPTIMIZE} -DNDEBUG" CACHE STRING "" FORCE)
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(KOINE_CCACHE ccache)
mark_as_advanced(KOINE_CCACHE)
if(KOINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness ccache passes over every file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${KOINE_CCACHE})
endif()

# koine_settings: linked privately by everything that is ours, never exported.
add_library(koine_settings INTERFACE)
target_compile_options(koine_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wunused)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Locals only: a constructor's parameter may carry the name of the member it fills.
  target_compile_options(koine_settings INTERFACE -Wshadow=local -fpch-preprocess)
  # Of a bundle every file is an included one, whose types may hold others of an unnamed namespace (cmake/bundle.cmake).
  target_compile_options(koine_settings INTERFACE $<$<BOOL:${KOINE_BUNDLE}>:-Wno-subobject-linkage>)
endif()
include(cmake/standard_library.cmake)
target_compile_definitions(koine_settings INTERFACE ${KOINE_STANDARD_LIBRARY})
if(KOINE_SANITIZE)
  # -O1: at -O2 the instrumented tests take three times as long to compile, and find no more. CMAKE_BUILD_TYPE=None has
  # -O0, which compiles in two thirds of that, for runs that are short.
  target_compile_options(koine_settings INTERFACE
    -fsanitize=${KOINE_SANITIZE} -fno-omit-frame-pointer $<$<NOT:$<CONFIG:None>>:-O1> -g1)
  target_link_options(koine_settings INTERFACE -fsanitize=${KOINE_SANITIZE})
endif()

find_package(Threads REQUIRED)
