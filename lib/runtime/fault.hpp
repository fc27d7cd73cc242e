// SPDX-License-Identifier: Apache-2.0
// What only the device can notice, such as a wrong value in an index array or a singular matrix: a word that a kernel
// fills, looked at when somebody observes a result that depends on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "koine/error.hpp"

namespace koine::runtime {

class Buffer;
class Queue;

/// What kernels/common/fault.clh writes.
struct FaultWord {
  std::uint32_t reported = 0;
  std::uint32_t unused = 0;
  std::int64_t value = 0;  ///< the value that is wrong; of several, one

  /// As a thread of the host does, of several: the first to report says the value.
  void report(std::int64_t wrong) noexcept {
    if (std::atomic_ref(reported).exchange(1) == 0) value = wrong;
  }
};

/// What a position or an id is of that may be out of range. Words of equal causes say the same of a value.
struct FaultCause {
  std::string (*sentence)(const FaultCause& cause, std::int64_t value);
  std::string_view function;  ///< text that stays
  std::size_t axis;
  std::int64_t size;

  bool operator==(const FaultCause&) const = default;
};

class Fault {
 public:
  /// A cleared word in device memory. `message` makes the sentence for a value; a reported one becomes an error of
  /// that kind.
  Fault(Queue& queue, std::function<std::string(std::int64_t)> message, ErrorKind kind = ErrorKind::IndexError);
  /// One of a cause, an IndexError.
  Fault(Queue& queue, const FaultCause& cause);

  /// What the kernel takes as its `__global kn_fault*`.
  const Buffer& word() const noexcept { return *word_; }
  /// Waits for the kernel; throws an error of its kind if it reported a value, now and each time. `read(buffer, target,
  /// bytes)` reads device memory.
  void check(const std::function<void(const Buffer&, void*, std::uint64_t)>& read);
  /// Whether another kernel may report to the word for that cause: nobody has looked at it yet.
  bool goes_on(const FaultCause& cause) const noexcept {
    return cause_ == cause && state_.load(std::memory_order_acquire) == State::unknown;
  }

 private:
  enum class State { unknown, clear, reported };
  std::shared_ptr<Buffer> word_;
  std::function<std::string(std::int64_t)> message_;
  const std::optional<FaultCause> cause_;
  const ErrorKind kind_;
  std::atomic<State> state_{State::unknown};
};

/// The faults that a buffer's contents depend on: shared by all buffers that depend on the same ones, null for none.
using Faults = std::shared_ptr<const std::vector<std::shared_ptr<Fault>>>;

/// Those of both.
Faults merged(const Faults& a, const Faults& b);

}  // namespace koine::runtime
