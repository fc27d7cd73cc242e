// SPDX-License-Identifier: Apache-2.0
// Koine beside other OpenCL code in one process: one buffer for both, and one context. Needs OpenCL's headers.
//
// Who owns what: a handle that Koine is given, it retains for as long as it needs it, so the caller may release its own
// reference at once. A handle that Koine gives is lent: a context, a device and a queue live as long as the process, an
// event as long as its Event, the memory of an array as long as the Buffer that holds it. docs/kernels.md has an
// example.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>
#include <koine/queue.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace koine::opencl {

/// Makes `context` the one that Koine uses on `device`, from which follows that their buffers can be shared. Koine has
/// one context for each device, so this comes before the device's first use; DeviceError afterwards, unless it is the
/// same context, and for a device that Koine does not list.
KOINE_API Device adopt(cl_context context, cl_device_id device);
/// A Koine queue whose work goes to `queue`, behind the commands that are there. DeviceError unless it is one of
/// Koine's context of the device, and runs commands in order.
KOINE_API Queue adopt(cl_command_queue queue);

/// Koine's context of a device.
KOINE_API cl_context context(const Device& device = default_device());
/// The OpenCL device that a Device is.
KOINE_API cl_device_id device(const Device& device = default_device());
/// Where this thread's work on the device goes (QueueScope): an in-order queue. Commands that are put into it run
/// between Koine's.
KOINE_API cl_command_queue queue(const Device& device = default_device());
/// Where the work of a queue goes.
KOINE_API cl_command_queue queue(const Queue& queue);

/// An event of Koine's context of the device, for Queue::wait and LaunchOptions::after.
KOINE_API Event event(cl_event event, const Device& device = default_device());
/// What an Event waits for: null for one that is in the past.
KOINE_API cl_event handle(const Event& event);

/// The memory of an array, for commands of other code. While this lives, it stays where it is and Koine neither writes
/// it nor uses it for anything else: an assignment to the array copies it first. A value as cheap as a pointer.
class KOINE_API Buffer {
 public:
  /// The buffer; lent.
  cl_mem get() const noexcept { return memory_; }
  /// Where the first element lies in it, and how many bytes all have, in row-major order.
  std::size_t offset() const noexcept { return offset_; }
  std::size_t size() const noexcept { return size_; }
  /// From this event on the elements are there, and nothing of Koine's is at the memory any more: for the wait list of
  /// the first command. Lent.
  cl_event ready() const noexcept { return handle(ready_); }
  /// Koine's work that comes later to this memory, for whatever array, starts after `event`: to be told of the last
  /// command that uses it, before this goes. (Or wait until that is done, and tell nothing.)
  void used_until(cl_event event) const;

  /// For the library's own use.
  Buffer(Array array, cl_mem memory, std::size_t offset, std::size_t size, Event ready)
      : array_(std::move(array)), memory_(memory), offset_(offset), size_(size), ready_(std::move(ready)) {}

 private:
  Array array_;
  cl_mem memory_;
  std::size_t offset_, size_;
  Event ready_;
};

/// The memory of x for commands that read it. A pending x is computed; one whose elements do not lie in row-major order
/// is copied.
KOINE_API Buffer buffer(const Array& x);
/// The memory of x for commands that write it, by which x gets another value. It follows the rule of assignment: if
/// another array or pending work holds the memory, x gets a copy first. Read x once the commands are done, or
/// used_until() was told of them.
KOINE_API Buffer writable_buffer(Array& x);

/// Where the elements lie in a buffer, and from when on.
struct FromBufferOptions {
  detail::Named names_only = detail::named;
  std::int64_t offset = 0;        ///< of the first element, in elements
  std::vector<Event> after = {};  ///< the values are there after these, of this device
  std::optional<Device> device = std::nullopt;
};
/// An array over the memory of other code, without a copy: elements in row-major order. Koine only reads it: an
/// assignment to a part of the array copies it first. The buffer is retained until no array and no work uses it. What
/// other code writes there later is what later computations read: eval() first what is to have the value of before.
/// Gives `dtype`. DeviceError for a buffer of another context than Koine's of the device, ValueError for one that is
/// too small or no buffer.
KOINE_API Array from_buffer(cl_mem memory, const Shape& shape, DType dtype, const FromBufferOptions& options = {});

}  // namespace koine::opencl
