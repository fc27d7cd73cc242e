// SPDX-License-Identifier: Apache-2.0
// Sorting by digits on several threads of the host (Knuth, The Art of Computer Programming, volume 3, section 5.2.5):
// the lowest first, which moves items more often than quicksort where keys are long, and never compares them; or by the
// highest one, and what agrees in that by another sort.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/rounding.hpp"
#include "exec/share_parts.hpp"
#include "exec/sort_merge.hpp"

namespace koine::exec {

/// Of a part of a row: how often each digit occurs in it, then where its next item with that digit goes.
struct DigitCounts {
  static constexpr int most_bits = 11;
  std::array<std::uint32_t, 1 << most_bits> of;
};

/// How many bits a digit has, of items that differ in so many bits.
inline int digit_bits(int bits, std::size_t count, std::size_t item, std::size_t parts) {
  // With more than 8 bits more lines of memory are written to at a time than the first cache holds: that is worth one
  // pass less where the second one has them, and the processor knows where their pages lie.
  constexpr int usual = 8;
  constexpr std::size_t most_bytes = 4 << 20, worth_counters = 1 << 14;
  if (bits == 0 || count < parts * worth_counters) return usual;
  const int most = bits <= DigitCounts::most_bits || count * item <= most_bytes ? DigitCounts::most_bits : usual;
  return base::divide_up(bits, base::divide_up(bits, most));
}

/// A pass over the items of a row, unsigned numbers, in as many parts as there are counts, by `bits` of their bits from
/// number `low` on.
template <class Item>
class DigitPass {
 public:
  DigitPass(int threads, std::span<DigitCounts> parts, std::size_t count, int low, int bits)
      : threads_(threads), parts_(parts), count_(count), low_(low), digits_(std::size_t{1} << bits) {}

  /// Calls prepare(first, last) for each part of the items, whose digits are counted then.
  template <class Prepare>
  void count(const Item* items, const Prepare& prepare) const {
    each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
      prepare(first, last);
      std::uint32_t* const of = counts.of.data();
      std::fill_n(of, digits_, 0U);
      for (std::size_t i = first; i < last; ++i) ++of[digit(items[i])];
    });
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < digits_; ++k) {
      for (DigitCounts& counts : parts_) next += std::exchange(counts.of[k], next);
    }
  }
  /// Calls place(position, item) for each item that was counted; those with the same digit keep their order.
  template <class Place>
  void move(const Item* items, const Place& place) const {
    each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
      std::uint32_t* const of = counts.of.data();
      for (std::size_t i = first; i < last; ++i) place(of[digit(items[i])]++, items[i]);
    });
  }

  std::size_t digits() const { return digits_; }
  /// Where the items of a digit begin, when all are counted and before they are moved.
  std::size_t begin(std::size_t digit) const { return digit < digits_ ? parts_[0].of[digit] : count_; }
  /// Where they end, when all are moved.
  std::size_t end(std::size_t digit) const { return parts_.back().of[digit]; }

 private:
  std::size_t digit(Item item) const {
    return static_cast<std::size_t>(static_cast<Item>(item >> low_)) & (digits_ - 1);
  }
  template <class Work>
  void each_part(const Work& work) const {
    share_parts(threads_, static_cast<std::int64_t>(parts_.size()), static_cast<std::int64_t>(count_),
                [&](std::int64_t number) {
                  const auto part = static_cast<std::size_t>(number);
                  work(parts_[part], start_of(part, parts_.size(), count_), start_of(part + 1, parts_.size(), count_));
                });
  }

  const int threads_;
  const std::span<DigitCounts> parts_;
  const std::size_t count_;
  const int low_;
  const std::size_t digits_;
};

/// Sorts items by `bits` of their bits from number `low` on; those that agree in these keep their order.
/// load(first, last, items) makes items, in one of two buffers; put(items, position, item) takes each where it belongs,
/// which may be in `items`, the buffer that is free then and is returned.
template <class Item, class Load, class Put>
Item* sort_by_digits(int threads, std::span<DigitCounts> parts, std::size_t count, int low, int bits, Item* from,
                     Item* to, const Load& load, const Put& put) {
  const int digit = digit_bits(bits, count, sizeof(Item), parts.size());
  for (int done = 0; done == 0 || done < bits; done += digit) {
    const DigitPass<Item> pass(threads, parts, count, low + done, std::min(digit, bits - done));
    pass.count(from, [&](std::size_t first, std::size_t last) {
      if (done == 0) load(first, last, from);
    });
    if (done + digit >= bits) {
      pass.move(from, [&](std::size_t at, Item item) { put(to, at, item); });
    } else {
      pass.move(from, [to](std::size_t at, Item item) { to[at] = item; });
      std::swap(from, to);
    }
  }
  return to;
}

/// Sorts items by their upper bits, all from number `low` on: by the highest digit of so many `bits`, and those of each
/// such digit by sort(part, items, count); then finish(part, items, first, last) of the sorted ones, on the same
/// thread. False, and nothing is sorted, if digits are too uneven for threads to share them.
template <class Item, class Load, class Sort, class Finish>
bool sort_by_buckets(int threads, std::span<DigitCounts> parts, std::size_t count, int low, int bits, Item* from,
                     Item* to, const Load& load, const Sort& sort, const Finish& finish) {
  constexpr int digit = 8;
  const DigitPass<Item> pass(threads, parts, count, low + bits - digit, digit);
  pass.count(from, [&](std::size_t first, std::size_t last) { load(first, last, from); });
  for (std::size_t k = 0; k < pass.digits(); ++k) {
    if ((pass.begin(k + 1) - pass.begin(k)) * static_cast<std::size_t>(threads) > count) return false;
  }
  pass.move(from, [to](std::size_t at, Item item) { to[at] = item; });
  // A part takes the digits that begin in it.
  share_parts(threads, static_cast<std::int64_t>(parts.size()), static_cast<std::int64_t>(count),
              [&](std::int64_t number) {
                const auto part = static_cast<std::size_t>(number);
                const std::size_t from_here = start_of(part, parts.size(), count),
                                  to_here = start_of(part + 1, parts.size(), count);
                for (std::size_t k = 0, first = 0; k < pass.digits() && first < to_here; ++k) {
                  const std::size_t last = pass.end(k);
                  if (first >= from_here && last > first) {
                    sort(part, to + first, last - first);
                    finish(part, to, first, last);
                  }
                  first = last;
                }
              });
  return true;
}

}  // namespace koine::exec
