# SPDX-License-Identifier: Apache-2.0
# cmake -DKERNELS=a.cl;b.cl -DROOT=kernels -DOUTPUT=kernel_sources.cpp -P embed_kernels.cmake
# Splices each `#include "common/x.clh"` of a kernel in once and writes the texts as byte arrays:
# no compiler limits their length as it does a literal's, and no byte needs an escape. Beside them kernel_parameters.inc
# has the structs that the kernels are passed, for C++, so that they are written in the kernels' files alone.
cmake_minimum_required(VERSION 3.25)

# Appends the text of `file` to the variable KN_TEXT of the caller, its includes spliced.
macro(koine_splice file)
  list(APPEND KN_SEEN "${file}")
  file(READ "${file}" KN_LEFT)
  koine_splice_text()
endmacro()

# Splices every include line of KN_LEFT until none is left; nested ones come up in later rounds.
macro(koine_splice_text)
  while(KN_LEFT MATCHES "(^|\n)([ \t]*#[ \t]*include[ \t]+\"([^\"\n]+)\"[^\n]*)")
    set(KN_LINE "${CMAKE_MATCH_2}")
    set(KN_NAME "${CMAKE_MATCH_3}")
    set(KN_FILE "${ROOT}/${KN_NAME}")
    if(NOT EXISTS "${KN_FILE}")
      message(FATAL_ERROR "a kernel includes \"${KN_NAME}\", which is not in ${ROOT}")
    endif()
    set(KN_SPLICED "")
    if(NOT KN_FILE IN_LIST KN_SEEN)
      list(APPEND KN_SEEN "${KN_FILE}")
      file(READ "${KN_FILE}" KN_SPLICED)
    endif()
    string(FIND "${KN_LEFT}" "${KN_LINE}" KN_AT)
    string(LENGTH "${KN_LINE}" KN_LENGTH)
    math(EXPR KN_AFTER "${KN_AT} + ${KN_LENGTH}")
    string(SUBSTRING "${KN_LEFT}" 0 ${KN_AT} KN_HEAD)
    string(SUBSTRING "${KN_LEFT}" ${KN_AFTER} -1 KN_TAIL)
    set(KN_LEFT "${KN_HEAD}${KN_SPLICED}${KN_TAIL}")
  endwhile()
endmacro()

# Appends to KN_STRUCTS of the caller what a file's `typedef struct { ... } kn_<name>;` say, but for kn_bounds, which
# generated kernels have in many forms. A struct of KN_REAL is a template over that type.
macro(koine_structs file)
  file(READ "${file}" KN_LEFT)
  while(KN_LEFT MATCHES "typedef struct {\n([^}]*)} (kn_[a-z_]+);")
    set(KN_FIELDS "${CMAKE_MATCH_1}")
    set(KN_NAME "${CMAKE_MATCH_2}")
    string(FIND "${KN_LEFT}" "${CMAKE_MATCH_0}" KN_AT)
    string(LENGTH "${CMAKE_MATCH_0}" KN_LENGTH)
    math(EXPR KN_AFTER "${KN_AT} + ${KN_LENGTH}")
    string(SUBSTRING "${KN_LEFT}" ${KN_AFTER} -1 KN_LEFT)
    if(KN_FIELDS MATCHES "KN_REAL")
      string(APPEND KN_STRUCTS "template <class KN_REAL>\n")
    endif()
    if(NOT KN_NAME STREQUAL "kn_bounds")
      string(APPEND KN_STRUCTS "struct ${KN_NAME} {\n${KN_FIELDS}};\n")
    endif()
  endwhile()
endmacro()

set(KN_STRUCTS "// Written by cmake/embed_kernels.cmake from kernels/*.cl; do not edit.\n")
set(arrays "")
set(rows "")
set(count 0)
get_filename_component(folder "${OUTPUT}" DIRECTORY)
foreach(kernel IN LISTS KERNELS)
  file(RELATIVE_PATH name "${ROOT}" "${kernel}")
  string(REGEX REPLACE "\\.clh?$" "" name "${name}")
  set(KN_SEEN "")
  koine_structs("${kernel}")
  koine_splice("${kernel}")
  # The spliced text is also what a person wants to look at when a compiler's log names a line.
  file(WRITE "${folder}/kernels/${name}.cl" "${KN_LEFT}")
  file(READ "${folder}/kernels/${name}.cl" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "constexpr unsigned char text_${count}[] = {\n${hex}};\n")
  string(APPEND rows "    {\"${name}\", text_${count}, sizeof(text_${count})},\n")
  math(EXPR count "${count} + 1")
endforeach()

set(source "// Written by cmake/embed_kernels.cmake from kernels/; do not edit.
#include \"runtime/kernel_sources.hpp\"

#include <cstddef>
#include <stdexcept>
#include <string>

namespace {
${arrays}
struct Row {
  std::string_view name;
  const unsigned char* text;
  std::size_t size;
};
constexpr Row rows[] = {
${rows}    {\"\", nullptr, 0},
};
}  // namespace

std::string_view koine::runtime::kernel_source(std::string_view name) {
  for (const Row& row : rows) {
    if (row.text != nullptr && row.name == name) return {reinterpret_cast<const char*>(row.text), row.size};
  }
  throw std::logic_error(\"[kernel_source] there is no kernels/\" + std::string(name) + \".cl in this build\");
}
")
file(WRITE "${OUTPUT}" "${source}")
# Left alone where it stays the same, so that a change of a kernel's code compiles nothing else.
file(CONFIGURE OUTPUT "${folder}/kernel_parameters.inc" CONTENT "${KN_STRUCTS}" @ONLY)
