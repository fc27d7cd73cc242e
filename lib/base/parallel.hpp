// SPDX-License-Identifier: Apache-2.0
// Several threads for one piece of work.
#pragma once

#include <functional>

namespace koine::base {

/// The cores that this process may run on.
int usable_cores() noexcept;

/// How many threads a copy may use: the cores that this process may run on, at most eight.
int cores() noexcept;

/// Calls `work` on `threads` threads at the same time, the caller's among them, and returns when every call has. Fewer
/// where no more can be started. If calls throw, the first exception leaves once all have ended.
void in_parallel(int threads, const std::function<void()>& work);

/// The same of short work that each thread takes parts of until none is left. Threads that were started stay, and wait
/// for the next work; those that have not begun when the caller is done do not begin at all, so that nobody waits for
/// one that finds no core.
void share_work(int threads, const std::function<void()>& work);

}  // namespace koine::base
