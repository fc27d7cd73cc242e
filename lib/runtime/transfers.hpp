// SPDX-License-Identifier: Apache-2.0
// How bytes get from the host to a device, back, and from one device to another: by the driver, through pinned staging
// buffers, or, where host and device share memory, by the host itself.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include "cl/device_entry.hpp"
#include "cl/queue.hpp"
#include "runtime/staging.hpp"

namespace koine::runtime {

/// One for each context. Thread-safe; gives OpenCL's code for what failed. Queues are in-order and of the context.
class Transfers {
 public:
  Transfers(const cl::DeviceEntry& entry, const ::cl::Context& context)
      : context_(context),
        device_(entry.device),
        shares_memory_(shares_memory(entry.traits)),
        traits_(entry.traits),
        quirks_(entry.traits.quirks),
        tuning_(entry.traits.tuning),
        staging_(context, entry, entry.traits.tuning.transfer_slot_bytes) {}

  /// Whether a device works in the host's own memory.
  static bool shares_memory(const DeviceTraits& traits) noexcept {
    return traits.unified_memory || traits.device_class == DeviceClass::cpu;
  }

  /// Whether bytes go through pinned buffers, which is much faster than what drivers do with memory that is not pinned.
  bool stages(std::uint64_t bytes) const noexcept { return !shares_memory_ && bytes >= tuning_.transfer_staged_bytes; }

  /// Pinned buffers on the host, which come with transfers and stay.
  std::size_t staging_slots() const { return staging_.slots(); }
  std::size_t staging_events() const { return staging_.events(); }

  /// Host to device, in queue order; the source may be reused on return.
  cl_int write(cl_command_queue queue, cl_mem to, std::uint64_t offset, const void* source, std::uint64_t bytes);
  /// Device to host, after all work of the queue; returns when the target holds the values.
  cl_int read(cl_command_queue queue, cl_mem from, std::uint64_t offset, void* target, std::uint64_t bytes);

  /// The same on a queue of its own, beside whatever work there is: for memory whose values are there, and which nobody
  /// writes meanwhile.
  cl_int read_aside(cl_mem from, std::uint64_t offset, void* target, std::uint64_t bytes);

  /// A device's memory, the queue whose order it keeps, and the context's transfers.
  struct End {
    Transfers& transfers;
    cl_command_queue queue;
    cl_mem memory;
    std::uint64_t offset;
  };
  /// From a device to one of another context, never with the whole of it on the host. The source may be written on
  /// return.
  static CopyStatus copy(const End& from, const End& to, std::uint64_t bytes);

 private:
  ::cl::Context context_;
  ::cl::Device device_;
  bool shares_memory_;
  const DeviceTraits& traits_;
  const Quirks& quirks_;
  const Tuning& tuning_;
  Staging staging_;
  std::mutex mutex_;
  std::optional<cl::CommandQueue> aside_;  // made when first used
};

}  // namespace koine::runtime
