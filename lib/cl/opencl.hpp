// SPDX-License-Identifier: Apache-2.0
// The one place that includes the OpenCL C++ bindings, with the settings that all files must share.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION \
  120  // below it each copy of a handle asks the driver, and crashes where that fails
#define CL_HPP_ENABLE_EXCEPTIONS

#include <CL/opencl.hpp>
