// SPDX-License-Identifier: Apache-2.0
// The first k of a row by one pass over it: plain C++, for a thread of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace koine::exec {

/// An element's key (kernels/common/sort.clh) and its position: no two are equal.
struct KeyAtPosition {
  std::uint64_t key, position;

  bool operator<(const KeyAtPosition& other) const {
    return key != other.key ? key < other.key : position < other.position;
  }
};

/// The first `k` of what is added, in any order.
///
/// What is not below the largest key that may still be among them is passed over; the rest is kept until the room is
/// full, and then cut to k. So of numbers in no order few are kept, and of any others each costs as much as a
/// selection of one.
class FirstOf {
 public:
  /// `room` is for 2 k or more, and stays with the caller.
  FirstOf(std::size_t k, std::span<KeyAtPosition> room) : k_(k), room_(room) {}

  /// Adds `count` elements, whose positions rise and are above those added before; key_at(i) is the key of the i-th.
  template <class Key, class KeyAt>
  void add(std::size_t first_position, std::size_t count, KeyAt key_at) {
    constexpr std::size_t block = 256, few = 16;  // whose least is found in vectors
    Key keys[block];
    for (std::size_t done = 0; done < count; done += block) {
      const std::size_t size = std::min(block, count - done);
      Key least = static_cast<Key>(~Key(0));
      for (std::size_t i = 0; i < size; ++i) {
        keys[i] = key_at(done + i);
        least = std::min(least, keys[i]);
      }
      if (full_ && least >= limit_) continue;
      std::fill(keys + size, keys + block, static_cast<Key>(~Key(0)));
      for (std::size_t at = 0; at < size; at += few) {
        least = static_cast<Key>(~Key(0));
        for (std::size_t i = at; i < at + few; ++i) least = std::min(least, keys[i]);
        if (full_ && least >= limit_) continue;
        for (std::size_t i = at; i < std::min(at + few, size); ++i) {
          if (full_ && keys[i] >= limit_) continue;
          if (size_ == room_.size()) cut();
          if (!full_ || keys[i] < limit_) room_[size_++] = {keys[i], first_position + done + i};
        }
      }
    }
  }

  void add(const KeyAtPosition& one) {
    if (size_ == room_.size()) cut();
    room_[size_++] = one;
  }

  /// As many as were added, at most k.
  std::span<KeyAtPosition> take() {
    if (size_ > k_) cut();
    return room_.first(size_);
  }

 private:
  void cut() {
    std::nth_element(room_.begin(), room_.begin() + static_cast<std::ptrdiff_t>(k_ - 1),
                     room_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ = k_;
    // A later one with the same key has a higher position.
    limit_ = room_[k_ - 1].key;
    full_ = true;
  }

  const std::size_t k_;
  const std::span<KeyAtPosition> room_;
  std::size_t size_ = 0;
  bool full_ = false;
  std::uint64_t limit_ = 0;
};

}  // namespace koine::exec
