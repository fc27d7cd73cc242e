// SPDX-License-Identifier: Apache-2.0
// Rows in the order of blocks of neighbouring groups, so that what a block's rows are brought together in is short.
#pragma once

#include "host/by_ids.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace koine::host {

/// Which groups are a block, and in which order the blocks' rows are. Short rows are copied in this order; of long
/// ones, which are read where they are, there are the numbers.
template <class Value>
class BlocksByIds {
 public:
  BlocksByIds(const DeviceTraits& traits, const RowsByIds& rows)
      : rows_(rows), inner_(rows.inner), copies_(rows.inner < long_row) {
    const std::size_t threads = traits.compute_units, entries = rows.entries();
    rows_.inner = 1;
    // Entries of a block: a core's second cache holds them as integers of 64 bits, and each thread has several blocks.
    constexpr std::size_t of_block = 1 << 15, most_blocks = 1 << 11;
    const std::size_t wanted = std::min(of_block, entries / (4 * threads));
    while (inner_ << (shift_ + 1) <= wanted || (rows.groups >> shift_) >= most_blocks) ++shift_;
    blocks_ = ((rows.groups - 1) >> shift_) + 1;
    chunks_ = std::clamp<std::size_t>(rows.rows >> 14, 1, 4 * threads);
  }

  /// Whether that is worth it: the caches of cores do not hold a table of all entries for each. Copies cost more.
  bool suit() const {
    return rows_.groups * inner_ > (copies_ ? 4 * long_table : long_table) && rows_.rows >= fewest_rows &&
           rows_.rows < std::numeric_limits<std::uint32_t>::max();
  }

  std::size_t count() const { return blocks_; }
  std::size_t first_group(std::size_t block) const { return block << shift_; }
  std::size_t groups_of(std::size_t block) const {
    return std::min(std::size_t{1} << shift_, rows_.groups - first_group(block));
  }
  std::size_t most_entries() const { return inner_ << shift_; }

  /// Bytes of room, which begins at a multiple of 16.
  std::size_t room() const {
    const std::size_t words = (chunks_ + 1) * blocks_ + 1 + rows_.rows * (copies_ ? 1 : 2);
    return whole_lines(words * sizeof(std::uint32_t)) + bytes_of_values();
  }

  /// The rows from begin(block) to begin(block + 1): their groups within the block, and their numbers or null, and the
  /// values of the first, or of all rows.
  std::uint32_t begin(std::size_t block) const { return begins_[block]; }
  const std::uint32_t* groups(std::size_t block) const { return groups_ + begins_[block]; }
  const std::uint32_t* order(std::size_t block) const { return copies_ ? nullptr : order_ + begins_[block]; }
  const Value* values(std::size_t block) const { return copies_ ? copy_ + begins_[block] * inner_ : values_; }

  /// False if a few blocks have so many of the rows that most threads would have nothing to do.
  bool order_rows(const DeviceTraits& traits, std::uint64_t work, const Value* values, std::byte* room) {
    values_ = values;
    copy_ = reinterpret_cast<Value*>(room);
    begins_ = reinterpret_cast<std::uint32_t*>(room + bytes_of_values());
    std::uint32_t* const places = begins_ + blocks_ + 1;  // of each chunk in each block
    groups_ = places + chunks_ * blocks_;
    order_ = groups_ + rows_.rows;
    each_chunk(traits, work, [&](std::size_t chunk, std::size_t first, std::size_t end) {
      std::uint32_t* const counts = places + chunk * blocks_;
      std::fill_n(counts, blocks_, 0U);
      each_row(rows_, first, end, [&](std::size_t, std::size_t group) { ++counts[group >> shift_]; });
    });
    std::uint32_t place = 0, most = 0;
    for (std::size_t block = 0; block < blocks_; ++block) {
      begins_[block] = place;
      for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
        place += std::exchange(places[chunk * blocks_ + block], place);
      }
      most = std::max(most, place - begins_[block]);
    }
    begins_[blocks_] = place;
    if (most > place / traits.compute_units * 4) return false;
    each_chunk(traits, work, [&](std::size_t chunk, std::size_t first, std::size_t end) {
      move(places + chunk * blocks_, first, end);
    });
    return true;
  }

 private:
  static constexpr std::size_t long_table = 1 << 19, fewest_rows = 1 << 10, long_row = 8;

  static std::size_t whole_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
  std::size_t bytes_of_values() const { return copies_ ? whole_lines(rows_.rows * inner_ * sizeof(Value)) : 0; }

  template <class F>
  void each_chunk(const DeviceTraits& traits, std::uint64_t work, F f) {
    const std::size_t of_chunk = (rows_.rows + chunks_ - 1) / chunks_;
    Parts parts(chunks_);
    share(traits, work, parts, [&] {
      for (std::size_t chunk; parts.take(chunk);) {
        f(chunk, std::min(chunk * of_chunk, rows_.rows), std::min((chunk + 1) * of_chunk, rows_.rows));
      }
    });
  }

  void move(std::uint32_t* places, std::size_t first, std::size_t end) {
    const std::size_t mask = (std::size_t{1} << shift_) - 1;
    const auto each = [&](auto put) {
      each_row(rows_, first, end, [&](std::size_t row, std::size_t group) {
        const std::size_t to = places[group >> shift_]++;
        groups_[to] = static_cast<std::uint32_t>(group & mask);
        put(row, to);
      });
    };
    if (!copies_) {
      each([&](std::size_t row, std::size_t to) { order_[to] = static_cast<std::uint32_t>(row); });
    } else if (inner_ == 1) {
      each([&](std::size_t row, std::size_t to) { copy_[to] = values_[row]; });
    } else {
      each([&](std::size_t row, std::size_t to) {
        for (std::size_t i = 0; i < inner_; ++i) copy_[to * inner_ + i] = values_[row * inner_ + i];
      });
    }
  }

  RowsByIds rows_;
  const std::size_t inner_;
  const bool copies_;
  std::size_t shift_ = 0, blocks_ = 0, chunks_ = 0;
  std::uint32_t *begins_ = nullptr, *groups_ = nullptr, *order_ = nullptr;
  const Value* values_ = nullptr;
  Value* copy_ = nullptr;
};

}  // namespace koine::host
