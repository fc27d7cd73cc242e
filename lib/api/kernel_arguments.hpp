// SPDX-License-Identifier: Apache-2.0
// Whether what a user's kernel is passed suits its parameters, as far as the driver tells them.
#pragma once

#include "api/kernel_state.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace koine::api {

/// "[Kernel] saxpy: argument 1, x (float*), ": what messages about an argument begin with. Arguments are numbered from
/// 0, as OpenCL does.
std::string argument_prefix(const detail::KernelState& kernel, std::size_t index);

/// Throws ValueError for another number of arguments than the kernel has parameters, and for an array that may be
/// written and is no variable; DTypeError for elements and values of another type than the parameter's; LaunchError for
/// more bytes than a device takes.
void check_arguments(const detail::KernelState& kernel, std::span<const KernelArgument> arguments);

/// Whether the kernel may write the array: unless its parameter is a pointer to const, or in() says that it does not.
bool may_write(const detail::KernelState& kernel, std::size_t index, const detail::ArgumentData& argument);

}  // namespace koine::api
