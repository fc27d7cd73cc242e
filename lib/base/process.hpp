// SPDX-License-Identifier: Apache-2.0
// Tells a forked child from its parent without a system call each time.
#pragma once

#include <cstdint>

namespace koine::base {

/// A number that differs between a process and its forked children. OpenCL drivers do not survive a fork, so whatever
/// owns driver state remembers this number and compares.
std::uint32_t process_generation() noexcept;

}  // namespace koine::base
