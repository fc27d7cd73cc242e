// SPDX-License-Identifier: Apache-2.0
// Searches, selections, histograms and sorts on the calling thread, by the keys that their kernels compare.
#include "exec/families.hpp"
#include "exec/host_keys.hpp"
#include "exec/host_run.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

constexpr std::uint64_t select_work = 16;  // of an element

/// Calls f(Key{}) with the unsigned type of a type's size.
template <class F>
void with_key(DType type, F f) {
  switch (size_of(type)) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

/// The positions of `count` sought keys in a list of which at(i) is key number i. By the steps of kernels/search.cl,
/// which decide what a list that does not rise gives; of several at a time, which wait for memory together.
template <class Key, class At, class Sought>
void search_all(std::size_t length, At at, bool after, std::size_t count, Sought sought, std::int64_t* to) {
  constexpr std::size_t together = 16;
  for (std::size_t first = 0; first < count; first += together) {
    const std::size_t some = std::min(together, count - first);
    Key keys[together];
    std::size_t low[together] = {};
    for (std::size_t k = 0; k < together; ++k) keys[k] = sought(first + std::min(k, some - 1));
    for (std::size_t left = length; left > 0; left /= 2) {
      const std::size_t half = left - left / 2;
      for (std::size_t k = 0; k < together; ++k) {
        const Key middle = at(low[k] + half - 1);
        low[k] += half * static_cast<std::size_t>((middle < keys[k]) | (after & (middle == keys[k])));
      }
    }
    std::copy_n(low, some, to + first);
  }
}

void search(const graph::Node& node, std::int64_t* to) {
  const graph::Node &list = *node.inputs[0], &sought = *node.inputs[1];
  const bool after = node.get<graph::Op::search>().after;
  const std::size_t length = count_of(list), count = count_of(sought);
  with_key(list.dtype, [&]<class Key>(Key) {
    const HostKeys<Key, true> keys({list.dtype}, 0);
    const Key *const from = elements_of<Key>(list), *const to_find = elements_of<Key>(sought);
    const auto key = [&](std::size_t i) { return keys.key(to_find[i]); };
    if (count * static_cast<std::size_t>(std::bit_width(length)) < length) {
      return search_all<Key>(
          length, [&](std::size_t i) { return keys.key(from[i]); }, after, count, key, to);
    }
    std::vector<Key> ordered(length);
    std::transform(from, from + length, ordered.begin(), [&](Key bits) { return keys.key(bits); });
    search_all<Key>(
        length, [&](std::size_t i) { return ordered[i]; }, after, count, key, to);
  });
}

void select(const graph::Node& node, std::byte* to) {
  const graph::Node& x = *node.inputs[0];
  const std::vector<std::int64_t>& ranks = node.get<graph::Op::select>().ranks;
  with_key(x.dtype, [&]<class Key>(Key) {
    const HostKeys<Key, false> keys({x.dtype}, 0);
    const Key* from = elements_of<Key>(x);
    Key* results = reinterpret_cast<Key*>(to);
    std::vector<Key> row(static_cast<std::size_t>(x.shape.back()));
    for (std::size_t at = 0; at < count_of(x); at += row.size(), from += row.size()) {
      std::transform(from, from + row.size(), row.begin(), [&](Key bits) { return keys.key(bits); });
      auto begin = row.begin();
      for (const std::int64_t rank : ranks) {  // which rise
        const auto ranked = row.begin() + rank;
        std::nth_element(begin, ranked, row.end());
        *results++ = keys.value(*ranked);
        begin = ranked;
      }
    }
  });
}

/// Counts what lies between `bounds`, by what is compared: element number i is value(i).
template <class Bound, class Value>
void count_between(const std::vector<Bound>& bounds, std::size_t count, Value value, std::uint32_t* counts) {
  std::fill_n(counts, bounds.size() - 1, 0u);
  for (std::size_t i = 0; i < count; ++i) {
    const auto above = std::upper_bound(bounds.begin(), bounds.end(), value(i));
    if (above != bounds.begin() && above != bounds.end()) ++counts[above - bounds.begin() - 1];
  }
}

void histogram(const graph::Node& node, std::uint32_t* counts) {
  const graph::Node &x = *node.inputs[0], &edges = *node.inputs[1];
  with_key(x.dtype, [&]<class Key>(Key) {
    const Key* const from = elements_of<Key>(x);
    if (is_real_floating(x.dtype)) {
      const HostKeys<Key, true> keys({x.dtype}, 0);
      std::vector<Key> bounds(count_of(edges));
      std::transform(elements_of<Key>(edges), elements_of<Key>(edges) + bounds.size(), bounds.begin(),
                     [&](Key bits) { return keys.key(bits); });
      ++bounds.back();
      return count_between(
          bounds, count_of(x), [&](std::size_t i) { return keys.key(from[i]); }, counts);
    }
    const std::vector<std::int64_t> bounds(elements_of<std::int64_t>(edges),
                                           elements_of<std::int64_t>(edges) + count_of(edges));
    const bool is_signed = is_signed_integer(x.dtype);
    count_between(
        bounds, count_of(x),
        [&](std::size_t i) {
          const Key bits = from[i];
          return is_signed ? static_cast<std::int64_t>(static_cast<std::make_signed_t<Key>>(bits))
                           : static_cast<std::int64_t>(bits);
        },
        counts);
  });
}

/// The elements of rows in order, and the positions that they came from; each null if it is not wanted.
template <class Key>
void sort_rows(const graph::Node& node, Key* values, std::int64_t* positions) {
  const graph::Node& x = *node.inputs[0];
  const auto& info = node.get<graph::Op::sort>();
  const std::uint64_t flip = info.descending ? ~std::uint64_t{0} : 0;
  const HostKeys<Key, false> own({x.dtype}, flip);
  const HostKeys<Key, true> positioned({x.dtype}, flip);
  const auto length = static_cast<std::size_t>(x.shape.back());
  const Key* from = elements_of<Key>(x);
  std::vector<Key> keys(length);
  std::vector<std::pair<Key, std::int64_t>> items(length);
  for (std::size_t at = 0; at < count_of(x); at += length, from += length) {
    if (info.gives == graph::SortGives::values) {
      std::transform(from, from + length, keys.begin(), [&](Key bits) { return own.key(bits); });
      std::sort(keys.begin(), keys.end());
      std::transform(keys.begin(), keys.end(), values + at, [&](Key key) { return own.value(key); });
      continue;
    }
    for (std::size_t i = 0; i < length; ++i) items[i] = {positioned.key(from[i]), static_cast<std::int64_t>(i)};
    std::sort(items.begin(), items.end());  // equal ones by their positions
    for (std::size_t i = 0; i < length; ++i) {
      if (values != nullptr) values[at + i] = from[items[i].second];
      if (positions != nullptr) positions[at + i] = items[i].second;
    }
  }
}

/// As kernels/order_ties.cl.
void order_ties(const graph::Node& node, std::int64_t* to) {
  const auto* const upper = elements_of<std::int32_t>(*node.inputs[0]);
  const auto* const order = elements_of<std::int64_t>(*node.inputs[1]);
  const auto* const keys = elements_of<std::int64_t>(*node.inputs[2]);
  const std::size_t count = count_of(node);
  std::copy(order, order + count, to);
  for (std::size_t first = 0, last = 0; first < count; first = last) {
    while (last < count && upper[last] == upper[first]) ++last;
    std::stable_sort(to + first, to + last, [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
  }
}

std::optional<std::uint64_t> work_of_search(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  if (count_of(node) == 0 || !host_reads_inputs(run.step)) return std::nullopt;
  return count_of(node) * 3 * std::bit_width(count_of(*node.inputs[0]));
}

Work search_on_host(const HostRun& run) {
  return prepare_result_on_host(run, [&node = *run.step.node](std::byte* to) {
    search(node, reinterpret_cast<std::int64_t*>(to));
    return Astray();
  });
}

std::optional<std::uint64_t> work_of_select(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  if (count_of(node) == 0 || !host_reads_inputs(run.step)) return std::nullopt;
  return count_of(*node.inputs[0]) * (select_work + node.get<graph::Op::select>().ranks.size());
}

Work select_on_host(const HostRun& run) {
  return prepare_result_on_host(run, [&node = *run.step.node](std::byte* to) {
    select(node, to);
    return Astray();
  });
}

std::optional<std::uint64_t> work_of_histogram(const HostRun& run) {
  const graph::Node &node = *run.step.node, &x = *node.inputs[0];
  // The edges of integers of 64 bits are no bounds of int64.
  if (count_of(node) == 0 || !host_reads_inputs(run.step) || (is_integer(x.dtype) && size_of(x.dtype) > 4)) {
    return std::nullopt;
  }
  return count_of(x) * 4 * std::bit_width(count_of(node));
}

Work histogram_on_host(const HostRun& run) {
  return prepare_result_on_host(run, [&node = *run.step.node](std::byte* to) {
    histogram(node, reinterpret_cast<std::uint32_t*>(to));
    return Astray();
  });
}

std::optional<std::uint64_t> work_of_sort(const HostRun& run) {
  const graph::Node &node = *run.step.node, &x = *node.inputs[0];
  // Longer rows have a command of their own where the library has a vector sort, and a kernel else.
  constexpr std::int64_t longest_small = 63;
  if (!run.cold && x.shape.back() > longest_small) return std::nullopt;
  if (count_of(x) == 0 || !host_reads_inputs(run.step)) return std::nullopt;
  return count_of(x) * 4 * std::bit_width(static_cast<std::size_t>(x.shape.back()));
}

Work sort_on_host(const HostRun& run) {
  return [run, wanted = wanted_results(*run.step.node)] {
    graph::Node& node = *run.step.node;
    const graph::SortGives gives = node.get<graph::Op::sort>().gives;
    const bool both = gives == graph::SortGives::both;
    const graph::Node& x = *node.inputs[0];
    std::vector<graph::Destination> results;
    graph::Destination parts[2];
    for (const bool positions : {false, true}) {
      const bool only = gives == (positions ? graph::SortGives::positions : graph::SortGives::values);
      if (!(both ? wanted[positions] != nullptr : only)) continue;
      const std::size_t size = positions ? sizeof(std::int64_t) : size_of(x.dtype);
      parts[positions] = {run.queue.allocate(count_of(x) * size, function_of(node)), graph::row_major(x.shape)};
      results.push_back(parts[positions]);
    }
    const auto memory = [](const graph::Destination& part) { return part.storage ? part.storage->host() : nullptr; };
    run_on_host(
        run, [] { return std::string("sort"); }, results,
        [&] {
          with_key(x.dtype, [&]<class Key>(Key) {
            sort_rows(node, reinterpret_cast<Key*>(memory(parts[0])),
                      reinterpret_cast<std::int64_t*>(memory(parts[1])));
          });
          return Astray();
        });
    if (both) return fulfil_results(node, wanted, {{parts[0].storage, parts[1].storage}});
    graph::fulfil(node, std::move(results[0].storage), std::move(results[0].layout));
  };
}

std::optional<std::uint64_t> work_of_order_ties(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  if (count_of(node) == 0 || !host_reads_inputs(run.step)) return std::nullopt;
  return 8 * count_of(node);
}

Work order_ties_on_host(const HostRun& run) {
  return prepare_result_on_host(run, [&node = *run.step.node](std::byte* to) {
    order_ties(node, reinterpret_cast<std::int64_t*>(to));
    return Astray();
  });
}

}  // namespace

const HostRunner host_search{.work = work_of_search, .prepare = search_on_host};
const HostRunner host_select{.work = work_of_select, .prepare = select_on_host};
const HostRunner host_histogram{.work = work_of_histogram, .prepare = histogram_on_host};
const HostRunner host_sort{.work = work_of_sort, .prepare = sort_on_host};
const HostRunner host_order_ties{.work = work_of_order_ties, .prepare = order_ties_on_host};

}  // namespace koine::exec
