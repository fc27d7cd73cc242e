// SPDX-License-Identifier: Apache-2.0
// Sorting by digits, the lowest first, on several threads of the host (Knuth, The Art of Computer Programming, volume 3,
// section 5.2.5). It moves items more often than quicksort where keys are long, and never compares them.
#pragma once

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
  if (count < parts * worth_counters) return usual;
  const int most = bits <= DigitCounts::most_bits || count * item <= most_bytes ? DigitCounts::most_bits : usual;
  return base::divide_up(bits, base::divide_up(bits, most));
}

/// Sorts the items of a row, unsigned numbers, in as many parts as there are counts, by `bits` of their bits from number
/// `low` on; items that agree in these keep their order. load(first, last, items) makes items, in one of two buffers;
/// put(items, position, item) takes each where it belongs, which may be in `items`, the buffer that is free then and is
/// returned.
template <class Item, class Load, class Put>
Item* sort_by_digits(int threads, std::span<DigitCounts> parts, std::size_t count, int low, int bits, Item* from,
                     Item* to, const Load& load, const Put& put) {
  const auto each_part = [&](const auto& work) {
    share_parts(threads, static_cast<std::int64_t>(parts.size()), static_cast<std::int64_t>(count),
                [&](std::int64_t number) {
                  const auto part = static_cast<std::size_t>(number);
                  work(parts[part], start_of(part, parts.size(), count), start_of(part + 1, parts.size(), count));
                });
  };
  if (bits == 0) {
    each_part([&](DigitCounts&, std::size_t first, std::size_t last) {
      load(first, last, from);
      for (std::size_t i = first; i < last; ++i) put(to, i, from[i]);
    });
    return to;
  }
  const int digit = digit_bits(bits, count, sizeof(Item), parts.size());
  const std::size_t digits = std::size_t{1} << digit;
  for (int done = 0; done < bits; done += digit) {
    const auto digit_of = [shift = low + done, mask = static_cast<Item>(digits - 1)](Item item) {
      return static_cast<std::size_t>(static_cast<Item>(item >> shift) & mask);
    };
    each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
      if (done == 0) load(first, last, from);
      std::uint32_t* const of = counts.of.data();
      std::fill_n(of, digits, 0U);
      for (std::size_t i = first; i < last; ++i) ++of[digit_of(from[i])];
    });
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < digits; ++k) {
      for (DigitCounts& counts : parts) next += std::exchange(counts.of[k], next);
    }
    const auto move = [&](const auto& place) {
      each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
        std::uint32_t* const of = counts.of.data();
        for (std::size_t i = first; i < last; ++i) place(of[digit_of(from[i])]++, from[i]);
      });
    };
    if (done + digit >= bits) {
      move([&](std::size_t at, Item item) { put(to, at, item); });
    } else {
      move([to](std::size_t at, Item item) { to[at] = item; });
      std::swap(from, to);
    }
  }
  return to;
}

}  // namespace koine::exec
