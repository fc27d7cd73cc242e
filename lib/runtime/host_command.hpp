// SPDX-License-Identifier: Apache-2.0
// A function of the host as a command of a queue: it runs when what was enqueued before it is done, while the host goes
// on, on the buffers' own memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "runtime/context.hpp"
#include "runtime/operands.hpp"

namespace koine::runtime {

/// For devices whose traits have `host_commands`. Recorded, logged and ordered between queues as a Launch is.
class HostCommand {
 public:
  /// Gets where the operands begin, in the order in which they were named. It runs on a thread of the driver's, which
  /// takes no exceptions and no calls of OpenCL: whatever may fail is done before it is enqueued. It holds no
  /// references to buffers, which the queue's order keeps until it has run.
  using Function = std::function<void(std::span<void* const>)>;

  HostCommand(Queue& queue, std::string name) : queue_(queue), name_(std::move(name)) {
    queue.context().check_usable("eval");
  }
  HostCommand(const HostCommand&) = delete;
  HostCommand& operator=(const HostCommand&) = delete;

  /// The next operand: a buffer that the function reads, ...
  HostCommand& in(const Buffer& buffer) {
    operands_.add(buffer, false);
    return *this;
  }
  /// ... or writes (and may read), ...
  HostCommand& out(const Buffer& buffer) {
    operands_.add(buffer, true);
    return *this;
  }
  /// ... or a word for what it finds wrong, which whoever observes what it writes is told of.
  HostCommand& fault(std::shared_ptr<Fault> fault) {
    operands_.add_fault(std::move(fault));
    return *this;
  }
  /// As Launch::moves().
  HostCommand& moves(std::uint64_t read, std::uint64_t written) {
    operands_.moves(read, written);
    return *this;
  }

  /// Enqueues. Throws LaunchError, OutOfMemory or DeviceLost.
  void run(Function function);
  /// The same of one that takes less time than a command: the calling thread runs it, if nothing is under way.
  void run_small(Function function);

 private:
  Queue& queue_;
  std::string name_;
  Operands operands_;
};

}  // namespace koine::runtime
