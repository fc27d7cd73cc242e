// SPDX-License-Identifier: Apache-2.0
// What was made last, kept up to a number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <utility>

namespace koine::base {

/// For any number of threads. Few entries: they are looked through one by one.
template <class Key, class Value>
class Recent {
 public:
  explicit Recent(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The value of a key, which `make()` gives with its bytes if it is not there; it may throw, and runs without a lock.
  /// What was used longest ago goes first; a value of more than all bytes is not kept.
  template <class Make>
  Value get(const Key& key, Make make) {
    {
      const std::lock_guard lock(mutex_);
      for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
        if (!(entry->key == key)) continue;
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->value;
      }
    }
    auto [value, bytes] = make();
    std::list<Entry> gone;  // let go of outside the lock
    const std::lock_guard lock(mutex_);
    if (bytes > most_bytes_) return value;
    entries_.push_front({key, value, bytes});
    bytes_ += bytes;
    while (bytes_ > most_bytes_ || entries_.size() > most_entries) {
      bytes_ -= entries_.back().bytes;
      gone.splice(gone.begin(), entries_, std::prev(entries_.end()));
    }
    return value;
  }

 private:
  struct Entry {
    Key key;
    Value value;
    std::uint64_t bytes;
  };
  static constexpr std::size_t most_entries = 64;

  std::mutex mutex_;
  const std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::list<Entry> entries_;
};

}  // namespace koine::base
