// SPDX-License-Identifier: Apache-2.0
// Random numbers, and elements taken by positions, on the calling thread.
#include "exec/families.hpp"
#include "exec/host_run.hpp"
#include "host/parts.hpp"
#include "host/random.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace koine::exec {
namespace {

const std::byte* memory_of(const graph::Node& node) {
  return node.storage->host() + node.layout.offset * static_cast<std::int64_t>(size_of(node.dtype));
}

/// The parts of an array's rows along an axis: those before it, its size, and the bytes of an element along it.
struct Parts {
  std::int64_t before = 1, size = 1;
  std::size_t bytes;
};

Parts parts_of(const graph::Node& node, std::size_t axis) {
  Parts parts{1, node.shape[axis], size_of(node.dtype)};
  for (std::size_t k = 0; k < node.shape.size(); ++k) {
    if (k < axis) parts.before *= node.shape[k];
    if (k > axis) parts.bytes *= static_cast<std::size_t>(node.shape[k]);
  }
  return parts;
}

/// As kernels/take.cl: what lies out of range gives -1, which as a position is none.
Astray take(const graph::Node& node, std::byte* to) {
  const graph::Node &x = *node.inputs[0], &at = *node.inputs[1];
  const Parts parts = parts_of(x, node.get<graph::Op::take>().axis);
  const auto* const positions = reinterpret_cast<const std::int64_t*>(memory_of(at));
  const std::int64_t count = at.shape.elements();
  const std::byte* from = memory_of(x);
  Astray astray;
  for (std::int64_t row = 0; row < parts.before; ++row, from += static_cast<std::size_t>(parts.size) * parts.bytes) {
    for (std::int64_t k = 0; k < count; ++k, to += parts.bytes) {
      const std::int64_t position = positions[k], from_first = position < 0 ? position + parts.size : position;
      if (from_first < 0 || from_first >= parts.size) {
        astray = {&node, position};
        std::memset(to, 0xff, parts.bytes);
      } else {
        std::memcpy(to, from + static_cast<std::size_t>(from_first) * parts.bytes, parts.bytes);
      }
    }
  }
  return astray;
}

std::optional<std::uint64_t> work_of_random(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  if (node.shape.elements() == 0) return std::nullopt;
  return host::draw_cost(node.get<graph::Op::random>()) * static_cast<std::uint64_t>(node.shape.elements());
}

Work draw_on_host(const HostRun& run) {
  const auto& info = run.step.node->get<graph::Op::random>();
  if (run.only_shared && !host::draws_in_vectors(info)) return nullptr;
  const auto draw = [&info, &node = *run.step.node, work = run.work, &traits = run.queue.traits()](std::byte* to) {
    constexpr std::size_t of_part = 1 << 14;
    const std::size_t count = count_of(node), size = size_of(node.dtype);
    host::Parts parts((count + of_part - 1) / of_part);
    host::share(traits, work, parts, [&] {
      for (std::size_t part; parts.take(part);) {
        const std::size_t first = part * of_part, some = std::min(of_part, count - first);
        host::draw_elements(info, node.dtype, first, some, to + first * size);
      }
    });
    return Astray();
  };
  return prepare_result_on_host(run, draw);
}

std::optional<std::uint64_t> work_of_take(const HostRun& run) {
  const graph::Node& node = *run.step.node;
  if (node.shape.elements() == 0 || !host_reads(*node.inputs[0]) || !host_reads(*node.inputs[1])) return std::nullopt;
  return 4 * static_cast<std::uint64_t>(node.shape.elements());
}

Work take_on_host(const HostRun& run) {
  return prepare_result_on_host(run, [&node = *run.step.node](std::byte* to) { return take(node, to); });
}

}  // namespace

const HostRunner host_random{.work = work_of_random, .prepare = draw_on_host, .shares = true};
const HostRunner host_take{.work = work_of_take, .prepare = take_on_host};

}  // namespace koine::exec
