# SPDX-License-Identifier: Apache-2.0
# install(): headers, library, tool, koine::koine for find_package, koine.pc for pkg-config.
include(CMakePackageConfigHelpers)

set(KOINE_CONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/koine")

install(TARGETS koine EXPORT koineTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/koine DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
if(TARGET koine_tool)
  install(TARGETS koine_tool RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(TARGETS koine_main RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}")
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT koineTargets NAMESPACE koine:: DESTINATION "${KOINE_CONFIG_DIR}")
configure_package_config_file(cmake/koineConfig.cmake.in "${PROJECT_BINARY_DIR}/koineConfig.cmake"
  INSTALL_DESTINATION "${KOINE_CONFIG_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/koineConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/koineConfig.cmake" "${PROJECT_BINARY_DIR}/koineConfigVersion.cmake"
  DESTINATION "${KOINE_CONFIG_DIR}")

# Relative to the .pc file, so that an installed tree may be moved.
file(RELATIVE_PATH KOINE_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(KOINE_PC_DEFINITIONS "${KOINE_STANDARD_LIBRARY}")
list(TRANSFORM KOINE_PC_DEFINITIONS PREPEND " -D")
string(JOIN "" KOINE_PC_DEFINITIONS ${KOINE_PC_DEFINITIONS})
configure_file(cmake/koine.pc.in "${PROJECT_BINARY_DIR}/koine.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/koine.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
