// SPDX-License-Identifier: Apache-2.0
// Keeps a fork away from the moments in which its child would find the C library's own locks held.
#pragma once

namespace koine::base {

/// While a thread loads drivers, whose constructors register hundreds of handlers with exit(), under a lock that a
/// child forked meanwhile could never take, not even to end. A fork() on another thread waits, for some seconds at
/// most.
class HoldForks {
 public:
  HoldForks() noexcept;
  ~HoldForks();
  HoldForks(const HoldForks&) = delete;
  HoldForks& operator=(const HoldForks&) = delete;
};

}  // namespace koine::base
