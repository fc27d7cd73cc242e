// SPDX-License-Identifier: Apache-2.0
// One device in use: its OpenCL context, in-order queue, memory pool and compiled programs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/device_traits.hpp"
#include "base/process.hpp"
#include "cl/device_entry.hpp"
#include "cl/queue.hpp"
#include "koine/memory.hpp"
#include "runtime/buffer.hpp"
#include "runtime/kernel.hpp"
#include "runtime/pool.hpp"
#include "runtime/program_cache.hpp"

namespace koine::runtime {

/// What a context has done since it was made; libraries that bring kernels of their own are not counted.
struct Activity {
  std::uint64_t programs = 0;  ///< built
  std::uint64_t launches = 0;
};

class Context {
 public:
  /// The library's own context of a device, made at first use and leaked on purpose: nothing may call OpenCL from a
  /// static destructor. Throws DeviceError in the forked child of a process that had used devices.
  static Context& of(const cl::DeviceEntry& entry);
  static Context& of(const Device& device) { return of(device.record()); }
  /// The same, or null if the device has not been used yet.
  static Context* existing(const cl::DeviceEntry& entry) noexcept;

  /// A context around one that other code made and keeps alive for as long as this one lives.
  Context(const cl::DeviceEntry& entry, ::cl::Context handle);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const cl::DeviceEntry& entry() const noexcept { return entry_; }
  const DeviceTraits& traits() const noexcept { return entry_.traits; }
  const ::cl::Context& handle() const noexcept { return handle_; }
  const cl::Queue& queue() const noexcept { return queue_; }
  cl::Queue& queue() noexcept { return queue_; }

  /// Memory from the pool, contents undefined; zero bytes are allowed. Throws OutOfMemory, which names the request,
  /// what is in use and held, and what the device has.
  BufferRef allocate(std::uint64_t bytes, std::string_view function);
  /// Host to device; the source may be reused on return.
  void write(Buffer& to, std::uint64_t offset, const void* source, std::uint64_t bytes,
             std::string_view function = "eval");
  /// Device to host; waits for all work before it.
  void read(const Buffer& from, std::uint64_t offset, void* target, std::uint64_t bytes,
            std::string_view function = "eval");
  /// Device to device, in queue order. The ranges must not overlap.
  void copy(Buffer& to, std::uint64_t to_offset, const Buffer& from, std::uint64_t from_offset, std::uint64_t bytes,
            std::string_view function = "eval");
  /// Zeros, in queue order. Offset and size are multiples of 4 unless the range ends at the buffer's size().
  void fill_zero(Buffer& buffer, std::uint64_t offset, std::uint64_t bytes, std::string_view function = "eval");

  /// The kernel `entry` of the program with this signature. `make` writes the program's text; it runs at most once for
  /// a signature, outside all locks, while other threads that want the same program wait. A failure is not remembered.
  /// Throws KernelBuildError, whose message carries the compiler's log.
  KernelRef kernel(std::string_view signature, const std::function<ProgramText()>& make,
                   std::string_view entry = "koine");

  /// Waits for all work of the queue.
  void finish(std::string_view function = "synchronize");
  /// Sends all work to the device without waiting.
  void flush();

  /// Held by exec while it partitions and enqueues pending work on this device.
  std::mutex& evaluation_mutex() noexcept { return evaluation_mutex_; }

  Activity activity() const noexcept {
    return {programs_built_.load(std::memory_order_relaxed), launches_.load(std::memory_order_relaxed)};
  }
  /// Counts a launch, and does what the driver needs after it.
  void launched(Kernel& kernel);

  MemoryStats stats() const { return pool_.stats(); }
  void set_memory_limit(std::uint64_t bytes) { pool_.set_limit(bytes); }

  /// Throws DeviceError in a forked child and DeviceLost after a loss. Cheap; every entry calls it.
  void check_usable(std::string_view function) const {
    if (lost_.load(std::memory_order_relaxed) || generation_ != base::process_generation()) throw_unusable(function);
  }
  /// Throws the koine Error that an OpenCL error code means; `attempt` completes "could not ...".
  [[noreturn]] void fail(cl_int code, std::string_view function, std::string_view attempt);
  /// What KOINE_MEMORY_LIMIT allows on a device; 90 % of its memory if it is unset. Throws ValueError if malformed.
  static std::uint64_t initial_memory_limit(const DeviceTraits& traits);
  /// KOINE_SYNC=1: wait after each launch, so that an error shows where it arose.
  bool synchronous() const noexcept { return synchronous_; }

 private:
  [[noreturn]] void throw_unusable(std::string_view function) const;
  /// A new buffer, or null and the reason.
  cl_mem create(std::uint64_t capacity, cl_int& code);

  const cl::DeviceEntry& entry_;
  ::cl::Context handle_;
  cl::Queue queue_;
  Pool pool_;
  ProgramCache programs_;
  std::mutex evaluation_mutex_;
  std::uint32_t generation_;
  bool synchronous_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint64_t> programs_built_{0}, launches_{0};
};

}  // namespace koine::runtime
