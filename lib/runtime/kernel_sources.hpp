// SPDX-License-Identifier: Apache-2.0
// The kernel texts of kernels/*.cl, embedded when the library was built.
#pragma once

#include <string_view>

namespace koine::runtime {

/// The text of kernels/<name>.cl, or of kernels/<name>.clh for a name such as "common/half", with its
/// `#include "common/..."` lines spliced in, each file once. Names are fixed at build time, so one that is not there
/// is a mistake of ours: std::logic_error.
std::string_view kernel_source(std::string_view name);

}  // namespace koine::runtime
