// SPDX-License-Identifier: Apache-2.0
// Lends cl_kernel objects so that no two threads share one.
#include "runtime/kernel.hpp"

#include <utility>

namespace koine::runtime {

Kernel::Kernel(std::shared_ptr<const cl::Program> program, std::string name)
    : program_(std::move(program)), name_(std::move(name)), max_group_(program_->traits().max_group) {
  const cl_kernel first = program_->create_kernel(name_);
  spare_.store(first, std::memory_order_relaxed);
  std::size_t size = 0;
  if (clGetKernelWorkGroupInfo(first, program_->device()(), CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, nullptr) ==
      CL_SUCCESS) {
    max_group_ = size;
  }
}

Kernel::~Kernel() {
  program_->before_release();
  if (const cl_kernel kernel = spare_.load(std::memory_order_acquire)) clReleaseKernel(kernel);
  for (const cl_kernel kernel : more_) clReleaseKernel(kernel);
}

cl_kernel Kernel::take() {
  if (const cl_kernel kernel = spare_.exchange(nullptr, std::memory_order_acquire)) return kernel;
  {
    const std::lock_guard lock(mutex_);
    if (!more_.empty()) {
      const cl_kernel kernel = more_.back();
      more_.pop_back();
      return kernel;
    }
    // Room for every kernel ever made, so that giving one back cannot fail.
    more_.reserve(++made_);
  }
  return program_->create_kernel(name_);
}

void Kernel::give_back(cl_kernel kernel) noexcept {
  cl_kernel expected = nullptr;
  if (spare_.compare_exchange_strong(expected, kernel, std::memory_order_release, std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  more_.push_back(kernel);
}

}  // namespace koine::runtime
