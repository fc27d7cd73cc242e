// SPDX-License-Identifier: Apache-2.0
// Sorting keys of few possible values by counting how often each occurs (Knuth, The Art of Computer Programming,
// volume 3, section 5.2, algorithm D), on several threads of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "exec/key_span.hpp"
#include "exec/share_parts.hpp"
#include "exec/sort_merge.hpp"

namespace koine::exec {

/// How many values the keys of a row may have for counters to be worth it: the third cache holds them, and values occur
/// several times.
inline std::size_t most_counted(std::size_t count) { return std::min<std::size_t>(count / 4, 1 << 17); }

/// Counters that `threads` threads need for so many values: two of each, so that of equal neighbours the second does
/// not wait for the first.
inline std::size_t counters_of(int threads, std::size_t values) {
  return 2 * static_cast<std::size_t>(threads) * values;
}

/// Of `count` keys, of which key_at(i) is one and `span` is the span: calls fill(first, last, key) for the ranges of
/// equal keys in order, on several threads. A value's range may come in pieces.
template <class Key, class KeyAt, class Fill>
void sort_by_counts(int threads, std::size_t count, const KeySpan<Key>& span, std::uint32_t* counters,
                    const KeyAt& key_at, const Fill& fill) {
  const auto shared = [&](std::size_t parts, const auto& work) {
    share_parts(threads, static_cast<std::int64_t>(parts), static_cast<std::int64_t>(count), [&](std::int64_t number) {
      const auto part = static_cast<std::size_t>(number);
      work(part, start_of(part, parts, count), start_of(part + 1, parts, count));
    });
  };
  const std::size_t values = static_cast<std::size_t>(span.greatest_number()) + 1;
  const auto tables = static_cast<std::size_t>(threads);
  const int shift = span.same();
  shared(tables, [&](std::size_t part, std::size_t first, std::size_t last) {
    std::uint32_t *const one = counters + 2 * part * values, *const two = one + values;
    std::fill_n(one, 2 * values, 0U);
    std::size_t i = first;
    for (; last - i >= 2; i += 2) {
      ++one[span.number(key_at(i), shift)];
      ++two[span.number(key_at(i + 1), shift)];
    }
    if (i < last) ++one[span.number(key_at(i), shift)];
  });
  for (std::size_t table = 1; table < 2 * tables; ++table) {
    for (std::size_t value = 0; value < values; ++value) counters[value] += counters[table * values + value];
  }
  std::uint32_t end = 0;
  for (std::size_t value = 0; value < values; ++value) counters[value] = end += counters[value];
  shared(4 * tables, [&](std::size_t, std::size_t first, std::size_t last) {
    auto value = static_cast<std::size_t>(std::upper_bound(counters, counters + values, first) - counters);
    for (std::size_t at = first; at < last; ++value) {
      const std::size_t next = std::min<std::size_t>(counters[value], last);
      fill(at, next, span.key(static_cast<Key>(value), shift));
      at = next;
    }
  });
}

}  // namespace koine::exec
