// SPDX-License-Identifier: Apache-2.0
// Sums by ids as host commands.
#include "exec/scatter_reduce_host.hpp"

#include "base/with_type.hpp"
#include "exec/host_run.hpp"
#include "exec/scatter_reduce.hpp"
#include "graph/infer.hpp"
#include "host/exact_sum.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

using host::RowsByIds;

// Of a value, in operations: as threads share it, and as other steps that go along memory count it.
constexpr std::uint64_t operations = 8, most_operations = 32;

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
struct Sums {
  const DeviceTraits* traits;
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

Sums sums_of(const runtime::Queue& queue, const graph::Node& node) {
  const graph::Node &values = *node.inputs[0], &ids = *node.inputs[1];
  const auto entries = static_cast<std::size_t>(node.shape.elements()) * parts_of(node.dtype),
             groups = static_cast<std::size_t>(node.get<graph::Op::scatter_reduce>().groups);
  Sums sums{&queue.traits(),
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
  sums.rows = {static_cast<std::size_t>(ids.shape.elements()), groups, entries / groups, nullptr};
  const std::uint64_t all = sums.rows.rows * sums.rows.inner;
  sums.wraps = node.get<graph::Op::scatter_reduce>().ids == graph::IdsAre::positions;
  sums.work = operations * (all + entries);
  return sums;
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
    // As in the kernel, what is no int64 is the largest.
    const std::int64_t id = std::in_range<std::int64_t>(from[k]) ? static_cast<std::int64_t>(from[k])
                                                                 : std::numeric_limits<std::int64_t>::max();
    const std::int64_t group = wraps && id < 0 ? id + groups : id;
    const bool known = group >= 0 && group < groups;
    room[k] = known ? group : -1;
    if (known || fault == nullptr || std::atomic_ref(fault->reported).exchange(1) != 0) continue;
    fault->value = id;
  }
  return {room, false};
}

/// Of integers, which wrap.
void add_integers(const Sums& sums, const RowsByIds& rows, const Memory& at) {
  const std::size_t step = sums.same ? 0 : 1, entries = rows.entries();
  // One table may be the result.
  const bool at_once =
      host::most_tables(*sums.traits, rows) == 1 && size_of(sums.result) == sizeof(std::uint64_t) && at.base == nullptr;
  auto* const tables = reinterpret_cast<std::uint64_t*>(at_once ? at.result : at.room);
  std::size_t made = 0;
  with_whole(sums.values, [&]<class T>(T) {
    made = host::make_tables(
        *sums.traits, sums.work, rows, tables, [&](std::uint64_t* table, std::size_t first, std::size_t end) {
          const T* const from = reinterpret_cast<const T*>(at.values) + sums.values_offset;
          if (sums.same && rows.inner == 1) {
            const auto one = static_cast<std::uint64_t>(*from);
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
  with_whole(sums.result, [&]<class T>(T) {
    const T* const base = at.base != nullptr ? reinterpret_cast<const T*>(at.base) + sums.base_offset : nullptr;
    host::each_part_of_entries(*sums.traits, entries, [&](std::size_t first, std::size_t end) {
      for (std::size_t k = first; k < end; ++k) {
        std::uint64_t sum = base != nullptr ? static_cast<std::uint64_t>(base[k]) : 0;
        for (std::size_t table = 0; table < made; ++table) sum += tables[table * entries + k];
        std::memcpy(at.result + k * sizeof(T), &sum, sizeof(T));
      }
    });
  });
}

template <class Bits>
void add_reals(const Sums& sums, const RowsByIds& rows, const Memory& at) {
  const Bits* const base = at.base != nullptr ? reinterpret_cast<const Bits*>(at.base) + sums.base_offset : nullptr;
  const Bits* const values = reinterpret_cast<const Bits*>(at.values) + sums.values_offset;
  host::sum_by_ids(*sums.traits, sums.work, host::SumsByIds<Bits>{rows, sums.same, values, base, at.room},
                   reinterpret_cast<Bits*>(at.result));
}

void add(const Sums& sums, const Memory& at) {
  RowsByIds rows = sums.rows;
  with_whole(sums.ids, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool>) {
      const T* const ids = reinterpret_cast<const T*>(at.ids) + sums.ids_offset;
      const auto groups = static_cast<std::int64_t>(rows.groups);
      const auto read = [ids, groups, wraps = sums.wraps, fault = at.fault](std::size_t first, std::size_t count,
                                                                            std::int64_t* room) {
        return read_ids(ids + first, count, groups, wraps, room, fault);
      };
      rows.read = std::cref(read);  // which allocates nothing
      if (!is_real_floating(sums.result)) {
        add_integers(sums, rows, at);
      } else if (sums.result == DType::float64) {
        add_reals<std::uint64_t>(sums, rows, at);
      } else {
        add_reals<std::uint32_t>(sums, rows, at);
      }
    }
  });
}

}  // namespace

bool host_sums_by_ids(const runtime::Queue& queue, const graph::Node& node) {
  const DType from = node.inputs[0]->dtype, to = node.dtype, part = graph::real_part(to);
  return queue.traits().host_commands && queue.context().works_in_host_memory() &&
         queue.traits().tuning.host_step_work > 0 &&
         node.get<graph::Op::scatter_reduce>().kind == graph::SegmentKind::sum && node.shape.elements() > 0 &&
         !(is_complex(to) && is_same(node)) &&
         ((from == to && (part == DType::float32 || part == DType::float64)) || (is_whole(from) && is_whole(to)));
}

// The inputs are those of the kernels.
std::function<runtime::BufferRef()> prepare_sums_on_host(Programs& programs, runtime::Queue& queue,
                                                         const graph::Node& node) {
  const Sums known = sums_of(queue, node);
  const bool small =
      most_operations / operations * known.work <= shared_host_work(queue.traits().tuning.host_step_work);
  programs.host_command("sums_by_ids_host", small);
  return [&queue, &node, sums = known, small]() mutable {
    const graph::ScatterReduceInfo info = node.get<graph::Op::scatter_reduce>();
    const graph::Node &values = *node.inputs[0], &ids = *node.inputs[1];
    const graph::Node* const base = node.inputs.size() > 2 ? node.inputs[2].get() : nullptr;
    sums.values_offset = static_cast<std::uint64_t>(values.layout.offset) * parts_of(values.dtype);
    sums.ids_offset = static_cast<std::uint64_t>(ids.layout.offset);
    sums.base_offset = base != nullptr ? static_cast<std::uint64_t>(base->layout.offset) * parts_of(base->dtype) : 0;
    const std::uint64_t entries = sums.rows.entries();
    const runtime::BufferRef out = queue.allocate(entries * size_of(sums.result), info.name),
                             room = queue.allocate(host::room_of_sums(queue.traits(), sums.rows), info.name);
    runtime::HostCommand command(queue, "sums_by_ids_host");
    command.in(*values.storage).in(*ids.storage).out(*out).out(*room);
    if (base != nullptr) command.in(*base->storage);
    const bool reports = info.ids != graph::IdsAre::known_positions;
    if (reports) command.fault(queue.fault(id_cause(info)));
    command.moves(sums.count() * size_of(sums.values) + sums.rows.rows * size_of(sums.ids),
                  entries * size_of(sums.result));
    runtime::HostCommand::Function run = [sums, based = base != nullptr, reports](std::span<void* const> at) {
      add(sums, {static_cast<const std::byte*>(at[0]), static_cast<const std::byte*>(at[1]),
                 based ? static_cast<const std::byte*>(at[4]) : nullptr, static_cast<std::byte*>(at[2]),
                 static_cast<std::byte*>(at[3]), reports ? static_cast<runtime::FaultWord*>(at.back()) : nullptr});
    };
    small ? command.run_small(std::move(run)) : command.run(std::move(run));
    return out;
  };
}

}  // namespace koine::exec
