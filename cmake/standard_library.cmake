# SPDX-License-Identifier: Apache-2.0
# KOINE_STANDARD_LIBRARY: a macro for each setting that the library is compiled under and that changes the standard
# containers. It travels with the targets and koine.pc, and include/koine/export.hpp refuses programs that differ.

file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/standard_library.cpp" CONTENT [[
#include <version>
#ifdef _LIBCPP_VERSION
KOINE_WITH_LIBCXX
#endif
#ifdef _GLIBCXX_DEBUG
KOINE_WITH_GLIBCXX_DEBUG
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
KOINE_WITH_OLD_STRINGS
#endif
]] @ONLY)
# Asked at every configuration, as flags may have changed. Those that are generator expressions have no value yet; if one
# of them is such a setting, the headers refuse the library itself.
function(koine_find_standard_library)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_directory_property(options COMPILE_OPTIONS)
  get_directory_property(definitions COMPILE_DEFINITIONS)
  string(GENEX_STRIP "${options}" options)
  string(GENEX_STRIP "${definitions}" definitions)
  list(TRANSFORM definitions PREPEND "-D")
  execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" ${flags} ${options} ${definitions} -std=c++20 -E -P
            "${PROJECT_BINARY_DIR}/generated/standard_library.cpp"
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "KOINE_WITH_[A-Z_]+" found "${text}")
  set(KOINE_STANDARD_LIBRARY "${found}" PARENT_SCOPE)
endfunction()
koine_find_standard_library()
