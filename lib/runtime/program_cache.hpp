// SPDX-License-Identifier: Apache-2.0
// Built programs in memory by their full signature: one build for each, outside the map's lock; no more than a limit,
// past which the least recently used go.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
  /// A program that stays in the cache for as long as this lives.
  using Held = std::shared_ptr<const void>;

  struct Built {
    ProgramRef program;
    std::string entry;  // of ProgramText
  };

  explicit ProgramCache(std::size_t limit) noexcept : limit_(limit) {}

  /// The kernel `entry` of a program, or without a name its only one. `build` runs at most once for a signature at a
  /// time; its failure reaches all that waited, and is then forgotten.
  KernelRef kernel(std::string_view signature, std::string_view entry, const std::function<Built()>& build);
  /// Only the program.
  Held program(std::string_view signature, const std::function<Built()>& build);
  /// The same, for whoever makes kernels of it: it is theirs, too, once it goes from the cache.
  ProgramRef shared(std::string_view signature, const std::function<Built()>& build) {
    return find_or_build(signature, build)->built.get().program;
  }
  /// The kernel if the program is there, else null; waits for no build.
  KernelRef find(std::string_view signature, std::string_view entry);

  std::size_t size() const;
  /// The cl_kernels of its programs that nobody has taken.
  std::size_t idle_kernels() const;

 private:
  struct Slot {
    std::shared_future<Built> built;
    std::mutex mutex;
    std::vector<KernelRef> kernels;
    std::atomic<bool> has_first{false};
    KernelRef first;                     // of `kernels`; once has_first reads true, it may be read without the mutex
    std::atomic<std::uint64_t> used{0};  // the count of builds when it was last asked for
  };
  using Slots = std::unordered_map<std::string, std::shared_ptr<Slot>, base::TextHash, std::equal_to<>>;

  static KernelRef kernel_of(Slot& slot, std::string_view entry);
  std::shared_ptr<Slot> find_or_build(std::string_view signature, const std::function<Built()>& build);

  /// Marks as used now. Under the lock, a shared one at least.
  void touch(Slot& slot) const noexcept;
  /// Forgets what is over the limit.
  void let_go();

  const std::size_t limit_;
  mutable std::shared_mutex mutex_;
  Slots slots_;
  std::uint64_t builds_ = 0;
};

}  // namespace koine::runtime
