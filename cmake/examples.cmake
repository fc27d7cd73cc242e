# SPDX-License-Identifier: Apache-2.0
# Examples: each examples/*.cpp and each folder examples/<name>/ is one program over the public interface; of a folder
# without a main.cpp each file is one.

find_path(KOINE_STB_INCLUDE_DIR stb/stb_image_write.h DOC "Folder of stb/stb_image_write.h")
mark_as_advanced(KOINE_STB_INCLUDE_DIR)

function(koine_add_example name)
  add_executable(example_${name} ${ARGN})
  set_target_properties(example_${name} PROPERTIES
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples")
  target_link_libraries(example_${name} PRIVATE koine_settings koine::koine)
  if(KOINE_STB_INCLUDE_DIR)
    target_include_directories(example_${name} SYSTEM PRIVATE "${KOINE_STB_INCLUDE_DIR}")
  endif()
  # Examples read the files shipped beside their source when no path is given.
  list(GET ARGN 0 source)
  get_filename_component(folder "${source}" DIRECTORY)
  target_compile_definitions(example_${name} PRIVATE KOINE_EXAMPLE_DIR="${folder}")
endfunction()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  koine_add_example(${name} "${source}")
endforeach()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*/*.cpp")
set(folders "")
foreach(source IN LISTS sources)
  get_filename_component(folder "${source}" DIRECTORY)
  get_filename_component(name "${folder}" NAME)
  list(APPEND folders ${name})
  list(APPEND sources_${name} "${source}")
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(name IN LISTS folders)
  if(EXISTS "${PROJECT_SOURCE_DIR}/examples/${name}/main.cpp")
    koine_add_example(${name} ${sources_${name}})
    continue()
  endif()
  foreach(source IN LISTS sources_${name})
    get_filename_component(program "${source}" NAME_WE)
    koine_add_example(${name}_${program} "${source}")
    set_target_properties(example_${name}_${program} PROPERTIES
      OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples/${name}")
  endforeach()
endforeach()
