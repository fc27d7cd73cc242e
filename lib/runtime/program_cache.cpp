// SPDX-License-Identifier: Apache-2.0
// Looks programs up under a shared lock and builds them under none.
#include "runtime/program_cache.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "base/process.hpp"

namespace koine::runtime {

KernelRef ProgramCache::find(std::string_view signature, std::string_view entry) {
  std::shared_ptr<Slot> slot;
  {
    const std::shared_lock lock(mutex_);
    const auto found = slots_.find(signature);
    if (found == slots_.end()) return nullptr;
    // Nearly every program has one kernel, which is asked for before every launch.
    Slot& known = *found->second;
    touch(known);
    if (known.has_first.load(std::memory_order_acquire) && (entry.empty() || known.first->name() == entry)) {
      return known.first;
    }
    slot = found->second;
  }
  if (slot->built.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
  return kernel_of(*slot, entry);
}

KernelRef ProgramCache::kernel(std::string_view signature, std::string_view entry,
                               const std::function<Built()>& build) {
  if (KernelRef kernel = find(signature, entry)) return kernel;
  return kernel_of(*find_or_build(signature, build), entry);
}

ProgramCache::Held ProgramCache::program(std::string_view signature, const std::function<Built()>& build) {
  std::shared_ptr<Slot> slot = find_or_build(signature, build);
  slot->built.get();
  return slot;
}

std::size_t ProgramCache::size() const {
  const std::shared_lock lock(mutex_);
  return slots_.size();
}

std::size_t ProgramCache::idle_kernels() const {
  std::size_t count = 0;
  const std::shared_lock lock(mutex_);
  for (const auto& [signature, slot] : slots_) {
    const std::lock_guard slot_lock(slot->mutex);
    for (const KernelRef& kernel : slot->kernels) count += kernel->idle();
  }
  return count;
}

void ProgramCache::touch(Slot& slot) const noexcept {
  // Only builds make the cache larger, so they are clock enough; and most launches come between two, and write nothing.
  if (slot.used.load(std::memory_order_relaxed) != builds_) slot.used.store(builds_, std::memory_order_relaxed);
}

void ProgramCache::let_go() {
  const base::HoldExit hold;                // some drivers' compilers take part in the end of a program
  std::vector<std::shared_ptr<Slot>> gone;  // past the lock
  const std::lock_guard lock(mutex_);
  while (slots_.size() > limit_) {
    auto oldest = slots_.end();
    for (auto each = slots_.begin(); each != slots_.end(); ++each) {
      // One that anybody else holds is being built, or about to be used.
      if (each->second.use_count() > 1) continue;
      if (oldest == slots_.end() || each->second->used < oldest->second->used) oldest = each;
    }
    if (oldest == slots_.end()) return;
    gone.push_back(std::move(oldest->second));
    slots_.erase(oldest);
  }
}

KernelRef ProgramCache::kernel_of(Slot& slot, std::string_view entry) {
  const Built& built = slot.built.get();  // waits for another thread's build, or throws its failure
  if (entry.empty()) entry = built.entry;
  const std::lock_guard lock(slot.mutex);
  for (const KernelRef& kernel : slot.kernels) {
    if (kernel->name() == entry) return kernel;
  }
  slot.kernels.push_back(std::make_shared<Kernel>(built.program, std::string(entry)));
  if (slot.kernels.size() == 1) {
    slot.first = slot.kernels.front();
    slot.has_first.store(true, std::memory_order_release);
  }
  return slot.kernels.back();
}

std::shared_ptr<ProgramCache::Slot> ProgramCache::find_or_build(std::string_view signature,
                                                                const std::function<Built()>& build) {
  auto slot = std::make_shared<Slot>();
  std::promise<Built> promise;
  slot->built = promise.get_future().share();
  {
    const std::lock_guard lock(mutex_);
    const auto [entry, inserted] = slots_.try_emplace(std::string(signature), slot);
    touch(*entry->second);
    if (!inserted) return entry->second;
    slot->used = ++builds_;
  }
  try {
    promise.set_value(build());
  } catch (...) {
    // Forgotten first, so that whoever comes after the failure tries again.
    {
      const std::lock_guard lock(mutex_);
      slots_.erase(slots_.find(signature));
    }
    promise.set_exception(std::current_exception());
    return slot;
  }
  let_go();
  return slot;
}

}  // namespace koine::runtime
