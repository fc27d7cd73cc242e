// SPDX-License-Identifier: Apache-2.0
// Merging sorted runs on several threads of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "exec/share_parts.hpp"

namespace koine::exec {

/// How many elements of the first of two sorted runs are among the first `count` of both.
template <class Item>
std::size_t taken_of_first(std::span<const Item> a, std::span<const Item> b, std::size_t count) {
  std::size_t low = count > b.size() ? count - b.size() : 0, high = std::min(count, a.size());
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (b[count - middle - 1] < a[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// A merge of two sorted runs that is under way: elements `at` to `end` of the result are to come.
template <class Item>
class Merge {
 public:
  Merge(std::span<const Item> a, std::span<const Item> b, Item* to, std::size_t first, std::size_t last)
      : a_(a), b_(b), to_(to), at_(first), end_(last), i_(taken_of_first(a, b, first)), j_(first - i_) {}

  std::size_t at() const { return at_; }
  /// So many steps in which no run ends, and the result does not either.
  std::size_t steps() const { return std::min({end_ - at_, a_.size() - i_, b_.size() - j_}); }
  void step() {
    const Item x = a_[i_], y = b_[j_];
    const bool second = y < x;
    to_[at_++] = second ? y : x;
    i_ += static_cast<std::size_t>(!second);  // no branch, which would be guessed wrongly every second time
    j_ += static_cast<std::size_t>(second);
  }
  void finish() {
    while (at_ < end_) {
      for (std::size_t count = steps(); count > 0; --count) step();
      if (i_ == a_.size()) copy(b_, j_);
      if (j_ == b_.size()) copy(a_, i_);
    }
  }

 private:
  void copy(std::span<const Item> run, std::size_t& at) {
    const std::size_t count = std::min(end_ - at_, run.size() - at);
    std::copy_n(run.data() + at, count, to_ + at_);
    at += count;
    at_ += count;
  }

  const std::span<const Item> a_, b_;
  Item* const to_;
  std::size_t at_;
  const std::size_t end_;
  std::size_t i_, j_;
};

/// Elements first to last of two sorted runs merged, some thousands after the other: `finish(first, last)` of each lot
/// while it is in the caches.
template <class Item, class Finish>
void merge(std::span<const Item> a, std::span<const Item> b, Item* to, std::size_t first, std::size_t last,
           Finish finish) {
  constexpr std::size_t lot = 8192;
  for (std::size_t begin = first; begin < last; begin += lot) {
    // Two at once: a step waits for the comparison of the one before.
    const std::size_t end = std::min(last, begin + lot), middle = begin + (end - begin) / 2;
    Merge<Item> one(a, b, to, begin, middle), two(a, b, to, middle, end);
    for (std::size_t count; (count = std::min(one.steps(), two.steps())) > 0;) {
      for (; count > 0; --count) {
        one.step();
        two.step();
      }
    }
    one.finish();
    two.finish();
    finish(begin, end);
  }
}

/// Where a part of a row begins.
inline std::size_t start_of(std::size_t part, std::size_t parts, std::size_t count) { return count * part / parts; }

/// Merges the sorted parts of a row, whose number is a power of two, on some threads; they go to and fro between two
/// buffers, beginning with `from`. `finish(items, first, last)` of what lies where it stays; one part stays as it is.
template <class Item, class Finish>
void merge_parts(int threads, std::size_t parts, std::size_t count, Item* from, Item* to, const Finish& finish) {
  const auto start = [&](std::size_t part) { return start_of(part, parts, count); };
  for (std::size_t run = 1; run < parts; run *= 2) {
    share_parts(threads, static_cast<std::int64_t>(parts), static_cast<std::int64_t>(count), [&](std::int64_t number) {
      const auto part = static_cast<std::size_t>(number);
      // Of 2 * run parts that become one, this call writes one.
      const std::size_t pair = part / (2 * run) * 2 * run, low = start(pair), middle = start(pair + run),
                        high = start(pair + 2 * run);
      merge<Item>({from + low, middle - low}, {from + middle, high - middle}, to + low, start(part) - low,
                  start(part + 1) - low, [&](std::size_t first, std::size_t last) {
                    if (2 * run == parts) finish(to, low + first, low + last);
                  });
    });
    std::swap(from, to);
  }
}

}  // namespace koine::exec
