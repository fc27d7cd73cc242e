// SPDX-License-Identifier: Apache-2.0
// What the keys of a row have in common, and so by how few bits they can be told apart.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/rounding.hpp"
#include "exec/share_parts.hpp"

namespace koine::exec {

/// Of unsigned keys the least and the greatest, and the bits that are set in some of them, and in all.
template <class Key>
struct KeySpan {
  Key least = Key(~Key(0)), greatest = 0, some = 0, all = Key(~Key(0));

  /// Of keys that may be any.
  static KeySpan any() { return {0, Key(~Key(0)), Key(~Key(0)), 0}; }

  /// Keys first to last.
  template <class KeyAt>
  void add(std::size_t first, std::size_t last, const KeyAt& key_at) {
    KeySpan now = *this;  // which no store can change
    for (std::size_t i = first; i < last; ++i) {
      const Key key = key_at(i);
      now.least = std::min(now.least, key);
      now.greatest = std::max(now.greatest, key);
      now.some |= key;
      now.all &= key;
    }
    *this = now;
  }
  void add(const KeySpan& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    some |= other.some;
    all &= other.all;
  }

  /// How many of the lower bits are the same in all keys.
  int same() const {
    const Key different = some & Key(~all);
    return different == 0 ? 0 : std::countr_zero(different);
  }
  /// How many bits tell all keys apart, `shift` of the lower ones left out.
  int bits(int shift) const { return static_cast<int>(std::bit_width(Key(Key(greatest - least) >> shift))); }
  /// A key's number in order, without `shift` lower bits: from 0 on.
  Key number(Key key, int shift) const { return Key(Key(key - least) >> shift); }
  /// The key of a number, where no bits were lost.
  Key key(Key number, int shift) const { return Key(least + Key(number << shift)); }
  /// The number of the greatest key, without bits that all have in common: the numbers that there may be, less one.
  Key greatest_number() const { return number(greatest, same()); }
};

/// Of `count` keys, of which key_at(i) is one; or of some of them, if these have numbers beyond `most` already.
template <class Key, class KeyAt>
KeySpan<Key> span_of_keys(int threads, std::size_t count, Key most, const KeyAt& key_at) {
  constexpr std::size_t few = 64, block = 1 << 14;
  KeySpan<Key> span;
  span.add(0, std::min(count, few), key_at);
  if (span.greatest_number() > most) return span;
  std::mutex mutex;
  std::atomic<bool> beyond{false};
  share_parts(threads, static_cast<std::int64_t>(base::divide_up(count, block)), static_cast<std::int64_t>(count),
              [&](std::int64_t part) {
                if (beyond.load(std::memory_order_relaxed)) return;
                const std::size_t first = static_cast<std::size_t>(part) * block;
                KeySpan<Key> own;
                own.add(first, std::min(count, first + block), key_at);
                const std::lock_guard lock(mutex);
                span.add(own);
                if (span.greatest_number() > most) beyond.store(true, std::memory_order_relaxed);
              });
  return span;
}

}  // namespace koine::exec
