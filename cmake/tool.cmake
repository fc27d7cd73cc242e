# SPDX-License-Identifier: Apache-2.0
# The `koine` command: tools/koine.cpp.

if(EXISTS "${PROJECT_SOURCE_DIR}/tools/koine.cpp")
  find_package(CLI11 CONFIG REQUIRED)
  add_executable(koine_tool tools/koine.cpp)
  set_target_properties(koine_tool PROPERTIES OUTPUT_NAME koine)
  target_link_libraries(koine_tool PRIVATE koine_settings koine::koine CLI11::CLI11 fmt::fmt)
endif()
