// SPDX-License-Identifier: Apache-2.0
// What queues did to a piece of memory: from this follows what later work on other queues has to wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "cl/opencl.hpp"

namespace koine::runtime {

class Buffer;
class Queue;

/// A command of a queue. Commands of one queue run in the order of their tickets.
struct Point {
  Queue* queue = nullptr;  ///< null: nothing to wait for
  std::uint64_t ticket = 0;
  ::cl::Event event;
};

/// The commands on a piece of memory that may still be under way, as far as later commands care: the last that wrote
/// it, and on each queue the last that read it since. Guarded by the context's order mutex. Empty as long as the
/// context has one queue, which keeps the order by itself.
struct Uses {
  Point written;
  std::vector<Point> read;
};

/// How a command uses a buffer.
struct Use {
  const Buffer* buffer;
  bool writes;
};

}  // namespace koine::runtime
