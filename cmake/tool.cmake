# SPDX-License-Identifier: Apache-2.0
# The `koine` command: tools/koine, a file for each subcommand. It looks at what lies below the public interface, such as
# the table of tuning, so that the library is a part of it.

find_package(CLI11 CONFIG REQUIRED)
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/koine/*.cpp")
add_executable(koine_tool ${sources})
set_target_properties(koine_tool PROPERTIES OUTPUT_NAME koine)
target_link_libraries(koine_tool PRIVATE koine_settings koine_internal CLI11::CLI11 fmt::fmt)
