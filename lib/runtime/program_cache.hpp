// SPDX-License-Identifier: Apache-2.0
// Built programs in memory by their full signature: one build for each, outside the map's lock.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "cl/program.hpp"
#include "runtime/kernel.hpp"

namespace koine::runtime {

class ProgramCache {
 public:
  using ProgramRef = std::shared_ptr<const cl::Program>;

  /// `build` runs at most once for a signature at a time; its failure reaches all that waited, and is then forgotten.
  KernelRef kernel(std::string_view signature, std::string_view entry, const std::function<ProgramRef()>& build);
  /// Only the program.
  void program(std::string_view signature, const std::function<ProgramRef()>& build);
  /// The kernel if the program is there, else null; waits for no build.
  KernelRef find(std::string_view signature, std::string_view entry);

 private:
  struct Slot {
    std::shared_future<ProgramRef> program;
    std::mutex mutex;
    std::vector<KernelRef> kernels;
    std::atomic<bool> has_first{false};
    KernelRef first;  // of `kernels`; once has_first reads true, it may be read without the mutex
  };

  static KernelRef kernel_of(Slot& slot, std::string_view entry);
  std::shared_ptr<Slot> find_or_build(std::string_view signature, const std::function<ProgramRef()>& build);

  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Slot>, base::TextHash, std::equal_to<>> slots_;
};

}  // namespace koine::runtime
