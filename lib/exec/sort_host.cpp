// SPDX-License-Identifier: Apache-2.0
// Sorting keys with Highway, runs that are merged; keys of few values by counting these; and keys with their
// positions, digit by digit.
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
#include "exec/key_span.hpp"
#include "exec/share_parts.hpp"
#include "exec/sort_counts.hpp"
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

/// What is sorted: a key's number alone, or above the position that it came from.
template <class Key, bool positioned>
struct Items {
  using Item = Key;
  static constexpr int low = 0;  // the lowest bit of the number
  static Item make(Key number, std::uint64_t) { return number; }
  static Key number(Item item) { return item; }
};
template <class Key>
struct Items<Key, true> {
  using Item = std::uint64_t;
  static constexpr int low = 32;
  static Item make(Key number, std::uint64_t position) { return std::uint64_t{number} << low | position; }
  static Key number(Item item) { return static_cast<Key>(item >> low); }
  static std::uint64_t position(Item item) { return item & 0xffffffffU; }
};

struct Shape {
  std::uint64_t count, rows;
  std::size_t parts;  // of a row, which threads share
  int threads;
  bool digits;          // whether rows are sorted digit by digit, ...
  int digit_bits;       // ... and of how many bits at the most
  std::size_t counted;  // how many values the keys of a row may have for these to be counted instead
};

/// What threads work with, for each part and for each thread.
struct Scratch {
  explicit Scratch(const Shape& shape)
      : sorters(rooms(shape)), counts(shape.digits ? rooms(shape) : 0), begins(rooms(shape)) {}
  static std::size_t rooms(const Shape& shape) {
    return std::max(shape.parts, static_cast<std::size_t>(shape.threads));
  }
  std::vector<HostSorter> sorters;
  std::vector<DigitCounts> counts;
  std::vector<std::size_t> begins;  // of parts that have all items of their numbers
};

/// Where rows lie, and where they go: null for what is not wanted. `one` and `two` have room for all items, if there
/// are several parts; otherwise for a row of each thread, `two` where rows are sorted digit by digit.
template <class Key, class Item>
struct Memory {
  const Key* from;
  Key* values;
  std::int64_t* positions;
  Item *one, *two;
  std::uint32_t* counters;
};

template <class Key, bool positioned>
class Task {
 public:
  using Item = typename Items<Key, positioned>::Item;

  Task(const HostKeys<Key, positioned>& keys, const Shape& shape, const Memory<Key, Item>& memory, Scratch& scratch)
      : keys_(keys), shape_(shape), memory_(memory), scratch_(scratch) {}

  void run() const { shape_.parts == 1 ? run_rows() : run_parts(); }

 private:
  using Parts = Items<Key, positioned>;

  /// A row, and how its keys become numbers of the same order.
  struct Row {
    const Key* from;
    std::size_t base;
    KeySpan<Key> span = KeySpan<Key>::any();
    int shift = 0;         // lower bits of keys that numbers are without
    bool lossless = true;  // whether all keys agree in these
    bool counted = false;
  };

  Item* begin(std::size_t row, Item* items) const { return items + row * shape_.count; }

  /// Calls f(key_at) with a function that gives key number i.
  template <class F>
  auto with_keys(const Key* from, const F& f) const {
    const auto of_kind = [&]<int kind>(std::integral_constant<int, kind>) {
      return f([keys = keys_, from](std::size_t i) { return keys.key(from[i], kind); });
    };
    switch (keys_.kind()) {
      case 0: return of_kind(std::integral_constant<int, 0>());
      case 1: return of_kind(std::integral_constant<int, 1>());
      default: return of_kind(std::integral_constant<int, 2>());
    }
  }

  Row look_at(int threads, std::size_t number) const {
    Row row{memory_.from + number * shape_.count, number * shape_.count};
    constexpr Key any = Key(~Key(0));
    constexpr bool wide = positioned && sizeof(Key) > 4;
    const bool needed = shape_.digits || wide;
    if (!needed && shape_.counted == 0) return row;
    const Key most = needed ? any : static_cast<Key>(std::min<std::uint64_t>(any, shape_.counted - 1));
    const KeySpan<Key> span =
        with_keys(row.from, [&](const auto& key_at) { return span_of_keys<Key>(threads, shape_.count, most, key_at); });
    row.counted = span.greatest_number() < shape_.counted;
    if (!needed && !row.counted) return row;
    row.span = span;
    row.shift = span.same();
    if constexpr (wide) {
      row.shift = std::max(row.shift, span.bits(0) - 32);
      row.lossless = row.shift <= span.same();
    }
    return row;
  }

  void load(const Row& row, std::size_t first, std::size_t last, Item* items) const {
    with_keys(row.from, [&, span = row.span, shift = row.shift](const auto& key_at) {
      for (std::size_t i = first; i < last; ++i) items[i] = Parts::make(span.number(key_at(i), shift), i);
    });
  }
  void put(const Row& row, std::size_t at, Item item) const {
    const auto value = [&] { return keys_.value(row.span.key(Parts::number(item), row.shift)); };
    if constexpr (positioned) {
      const std::uint64_t position = Parts::position(item);
      if (memory_.values != nullptr) {
        // What shares its number with others is read again; so are NaN and zeros.
        memory_.values[row.base + at] = row.lossless && keys_.one_to_one() ? value() : row.from[position];
      }
      if (memory_.positions != nullptr) memory_.positions[row.base + at] = static_cast<std::int64_t>(position);
    } else {
      memory_.values[row.base + at] = value();
    }
  }
  void store(const Row& row, std::size_t first, std::size_t last, const Item* items) const {
    for (std::size_t i = first; i < last; ++i) put(row, i, items[i]);
  }

  /// How often each value occurs says where it goes.
  void count(int threads, const Row& row, std::uint32_t* counters) const {
    with_keys(row.from, [&](const auto& key_at) {
      Key* const values = memory_.values + row.base;
      sort_by_counts(threads, shape_.count, row.span, counters, key_at,
                     [&](std::size_t first, std::size_t last, Key key) {
                       std::fill(values + first, values + last, keys_.value(key));
                     });
    });
  }

  /// Items first to last, which are in the order of their numbers: those that agree in these by the bits that numbers
  /// are without.
  void order_ties(const Row& row, std::size_t first, std::size_t last, Item* items, const HostSorter& sorter) const {
    if constexpr (positioned) {
      const Key lost = static_cast<Key>((std::uint64_t{1} << row.shift) - 1);
      for (std::size_t begin = first, end; begin < last; begin = end) {
        end = end_of_equals(items, begin, last);
        if (end - begin == 1) continue;
        for (std::size_t i = begin; i < end; ++i) {
          const std::uint64_t position = Parts::position(items[i]);
          items[i] = Parts::make(row.span.number(keys_.key(row.from[position]), 0) & lost, position);
        }
        constexpr std::size_t few = 16;
        end - begin <= few ? std::sort(items + begin, items + end) : sorter(items + begin, end - begin);
      }
    }
  }
  static std::size_t end_of_equals(const Item* items, std::size_t begin, std::size_t last) {
    std::size_t end = begin + 1;
    while (end < last && Parts::number(items[end]) == Parts::number(items[begin])) ++end;
    return end;
  }
  /// The same of all items by all threads, and stores them.
  void finish_ties(int threads, const Row& row, std::size_t first_part, std::size_t parts, Item* items) const {
    const std::span begins = std::span(scratch_.begins).subspan(first_part, parts);
    begins[0] = 0;
    for (std::size_t part = 1; part < parts; ++part) {
      const std::size_t begin = start_of(part, parts, shape_.count);
      begins[part] = std::max(begins[part - 1], end_of_equals(items, begin - 1, shape_.count));
    }
    share_parts(threads, static_cast<std::int64_t>(parts), static_cast<std::int64_t>(shape_.count),
                [&](std::int64_t number) {
                  const auto part = static_cast<std::size_t>(number);
                  const std::size_t first = begins[part], last = part + 1 < parts ? begins[part + 1] : shape_.count;
                  order_ties(row, first, last, items, scratch_.sorters[first_part + part]);
                  store(row, first, last, items);
                });
  }

  /// Digit by digit, in so many parts from number `first_part` on, in room number `room` of both buffers.
  void sort_digits(int threads, const Row& row, std::size_t first_part, std::size_t parts, std::size_t room) const {
    const std::span counts = std::span(scratch_.counts).subspan(first_part, parts);
    Item *const one = begin(room, memory_.one), *const two = begin(room, memory_.two);
    const int bits = row.span.bits(row.shift);
    const auto load_items = [&](std::size_t first, std::size_t last, Item* items) { load(row, first, last, items); };
    if (bits > shape_.digit_bits) {
      if (parts == 1) return sort_whole(row, one, scratch_.sorters[first_part]);
      const auto sort = [&](std::size_t part, Item* items, std::size_t count) { scratch_.sorters[part](items, count); };
      const auto finish = [&](std::size_t part, Item* items, std::size_t first, std::size_t last) {
        if (!row.lossless) order_ties(row, first, last, items, scratch_.sorters[part]);
        store(row, first, last, items);
      };
      if (sort_by_buckets(threads, counts, shape_.count, Parts::low, bits, one, two, load_items, sort, finish)) return;
    }
    const auto sort = [&](const auto& place) {
      return sort_by_digits(threads, counts, shape_.count, Parts::low, bits, one, two, load_items, place);
    };
    if (row.lossless) {
      sort([&](Item*, std::size_t at, Item item) { put(row, at, item); });
    } else {
      Item* const items = sort([](Item* free, std::size_t at, Item item) { free[at] = item; });
      finish_ties(threads, row, first_part, parts, items);
    }
  }
  /// By Highway alone.
  void sort_whole(const Row& row, Item* items, const HostSorter& sorter) const {
    load(row, 0, shape_.count, items);
    sorter(items, shape_.count);
    if (!row.lossless) order_ties(row, 0, shape_.count, items, sorter);
    store(row, 0, shape_.count, items);
  }

  /// Whole rows, several for each thread.
  void run_rows() const {
    const std::size_t each = std::max<std::size_t>(1, shape_.rows / (static_cast<std::size_t>(shape_.threads) * 16));
    std::atomic<std::size_t> who{0}, next{0};
    const auto some = [&] {
      const std::size_t thread = who.fetch_add(1, std::memory_order_relaxed);
      for (std::size_t first; (first = next.fetch_add(each, std::memory_order_relaxed)) < shape_.rows;) {
        const std::size_t last = std::min<std::size_t>(shape_.rows, first + each);
        for (std::size_t number = first; number < last; ++number) run_row(number, thread);
      }
    };
    base::share_work(shape_.threads, std::ref(some));
  }
  void run_row(std::size_t number, std::size_t thread) const {
    const Row row = look_at(1, number);
    if (row.counted) return count(1, row, memory_.counters + thread * counters_of(1, shape_.counted));
    if (shape_.digits) return sort_digits(1, row, thread, 1, thread);
    sort_whole(row, begin(memory_.one == nullptr ? number : thread, own_items()), scratch_.sorters[thread]);
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
    for (std::size_t number = 0; number < shape_.rows; ++number) {
      const Row row = look_at(shape_.threads, number);
      if (row.counted) {
        this->count(shape_.threads, row, memory_.counters);
        continue;
      }
      if (shape_.digits) {
        sort_digits(shape_.threads, row, 0, parts, number);
        continue;
      }
      Item* const from = begin(number, memory_.one);
      const auto amount = static_cast<std::int64_t>(count * most_work);
      share_parts(shape_.threads, static_cast<std::int64_t>(parts), amount, [&](std::int64_t at) {
        const auto part = static_cast<std::size_t>(at);
        const std::size_t first = start_of(part, parts, count), last = start_of(part + 1, parts, count);
        load(row, first, last, from);
        scratch_.sorters[part](from + first, last - first);
      });
      merge_parts(shape_.threads, parts, count, from, begin(number, memory_.two),
                  [&](const Item* items, std::size_t first, std::size_t last) { store(row, first, last, items); });
    }
  }

  const HostKeys<Key, positioned> keys_;
  const Shape shape_;
  const Memory<Key, Item> memory_;
  Scratch& scratch_;
};

Shape shape_of(const DeviceTraits& traits, std::uint64_t count, std::uint64_t rows, const SortSpec& spec) {
  constexpr std::uint64_t fewest_for_digits = 512;  // beside which counters take little time
  const std::uint64_t least = std::max<std::uint64_t>(traits.tuning.thread_work / usual_work, 1);
  const std::uint64_t units =
      std::min<std::uint64_t>(traits.compute_units, static_cast<unsigned>(base::usable_cores()));
  const std::uint64_t threads = std::clamp<std::uint64_t>(count * rows / least, 1, units);
  const bool cut = rows < 4 * threads && count >= 2 * least;
  // Few processors have instructions by which Highway's quicksort could divide numbers of 16 bits.
  const bool digits = (spec.positioned || size_of(spec.key.type) == 2) && count >= fewest_for_digits;
  // Parts that are merged are a power of two; those of digits are more than there are threads, of which one may be
  // late.
  const std::uint64_t parts =
      digits ? std::min(4 * threads, 4 * count / least) : std::bit_floor(std::min(threads, count / least));
  // Highway takes as long as two passes where it is fast, and twice as long elsewhere.
  constexpr int two_digits = 16, any = 64;
  return {count,
          rows,
          cut ? static_cast<std::size_t>(parts) : 1,
          static_cast<int>(threads),
          digits,
          HostSorter::divides_fast() ? two_digits : any,
          spec.positioned ? 0 : most_counted(count)};
}

template <class Key, bool positioned>
void sort(runtime::Queue& queue, const SortSpec& spec, const SortedRows& rows, std::string_view function) {
  using Item = typename Items<Key, positioned>::Item;
  const Shape shape = shape_of(queue.traits(), rows.count, rows.rows, spec);
  const HostKeys<Key, positioned> keys(spec.key, rows.flip);
  const std::uint64_t elements = rows.count * rows.rows;
  // Where keys become values in place, one of two buffers is the result's.
  const bool in_place = !positioned && !shape.digits;
  const bool first_is_result = in_place && std::countr_zero(shape.parts) % 2 == 0;
  const std::uint64_t all = elements * sizeof(Item);
  runtime::BufferRef one, two, counters;
  if (shape.parts > 1) {
    one = first_is_result ? rows.values : queue.allocate(all, function);
    two = in_place && !first_is_result ? rows.values : queue.allocate(all, function);
  } else if (!in_place) {
    const std::uint64_t row_of_each = static_cast<std::uint64_t>(shape.threads) * rows.count * sizeof(Item);
    one = queue.allocate(row_of_each, function);
    if (shape.digits) two = queue.allocate(row_of_each, function);
  }
  if (shape.counted > 0) {
    counters = queue.allocate(counters_of(shape.threads, shape.counted) * sizeof(std::uint32_t), function);
  }
  const runtime::Buffer& any = rows.values ? *rows.values : *rows.positions;
  runtime::HostCommand command(queue, "sort_host");
  command.in(rows.from).out(rows.values ? *rows.values : any).out(rows.positions ? *rows.positions : any);
  command.out(one ? *one : any).out(two ? *two : any).out(counters ? *counters : any);
  command.moves(elements * sizeof(Key),
                (spec.values ? elements * sizeof(Key) : 0) + (spec.positions ? elements * sizeof(std::int64_t) : 0));
  runtime::HostCommand::Function work = [keys, shape, scratch = std::make_shared<Scratch>(shape), offset = rows.offset,
                                         values = rows.values != nullptr, positions = rows.positions != nullptr,
                                         has_one = one != nullptr,
                                         has_two = two != nullptr](std::span<void* const> at) {
    const Memory<Key, Item> memory{static_cast<const Key*>(at[0]) + offset,
                                   values ? static_cast<Key*>(at[1]) : nullptr,
                                   positions ? static_cast<std::int64_t*>(at[2]) : nullptr,
                                   has_one ? static_cast<Item*>(at[3]) : nullptr,
                                   has_two ? static_cast<Item*>(at[4]) : nullptr,
                                   static_cast<std::uint32_t*>(at[5])};
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
