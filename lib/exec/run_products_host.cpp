// SPDX-License-Identifier: Apache-2.0
// Products of runs of equal ids as a host command.
#include "base/with_type.hpp"
#include "exec/host_run.hpp"
#include "exec/run_products.hpp"
#include "exec/scatter_reduce.hpp"
#include "host/parts.hpp"
#include "host/run_products.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

// Of a value, in operations.
constexpr std::uint64_t operations = 8;

struct Faults {
  runtime::FaultWord *falling, *outside;  // the latter is null if ids that name no group are none
};

/// Looks for ids that stand behind larger ones, or that name no group. Whether none falls.
template <class T>
bool check(const DeviceTraits& traits, std::uint64_t work, const T* ids, const host::RunsOfRows& runs,
           const Faults& faults) {
  constexpr std::size_t of_part = 1 << 14;
  host::Parts parts((runs.rows + of_part - 1) / of_part);
  std::atomic<bool> rise{true};
  host::share(traits, work, parts, [&] {
    for (std::size_t part; parts.take(part);) {
      const std::size_t first = part * of_part, end = std::min(runs.rows, first + of_part);
      for (std::size_t k = first; k < end; ++k) {
        const bool known = std::in_range<std::size_t>(ids[k]) && static_cast<std::size_t>(ids[k]) < runs.groups;
        if (!known && faults.outside != nullptr) faults.outside->report(id_of(ids[k]));
        if (k == 0 || ids[k - 1] <= ids[k]) continue;
        faults.falling->report(id_of(ids[k]));
        rise.store(false, std::memory_order_relaxed);
      }
    }
  });
  return rise.load(std::memory_order_relaxed);
}

/// What a command knows of the work, but for where its memory is.
struct Task {
  const DeviceTraits* traits;
  host::RunsOfRows runs;
  DType ids;
  bool reports;  // ids that name no group are a fault
  std::uint64_t values_offset, ids_offset, work;
};

void multiply(const Task& task, std::span<void* const> at) {
  base::with_type(task.ids, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T* const ids = static_cast<const T*>(at[1]) + task.ids_offset;
      host::RunsOfRows runs = task.runs;
      // What fails has no products: as threads write them side by side, no two runs may have one id.
      const Faults faults{static_cast<runtime::FaultWord*>(at[4]),
                          task.reports ? static_cast<runtime::FaultWord*>(at[5]) : nullptr};
      if (!check(*task.traits, task.work, ids, runs, faults)) runs.rows = 0;
      const auto read = [ids](std::size_t first, std::size_t count, std::int64_t* room) -> const std::int64_t* {
        if constexpr (std::is_same_v<T, std::int64_t>) return ids + first;
        std::transform(ids + first, ids + first + count, room, id_of<T>);
        return room;
      };
      runs.read = std::cref(read);  // which allocates nothing
      host::multiply_runs(*task.traits, task.work, runs,
                          static_cast<const std::byte*>(at[0]) + task.values_offset * size_of(runs.type),
                          static_cast<std::byte*>(at[2]), static_cast<std::byte*>(at[3]));
    }
  });
}

}  // namespace

// The inputs are those of the kernels.
std::function<runtime::BufferRef()> prepare_run_products_on_host(Programs& programs, runtime::Queue& queue,
                                                                 const graph::Node& node) {
  const graph::Node &values = *node.inputs[0], &ids = *node.inputs[1];
  const auto entries = static_cast<std::size_t>(node.shape.elements()),
             rows = static_cast<std::size_t>(ids.shape.elements()),
             groups = static_cast<std::size_t>(node.get<graph::Op::scatter_reduce>().groups), inner = entries / groups;
  const bool same = static_cast<std::size_t>(values.shape.elements()) < rows * inner;
  const bool reports = node.get<graph::Op::scatter_reduce>().ids != graph::IdsAre::known_positions;
  const std::uint64_t work = operations * (rows * inner + entries);
  Task task{&queue.traits(), {node.dtype, rows, inner, groups, same, nullptr}, ids.dtype, reports, 0, 0, work};
  const bool small = work <= shared_host_work(queue.traits().tuning.host_step_work);
  programs.host_command("run_products_host", small);
  return [&queue, &node, task, small]() mutable {
    const graph::ScatterReduceInfo& info = node.get<graph::Op::scatter_reduce>();
    const graph::Node &factors = *node.inputs[0], &names = *node.inputs[1];
    task.values_offset = static_cast<std::uint64_t>(factors.layout.offset);
    task.ids_offset = static_cast<std::uint64_t>(names.layout.offset);
    const std::uint64_t bytes = task.runs.groups * task.runs.inner * size_of(task.runs.type);
    const runtime::BufferRef out = queue.allocate(bytes, info.name),
                             room = queue.allocate(host::room_of_products(task.runs), info.name);
    runtime::HostCommand command(queue, "run_products_host");
    command.in(*factors.storage).in(*names.storage).out(*out).out(*room);
    command.moves(static_cast<std::uint64_t>(factors.shape.elements()) * size_of(task.runs.type) +
                      task.runs.rows * size_of(task.ids),
                  bytes);
    command.fault(fault_of_falling_ids(queue, info));
    if (task.reports) command.fault(queue.fault(id_cause(info)));
    runtime::HostCommand::Function run = [task](std::span<void* const> at) { multiply(task, at); };
    small ? command.run_small(std::move(run)) : command.run(std::move(run));
    return out;
  };
}

}  // namespace koine::exec
