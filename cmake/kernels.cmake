# SPDX-License-Identifier: Apache-2.0
# Builds kernel_sources.cpp from kernels/*.cl and, for code that is put together at run time, kernels/common/*.clh, and
# kernel_parameters.inc, which lib/exec/kernel_parameters.hpp includes.

file(GLOB KOINE_KERNELS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/*.cl")
file(GLOB KOINE_KERNEL_HEADERS CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/kernels/common/*.clh")
set(KOINE_KERNEL_SOURCES "${PROJECT_BINARY_DIR}/generated/kernel_sources.cpp")

add_custom_command(
  OUTPUT "${KOINE_KERNEL_SOURCES}"
  BYPRODUCTS "${PROJECT_BINARY_DIR}/generated/kernel_parameters.inc"
  COMMAND "${CMAKE_COMMAND}" "-DKERNELS=${KOINE_KERNELS};${KOINE_KERNEL_HEADERS}" "-DROOT=${PROJECT_SOURCE_DIR}/kernels"
          "-DOUTPUT=${KOINE_KERNEL_SOURCES}" -P "${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake"
  DEPENDS ${KOINE_KERNELS} ${KOINE_KERNEL_HEADERS} "${PROJECT_SOURCE_DIR}/cmake/embed_kernels.cmake"
  COMMENT "Embedding the kernel sources"
  VERBATIM)
