// SPDX-License-Identifier: Apache-2.0
// The texts of kernels/*.cl, embedded at build time.
#pragma once

#include <string_view>

namespace koine::runtime {

/// The text of kernels/<name>.cl with its #include "common/..." lines already spliced in. The table is generated.
std::string_view kernel_source(std::string_view name);

}  // namespace koine::runtime
