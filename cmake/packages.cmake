# SPDX-License-Identifier: Apache-2.0
# KOINE_FETCH_PACKAGES: what the library is built with and this machine lacks comes from Debian's or Ubuntu's own packages,
# unpacked into the build folder. That needs no root and leaves the system alone, so `pip install .` works where nothing but
# a compiler and Python are installed. apt checks signatures and hashes, as it does when it installs.

find_package(Python REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('include'))"
  OUTPUT_VARIABLE python_include OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)

set(lacking "")
foreach(header CL/cl.h CL/opencl.hpp clblast.h fmt/format.h dlpack/dlpack.h zlib.h CLI/CLI.hpp hwy/contrib/sort/vqsort.h)
  find_file(found "${header}" NO_CACHE)
  if(NOT found)
    list(APPEND lacking "${header}")
  endif()
  unset(found)
endforeach()
if(NOT EXISTS "${python_include}/Python.h")
  list(APPEND lacking Python.h)
endif()
if(NOT lacking)
  return()
endif()

set(packages opencl-c-headers opencl-clhpp-headers ocl-icd-opencl-dev libclblast-dev libfmt-dev libdlpack-dev zlib1g-dev
  libhwy-dev libcli11-dev)
if("Python.h" IN_LIST lacking AND python_include MATCHES "^/usr/include/python([0-9.]+)$")
  list(APPEND packages "libpython${CMAKE_MATCH_1}-dev")
endif()
list(JOIN packages " " words)
list(JOIN lacking ", " headers)
find_program(apt apt-get NO_CACHE)
find_program(dpkg dpkg-deb NO_CACHE)
if(NOT apt OR NOT dpkg)
  message(FATAL_ERROR "There is no ${headers} here, and no apt-get to fetch them with. Install what these Debian packages "
    "hold, then try again: ${words}")
endif()

set(folder "${PROJECT_BINARY_DIR}/packages")
if(NOT EXISTS "${folder}/done")
  message(STATUS "Fetching what is not here (${headers}): ${words}")
  file(MAKE_DIRECTORY "${folder}/state/lists/partial" "${folder}/cache/archives/partial" "${folder}/root")
  # As if nothing were installed, so that libraries come with their development files.
  file(WRITE "${folder}/state/status" "")
  set(apt "${apt}" -qq -o Dir::State=${folder}/state -o Dir::State::status=${folder}/state/status -o Dir::Cache=${folder}/cache
    -o APT::Sandbox::User= -o Debug::NoLocking=1)
  set(failed "Fetching failed. Install these packages, which needs root, then try again: apt-get install ${words}")
  execute_process(COMMAND ${apt} update RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${failed}")
  endif()
  execute_process(COMMAND ${apt} install --simulate --no-install-recommends ${packages}
    OUTPUT_VARIABLE plan RESULT_VARIABLE code)
  string(REGEX MATCHALL "Inst [^ ]+" plan "${plan}")
  list(TRANSFORM plan REPLACE "^Inst " "")
  # The system's own are at least as new as these: compilers, libc.
  list(FILTER plan INCLUDE REGEX "^(opencl-|ocl-icd-|zlib1g|lib(clblast|fmt|dlpack|hwy|cli11)|libpython3[0-9.]*-dev)")
  if(code EQUAL 0 AND plan)
    execute_process(COMMAND ${apt} download ${plan} WORKING_DIRECTORY "${folder}/cache" RESULT_VARIABLE code)
  endif()
  file(GLOB files "${folder}/cache/*.deb")
  if(NOT code EQUAL 0 OR NOT files)
    message(FATAL_ERROR "${failed}")
  endif()
  foreach(file IN LISTS files)
    execute_process(COMMAND "${dpkg}" -x "${file}" "${folder}/root" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # Some say where libraries are by whole paths.
  file(GLOB configs "${folder}/root/usr/lib/*/cmake/*/*.cmake")
  foreach(config IN LISTS configs)
    file(READ "${config}" text)
    string(REPLACE "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/" "${folder}/root/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/" text "${text}")
    file(WRITE "${config}" "${text}")
  endforeach()
  file(WRITE "${folder}/done" "")
endif()

list(PREPEND CMAKE_PREFIX_PATH "${folder}/root/usr")
set(KOINE_FETCHED_LIBRARIES "${folder}/root/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
if("Python.h" IN_LIST lacking AND EXISTS "${folder}/root${python_include}/Python.h")
  set(Python_INCLUDE_DIR "${folder}/root${python_include}" CACHE PATH "" FORCE)
  # Debian's pyconfig.h includes the one of its architecture from there.
  include_directories(SYSTEM "${folder}/root/usr/include")
endif()
