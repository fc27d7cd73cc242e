# SPDX-License-Identifier: Apache-2.0
# What the tests of the `koine` command share. TOOL is the command, WORK a folder of the test's own, DRIVER a library that
# loads and is no driver, LAYER the one with which PoCL plays other devices, if it was built.

# run(<exit code> <argument>...): what is printed is left in `printed`.
function(run code)
  execute_process(COMMAND ${PREFIX} "${TOOL}" ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE printed ERROR_VARIABLE printed)
  if(NOT result EQUAL code)
    message(FATAL_ERROR "koine ${ARGN}: ended with ${result} instead of ${code}\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

function(expect text part)
  string(FIND "${text}" "${part}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "\"${part}\" is missing in\n${text}")
  endif()
endfunction()

function(expect_match text pattern)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "nothing matches ${pattern} in\n${text}")
  endif()
endfunction()

function(expect_none text part)
  string(FIND "${text}" "${part}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "\"${part}\" should not be in\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
