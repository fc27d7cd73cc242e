// SPDX-License-Identifier: Apache-2.0
// Host memory copied by several threads: one alone moves a fraction of what the memory can.
#pragma once

#include <cstdint>
#include <functional>

namespace koine::runtime {

/// How many threads a copy may use: the cores that this process may run on, at most eight.
int copy_threads() noexcept;

/// Calls `work` on `threads` threads at the same time, the caller's among them, and returns when every call has. Fewer
/// where no more can be started. If calls throw, the first exception leaves once all have ended.
void in_parallel(int threads, const std::function<void()>& work);

/// As memcpy, with several threads if there is much to copy.
void host_copy(void* to, const void* from, std::uint64_t bytes);

}  // namespace koine::runtime
