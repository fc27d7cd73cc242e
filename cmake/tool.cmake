# SPDX-License-Identifier: Apache-2.0
# The `koine` command: tools/koine, a file for each subcommand. It looks at what lies below the public interface, such as
# the table of tuning, so that the library is a part of it. It is koine-main, which `koine` starts (tools/koine/start).

find_package(CLI11 CONFIG REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/koine/*.cpp")
koine_bundled(compiled koine_main ${sources})
add_executable(koine_main ${compiled})
set_target_properties(koine_main PROPERTIES OUTPUT_NAME koine-main)
target_link_libraries(koine_main PRIVATE koine_settings koine_internal CLI11::CLI11 fmt::fmt)

add_executable(koine_tool "${PROJECT_SOURCE_DIR}/tools/koine/start/main.cpp")
set_target_properties(koine_tool PROPERTIES OUTPUT_NAME koine)
file(RELATIVE_PATH libexec "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBEXECDIR}")
target_compile_definitions(koine_tool PRIVATE KOINE_LIBEXEC="${libexec}")
target_link_libraries(koine_tool PRIVATE koine_settings ${CMAKE_DL_LIBS})
add_dependencies(koine_tool koine_main)
