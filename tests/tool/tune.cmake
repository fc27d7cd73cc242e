# SPDX-License-Identifier: Apache-2.0
# `koine tune` from end to end: it measures parameters, writes a file that the library reads without complaint, keeps what
# others wrote there, and refuses what it cannot tune.
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")

set(file "${WORK}/new/tuning.txt")
unset(ENV{KOINE_TUNING})
set(ENV{XDG_CONFIG_HOME} "${WORK}")  # whatever the user has

# An existing file: a section of another device and one of this, of which the parameters not measured now stay.
run(0 devices)
string(REGEX MATCH "\\* ([a-z]+):([a-z]+):[0-9]+  *([^ ]+( [^ ]+)*)" first "${printed}")
set(section "${CMAKE_MATCH_1}:${CMAKE_MATCH_2}:${CMAKE_MATCH_3}")
# Two parameters that this kind of device has.
if(section MATCHES ":cpu:")
  set(one items_per_core)
  set(two elementwise_segment)
else()
  set(one items_per_unit)
  set(two elementwise_scalars_per_item)
endif()
file(WRITE "${file}" "# mine\n[amd:gpu:9]\nscan_columns = 64\n\n[${section}]\nscan_columns = 16\n${one} = 99\n")

run(0 tune --quick --parameters=${one},${two} --output "${file}")
expect("${printed}" "${one}")
expect("${printed}" "${two}")
expect("${printed}" "Written to ${file}")
file(READ "${file}" text)
expect("${text}" "# mine\n[amd:gpu:9]\nscan_columns = 64\n")
expect("${text}" "[${section}]\n")
expect("${text}" "scan_columns = 16\n")
expect_none("${text}" "${one} = 99")  # the old value of what was measured anew

# The library reads it, and says so.
set(ENV{KOINE_TUNING} "${file}")
set(ENV{KOINE_LOG} device)
run(0 devices)
expect("${printed}" "tuning: scan_columns = 16, says ${file}")
unset(ENV{KOINE_LOG})

# What cannot be tuned, and a file that cannot be kept.
run(1 tune --parameters=no_such --output "${file}")
expect("${printed}" "\"no_such\" is not a parameter of ")
run(1 tune --parameters=${one} --output "/dev/null/x/tuning.txt")
expect("${printed}" "[tune] cannot make the folder /dev/null/x: ")
unset(ENV{KOINE_TUNING})
file(WRITE "${WORK}/wrong.txt" "[any]\nscan_columns = 1\n")
run(1 tune --parameters=scan_columns --output "${WORK}/wrong.txt")
expect("${printed}" "wrong.txt, line 2: scan_columns cannot be \"1\"")
file(READ "${WORK}/wrong.txt" text)
if(NOT text STREQUAL "[any]\nscan_columns = 1\n")
  message(FATAL_ERROR "a file that could not be read was written\n${text}")
endif()
