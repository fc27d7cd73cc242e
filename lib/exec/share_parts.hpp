// SPDX-License-Identifier: Apache-2.0
// Parts of a command's work, by the thread that runs it and its helpers.
#pragma once

#include "host/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace koine::exec {

/// Calls do_part(number) for each of so many parts on up to `threads` threads. `work` is about how many multiplications
/// there are in all, which may be too few for that.
template <class Part>
void share_parts(int threads, std::int64_t count, std::int64_t work, const Part& do_part) {
  constexpr std::int64_t worth_threads = 1 << 16;  // some microseconds, which it takes to wake threads of any CPU
  if (threads == 1 || count == 1 || work < worth_threads) {
    for (std::int64_t part = 0; part < count; ++part) do_part(part);
    return;
  }
  host::Parts parts(static_cast<std::size_t>(count));
  const auto some = [&] {
    for (std::size_t part; parts.take(part);) do_part(static_cast<std::int64_t>(part));
  };
  base::share_work(static_cast<int>(std::min<std::int64_t>(threads, count)), std::ref(some));
}

inline constexpr std::int64_t most_ranges = 32;

/// Calls work(range, first, count) for ranges of so many rows or columns, the same ones whatever `threads` is.
template <class Work>
void share_ranges(int threads, std::int64_t all, std::int64_t amount, const Work& work) {
  const std::int64_t ranges = std::clamp<std::int64_t>(all / 16, 1, most_ranges);
  share_parts(threads, ranges, amount, [&](std::int64_t range) {
    const std::int64_t first = all * range / ranges;
    work(range, first, all * (range + 1) / ranges - first);
  });
}

}  // namespace koine::exec
