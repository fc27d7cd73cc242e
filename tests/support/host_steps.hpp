// SPDX-License-Identifier: Apache-2.0
// Steps that the calling thread does itself instead of launching kernels, for programs that link koine_internal.
#pragma once

#include <koine/device.hpp>

#include <cstdint>

namespace koine::test {

/// How many were done so on a device.
std::uint64_t host_steps_of(const Device& device = default_device());

/// Lets it do steps of up to so much work while this lives (Tuning::host_step_work): 0 for none.
class HostStepWork {
 public:
  explicit HostStepWork(std::uint32_t work, const Device& device = default_device());
  ~HostStepWork();
  HostStepWork(const HostStepWork&) = delete;
  HostStepWork& operator=(const HostStepWork&) = delete;

 private:
  std::uint32_t& value_;
  const std::uint32_t before_;
};

}  // namespace koine::test
