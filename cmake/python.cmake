# SPDX-License-Identifier: Apache-2.0
# The Python module: python/src over the public interface, with python/koine beside it in <build>/python/koine, so that
# PYTHONPATH=<build>/python finds it. Needs nanobind (PyPI) in the Python that Python_EXECUTABLE names.

find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

set(folder "${PROJECT_BINARY_DIR}/python/koine")
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.cpp")
nanobind_add_module(koine_python NB_STATIC ${sources})
set_target_properties(koine_python PROPERTIES OUTPUT_NAME _koine LIBRARY_OUTPUT_DIRECTORY "${folder}")
target_link_libraries(koine_python PRIVATE koine_settings koine::koine)
# The op table itself, so that a new row joins; nothing of lib/ is linked but what users see.
target_include_directories(koine_python PRIVATE "${PROJECT_SOURCE_DIR}/lib")
target_include_directories(koine_python SYSTEM PRIVATE "${KOINE_DLPACK_INCLUDE_DIR}")

file(MAKE_DIRECTORY "${folder}")
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/koine/*.py")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME)
  file(CREATE_LINK "${source}" "${folder}/${name}" SYMBOLIC)
endforeach()
