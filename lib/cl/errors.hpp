// SPDX-License-Identifier: Apache-2.0
// Turns OpenCL's error numbers into Koine errors with a sentence.
#pragma once

#include <string>
#include <string_view>

#include "cl/opencl.hpp"
#include "device/traits.hpp"
#include "koine/error.hpp"

namespace koine::cl {

/// "CL_INVALID_KERNEL_ARGS"; for unknown numbers "OpenCL error -9999".
std::string error_name(cl_int code);

/// The kind that a code stands for wherever it arises.
ErrorKind error_kind(cl_int code);

/// "[function] could not <attempt> on <device>: <sentence> (CL_...)".
std::string error_message(cl_int code, std::string_view function, std::string_view attempt, const DeviceTraits& device);

/// Throws the exception class of a kind.
[[noreturn]] void throw_kind(ErrorKind kind, const std::string& message);

/// Throws what a failed OpenCL call means.
[[noreturn]] inline void throw_error(cl_int code, std::string_view function, std::string_view attempt,
                                     const DeviceTraits& device) {
  throw_kind(error_kind(code), error_message(code, function, attempt, device));
}

}  // namespace koine::cl
