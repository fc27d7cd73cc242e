// SPDX-License-Identifier: Apache-2.0
// Free lists of device memory. One lock, held for a few instructions, guards them all.
#include "runtime/pool.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/log.hpp"
#include "base/process.hpp"
#include "base/rounding.hpp"
#include "base/text.hpp"

namespace koine::runtime {

namespace {

constexpr std::uint64_t smallest = 256, padding = 128, largest_small = std::uint64_t{1} << 20,
                        large_step = std::uint64_t{1} << 16;

using base::round_up;

/// The free list of a capacity up to 1 MiB: four for each power of two.
std::size_t class_of(std::uint64_t capacity) {
  const std::uint64_t power = std::bit_floor(capacity);
  return static_cast<std::size_t>((std::bit_width(power) - std::bit_width(smallest))) * 4 +
         static_cast<std::size_t>((capacity - power) / (power / 4));
}

}  // namespace

std::uint64_t pool_capacity(std::uint64_t bytes) noexcept {
  const std::uint64_t padded = std::max(smallest, round_up(bytes, padding));
  if (padded > largest_small) return round_up(padded, large_step);
  return round_up(padded, std::bit_floor(padded) / 4);
}

std::uint64_t pool_capacity_exact(std::uint64_t bytes) noexcept {
  // Small blocks are kept by class, so each has its class' size.
  const std::uint64_t padded = std::max(smallest, round_up(bytes, padding));
  return padded > largest_small ? padded : pool_capacity(bytes);
}

std::optional<Block> Pool::take_held(std::uint64_t capacity, const std::function<bool(const Uses&)>& suits) {
  const Change change(*this);
  if (stats_.in_use + stats_.held > stats_.limit) return std::nullopt;
  Block block;
  if (capacity <= largest_small) {
    auto& list = small_[class_of(capacity)];
    // The last that came is the likeliest to be in a cache; few of the others are worth a look.
    constexpr std::size_t looks = 8;
    const auto last =
        std::find_if(list.rbegin(), list.rbegin() + static_cast<std::ptrdiff_t>(std::min(looks, list.size())),
                     [&](const Block& each) { return suits(each.uses); });
    if (last == list.rbegin() + static_cast<std::ptrdiff_t>(std::min(looks, list.size()))) return std::nullopt;
    block = std::move(*last);
    list.erase(std::next(last).base());
  } else {
    auto found = large_.lower_bound(capacity);  // of blocks of one size the last that came
    const auto fits = [&] { return found != large_.end() && found->first <= capacity + capacity / 8; };
    while (fits() && !suits(found->second.uses)) ++found;
    if (!fits()) return std::nullopt;
    block = std::move(found->second);
    large_.erase(found);
  }
  stats_.held -= block.capacity;
  stats_.in_use += block.capacity;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  return block;
}

bool Pool::reserve(std::uint64_t capacity) {
  const Change change(*this);
  const std::uint64_t left = stats_.limit - std::min(stats_.limit, stats_.in_use);
  release_held(left - std::min(left, capacity));
  if (stats_.in_use > stats_.limit || capacity > left) return false;
  stats_.in_use += capacity;
  stats_.peak = std::max(stats_.peak, stats_.in_use);
  return true;
}

void Pool::cancel(std::uint64_t capacity) noexcept {
  const Change change(*this);
  stats_.in_use -= capacity;
}

void Pool::give_back(Block block) noexcept {
  const Change change(*this);
  const std::uint64_t capacity = block.capacity;
  stats_.in_use -= capacity;
  try {
    if (capacity <= largest_small) {
      small_[class_of(capacity)].push_back(std::move(block));
    } else {
      large_.emplace_hint(large_.lower_bound(capacity), capacity, std::move(block));  // before its equals
    }
    stats_.held += capacity;
  } catch (...) {
    // No memory on the host for the list's entry. When static objects die, the driver must not be called any more.
    if (!base::process_ending()) clReleaseMemObject(block.memory);
  }
}

void Pool::trim() {
  const Change change(*this);
  release_held(0);
}

MemoryStats Pool::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void Pool::set_limit(std::uint64_t bytes) {
  const Change change(*this);
  stats_.limit = bytes;
  release_held(bytes - std::min(bytes, stats_.in_use));
}

void Pool::publish(BoardEntry* entry) {
  const Change change(*this);
  published_ = entry;
}

void Pool::release_held(std::uint64_t until) {
  if (stats_.held <= until) return;
  const std::uint64_t before = stats_.held;
  while (stats_.held > until && !large_.empty()) {
    const auto last = std::prev(large_.end());
    clReleaseMemObject(last->second.memory);
    stats_.held -= last->first;
    large_.erase(last);
  }
  for (std::size_t i = small_classes; i-- > 0;) {
    const std::uint64_t power = smallest << (i / 4), capacity = power + power / 4 * (i % 4);
    while (stats_.held > until && !small_[i].empty()) {
      clReleaseMemObject(small_[i].back().memory);
      stats_.held -= capacity;
      small_[i].pop_back();
    }
  }
  if (base::log_enabled(base::LogTopic::memory)) {
    base::log_line(base::LogTopic::memory, "released " + base::bytes_text(before - stats_.held) + " of what was held");
  }
}

}  // namespace koine::runtime
