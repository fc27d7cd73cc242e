// SPDX-License-Identifier: Apache-2.0
// Sums and extremes by ids as host commands.
#include "exec/scatter_reduce_host.hpp"

#include "base/with_type.hpp"
#include "exec/host_keys.hpp"
#include "exec/host_run.hpp"
#include "exec/scatter_reduce.hpp"
#include "graph/infer.hpp"
#include "host/exact_sum.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

using host::RowsByIds;

// Of a value, in operations: as threads share it, and as other steps that go along memory count it.
constexpr std::uint64_t operations = 8, most_operations = 32;
// Of a group, from which on few keys raise its extreme: where more do, no processor foresees which.
constexpr std::size_t many_rows = 256;

bool is_whole(DType type) { return is_integer(type) || is_bool(type); }

/// Calls f(T{}) where that is whole.
template <class F>
void with_whole(DType type, F f) {
  base::with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) f(T{});
  });
}

/// What a command knows of the work, but for where its memory is.
struct Task {
  const DeviceTraits* traits;
  graph::SegmentKind kind;
  RowsByIds rows;
  DType values, ids, result;
  bool same;   // one value for all
  bool wraps;  // ids below zero count from the end
  std::uint64_t values_offset, ids_offset, base_offset, work;

  std::uint64_t count() const { return same ? 1 : rows.rows * rows.inner; }
};

struct Memory {
  const std::byte *values, *ids, *base;  // the last may be null
  std::byte *result, *room;
  runtime::FaultWord* fault;  // null if ids that name no group are none
};

/// Numbers of a value: a complex one's parts are added up apart.
std::size_t parts_of(DType type) { return is_complex(type) ? 2 : 1; }

/// Whether there is one value for all ids.
bool is_same(const graph::Node& node) {
  const auto& info = node.get<graph::Op::scatter_reduce>();
  return node.inputs[0]->shape.elements() < node.inputs[1]->shape.elements() * (node.shape.elements() / info.groups);
}

Task task_of(const runtime::Queue& queue, const graph::Node& node) {
  const graph::Node &values = *node.inputs[0], &ids = *node.inputs[1];
  const auto entries = static_cast<std::size_t>(node.shape.elements()) * parts_of(node.dtype),
             groups = static_cast<std::size_t>(node.get<graph::Op::scatter_reduce>().groups);
  Task task{&queue.traits(),
            node.get<graph::Op::scatter_reduce>().kind,
            {},
            graph::real_part(values.dtype),
            ids.dtype,
            graph::real_part(node.dtype),
            is_same(node),
            false,
            0,
            0,
            0,
            0};
  task.rows = {static_cast<std::size_t>(ids.shape.elements()), groups, entries / groups, nullptr};
  const std::uint64_t all = task.rows.rows * task.rows.inner;
  task.wraps = node.get<graph::Op::scatter_reduce>().ids == graph::IdsAre::positions;
  task.work = operations * (all + entries);
  return task;
}

template <class T>
host::Groups read_ids(const T* from, std::size_t count, std::int64_t groups, bool wraps, std::int64_t* room,
                      runtime::FaultWord* fault) {
  constexpr bool in_place = std::is_same_v<T, std::int64_t>;
  // The highest bit says whether one is below zero or above the last: without comparisons, so that any processor's
  // vectors do it.
  std::uint64_t outside = 0;
  const auto last = static_cast<std::uint64_t>(groups - 1);
  for (std::size_t k = 0; k < count; ++k) {
    const auto id = static_cast<std::uint64_t>(static_cast<std::int64_t>(from[k]));
    outside |= id | (last - id);
    if constexpr (!in_place) room[k] = static_cast<std::int64_t>(id);
  }
  if (outside >> 63 == 0) {
    if constexpr (in_place) return {from, true};
    return {room, true};
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::int64_t id = id_of(from[k]);
    const std::int64_t group = wraps && id < 0 ? id + groups : id;
    const bool known = group >= 0 && group < groups;
    room[k] = known ? group : -1;
    if (!known && fault != nullptr) fault->report(id);
  }
  return {room, false};
}

/// Of integers, which wrap.
void add_integers(const Task& task, const RowsByIds& rows, const Memory& at) {
  const std::size_t step = task.same ? 0 : 1, entries = rows.entries();
  // One table may be the result.
  const bool at_once =
      host::most_tables(*task.traits, rows) == 1 && size_of(task.result) == sizeof(std::uint64_t) && at.base == nullptr;
  auto* const tables = reinterpret_cast<std::uint64_t*>(at_once ? at.result : at.room);
  std::size_t made = 0;
  with_whole(task.values, [&]<class T>(T) {
    made = host::make_tables(
        *task.traits, task.work, rows, tables, [&](std::uint64_t* table, std::size_t first, std::size_t end) {
          const T* const from = reinterpret_cast<const T*>(at.values) + task.values_offset;
          if (task.same && rows.inner == 1) {
            const auto one = static_cast<std::uint64_t>(*from);  // NOLINT: int8 is a number
            return each_row(rows, first, end, [&](std::size_t, std::size_t entry) { table[entry] += one; });
          }
          each_row(rows, first, end, [&](std::size_t row, std::size_t entry) {
            for (std::size_t i = 0; i < rows.inner; ++i) {
              table[entry + i] += static_cast<std::uint64_t>(from[step * (row * rows.inner + i)]);
            }
          });
        });
  });
  if (at_once && made == 1) return;
  with_whole(task.result, [&]<class T>(T) {
    const T* const base = at.base != nullptr ? reinterpret_cast<const T*>(at.base) + task.base_offset : nullptr;
    host::each_part_of_entries(*task.traits, entries, [&](std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k) {
        std::uint64_t sum = base != nullptr ? static_cast<std::uint64_t>(base[k]) : 0;
        for (std::size_t table = 0; table < made; ++table) sum += tables[table * entries + k];
        std::memcpy(at.result + k * sizeof(T), &sum, sizeof(T));
      }
    });
  });
}

template <class Bits, class Sum>
void add_reals(const Task& task, const RowsByIds& rows, const Memory& at, Sum sum) {
  const Bits* const base = at.base != nullptr ? reinterpret_cast<const Bits*>(at.base) + task.base_offset : nullptr;
  const Bits* const values = reinterpret_cast<const Bits*>(at.values) + task.values_offset;
  sum(*task.traits, task.work, host::SumsByIds<Bits>{rows, task.same, values, base, at.room},
      reinterpret_cast<Bits*>(at.result));
}

void add_reals(const Task& task, const RowsByIds& rows, const Memory& at) {
  const auto by_bits = [](const auto&... of) { host::sum_by_ids(of...); };
  switch (task.result) {
    case DType::float16: return add_reals<std::uint16_t>(task, rows, at, host::sum_float16s_by_ids);
    case DType::bfloat16: return add_reals<std::uint16_t>(task, rows, at, host::sum_bfloat16s_by_ids);
    case DType::float32: return add_reals<std::uint32_t>(task, rows, at, by_bits);
    default: return add_reals<std::uint64_t>(task, rows, at, by_bits);
  }
}

/// The largest keys, of which each has one value: as kernels/common/sort.clh makes them, so that the bits are theirs.
template <class Key>
void find_extremes(const Task& task, const RowsByIds& rows, const Memory& at) {
  const HostKeys<Key, false> keys({task.values}, task.kind == graph::SegmentKind::min ? ~std::uint64_t{0} : 0);
  const Key* const from = reinterpret_cast<const Key*>(at.values) + task.values_offset;
  const Key* const base = at.base != nullptr ? reinterpret_cast<const Key*>(at.base) + task.base_offset : nullptr;
  const std::size_t step = task.same ? 0 : 1, entries = rows.entries();
  auto* const tables = reinterpret_cast<Key*>(at.room);
  const auto make = [&](auto kind) {
    return host::make_tables(
        *task.traits, task.work, rows, tables, [&](Key* table, std::size_t first, std::size_t end) {
          if (rows.inner == 1 && rows.rows >= many_rows * rows.groups) {
            return each_row(rows, first, end, [&](std::size_t row, std::size_t entry) {
              // Most keys raise nothing, so that a jump costs less than a store.
              const Key key = keys.key(from[step * row], kind);
              if (key > table[entry]) [[unlikely]]
                table[entry] = key;
            });
          }
          if (rows.inner == 1) {
            return each_row(rows, first, end, [&](std::size_t row, std::size_t entry) {
              table[entry] = std::max(table[entry], keys.key(from[step * row], kind));
            });
          }
          each_row(rows, first, end, [&](std::size_t row, std::size_t entry) {
            for (std::size_t i = 0; i < rows.inner; ++i) {
              table[entry + i] = std::max(table[entry + i], keys.key(from[step * (row * rows.inner + i)], kind));
            }
          });
        });
  };
  const std::size_t made = keys.kind() == 0   ? make(std::integral_constant<int, 0>())
                           : keys.kind() == 1 ? make(std::integral_constant<int, 1>())
                                              : make(std::integral_constant<int, 2>());
  host::each_part_of_entries(*task.traits, entries, [&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
      Key largest = base != nullptr ? keys.key(base[k]) : 0;
      for (std::size_t table = 0; table < made; ++table) {
        largest = std::max(largest, tables[table * entries + k]);
      }
      reinterpret_cast<Key*>(at.result)[k] = keys.value(largest);
    }
  });
}

void find_extremes(const Task& task, const RowsByIds& rows, const Memory& at) {
  switch (size_of(task.values)) {
    case 1: return find_extremes<std::uint8_t>(task, rows, at);
    case 2: return find_extremes<std::uint16_t>(task, rows, at);
    case 4: return find_extremes<std::uint32_t>(task, rows, at);
    default: return find_extremes<std::uint64_t>(task, rows, at);
  }
}

void bring_together(const Task& task, const Memory& at) {
  RowsByIds rows = task.rows;
  with_whole(task.ids, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>) {
      const T* const ids = reinterpret_cast<const T*>(at.ids) + task.ids_offset;
      const auto groups = static_cast<std::int64_t>(rows.groups);
      const auto read = [ids, groups, wraps = task.wraps, fault = at.fault](std::size_t first, std::size_t count,
                                                                            std::int64_t* room) {
        return read_ids(ids + first, count, groups, wraps, room, fault);
      };
      rows.read = std::cref(read);  // which allocates nothing
      if (task.kind != graph::SegmentKind::sum) {
        find_extremes(task, rows, at);
      } else if (!is_real_floating(task.result)) {
        add_integers(task, rows, at);
      } else {
        add_reals(task, rows, at);
      }
    }
  });
}

const char* name_of(graph::SegmentKind kind) {
  return kind == graph::SegmentKind::sum ? "sums_by_ids_host" : "extremes_by_ids_host";
}

}  // namespace

bool host_reduces_by_ids(const runtime::Queue& queue, const graph::Node& node) {
  const DType from = node.inputs[0]->dtype, to = node.dtype;
  const graph::SegmentKind kind = node.get<graph::Op::scatter_reduce>().kind;
  if (!queue.traits().host_commands || !queue.context().works_in_host_memory() ||
      queue.traits().tuning.host_step_work == 0 || node.shape.elements() == 0) {
    return false;
  }
  if (kind != graph::SegmentKind::sum) return true;
  return !(is_complex(to) && is_same(node)) &&
         ((from == to && is_real_floating(graph::real_part(to))) || (is_whole(from) && is_whole(to)));
}

// The inputs are those of the kernels.
std::function<runtime::BufferRef()> prepare_by_ids_on_host(Programs& programs, runtime::Queue& queue,
                                                           const graph::Node& node) {
  const Task known = task_of(queue, node);
  const bool small =
      most_operations / operations * known.work <= shared_host_work(queue.traits().tuning.host_step_work);
  programs.host_command(name_of(known.kind), small);
  return [&queue, &node, task = known, small]() mutable {
    const graph::ScatterReduceInfo info = node.get<graph::Op::scatter_reduce>();
    const graph::Node &values = *node.inputs[0], &ids = *node.inputs[1];
    const graph::Node* const base = node.inputs.size() > 2 ? node.inputs[2].get() : nullptr;
    task.values_offset = static_cast<std::uint64_t>(values.layout.offset) * parts_of(values.dtype);
    task.ids_offset = static_cast<std::uint64_t>(ids.layout.offset);
    task.base_offset = base != nullptr ? static_cast<std::uint64_t>(base->layout.offset) * parts_of(base->dtype) : 0;
    const std::uint64_t entries = task.rows.entries();
    const runtime::BufferRef out = queue.allocate(entries * size_of(task.result), info.name),
                             room = queue.allocate(host::room_of_sums(queue.traits(), task.rows, size_of(task.values)),
                                                   info.name);
    runtime::HostCommand command(queue, name_of(task.kind));
    command.in(*values.storage).in(*ids.storage).out(*out).out(*room);
    if (base != nullptr) command.in(*base->storage);
    const bool reports = info.ids != graph::IdsAre::known_positions;
    if (reports) command.fault(queue.fault(id_cause(info)));
    command.moves(task.count() * size_of(task.values) + task.rows.rows * size_of(task.ids),
                  entries * size_of(task.result));
    runtime::HostCommand::Function run = [task, based = base != nullptr, reports](std::span<void* const> at) {
      bring_together(task,
                     {static_cast<const std::byte*>(at[0]), static_cast<const std::byte*>(at[1]),
                      based ? static_cast<const std::byte*>(at[4]) : nullptr, static_cast<std::byte*>(at[2]),
                      static_cast<std::byte*>(at[3]), reports ? static_cast<runtime::FaultWord*>(at.back()) : nullptr});
    };
    small ? command.run_small(std::move(run)) : command.run(std::move(run));
    return out;
  };
}

}  // namespace koine::exec
