# SPDX-License-Identifier: Apache-2.0
# Several test files as one translation unit: more than half of a test file's compile time goes to headers and templates
# that its neighbours need as well. In CMake's own unity builds the files would share one scope, where their helpers'
# names collide; here each file lies in a namespace of its own, and what it includes is included before.

option(KOINE_BUNDLE_TESTS "Compile several test files at once: quicker as a whole, slower for who works on one" OFF)
set(KOINE_BUNDLE_SIZE 12)

# koine_bundled(<variable> <name> <source>...): the sources to compile in place of these.
function(koine_bundled variable name)
  if(NOT KOINE_BUNDLE_TESTS)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  # What is compiled with options of its own stays alone.
  set(bundles "")
  set(left "")
  foreach(source IN LISTS ARGN)
    get_source_file_property(options "${source}" COMPILE_OPTIONS)
    if(options)
      list(APPEND bundles "${source}")
    else()
      list(APPEND left "${source}")
    endif()
  endforeach()
  list(LENGTH left count)
  while(count GREATER 0)
    list(SUBLIST left 0 ${KOINE_BUNDLE_SIZE} batch)
    list(REMOVE_ITEM left ${batch})
    list(LENGTH left count)
    set(includes "")
    set(bodies "")
    foreach(source IN LISTS batch)
      file(STRINGS "${source}" lines REGEX "^#include ")
      list(FILTER lines EXCLUDE REGEX "\\.(inc|def)\"$")  # tables, included where they are read
      list(APPEND includes ${lines})
      get_filename_component(file "${source}" NAME_WE)
      string(APPEND bodies "namespace in_${file} {\n#include \"${source}\"\n}\n")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    endforeach()
    list(REMOVE_DUPLICATES includes)
    list(JOIN includes "\n" includes)
    list(LENGTH bundles number)
    set(bundle "${PROJECT_BINARY_DIR}/generated/bundles/${name}_${number}.cpp")
    file(CONFIGURE OUTPUT "${bundle}" CONTENT "${includes}\n${bodies}" @ONLY)
    list(APPEND bundles "${bundle}")
  endwhile()
  set(${variable} ${bundles} PARENT_SCOPE)
endfunction()
