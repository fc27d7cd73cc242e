// SPDX-License-Identifier: Apache-2.0
// A pass over each row by one thread, or by all, each over a part of it.
#include "exec/topk_host.hpp"

#include "base/parallel.hpp"
#include "exec/host_keys.hpp"
#include "exec/topk_filter.hpp"
#include "host/functions.hpp"
#include "runtime/context.hpp"
#include "runtime/host_command.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

// More are left to kernels, which need no room for them beside the results: 4 MiB of each thread here.
constexpr std::uint64_t most = 1 << 16;
// Room for elements of a row that are kept: with less it would be cut too often, with more what is kept after each cut
// lets more pass.
constexpr std::size_t fewest_kept = 32;
// Of an element, in operations: where it may be kept, and where many are passed over.
constexpr std::uint64_t most_work = 16, usual_work = 2;

struct Task {
  std::size_t count, rows, k, room;  // of a thread: elements that it keeps at the most
  int threads;
};

template <class Key>
void find(const Task& task, const HostKeys<Key, true>& keys, const Key* from, Key* values, std::int64_t* positions,
          std::vector<KeyAtPosition>& rooms) {
  const host::KeysBelow below = host::functions().keys_below[std::countr_zero(sizeof(Key))];
  const auto room = [&](std::size_t thread) { return std::span(rooms).subspan(thread * task.room, task.room); };
  const auto add = [&](FirstOf& first, const Key* row, std::size_t begin, std::size_t end) {
    first.add(
        begin, end - begin, [&](std::size_t i) { return keys.key(row[begin + i]); },
        [&](std::size_t at, std::size_t some, std::uint64_t limit, std::uint16_t* found) {
          return below(row + begin + at, some, keys.order(), limit, found);
        });
  };
  const auto put = [&](std::size_t row, std::span<KeyAtPosition> chosen) {
    std::sort(chosen.begin(), chosen.end(), [](const auto& a, const auto& b) { return a.position < b.position; });
    for (std::size_t i = 0; i < task.k; ++i) {
      values[row * task.k + i] = from[row * task.count + chosen[i].position];
      positions[row * task.k + i] = static_cast<std::int64_t>(chosen[i].position);
    }
  };
  const auto threads = static_cast<std::size_t>(task.threads);
  std::atomic<std::size_t> who{0}, next{0};
  if (task.rows >= threads) {
    base::share_work(task.threads, [&] {
      const std::size_t thread = who.fetch_add(1);
      for (std::size_t row; (row = next.fetch_add(1)) < task.rows;) {
        FirstOf first(task.k, room(thread));
        add(first, from + row * task.count, 0, task.count);
        put(row, first.take());
      }
    });
    return;
  }
  // The last room is for the first of all parts.
  std::vector<std::span<KeyAtPosition>> found(threads);
  for (std::size_t row = 0; row < task.rows; ++row) {
    next = 0;
    base::share_work(task.threads, [&] {
      for (std::size_t part; (part = next.fetch_add(1)) < threads;) {
        FirstOf first(task.k, room(part));
        add(first, from + row * task.count, task.count * part / threads, task.count * (part + 1) / threads);
        found[part] = first.take();
      }
    });
    FirstOf first(task.k, room(threads));
    for (const auto& part : found) {
      for (const KeyAtPosition& one : part) first.add(one);
    }
    put(row, first.take());
  }
}

template <class Key>
runtime::HostCommand::Function work_of(const Task& task, const KeySpec& spec, const SelectedRows& rows) {
  const std::size_t rooms =
      static_cast<std::size_t>(task.threads) + (task.rows < static_cast<std::size_t>(task.threads));
  return [task, keys = HostKeys<Key, true>(spec, rows.flip), offset = rows.offset,
          memory = std::make_shared<std::vector<KeyAtPosition>>(rooms * task.room)](std::span<void* const> at) {
    find<Key>(task, keys, static_cast<const Key*>(at[0]) + offset, static_cast<Key*>(at[1]),
              static_cast<std::int64_t*>(at[2]), *memory);
  };
}

}  // namespace

bool host_finds_topk(const runtime::Queue& queue, std::uint64_t k) {
  return queue.traits().host_commands && queue.context().works_in_host_memory() && k <= most;
}

bool topk_at_once(const DeviceTraits& traits, std::uint64_t elements) {
  return most_work * elements <= traits.tuning.host_step_work;
}

void run_topk_on_host(runtime::Queue& queue, const KeySpec& key, const SelectedRows& rows, std::uint64_t k,
                      const runtime::Buffer& values, const runtime::Buffer& positions) {
  const DeviceTraits& traits = queue.traits();
  const std::uint64_t elements = rows.count * rows.rows;
  const std::uint64_t units =
      std::min<std::uint64_t>(traits.compute_units, static_cast<std::uint64_t>(base::usable_cores()));
  const std::uint64_t enough = usual_work * elements / traits.tuning.thread_work;
  const Task task{rows.count, rows.rows, k, std::max<std::size_t>(4 * k, fewest_kept),
                  static_cast<int>(std::clamp<std::uint64_t>(enough, 1, units))};
  runtime::HostCommand command(queue, std::string(topk_on_host));
  command.in(rows.from).out(values).out(positions);
  command.moves(elements * size_of(key.type), rows.rows * k * (size_of(key.type) + sizeof(std::int64_t)));
  runtime::HostCommand::Function work = size_of(key.type) == 1   ? work_of<std::uint8_t>(task, key, rows)
                                        : size_of(key.type) == 2 ? work_of<std::uint16_t>(task, key, rows)
                                        : size_of(key.type) == 4 ? work_of<std::uint32_t>(task, key, rows)
                                                                 : work_of<std::uint64_t>(task, key, rows);
  topk_at_once(traits, elements) ? command.run_small(std::move(work)) : command.run(std::move(work));
}

}  // namespace koine::exec
