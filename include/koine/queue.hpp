// SPDX-License-Identifier: Apache-2.0
// Queues of a device, for work that may run side by side, and events: points in a queue's work.
#pragma once

#include <memory>
#include <utility>

#include "koine/device.hpp"
#include "koine/export.hpp"

namespace koine {

namespace runtime {
class Queue;
}
namespace detail {
struct EventState;
struct QueueChoice;
}  // namespace detail

/// A point in a queue's work, as cheap to copy as a pointer. A default-constructed one counts as done.
class KOINE_API Event {
 public:
  Event() = default;
  /// Waits until the work before the point is done. Throws DeviceLost if the device failed meanwhile.
  void wait() const;
  /// Whether the work before the point is done. Does not wait. Throws what that work failed with.
  bool done() const;

  /// For the library's own use.
  explicit Event(std::shared_ptr<const detail::EventState> state) noexcept : state_(std::move(state)) {}
  const detail::EventState* state() const noexcept { return state_.get(); }

 private:
  std::shared_ptr<const detail::EventState> state_;
};

/// An in-order queue of work on a device. Each device has one by default; work on different queues may overlap. Arrays
/// pass between queues freely: what reads an array waits for what made it, whichever queues they are on, and so does
/// what writes it for what reads it. A value as cheap as a pointer.
class KOINE_API Queue {
 public:
  /// A further queue of the device. Throws DeviceError if the driver has none to give.
  explicit Queue(const Device& device = default_device());

  Device device() const;
  /// A point after all work that was submitted to this queue so far. Pending arrays are not part of it: eval() them
  /// first.
  Event record() const;
  /// Work that is submitted to this queue from now on starts after the event. (For an event of another device, the host
  /// waits.)
  void wait(const Event& event) const;
  /// Waits until all work that was submitted to this queue is done.
  void synchronize() const;

  friend bool operator==(const Queue& a, const Queue& b) noexcept { return a.queue_ == b.queue_; }

  /// For the library's own use.
  explicit Queue(std::shared_ptr<runtime::Queue> queue) noexcept : queue_(std::move(queue)) {}
  const std::shared_ptr<runtime::Queue>& handle() const noexcept { return queue_; }

 private:
  std::shared_ptr<runtime::Queue> queue_;
};

/// While the scope lives, arrays that this thread builds on the queue's device are computed on that queue. Scopes nest;
/// those of different devices do not hide each other. The default device stays what it is: see DeviceScope.
class KOINE_API QueueScope {
 public:
  explicit QueueScope(const Queue& queue);
  ~QueueScope();
  QueueScope(const QueueScope&) = delete;
  QueueScope& operator=(const QueueScope&) = delete;

 private:
  std::unique_ptr<detail::QueueChoice> choice_;
};

}  // namespace koine
