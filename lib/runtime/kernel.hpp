// SPDX-License-Identifier: Apache-2.0
// A kernel of a built program, with a cl_kernel of its own for each thread that launches it at the same time.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cl/program.hpp"

namespace koine::runtime {

inline constexpr std::string_view parameters_option = "-cl-kernel-arg-info";

/// What codegen hands over to be compiled.
struct ProgramText {
  std::string source;
  std::string options;      ///< such as "-D BLOCK=16"; the library's own options are added
  std::string entry = "";   ///< the name of its only kernel; empty where there are several, each asked for by name
  std::string about = "";   ///< what it is and what it is compiled for, beside the options; for the log
  bool parameters = false;  ///< the program keeps what is known of its kernels' parameters, for which it has
                            ///< parameters_option
  bool users = false;       ///< has code of a user's, who may call any function of OpenCL C
  bool assembly = false;    ///< not OpenCL C but the vendor's own assembly, which takes no options (NVIDIA: PTX)
};

class Kernel {
 public:
  /// Throws KernelBuildError if the program has no such kernel.
  Kernel(std::shared_ptr<const cl::Program> program, std::string name);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  const std::string& name() const noexcept { return name_; }
  const cl::Program& program() const noexcept { return *program_; }
  const std::shared_ptr<const cl::Program>& program_ref() const noexcept { return program_; }
  /// The most work-items in a group that this kernel's registers allow on the device.
  std::size_t max_group() const noexcept { return max_group_; }

  /// A cl_kernel that nobody else uses until it is given back: its arguments are state that threads must not share.
  cl_kernel take();
  void give_back(cl_kernel kernel) noexcept;
  /// True once: for the first launch, with which some drivers still compile.
  bool first_launch() noexcept { return !launched_.exchange(true, std::memory_order_relaxed); }
  bool was_launched() const noexcept { return launched_.load(std::memory_order_relaxed); }
  /// How many cl_kernels it keeps that nobody has taken.
  std::size_t idle() const {
    const std::lock_guard lock(mutex_);
    return more_.size() + (spare_.load(std::memory_order_relaxed) != nullptr ? 1 : 0);
  }

 private:
  std::shared_ptr<const cl::Program> program_;
  std::string name_;
  std::size_t max_group_ = 0;
  std::atomic<cl_kernel> spare_{nullptr};  // the only one in nearly every program: no lock
  mutable std::mutex mutex_;
  std::vector<cl_kernel> more_;
  std::size_t made_ = 1;
  std::atomic<bool> launched_{false};
};

using KernelRef = std::shared_ptr<Kernel>;

}  // namespace koine::runtime
