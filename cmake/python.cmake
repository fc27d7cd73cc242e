# SPDX-License-Identifier: Apache-2.0
# The Python module: python/src over the public interface, with python/koine beside it in <build>/python/koine, so that
# PYTHONPATH=<build>/python finds it. Needs nanobind and nanobind-backend (PyPI) in the Python that Python_EXECUTABLE names.

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
  OUTPUT_VARIABLE free_threaded OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
# One module for every Python from 3.11 on: what of nanobind depends on the version is in nanobind-backend. A free-threaded
# Python before 3.15 has no stable interface.
set(mode BACKEND_MODULE nanobind_backend STABLE_ABI_VERSION 3.11)
if(free_threaded AND Python_VERSION VERSION_LESS 3.15)
  set(mode NB_STATIC FREE_THREADED)
endif()

set(folder "${PROJECT_BINARY_DIR}/python/koine")
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.cpp")
koine_bundled(compiled koine_python ${sources})
nanobind_add_module(koine_python ${mode} NOMINSIZE ${compiled})  # operators on small arrays are to be fast
set_target_properties(koine_python PROPERTIES OUTPUT_NAME _koine LIBRARY_OUTPUT_DIRECTORY "${folder}")
target_link_libraries(koine_python PRIVATE koine_settings koine::koine)
target_link_options(koine_python PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/koine_python.map")
set_property(TARGET koine_python APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/koine_python.map")
target_include_directories(koine_python SYSTEM PRIVATE "${KOINE_DLPACK_INCLUDE_DIR}")

# What follows from the headers: docstrings, and the functions of operands alone.
set(generated "${PROJECT_BINARY_DIR}/generated/python")
file(MAKE_DIRECTORY "${generated}")
foreach(made IN ITEMS docs.hpp elementwise.inc)
  get_filename_component(what "${made}" NAME_WE)
  add_custom_command(
    OUTPUT "${generated}/python_${made}"
    COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/make_python.py" ${what} > "${generated}/python_${made}"
    DEPENDS ${KOINE_HEADERS} tools/make_python.py tools/make_api.py tools/python_names.txt
    COMMENT "Writing python_${made} of the Python module"
    VERBATIM)
  target_sources(koine_python PRIVATE "${generated}/python_${made}")
endforeach()
target_include_directories(koine_python PRIVATE "${generated}")

file(MAKE_DIRECTORY "${folder}")
file(GLOB links "${folder}/*.py")
if(links)
  file(REMOVE ${links})  # of files that may be gone
endif()
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/koine/*")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME)
  file(CREATE_LINK "${source}" "${folder}/${name}" SYMBOLIC)
endforeach()

# Type stubs, from the module itself.
add_custom_command(TARGET koine_python POST_BUILD
  COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/make_python_stubs.py" "${PROJECT_BINARY_DIR}/python"
  COMMENT "Writing the type stubs of the Python module"
  VERBATIM)

# What a wheel holds beside python/koine: the module, the library, the command proper, and those shared libraries that
# not every system has. The loader lies in a folder of its own, because one that the system has comes first
# (python/koine/_opencl.py).
if(SKBUILD)
  # One name for each library: a wheel holds no links.
  set_target_properties(koine PROPERTIES VERSION ${KOINE_SOVERSION})
  set_target_properties(koine_python koine PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS koine_python koine LIBRARY DESTINATION koine COMPONENT python NAMELINK_SKIP)
  if(TARGET koine_main)
    set_target_properties(koine_main PROPERTIES INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS koine_main RUNTIME DESTINATION koine/bin COMPONENT python)
  endif()
  install(DIRECTORY "${folder}/" DESTINATION koine COMPONENT python FILES_MATCHING PATTERN "*.pyi" PATTERN "__pycache__" EXCLUDE)
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES LIBRARIES \"$<TARGET_FILE:koine>\" RESOLVED_DEPENDENCIES_VAR libraries
      PRE_EXCLUDE_REGEXES \"^lib(c|m|dl|rt|pthread|stdc[+][+]|gcc_s|OpenCL)[.]so\" ^ld-linux ^linux-vdso
      DIRECTORIES \"${KOINE_FETCHED_LIBRARIES}\")
    foreach(library IN LISTS libraries)
      get_filename_component(name \"\${library}\" NAME)
      file(REAL_PATH \"\${library}\" file)
      file(INSTALL \"\${file}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/koine\" TYPE FILE RENAME \"\${name}\")
    endforeach()" COMPONENT python)
  get_filename_component(loader "${OpenCL_LIBRARY}" REALPATH)
  install(FILES "${loader}" RENAME libOpenCL.so.1 DESTINATION koine/loader COMPONENT python)
  # Their licences, as Debian's packages have them.
  foreach(package libclblast[0-9]* libfmt[0-9]* libhwy[0-9]* zlib1g ocl-icd-libopencl1)
    file(GLOB texts "${PROJECT_BINARY_DIR}/packages/root/usr/share/doc/${package}/copyright" "/usr/share/doc/${package}/copyright")
    if(texts)
      list(GET texts 0 text)
      get_filename_component(name "${text}" DIRECTORY)
      get_filename_component(name "${name}" NAME)
      install(FILES "${text}" RENAME "${name}.txt" DESTINATION koine/licenses COMPONENT python)
    endif()
  endforeach()
endif()
