// SPDX-License-Identifier: Apache-2.0
// Makes chosen `operator new` calls of a test program fail, the library's and its own alike.
#pragma once

#include <cstdint>

#include "support/sanitizer.hpp"

namespace koine::test {

/// Whether allocations can fail here: a sanitizer has an allocator of its own.
constexpr bool memory_can_fail = !sanitized;

/// While it lives, `operator new` throws std::bad_alloc: after `skip` calls that go well, `count` times.
class NoMemory {
 public:
  /// On this thread alone.
  NoMemory(std::uint64_t skip, std::uint64_t count);
  /// On every thread, but for what a driver allocates, which `foreign()` tells.
  NoMemory(std::uint64_t skip, std::uint64_t count, bool (*foreign)());
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;

  void stop();
  /// How many allocations have failed.
  std::uint64_t failed() const;
};

}  // namespace koine::test
