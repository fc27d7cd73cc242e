// SPDX-License-Identifier: Apache-2.0
// Rows that belong to groups, which threads bring together in tables of their own.
#pragma once

#include "host/parts.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>

namespace koine::host {

/// The groups of some rows, below zero for none, and whether all have one.
struct Groups {
  const std::int64_t* of_row;
  bool all;
};

/// Rows of `inner` values, and what gives the groups of `count` of them from number `first` on, in `room` if they do
/// not lie in memory so. Threads call it side by side.
struct RowsByIds {
  std::size_t rows, groups, inner;
  std::function<Groups(std::size_t first, std::size_t count, std::int64_t* room)> read;

  std::size_t entries() const { return groups * inner; }
};

/// Calls f(row, entry) for the rows that have a group, with the entry of a table that its first value belongs to.
template <class F>
void each_row(const RowsByIds& rows, std::size_t first, std::size_t end, F f) {
  std::int64_t room[1024];
  const std::size_t inner = rows.inner;
  for (std::size_t count; first < end; first += count) {
    count = std::min(std::size(room), end - first);
    const auto [ids, all] = rows.read(first, count, room);
    for (std::size_t k = 0; k < count; ++k) {
      if (all || ids[k] >= 0) f(first + k, static_cast<std::size_t>(ids[k]) * inner);
    }
  }
}

namespace detail {
/// As many as there are without one that has fewer values than a table has entries.
inline std::size_t parts_of(const RowsByIds& rows) {
  constexpr std::size_t fewest_values = 1 << 14;
  const std::size_t fewest_rows = std::max(std::max(fewest_values, rows.entries()) / rows.inner, std::size_t{1});
  return (rows.rows + fewest_rows - 1) / fewest_rows;
}
/// Of each part but the last; about as many as that one has.
inline std::size_t rows_of_part(const RowsByIds& rows) {
  const std::size_t parts = std::max(parts_of(rows), std::size_t{1});
  return std::max((rows.rows + parts - 1) / parts, std::size_t{1});
}
}  // namespace detail

/// The most tables that threads make of the rows.
inline std::size_t most_tables(const DeviceTraits& traits, const RowsByIds& rows) {
  return std::clamp<std::size_t>(detail::parts_of(rows), 1, traits.compute_units);
}

/// Threads bring the rows together by add(table, first, end), each in a table of its own, which begins with zeros: the
/// tables that were made, one behind the other in `room`, which holds the most. `work` counts elements by operations.
template <class Entry, class Add>
std::size_t make_tables(const DeviceTraits& traits, std::uint64_t work, const RowsByIds& rows, Entry* room, Add add) {
  const std::size_t of_part = detail::rows_of_part(rows), entries = rows.entries();
  Parts parts(detail::parts_of(rows));
  std::atomic<std::size_t> made{0};
  share(traits, work, parts, [&] {
    Entry* mine = nullptr;
    for (std::size_t part; parts.take(part);) {
      if (mine == nullptr) {
        mine = room + entries * made.fetch_add(1, std::memory_order_relaxed);
        std::fill_n(mine, entries, Entry{});
      }
      add(mine, part * of_part, std::min(rows.rows, (part + 1) * of_part));
    }
  });
  return made;
}

/// Calls f(first, end) for parts of the entries of tables, by several threads.
template <class F>
void each_part_of_entries(const DeviceTraits& traits, std::size_t entries, F f) {
  constexpr std::size_t of_part = 1 << 12, operations = 8;
  Parts parts((entries + of_part - 1) / of_part);
  share(traits, operations * entries, parts, [&] {
    for (std::size_t part; parts.take(part);) f(part * of_part, std::min(entries, (part + 1) * of_part));
  });
}

}  // namespace koine::host
