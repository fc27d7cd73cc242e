# SPDX-License-Identifier: Apache-2.0
# Runs every program of a folder, for the tests that include this. Each ends with 0, which it does where its own checks
# hold, and prints what the variable of its name matches, as the folder's page does. PROGRAMS is the folder of the
# programs, SOURCES that of their sources and of README.md, WORK where they run.
file(READ "${SOURCES}/README.md" page)
file(GLOB sources "${SOURCES}/*.cpp")
list(LENGTH sources count)
if(NOT count EQUAL expected)
  message(FATAL_ERROR "${SOURCES} has ${count} programs, of which ${expected} are known here")
endif()
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
foreach(source IN LISTS sources)
  get_filename_component(program "${source}" NAME_WE)
  execute_process(COMMAND "${PROGRAMS}/${program}" WORKING_DIRECTORY "${WORK}"
    RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${program} ended with ${result}\n${printed}")
  endif()
  # The page indents what programs print.
  string(REGEX REPLACE "\n    " "\n" plain "${page}")
  foreach(text IN ITEMS printed plain)
    if(NOT ${text} MATCHES "${${program}}")
      message(FATAL_ERROR "${program}: nothing matches ${${program}} in\n${${text}}")
    endif()
  endforeach()
  if(NOT page MATCHES "\\(${program}\\.cpp\\)")
    message(FATAL_ERROR "${SOURCES}/README.md does not name ${program}.cpp")
  endif()
endforeach()
