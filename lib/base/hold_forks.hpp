// SPDX-License-Identifier: Apache-2.0
// Keeps a fork away from the moments in which its child would find the C library's own locks held.
#pragma once

namespace koine::base {

/// While a thread loads a driver or its compiler, whose constructors register hundreds of handlers with exit(), or
/// loads what was compiled. The locks for that are ones that a child forked meanwhile could never take, not even to
/// end. A fork() on another thread waits, for a second at most: a driver may have threads that fork.
class HoldForks {
 public:
  HoldForks() noexcept;
  ~HoldForks();
  HoldForks(const HoldForks&) = delete;
  HoldForks& operator=(const HoldForks&) = delete;
};

}  // namespace koine::base
