// SPDX-License-Identifier: Apache-2.0
// Launching kernels/compact.cl: counts of blocks, their running sums, and then the elements; of one block at once.
#include "exec/compact.hpp"

#include "exec/evaluate.hpp"
#include "exec/host_run.hpp"
#include "exec/host_step.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/scan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace koine::exec {
namespace {

using graph::NodeRef;

constexpr std::uint64_t block = 4096;   // of kernels/compact.cl
constexpr std::uint64_t host_work = 4;  // of an element

/// A mask in memory, and what it keeps.
struct Selection {
  NodeRef mask;
  std::uint64_t elements, blocks;
  runtime::BufferRef ends;  // int64: how many the blocks up to each keep together
  std::int64_t count = 0;
  runtime::BufferRef kept = nullptr;       // what it keeps, where a card's kernel has counted and written it at once
  std::vector<std::uint8_t> on_host = {};  // the mask, where the host goes through it
  bool cold = false;                       // it does so in place of kernels that are not compiled yet
};

/// One of the file's kernels: what each block keeps, the positions, or the elements, moved as that type.
struct CompactSpec {
  bool count, positions, alone;
  std::string_view moved;
  bool cpu;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_COUNT", count);
    v.define("KN_POSITIONS", positions);
    v.define("KN_ALONE", alone);
    v.define("KN_MOVED", moved);
    v.define("KN_CPU", cpu);
  }
};

/// `x`: of elements, else null.
void launch_blocks(runtime::Launch& launch, const runtime::Queue& queue, const Selection& selection,
                   const graph::Node* x) {
  launch.value(parameters::kn_compact{x ? static_cast<std::uint64_t>(x->layout.offset) : 0,
                                      static_cast<std::uint64_t>(selection.mask->layout.offset), selection.elements,
                                      selection.blocks});
  const DeviceTraits& traits = queue.traits();
  if (traits.cpu_loops()) {
    const std::size_t most = std::size_t{traits.tuning.items_per_core} * traits.compute_units;
    launch.run({std::min<std::size_t>(selection.blocks, most)}, {1});
  } else {
    launch.run({selection.blocks * group_size}, {group_size});
  }
}

/// For the host.
void read_mask(Selection& selection, runtime::Queue& queue, std::string_view function) {
  selection.on_host.resize(selection.elements);
  queue.read(*selection.mask->storage, static_cast<std::uint64_t>(selection.mask->layout.offset),
             selection.on_host.data(), selection.elements, function);
  selection.count = std::count(selection.on_host.begin(), selection.on_host.end(), std::uint8_t{1});
}

/// Asks for the kernel that writes what is kept. `x` null: positions.
runtime::KernelRef keeping_kernel(Programs& programs, const runtime::Queue& queue, const graph::Node* x, bool alone) {
  const CompactSpec spec{false, x == nullptr, alone, x ? moved_as(x->dtype) : "", queue.traits().cpu_loops()};
  return programs.kernel_of_file("compact", spec, x ? "compact" : "compact_positions");
}

/// Of one block, in memory for all of its elements, so that nobody waits for their count first.
void keep_at_once(Selection& selection, runtime::Queue& queue, const graph::Node* x, std::string_view function) {
  const std::size_t each = size_of(x ? x->dtype : DType::int64);
  const auto count = queue.allocate(sizeof selection.count, function);
  evaluated(queue.context(), [&](Programs& programs) {
    const runtime::KernelRef kernel = keeping_kernel(programs, queue, x, true);
    programs.complete();
    selection.kept = queue.allocate(selection.elements * each, function);
    runtime::Launch launch(queue, kernel);
    if (x != nullptr) launch.in(*x->storage);
    launch.in(*selection.mask->storage).out(*count).out(*selection.kept);
    launch_blocks(launch, queue, selection, x);
  });
  queue.read(*count, 0, &selection.count, sizeof selection.count, function);
}

/// `x`: the elements to be kept, null for positions.
Selection select(const NodeRef& mask, const graph::Node* x, std::string_view function) {
  Selection result;
  result.mask = row_major(mask);
  result.elements = static_cast<std::uint64_t>(mask->shape.elements());
  result.blocks = (result.elements + block - 1) / block;
  if (result.elements == 0) return result;
  runtime::Queue& queue = queue_of(*mask);
  const bool reached = x == nullptr || x->storage->host() != nullptr;
  if (reached && host_does_small(queue.context(), host_work * result.elements)) {
    read_mask(result, queue, function);
    return result;
  }
  const bool cpu = queue.traits().cpu_loops();
  if (result.blocks == 1 && !cpu) {
    keep_at_once(result, queue, x, function);
    return result;
  }
  const auto blocks = static_cast<std::int64_t>(result.blocks);
  const auto counts = queue.allocate(result.blocks * sizeof(std::int64_t), function);
  const NodeRef leaf = graph::make_leaf(DType::int64, graph::row_major({blocks}), counts, mask->place);
  const codegen::Body body = stored_body({leaf}, {blocks}, leaf.get());
  evaluated(queue.context(), [&](Programs& programs) {
    const CompactSpec spec{true, false, false, "", cpu};
    const runtime::KernelRef kernel = programs.kernel_of_file("compact", spec, "compact_count");
    std::optional<Scan> scan;  // the count of one block is its end
    if (blocks > 1) scan.emplace(programs, queue, body, graph::ScanInfo{graph::ReduceKind::sum, 0}, DType::int64);
    result.cold = reached && host_stands_in(queue.context(), programs, host_work * result.elements);
    if (result.cold) return;
    programs.complete();
    runtime::Launch launch(queue, kernel);
    launch.in(*result.mask->storage).out(*counts);
    launch_blocks(launch, queue, result, nullptr);
    result.ends = scan ? scan->run() : counts;
  });
  if (result.cold) {
    read_mask(result, queue, function);
    return result;
  }
  queue.read(*result.ends, (result.blocks - 1) * sizeof(std::int64_t), &result.count, sizeof result.count, function);
  return result;
}

/// Writes from(i) for each i that the mask keeps: without branches, which a processor foresees in few masks.
template <class T, class From>
void keep(const Selection& selection, std::byte* to, From from) {
  const auto count = static_cast<std::size_t>(selection.count);
  for (std::size_t i = 0, done = 0; done < count; ++i) {
    const T value = from(i);
    std::memcpy(to + done * sizeof value, &value, sizeof value);
    done += selection.on_host[i];
  }
}

/// `x` null: positions.
void keep_on_host(const Selection& selection, const graph::Node* x, const runtime::BufferRef& out) {
  runtime::Queue& queue = queue_of(*selection.mask);
  std::vector<runtime::Use> uses{{out.get(), true}};
  if (x != nullptr) uses.push_back({x->storage.get(), false});
  log_on_host(queue, x != nullptr ? "compact" : "compact_positions", selection.cold, selection.mask->shape.elements());
  queue.on_host_at_last(uses, [&] {
    std::byte* const to = out->host();
    if (x == nullptr) return keep<std::int64_t>(selection, to, [](std::size_t i) { return i; });
    const auto keep_elements = [&]<class T>(T) {
      keep<T>(selection, to, [from = elements_of<T>(*x)](std::size_t i) { return from[i]; });
    };
    switch (size_of(x->dtype)) {
      case 1: return keep_elements(std::uint8_t{});
      case 2: return keep_elements(std::uint16_t{});
      case 4: return keep_elements(std::uint32_t{});
      case 8: return keep_elements(std::uint64_t{});
      default: return keep_elements(std::array<std::uint64_t, 2>{});
    }
  });
}

/// `x` null: positions.
NodeRef kept(const graph::Node* x, DType type, const Selection& selection, std::string_view function) {
  const graph::Place place = selection.mask->place;
  runtime::Queue& queue = queue_of(*selection.mask);
  if (selection.kept) return graph::make_leaf(type, graph::row_major({selection.count}), selection.kept, place);
  const auto out = queue.allocate(static_cast<std::uint64_t>(selection.count) * size_of(type), function);
  if (selection.count > 0 && !selection.on_host.empty()) {
    keep_on_host(selection, x, out);
  } else if (selection.count > 0) {
    evaluated(queue.context(), [&](Programs& programs) {
      const runtime::KernelRef kernel = keeping_kernel(programs, queue, x, false);
      programs.complete();
      runtime::Launch launch(queue, kernel);
      if (x != nullptr) launch.in(*x->storage);
      launch.in(*selection.mask->storage).in(*selection.ends).out(*out);
      launch_blocks(launch, queue, selection, x);
    });
  }
  return graph::make_leaf(type, graph::row_major({selection.count}), out, place);
}

}  // namespace

NodeRef positions_of(const NodeRef& mask, std::string_view function) {
  const runtime::Context::InUse in_use(*mask->place.context, function);
  return kept(nullptr, DType::int64, select(mask, nullptr, function), function);
}

NodeRef compact(const NodeRef& x, const NodeRef& mask, std::string_view function) {
  const runtime::Context::InUse in_use(*mask->place.context, function);
  const NodeRef together[] = {x, mask};
  evaluate(together);
  const NodeRef stored = row_major(x);
  return kept(stored.get(), x->dtype, select(mask, stored.get(), function), function);
}

}  // namespace koine::exec
