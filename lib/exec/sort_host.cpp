// SPDX-License-Identifier: Apache-2.0
// Sorting keys with Highway, runs that are merged; and keys with their positions, digit by digit.
#include "exec/sort_host.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "exec/host_keys.hpp"
#include "exec/host_sorter.hpp"
#include "exec/sort_digits.hpp"
#include "exec/sort_merge.hpp"
#include "runtime/host_command.hpp"

namespace koine::exec {
namespace {

// Of an element, in operations: of few, and where threads share as many as they are worth.
constexpr std::uint64_t most_work = 32, usual_work = 2;

/// Whether it takes no longer than a command.
bool sorts_at_once(const DeviceTraits& traits, std::uint64_t elements) {
  return most_work * elements <= traits.tuning.host_step_work;
}

/// What is sorted: a key alone, or above the position that it came from.
template <class Key, bool positioned>
struct Items {
  using Item = Key;
  static Item make(Key key, std::uint64_t) { return key; }
};
template <class Key>
struct Items<Key, true> {
  using Item = std::uint64_t;
  static Item make(Key key, std::uint64_t position) { return std::uint64_t{key} << 32 | position; }
  static Key key(Item item) { return static_cast<Key>(item >> 32); }
  static std::uint64_t position(Item item) { return item & 0xffffffffU; }
};
template <>
struct Items<std::uint64_t, true> {
  using Item = WideItem;
  static Item make(std::uint64_t key, std::uint64_t position) { return {position, key}; }
  static std::uint64_t key(const Item& item) { return item.key; }
  static std::uint64_t position(const Item& item) { return item.position; }
};

struct Shape {
  std::uint64_t count, rows;
  std::size_t parts;  // of a row, which threads share
  int threads;
  bool digits;  // whether rows are sorted digit by digit
};

/// What threads work with, for each part and for each thread.
struct Scratch {
  explicit Scratch(const Shape& shape)
      : sorters(shape.digits ? 0 : rooms(shape)), counts(shape.digits ? rooms(shape) : 0) {}
  static std::size_t rooms(const Shape& shape) {
    return std::max(shape.parts, static_cast<std::size_t>(shape.threads));
  }
  std::vector<HostSorter> sorters;
  std::vector<DigitCounts> counts;
};

/// Where rows lie, and where they go: null for what is not wanted. `one` and `two` have room for all items, if there
/// are several parts; otherwise for a row of each thread, `two` where rows are sorted digit by digit.
template <class Key, class Item>
struct Memory {
  const Key* from;
  Key* values;
  std::int64_t* positions;
  Item *one, *two;
};

template <class Key, bool positioned>
class Task {
 public:
  using Item = typename Items<Key, positioned>::Item;

  Task(const HostKeys<Key, positioned>& keys, const Shape& shape, const Memory<Key, Item>& memory, Scratch& scratch)
      : keys_(keys), shape_(shape), memory_(memory), scratch_(scratch) {}

  void run() const { shape_.parts == 1 ? run_rows() : run_parts(); }

 private:
  Item* begin(std::size_t row, Item* items) const { return items + row * shape_.count; }

  void load(std::size_t row, std::size_t first, std::size_t last, Item* items) const {
    const Key* const from = memory_.from + row * shape_.count;
    for (std::size_t i = first; i < last; ++i) items[i] = Items<Key, positioned>::make(keys_.key(from[i]), i);
  }
  void put(std::size_t base, std::size_t at, const Item& item) const {
    const std::uint64_t position = Items<Key, true>::position(item);
    if (memory_.values != nullptr) {
      // What shares its key with others, NaN and zeros, is read again.
      memory_.values[base + at] =
          keys_.one_to_one() ? keys_.value(Items<Key, true>::key(item)) : memory_.from[base + position];
    }
    if (memory_.positions != nullptr) memory_.positions[base + at] = static_cast<std::int64_t>(position);
  }
  void store(std::size_t row, std::size_t first, std::size_t last, const Item* items) const {
    const std::size_t base = row * shape_.count;
    if constexpr (positioned) {
      for (std::size_t i = first; i < last; ++i) put(base, i, items[i]);
    } else {
      for (std::size_t i = first; i < last; ++i) memory_.values[base + i] = keys_.value(items[i]);
    }
  }

  /// Row number `row`, in so many parts from number `first_part` on, in room number `room` of both buffers.
  void sort_digits(int threads, std::size_t row, std::size_t first_part, std::size_t parts, std::size_t room) const {
    if constexpr (positioned) {
      const std::size_t base = row * shape_.count;
      Item* const from = begin(room, memory_.one);
      sort_by_digits(
          threads, std::span(scratch_.counts).subspan(first_part, parts), shape_.count, from, begin(room, memory_.two),
          [](const Item& item) { return Items<Key, true>::key(item); },
          [&](std::size_t first, std::size_t last, Item* items) { load(row, first, last, items); },
          [&](std::size_t at, const Item& item) { put(base, at, item); });
    }
  }

  /// Whole rows, several for each thread.
  void run_rows() const {
    const std::size_t each = std::max<std::size_t>(1, shape_.rows / (static_cast<std::size_t>(shape_.threads) * 16));
    std::atomic<std::size_t> who{0}, next{0};
    const auto some = [&] {
      const std::size_t thread = who.fetch_add(1, std::memory_order_relaxed);
      for (std::size_t first; (first = next.fetch_add(each, std::memory_order_relaxed)) < shape_.rows;) {
        const std::size_t last = std::min<std::size_t>(shape_.rows, first + each);
        for (std::size_t row = first; row < last; ++row) {
          if (shape_.digits) {
            sort_digits(1, row, thread, 1, thread);
            continue;
          }
          Item* const items = begin(memory_.one == nullptr ? row : thread, own_items());
          load(row, 0, shape_.count, items);
          scratch_.sorters[thread](items, shape_.count);
          store(row, 0, shape_.count, items);
        }
      }
    };
    base::in_parallel(shape_.threads, std::ref(some));
  }
  /// Without scratch, keys are sorted where the values go.
  Item* own_items() const {
    if constexpr (std::is_same_v<Key, Item>) {
      if (memory_.one == nullptr) return memory_.values;
    }
    return memory_.one;
  }

  /// One row after the other, all threads at each.
  void run_parts() const {
    const std::size_t parts = shape_.parts, count = shape_.count;
    for (std::size_t row = 0; row < shape_.rows; ++row) {
      if (shape_.digits) {
        sort_digits(shape_.threads, row, 0, parts, row);
        continue;
      }
      Item* const from = begin(row, memory_.one);
      for_each_on(shape_.threads, parts, [&](std::size_t part) {
        const std::size_t first = start_of(part, parts, count), last = start_of(part + 1, parts, count);
        load(row, first, last, from);
        scratch_.sorters[part](from + first, last - first);
      });
      merge_parts(shape_.threads, parts, count, from, begin(row, memory_.two),
                  [&](const Item* items, std::size_t first, std::size_t last) { store(row, first, last, items); });
    }
  }

  const HostKeys<Key, positioned> keys_;
  const Shape shape_;
  const Memory<Key, Item> memory_;
  Scratch& scratch_;
};

Shape shape_of(const DeviceTraits& traits, std::uint64_t count, std::uint64_t rows, bool positioned) {
  constexpr std::uint64_t fewest_for_digits = 512;  // beside which counters take little time
  const std::uint64_t least = std::max<std::uint64_t>(traits.tuning.thread_work / usual_work, 1);
  const std::uint64_t units =
      std::min<std::uint64_t>(traits.compute_units, static_cast<unsigned>(base::usable_cores()));
  const std::uint64_t threads = std::clamp<std::uint64_t>(count * rows / least, 1, units);
  const bool cut = rows < 4 * threads && count >= 2 * least;
  const bool digits = positioned && count >= fewest_for_digits;
  // Parts that are merged are a power of two; those of digits are more than there are threads, of which one may be
  // late.
  const std::uint64_t parts =
      digits ? std::min(4 * threads, 4 * count / least) : std::bit_floor(std::min(threads, count / least));
  return {count, rows, cut ? static_cast<std::size_t>(parts) : 1, static_cast<int>(threads), digits};
}

template <class Key, bool positioned>
void sort(runtime::Queue& queue, const SortSpec& spec, const SortedRows& rows, std::string_view function) {
  using Item = typename Items<Key, positioned>::Item;
  const Shape shape = shape_of(queue.traits(), rows.count, rows.rows, positioned);
  const HostKeys<Key, positioned> keys(spec.key, rows.flip);
  const std::uint64_t elements = rows.count * rows.rows;
  // Where keys become values in place, one of two buffers is the result's.
  const bool in_place = !positioned;
  const bool first_is_result = in_place && std::countr_zero(shape.parts) % 2 == 0;
  const std::uint64_t all = elements * sizeof(Item);
  runtime::BufferRef one, two;
  if (shape.parts > 1) {
    one = first_is_result ? rows.values : queue.allocate(all, function);
    two = in_place && !first_is_result ? rows.values : queue.allocate(all, function);
  } else if (!in_place) {
    const std::uint64_t row_of_each = static_cast<std::uint64_t>(shape.threads) * rows.count * sizeof(Item);
    one = queue.allocate(row_of_each, function);
    if (shape.digits) two = queue.allocate(row_of_each, function);
  }
  const runtime::Buffer& any = rows.values ? *rows.values : *rows.positions;
  runtime::HostCommand command(queue, "sort_host");
  command.in(rows.from).out(rows.values ? *rows.values : any).out(rows.positions ? *rows.positions : any);
  command.out(one ? *one : any).out(two ? *two : any);
  command.moves(elements * sizeof(Key),
                (spec.values ? elements * sizeof(Key) : 0) + (spec.positions ? elements * sizeof(std::int64_t) : 0));
  runtime::HostCommand::Function work = [keys, shape, scratch = std::make_shared<Scratch>(shape), offset = rows.offset,
                                         values = rows.values != nullptr, positions = rows.positions != nullptr,
                                         has_one = one != nullptr,
                                         has_two = two != nullptr](std::span<void* const> at) {
    const Memory<Key, Item> memory{static_cast<const Key*>(at[0]) + offset, values ? static_cast<Key*>(at[1]) : nullptr,
                                   positions ? static_cast<std::int64_t*>(at[2]) : nullptr,
                                   has_one ? static_cast<Item*>(at[3]) : nullptr,
                                   has_two ? static_cast<Item*>(at[4]) : nullptr};
    Task<Key, positioned>(keys, shape, memory, *scratch).run();
  };
  sorts_at_once(queue.traits(), elements) ? command.run_small(std::move(work)) : command.run(std::move(work));
}

template <class Key>
void sort(runtime::Queue& queue, const SortSpec& spec, const SortedRows& rows, std::string_view function) {
  spec.positioned ? sort<Key, true>(queue, spec, rows, function) : sort<Key, false>(queue, spec, rows, function);
}

}  // namespace

bool SortHost::suits(const runtime::Queue& queue, const SortSpec& spec, std::uint64_t count) {
  // Shorter rows are sorted in the registers of a kernel.
  constexpr std::uint64_t shortest = 64;
  // Kernels count bytes rather than sort them. Positions have 32 bits beside keys that leave room for them.
  return HostSorter::available() && queue.traits().host_commands && queue.context().works_in_host_memory() &&
         size_of(spec.key.type) > 1 && count >= shortest && count <= std::numeric_limits<std::uint32_t>::max();
}

SortHost::SortHost(Programs& programs, runtime::Queue& queue, const SortSpec& spec, std::uint64_t elements)
    : queue_(queue), spec_(spec) {
  programs.host_command("sort_host", sorts_at_once(queue.traits(), elements));
}

void SortHost::run(const SortedRows& rows, std::string_view function) const {
  switch (size_of(spec_.key.type)) {
    case 2: return sort<std::uint16_t>(queue_, spec_, rows, function);
    case 4: return sort<std::uint32_t>(queue_, spec_, rows, function);
    default: return sort<std::uint64_t>(queue_, spec_, rows, function);
  }
}

}  // namespace koine::exec
