# SPDX-License-Identifier: Apache-2.0
# The library: lib/*/*.cpp and the kernel texts, compiled once; linked as libkoine.so for
# users and as an archive for those tests and benchmarks that look at internals.

find_package(OpenCL REQUIRED)
find_package(CLBlast CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(ZLIB REQUIRED)
find_path(KOINE_CLHPP_INCLUDE_DIR CL/opencl.hpp REQUIRED DOC "Folder of OpenCL-CLHPP's CL/opencl.hpp")
find_path(KOINE_DLPACK_INCLUDE_DIR dlpack/dlpack.h REQUIRED DOC "Folder of DLPack's dlpack/dlpack.h")
# Their loops over keys and ids are worth the vectors that -O2 leaves out, but where the library need not be fast (.ci/run).
set(loops_optimised "$<$<NOT:$<CONFIG:None,Debug>>:-O3>")
if(KOINE_OPTIMIZE MATCHES "^-O[01]$")
  set(loops_optimised "")
endif()
set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/exec/sort_host.cpp"
  "${PROJECT_SOURCE_DIR}/lib/exec/scatter_reduce_host.cpp" "${PROJECT_SOURCE_DIR}/lib/exec/topk_host.cpp" PROPERTIES
  COMPILE_OPTIONS "${loops_optimised}" SKIP_PRECOMPILE_HEADERS ON)
# Sorts on CPUs; without it they are kernels.
find_path(KOINE_HIGHWAY_INCLUDE_DIR hwy/contrib/sort/vqsort.h DOC "Folder of Highway's hwy/contrib/sort/vqsort.h")
find_library(KOINE_HIGHWAY hwy DOC "Highway's libhwy")
find_library(KOINE_HIGHWAY_SORT hwy_contrib DOC "Highway's libhwy_contrib")
mark_as_advanced(KOINE_HIGHWAY_INCLUDE_DIR KOINE_HIGHWAY KOINE_HIGHWAY_SORT)
mark_as_advanced(KOINE_CLHPP_INCLUDE_DIR KOINE_DLPACK_INCLUDE_DIR)

include(cmake/kernels.cmake)
include(cmake/host_functions.cmake)
file(GLOB KOINE_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/lib/*/*.cpp")
file(GLOB KOINE_HEADERS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/koine/*.hpp")

if(KOINE_HIGHWAY_INCLUDE_DIR AND KOINE_HIGHWAY AND KOINE_HIGHWAY_SORT)
  # The folder behind the compiler's own, of which it may be one.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/lib/exec/host_sorter.cpp" PROPERTIES
    COMPILE_DEFINITIONS KOINE_HAS_HIGHWAY COMPILE_OPTIONS "-idirafter${KOINE_HIGHWAY_INCLUDE_DIR}"
    SKIP_PRECOMPILE_HEADERS ON)
endif()
koine_bundled(sources koine ${KOINE_SOURCES})
add_library(koine_objects OBJECT ${sources} "${KOINE_KERNEL_SOURCES}" ${KOINE_HOST_SOURCES})
target_include_directories(koine_objects
  PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/lib" PRIVATE "${PROJECT_BINARY_DIR}/generated")
target_include_directories(koine_objects SYSTEM PRIVATE "${KOINE_CLHPP_INCLUDE_DIR}" "${KOINE_DLPACK_INCLUDE_DIR}")
# Two thirds of a file's compile time are the headers of others.
target_precompile_headers(koine_objects PRIVATE
  <algorithm> <array> <atomic> <chrono> <complex> <cstdint> <filesystem> <fstream> <functional> <future> <map> <memory> <mutex>
  <optional> <span> <string> <thread> <unordered_map> <variant> <vector> <fmt/format.h> "${PROJECT_SOURCE_DIR}/lib/cl/opencl.hpp")
target_link_libraries(koine_objects
  PRIVATE koine_settings
  PUBLIC OpenCL::OpenCL clblast fmt::fmt ZLIB::ZLIB Threads::Threads)
if(KOINE_HIGHWAY_INCLUDE_DIR AND KOINE_HIGHWAY AND KOINE_HIGHWAY_SORT)
  target_link_libraries(koine_objects PUBLIC "${KOINE_HIGHWAY_SORT}" "${KOINE_HIGHWAY}")
endif()

add_library(koine SHARED)
add_library(koine::koine ALIAS koine)
target_link_libraries(koine PRIVATE koine_settings koine_objects)
target_compile_features(koine PUBLIC cxx_std_20)
target_compile_definitions(koine PUBLIC ${KOINE_STANDARD_LIBRARY})
target_include_directories(koine PUBLIC
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
# Before 1.0 a minor version may change the ABI (a new option field does).
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(KOINE_SOVERSION "0.${PROJECT_VERSION_MINOR}")
else()
  set(KOINE_SOVERSION "${PROJECT_VERSION_MAJOR}")
endif()
set_target_properties(koine PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${KOINE_SOVERSION})
# nodelete: device contexts outlive every dlclose, so that nothing calls OpenCL while a process ends.
target_link_options(koine PRIVATE
  LINKER:-z,nodelete LINKER:--as-needed "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/koine.map")
set_property(TARGET koine APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/koine.map")
if(NOT KOINE_SANITIZE)
  target_link_options(koine PRIVATE LINKER:-z,defs)
endif()

# The same objects for tests/unit, tests/runtime, tests/support/inner.cpp and bench, which reach below the public interface.
# A program links either koine or koine_internal: with both it would hold two copies of every registry.
add_library(koine_internal STATIC EXCLUDE_FROM_ALL)
target_link_libraries(koine_internal PUBLIC koine_objects)
target_include_directories(koine_internal SYSTEM PUBLIC "${KOINE_CLHPP_INCLUDE_DIR}")
