# SPDX-License-Identifier: Apache-2.0
# lines.<compiler>: tests/lines/lines.txt with the compiler of the build, and with clang where there is one.

find_program(KOINE_CLANGXX NAMES clang++-14 clang++ DOC "A clang++ that compiles the lines of tests/lines")
mark_as_advanced(KOINE_CLANGXX)
foreach(compiler IN ITEMS "${CMAKE_CXX_COMPILER}" "${KOINE_CLANGXX}")
  if(compiler)
    get_filename_component(name "${compiler}" NAME)
    add_test(NAME lines.${name} COMMAND "${PROJECT_SOURCE_DIR}/ci/checks/check_lines" "${compiler}")
    set_tests_properties(lines.${name} PROPERTIES LABELS lines TIMEOUT 900)
  endif()
endforeach()
