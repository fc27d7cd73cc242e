// SPDX-License-Identifier: Apache-2.0
// One device in use: its OpenCL context, in-order queues, memory pool and compiled programs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/background.hpp"
#include "base/process.hpp"
#include "cl/device_entry.hpp"
#include "device/traits.hpp"
#include "koine/error.hpp"
#include "koine/memory.hpp"
#include "runtime/buffer.hpp"
#include "runtime/cold_work.hpp"
#include "runtime/fault_words.hpp"
#include "runtime/kernel.hpp"
#include "runtime/pinned_words.hpp"
#include "runtime/pool.hpp"
#include "runtime/program_cache.hpp"
#include "runtime/program_store.hpp"
#include "runtime/queue.hpp"
#include "runtime/transfers.hpp"

namespace koine::runtime {

/// What a context has done since it was made; libraries that bring kernels of their own are not counted.
struct Activity {
  std::uint64_t built = 0;   ///< programs that the compiler made
  std::uint64_t loaded = 0;  ///< programs from the cache on disk
  std::uint64_t launches = 0;
  std::uint64_t host_steps = 0;      ///< steps that threads of the host did instead
  std::uint64_t staging_slots = 0;   ///< pinned buffers that transfers share
  std::uint64_t staging_events = 0;  ///< those of their last transfers
};

class Context {
 public:
  /// The library's own context of a device, made at first use and leaked on purpose: nothing may call OpenCL from a
  /// static destructor. Throws as cl::check_drivers() does.
  static Context& of(const cl::DeviceEntry& entry);
  static Context& of(const Device& device) { return of(device.record()); }
  /// Makes another library's context that of the device, which must not have been used yet, or have this one already.
  /// Throws DeviceError otherwise.
  static Context& adopt(const cl::DeviceEntry& entry, cl_context handle);
  /// The same, or null if the device has not been used yet.
  static Context* existing(const cl::DeviceEntry& entry) noexcept;

  /// A context around one that other code made and keeps alive for as long as this one lives.
  Context(const cl::DeviceEntry& entry, ::cl::Context handle);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const cl::DeviceEntry& entry() const noexcept { return entry_; }
  const DeviceTraits& traits() const noexcept { return entry_.traits; }
  const ::cl::Context& handle() const noexcept { return handle_; }
  /// The queue that work goes to by default.
  Queue& queue() const noexcept { return *default_queue_; }
  /// Another queue. It goes back for reuse with its last holder; pointers to it stay valid for as long as the context
  /// lives.
  std::shared_ptr<Queue> new_queue();
  /// The queue that puts its work into one of other code's, of this context: one for each such queue, which is never
  /// let go of. Throws DeviceError for one that does not keep the order of its commands.
  Queue& adopt_queue(cl_command_queue handle);

  /// The kernel `entry` of the program with this signature, or without a name its only one. `make` writes the program's
  /// text; it runs at most once for a signature, outside all locks, while other threads that want the same program
  /// wait. A failure is not remembered. Throws KernelBuildError, whose message carries the compiler's log.
  KernelRef kernel(std::string_view signature, const std::function<ProgramText()>& make, std::string_view entry = {});

  /// The same if the program is there, else null; waits for no build.
  KernelRef find_kernel(std::string_view signature, std::string_view entry = {});
  /// Sees to it that the program is there, and stays there for as long as the result lives.
  [[nodiscard]] ProgramCache::Held build(std::string_view signature, const ProgramText& text);

  /// The program of a text of a user's, which is shared by all that ask for the same.
  ProgramCache::ProgramRef program(const ProgramText& text);
  /// A program from a binary or a vendor's assembly: see ProgramStore::load_binary.
  ProgramCache::ProgramRef load_binary(std::span<const unsigned char> binary);
  /// Sees to it that a program is in the cache on disk, without keeping it. Whether it is. Throws KernelBuildError.
  bool keep_on_disk(const ProgramText& text);
  /// Whether it is there.
  bool is_on_disk(const ProgramText& text) const { return store_.is_on_disk(text); }

  /// Waits for all work of all queues.
  void finish(std::string_view function = "synchronize");
  /// Points after what is under way on its queues, for who waits otherwise.
  std::vector<cl::Event> under_way();

  /// For reads that nobody waits for yet; made with the first.
  base::Background& background();

  /// Held by exec while it partitions and enqueues pending work on this device.
  std::mutex& evaluation_mutex() noexcept { return evaluation_mutex_; }

  Activity activity() const noexcept {
    return {store_.built(),
            store_.loaded(),
            launches_.load(std::memory_order_relaxed),
            host_steps_.load(std::memory_order_relaxed),
            transfers_.staging_slots(),
            transfers_.staging_events()};
  }
  /// Whether the driver compiles the kernel when it is launched now.
  bool compiles_at(const Kernel& kernel) const noexcept {
    return traits().quirks.crashes_at_exit && !kernel.was_launched();
  }
  /// Whether the device works in the host's own memory, where the host may do what is small itself: see Queue::on_host.
  /// KOINE_HOST_STEPS=off leaves all to the driver.
  bool works_in_host_memory() const noexcept { return host_memory_; }
  /// Whether there was ever more than the queue that work goes to by default, as far as this thread has heard.
  bool has_several_queues() const noexcept { return several_queues_.load(std::memory_order_relaxed); }
  FaultWords& fault_words() noexcept { return fault_words_; }
  PinnedWords& pinned_words() noexcept { return pinned_words_; }
  /// Whether nothing that was enqueued may still be under way, as far as that is known without asking the driver.
  bool known_idle() const {
    const std::lock_guard lock(order_mutex_);
    return idle();
  }
  /// Counts a step that the calling thread did.
  void did_on_host() noexcept { host_steps_.fetch_add(1, std::memory_order_relaxed); }
  /// Under the evaluation mutex.
  ColdWork& cold_work() noexcept { return cold_work_; }
  /// Counts a launch, and does what the driver needs after it.
  void launched(Kernel& kernel);
  /// Counts a function of the host's that was enqueued.
  void launched_on_host();

  /// Programs in memory.
  std::size_t programs() const { return programs_.size(); }
  std::size_t idle_kernels() const { return programs_.idle_kernels(); }

  MemoryStats stats() const { return pool_.stats(); }
  void set_memory_limit(std::uint64_t bytes) { pool_.set_limit(bytes); }

  /// Throws DeviceError in a forked child, where the locks of other threads may be held for ever.
  void check_process(std::string_view function) const {
    if (generation_ != base::process_generation()) throw_unusable(function);
  }
  /// Throws DeviceError in a forked child and once the drivers have ended with the process, and DeviceLost after a
  /// loss. Cheap; every entry calls it, or makes an InUse.
  void check_usable(std::string_view function) const {
    if (lost_.load(std::memory_order_relaxed) || generation_ != base::process_generation() || base::drivers_gone()) {
      throw_unusable(function);
    }
  }
  /// Throws the koine Error that an OpenCL error code means; `attempt` completes "could not ...".
  [[noreturn]] void fail(cl_int code, std::string_view function, std::string_view attempt);
  /// From now on everything on this context is a DeviceLost.
  void lose() noexcept { lost_.store(true, std::memory_order_relaxed); }
  /// Calls f(). If that throws DeviceLost, the context is lost.
  template <class F>
  auto noting_loss(F f) {
    try {
      return f();
    } catch (const DeviceLost&) {
      lose();
      throw;
    }
  }
  /// "pocl:cpu:0 (...): 1 MiB are in use and 2 MiB held, of a limit of ...": what messages about memory end with.
  std::string memory_text() const;
  /// What KOINE_MEMORY_LIMIT allows on a device; 90 % of its memory if it is unset. Throws ValueError if malformed.
  static std::uint64_t initial_memory_limit(const DeviceTraits& traits);
  /// How many programs KOINE_PROGRAM_LIMIT lets a device keep in memory; 1024 if it is unset. Throws ValueError if
  /// malformed.
  static std::size_t program_limit();
  /// Whether the next launch of a kernel waits for it, and so may fail after it ran.
  bool waits_after(const Kernel& kernel) const noexcept { return synchronous_ || compiles_at(kernel); }
  /// KOINE_SYNC=1: wait after each launch, so that an error shows where it arose.
  bool synchronous() const noexcept { return synchronous_; }

  /// Around what an entry does on a thread of the user's: check_usable(), and where the driver needs it the process
  /// does not end meanwhile. Throws DeviceError on a thread that the end of the process is not waiting for any more.
  class InUse {
   public:
    InUse(const Context& context, std::string_view function) : hold_(context.traits().quirks.calls_crash_at_exit) {
      if (hold_.late()) context.throw_ending(function);
      context.check_usable(function);
    }

   private:
    const base::HoldExit hold_;
  };

 private:
  friend class Queue;

  ProgramCache::Built make(const ProgramText& text) { return {store_.make(text), text.entry}; }
  [[noreturn]] void throw_unusable(std::string_view function) const;
  [[noreturn]] void throw_ending(std::string_view function) const;
  /// All that there are now; they live as long as the context.
  std::vector<Queue*> queues() const;
  /// Under the order mutex.
  bool idle() const noexcept;
  /// If a code means that memory ran out: waits for all work, releases what the pool holds, and says that trying again
  /// makes sense.
  bool relieve(cl_int code) noexcept;
  /// Whether the device is lost, now that the driver has given this code.
  bool lost_by(cl_int code) noexcept;

  const cl::DeviceEntry& entry_;
  ::cl::Context handle_;
  Pool pool_;
  Transfers transfers_;
  PinnedWords pinned_words_;
  std::mutex evaluation_mutex_;
  ColdWork cold_work_;
  /// Guards queues_, their order, and what their commands did to buffers. Held while a command is enqueued.
  mutable std::mutex order_mutex_;
  std::vector<std::unique_ptr<Queue>> queues_;  // the first is the default
  Queue* default_queue_ = nullptr;              // the same, for those who hold no lock
  std::atomic<bool> several_queues_{false};     // likewise, for those who want to know before they hold it
  FaultWords fault_words_;
  std::vector<Queue*> spare_queues_;
  ProgramStore store_;  // behind the queues, for whose work programs may have to wait
  ProgramCache programs_;
  std::once_flag background_made_;
  base::Background* background_ = nullptr;  // never destroyed, as its thread may be the last that runs
  std::uint32_t generation_;
  bool synchronous_;
  bool host_memory_;
  std::atomic<bool> finishes_at_exit_{false};       // once the driver has compiled
  std::atomic<bool> host_finishes_at_exit_{false};  // likewise for functions of the host, which may come earlier
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> host_steps_{0};
};

}  // namespace koine::runtime
