// SPDX-License-Identifier: Apache-2.0
// Sorting by the digits of keys, the lowest first, on several threads of the host (Knuth, The Art of Computer
// Programming, volume 3, section 5.2.5). It moves items more often than quicksort where keys are long, and never
// compares them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "exec/share_parts.hpp"
#include "exec/sort_merge.hpp"

namespace koine::exec {

/// Of a part of a row: how often each digit occurs in it, then where its next item with that digit goes; and which bits
/// are set in some of its keys, and in all.
struct DigitCounts {
  static constexpr int bits = 8;  // with more, more lines of memory are written to at a time than the first cache holds
  std::array<std::uint32_t, 1 << bits> of;
  std::uint64_t some, all;

  template <class Key>
  std::uint32_t& of_key(Key key, int shift) {
    return of[static_cast<std::size_t>(key >> shift & ((1 << bits) - 1))];
  }
};

/// Sorts the items of a row, in as many parts as there are counts, by key_of(item); equal keys keep their order.
/// load(first, last, items) makes items, in one of two buffers; put(position, item) takes each where it belongs.
template <class Item, class KeyOf, class Load, class Put>
void sort_by_digits(int threads, std::span<DigitCounts> parts, std::size_t count, Item* from, Item* to,
                    const KeyOf& key_of, const Load& load, const Put& put) {
  const auto each_part = [&](const auto& work) {
    share_parts(threads, static_cast<std::int64_t>(parts.size()), static_cast<std::int64_t>(count),
                [&](std::int64_t number) {
                  const auto part = static_cast<std::size_t>(number);
                  work(parts[part], start_of(part, parts.size(), count), start_of(part + 1, parts.size(), count));
                });
  };
  each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
    load(first, last, from);
    std::uint64_t some = 0, all = ~std::uint64_t{0};
    for (std::size_t i = first; i < last; ++i) {
      some |= key_of(from[i]);
      all &= key_of(from[i]);
    }
    counts.some = some;
    counts.all = all;
  });
  std::uint64_t some = 0, all = ~std::uint64_t{0};
  for (const DigitCounts& counts : parts) {
    some |= counts.some;
    all &= counts.all;
  }
  // Digits in which all keys agree order nothing.
  std::uint64_t different = some & ~all;
  const auto digit_at = [](int shift) { return ((std::uint64_t{1} << DigitCounts::bits) - 1) << shift; };
  const auto order_by = [&](int shift, const auto& place) {
    each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
      counts.of.fill(0);
      for (std::size_t i = first; i < last; ++i) ++counts.of_key(key_of(from[i]), shift);
    });
    std::uint32_t next = 0;
    for (std::size_t digit = 0; digit < parts[0].of.size(); ++digit) {
      for (DigitCounts& counts : parts) next += std::exchange(counts.of[digit], next);
    }
    each_part([&](DigitCounts& counts, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) place(counts.of_key(key_of(from[i]), shift)++, from[i]);
    });
  };
  for (int shift = 0; different != 0; shift += DigitCounts::bits) {
    if ((different & digit_at(shift)) == 0) continue;
    different &= ~digit_at(shift);
    if (different == 0) return order_by(shift, put);
    order_by(shift, [&](std::size_t at, const Item& item) { to[at] = item; });
    std::swap(from, to);
  }
  each_part([&](DigitCounts&, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) put(i, from[i]);
  });
}

}  // namespace koine::exec
