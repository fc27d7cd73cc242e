# SPDX-License-Identifier: Apache-2.0
# Installs the build tree BUILD, moves the result, and builds and runs the consumer project in SOURCE against
# it twice: by find_package and by pkg-config's flags. FLAGS are extra compiler flags (a sanitizer's).
cmake_minimum_required(VERSION 3.25)

set(work "${BUILD}/install-check")
set(prefix "${work}/moved")

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${work}" RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${what} failed (${result}): ${command}\n${output}")
  endif()
  message(STATUS "${what}: ok")
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")
run("install" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${work}/first")
file(RENAME "${work}/first" "${prefix}")

# Nothing installed may point back at the tree it was built from.
cmake_path(GET SOURCE PARENT_PATH tests)
cmake_path(GET tests PARENT_PATH root)
file(GLOB_RECURSE texts "${prefix}/*.cmake" "${prefix}/*.pc" "${prefix}/*.hpp")
foreach(text IN LISTS texts)
  file(READ "${text}" content)
  string(FIND "${content}" "${root}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${text} names ${root}")
  endif()
endforeach()

run("configure by find_package" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${work}/cmake"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("build by find_package" "${CMAKE_COMMAND}" --build "${work}/cmake")
run("run by find_package" "${work}/cmake/consumer")
message(STATUS "${output}")

find_program(pkg_config pkg-config REQUIRED)
set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
run("pkg-config" "${pkg_config}" --cflags --libs koine)
separate_arguments(flags UNIX_COMMAND "${output} ${FLAGS}")
# Under the language version that the program chooses, which stands before the library's flags.
foreach(standard c++20 c++2b)
  run("build by pkg-config as ${standard}" "${CXX}" "-std=${standard}" "${SOURCE}/main.cpp" -o "${work}/consumer" ${flags}
    "-Wl,-rpath,${prefix}/${LIBDIR}")
  run("run by pkg-config as ${standard}" "${work}/consumer" "${standard}")
endforeach()

if(TOOL)
  run("the installed command" "${prefix}/bin/koine" devices)
endif()
