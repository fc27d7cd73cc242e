// SPDX-License-Identifier: Apache-2.0
// A ring of pinned host buffers through which large transfers run: host threads fill or empty some of them while the
// device's own copy engine works on others.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "cl/device_entry.hpp"

namespace koine::runtime {

/// What failed of a copy from one device to another, on which side.
struct CopyStatus {
  cl_int source = CL_SUCCESS, target = CL_SUCCESS;

  bool ok() const noexcept { return source == CL_SUCCESS && target == CL_SUCCESS; }
};

/// All functions may be called from many threads and give OpenCL's code for what failed first. Queues are in-order and
/// of the context.
class Staging {
 public:
  static constexpr std::size_t default_slots = 16;

  /// Makes nothing yet: slots are made when transfers need them, and kept.
  Staging(::cl::Context context, const cl::DeviceEntry& entry, std::uint64_t slot_bytes,
          std::size_t slots = default_slots);
  /// Waits for what is under way.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Host to device, in queue order; the source may be reused on return, the device may still be at it.
  cl_int write(cl_command_queue queue, cl_mem to, std::uint64_t offset, const void* source, std::uint64_t bytes);
  /// Device to host, in queue order; returns when the target holds the values.
  cl_int read(cl_command_queue queue, cl_mem from, std::uint64_t offset, void* target, std::uint64_t bytes);
  /// From a device of `source`'s context to one of `target`'s, another one, each side in the order of its queue. The
  /// source may be written on return, the target's device may still be at it.
  static CopyStatus copy(Staging& source, cl_command_queue source_queue, cl_mem from, std::uint64_t from_offset,
                         Staging& target, cl_command_queue target_queue, cl_mem to, std::uint64_t to_offset,
                         std::uint64_t bytes);

  /// How many slots there are now.
  std::size_t slots() const;
  /// How many of those that are free keep the event of their last transfer.
  std::size_t events() const;

 private:
  struct Slot {
    cl_mem memory = nullptr;
    void* host = nullptr;
    cl_event last = nullptr;  // the transfer that used it last, if that was not waited for
  };
  class Lease;

  /// Whether there is a slot at all; drivers may refuse pinned memory.
  bool usable();
  /// A slot for the caller alone; waits for one where all are taken.
  Slot& take();
  void give_back(Slot& slot) noexcept;
  /// Makes one more. The mutex is held.
  bool make_slot();
  std::uint64_t chunk_of(std::uint64_t bytes) const noexcept;
  static int threads_for(std::uint64_t bytes, std::uint64_t chunk) noexcept;

  ::cl::Context context_;
  ::cl::Device device_;
  const Quirks& quirks_;
  std::uint64_t slot_bytes_;
  std::size_t most_slots_;
  mutable std::mutex mutex_;
  std::condition_variable given_back_;
  ::cl::CommandQueue queue_;  // for mapping alone: a mapping in a queue with work would wait for that
  std::deque<Slot> slots_;    // never moves what it holds
  std::vector<Slot*> free_;   // longest unused first; has room for all, so that giving back cannot fail
  bool refused_ = false;
};

}  // namespace koine::runtime
