// SPDX-License-Identifier: Apache-2.0
// The in-order queue of a context, which can change to one that records times, and its events.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "cl/opencl.hpp"
#include "device/traits.hpp"

namespace koine::cl {

/// Two OpenCL queues behind one face, since whether one records times is fixed when it is made: a plain one, and one
/// with profiling. The second is made when first asked for.
class CommandQueue {
 public:
  CommandQueue(const ::cl::Context& context, const ::cl::Device& device, bool profiling);
  /// Around a queue that is there, and which other code enqueues on.
  CommandQueue(const ::cl::Context& context, const ::cl::Device& device, ::cl::CommandQueue plain);
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  /// Where work goes now.
  cl_command_queue handle() const noexcept { return current_.load(std::memory_order_acquire); }
  bool profiling() const noexcept { return handle() != plain_(); }
  /// From now on work goes to the queue that records times, or to the one that does not, and starts after what went to
  /// the other: the device waits for that, the host does not. Nobody else may enqueue meanwhile. Where the driver
  /// refuses, or the queue is kept, all stays as it was.
  void set_profiling(bool on) noexcept;
  /// The queue that work goes to now and from now on: for other code, which enqueues on it too.
  cl_command_queue keep() noexcept {
    kept_ = true;
    return handle();
  }

 private:
  ::cl::Context context_;
  ::cl::Device device_;
  ::cl::CommandQueue plain_;
  ::cl::CommandQueue profiling_;
  std::atomic<cl_command_queue> current_;
  bool kept_ = false;
};

/// Waits for all of a queue's work so far, as clFinish promises, and not for what others enqueue meanwhile.
cl_int finish(cl_command_queue queue, const Quirks& quirks) noexcept;

/// Device to host; returns when the target holds the values. `event`, where it is wanted, is the command's.
cl_int read(cl_command_queue queue, const Quirks& quirks, cl_mem from, std::uint64_t offset, void* target,
            std::uint64_t bytes, cl_event* event = nullptr) noexcept;
/// Host to device; the source may be reused on return.
cl_int write(cl_command_queue queue, const Quirks& quirks, cl_mem to, std::uint64_t offset, const void* source,
             std::uint64_t bytes, cl_event* event = nullptr) noexcept;
/// A part of a buffer in the host's memory, until it is unmapped; nullptr and a code if it cannot be.
void* map(cl_command_queue queue, const Quirks& quirks, cl_mem memory, cl_map_flags flags, std::uint64_t offset,
          std::uint64_t bytes, cl_int& code) noexcept;

/// A point in a queue's work.
class Event {
 public:
  Event() = default;
  explicit Event(::cl::Event event) : event_(std::move(event)) {}

  /// Waits until the work before the event is done.
  void wait() const;
  bool done() const;
  const ::cl::Event& handle() const noexcept { return event_; }
  /// Lets go without a call to the driver, which keeps what it holds for the event.
  void forget() noexcept { event_() = nullptr; }

 private:
  ::cl::Event event_;
};

}  // namespace koine::cl
