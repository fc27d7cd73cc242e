// SPDX-License-Identifier: Apache-2.0
// IndexTable: where something equal stands in lists, without looking through long ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace koine::codegen {

/// Positions in lists that only grow, under hashes that differ from list to list. Short lists, which nearly all are,
/// are looked through, and nothing is noted of them. Clearing takes no time and keeps the memory.
class IndexTable {
 public:
  void clear() {
    ++generation_;
    used_ = 0;
  }

  /// The position for which `same(position)` holds in a list of `count`, or -1. `hash()` is what `added` was told of
  /// something equal.
  template <class Hash, class Same>
  std::int32_t find(std::size_t count, Hash hash, Same same) const {
    if (count <= few) {
      for (std::size_t k = 0; k < count; ++k) {
        if (same(k)) return static_cast<std::int32_t>(k);
      }
      return -1;
    }
    const std::uint64_t sought = hash();
    for (std::size_t at = sought & mask(); slots_[at].generation == generation_; at = (at + 1) & mask()) {
      // Equal hashes of two lists do no harm: a position of the other list is as good if it fits.
      const Slot& slot = slots_[at];
      if (slot.hash == sought && slot.position < count && same(slot.position)) {
        return static_cast<std::int32_t>(slot.position);
      }
    }
    return -1;
  }

  /// A list has grown by one, to `count`; `hash(position)` is that of what stands there.
  template <class Hash>
  void added(std::size_t count, Hash hash) {
    if (count <= few) return;
    for (std::size_t k = count == few + 1 ? 0 : count - 1; k < count; ++k) add(hash(k), k);
  }

 private:
  static constexpr std::size_t few = 8;

  struct Slot {
    std::uint64_t generation = 0, hash = 0;
    std::size_t position = 0;
  };

  std::size_t mask() const { return slots_.size() - 1; }

  void add(std::uint64_t hash, std::size_t position) {
    if (2 * (used_ + 1) > slots_.size()) {
      std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
      old.swap(slots_);
      used_ = 0;
      for (const Slot& slot : old) {
        if (slot.generation == generation_) add(slot.hash, slot.position);
      }
    }
    std::size_t at = hash & mask();
    while (slots_[at].generation == generation_) at = (at + 1) & mask();
    slots_[at] = {generation_, hash, position};
    ++used_;
  }

  std::vector<Slot> slots_;  // a power of two, none before a list is long
  std::size_t used_ = 0;
  std::uint64_t generation_ = 1;
};

}  // namespace koine::codegen
