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
  /// below(first, count, limit, found) writes the numbers, from `first` on, of those whose keys are below a limit, in
  /// their order, and returns how many there are.
  template <class KeyAt, class Below>
  void add(std::size_t first_position, std::size_t count, KeyAt key_at, Below below) {
    std::size_t done = 0;
    for (; done < count && !full_; ++done) add({key_at(done), first_position + done});
    constexpr std::size_t block = 256;  // after which the limit may have fallen
    std::uint16_t found[block];
    for (std::size_t size = 0; done < count; done += size) {
      size = std::min(block, count - done);
      const std::size_t some = below(done, size, limit_, found);
      for (std::size_t i = 0; i < some; ++i) {
        const std::uint64_t key = key_at(done + found[i]);
        if (key < limit_) add({key, first_position + done + found[i]});
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
