// SPDX-License-Identifier: Apache-2.0
// What is known of a kernel of a user's: its parameters, and what a launch of it must keep to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cl/parameters.hpp"
#include "runtime/kernel.hpp"

namespace koine::runtime {

struct KernelFacts {
  std::size_t count = 0;                     ///< of its parameters
  std::vector<cl::Parameter> parameters;     ///< empty where the driver does not say
  std::array<std::size_t, 3> fixed_group{};  ///< by an attribute of the kernel; zeros where it has none
  std::uint64_t local_memory = 0;            ///< in bytes, beside what is passed
};

/// What the program keeps of it, and else what the driver says. Throws KernelBuildError if there is no such kernel.
KernelFacts facts_of(Kernel& kernel);

}  // namespace koine::runtime
