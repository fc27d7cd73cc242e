// SPDX-License-Identifier: Apache-2.0
// Launching kernels/small_factors.cl.
#include "exec/small_factors.hpp"

#include "exec/factor_blocks.hpp"
#include "exec/factors.hpp"
#include "exec/kernel_parameters.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace koine::exec {
namespace {

constexpr std::int64_t most_rows = 32, group_items = 64;
// Of a group's matrices; kernels have some words beside them, and every device has 32 KiB.
constexpr std::uint64_t most_bytes = 24 << 10, least_local = 32 << 10;

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// Bytes of a matrix in local memory.
std::uint64_t room_of(DType type, std::int64_t rows, std::int64_t columns) {
  return number(rows * columns) * size_of(type);
}

bool fits(const runtime::Queue& queue, const graph::Node& node, std::int64_t columns) {
  const Stack stack(*node.inputs[0]);
  return fits_small_groups(place_on(queue, node), node.dtype, stack.m, stack.n + columns);
}

/// A kernel for a node's first input, beside each of whose matrices are so many columns.
class SmallFactors {
 public:
  SmallFactors(Programs& programs, runtime::Queue& queue, std::string_view entry, const graph::Node& node,
               std::int64_t columns = 0)
      : queue_(queue), node_(node), kernel_(factor_kernel(programs, queue, "small_factors", node.dtype, entry)) {
    const Stack stack(*node.inputs[0]);
    const std::int64_t width = stack.n + columns;
    // For all rows, and for all columns but the first: each step leaves one behind.
    const std::uint64_t items = std::bit_ceil(number(std::min(group_items, std::max(stack.m, width - 1))));
    room_ = room_of(node.dtype, stack.m, width);
    sizes.step = number(stack.elements());
    sizes.matrices = number(stack.matrices);
    sizes.m = static_cast<std::uint32_t>(stack.m);
    sizes.n = static_cast<std::uint32_t>(stack.n);
    sizes.columns = static_cast<std::uint32_t>(columns);
    sizes.items = static_cast<std::uint32_t>(items);
    sizes.several = static_cast<std::uint32_t>(std::min(number(group_items) / items, most_bytes / room_));
  }

  parameters::kn_small_factors sizes{};

  /// Enqueues it with the arguments that add(launch) adds behind the matrices.
  template <class Add>
  void run(Add add) const {
    const graph::Node& x = *node_.inputs[0];
    parameters::kn_small_factors all = sizes;
    all.offset = number(x.layout.offset);
    if (node_.inputs.size() > 1) all.right = number(node_.inputs[1]->layout.offset);
    const std::uint64_t groups = blocks_over(static_cast<std::int64_t>(all.matrices), all.several);
    runtime::Launch launch(queue_, kernel_);
    launch.in(*x.storage);
    add(launch);
    launch.local(all.several * room_).value(all);
    launch.run({groups * number(group_items)}, {number(group_items)});
  }

 private:
  runtime::Queue& queue_;
  const graph::Node& node_;
  runtime::KernelRef kernel_;
  std::uint64_t room_;
};

}  // namespace

bool fits_small_groups(const graph::Place& place, DType type, std::int64_t rows, std::int64_t columns) {
  const DeviceTraits& traits = *place.traits;
  return !traits.cpu_loops() && !traits.quirks.loops_end_early && traits.max_group >= number(group_items) &&
         traits.local_memory >= least_local && rows <= most_rows && number(columns) <= most_bytes &&
         room_of(type, rows, columns) <= most_bytes;
}

bool reflects_in_small_groups(const graph::Place& place, DType type, std::int64_t rows, std::int64_t columns) {
  return !place.reproducible && fits_small_groups(place, type, rows, columns + rows);
}

std::function<void(const runtime::Buffer&)> prepare_small_cholesky(Programs& programs, runtime::Queue& queue,
                                                                   const graph::Node& node) {
  if (!fits(queue, node, 0)) return nullptr;
  return [&queue, &node, small = SmallFactors(programs, queue, "small_cholesky", node)](const runtime::Buffer& factor) {
    small.run([&](runtime::Launch& launch) { launch.out(factor).fault(indefinite_fault(queue, node)); });
  };
}

std::function<void(const runtime::Buffer&, const runtime::Buffer&, const runtime::Buffer&)> prepare_small_lu(
    Programs& programs, runtime::Queue& queue, const graph::Node& node) {
  if (!fits(queue, node, 0)) return nullptr;
  return [small = SmallFactors(programs, queue, "small_lu", node)](
             const runtime::Buffer& factors, const runtime::Buffer& order, const runtime::Buffer& exchanges) {
    small.run([&](runtime::Launch& launch) { launch.out(factors).out(order).out(exchanges); });
  };
}

std::function<void(const runtime::Buffer&, const runtime::Buffer&)> prepare_small_qr(Programs& programs,
                                                                                     runtime::Queue& queue,
                                                                                     const graph::Node& node) {
  const Stack stack(*node.inputs[0]);
  if (!reflects_in_small_groups(place_on(queue, node), node.dtype, stack.m, stack.n)) return nullptr;
  SmallFactors small(programs, queue, "small_qr", node, stack.m);
  small.sizes.kept = static_cast<std::uint32_t>(node.get<graph::Op::qr>().columns);
  return [small](const runtime::Buffer& q, const runtime::Buffer& r) {
    small.run([&](runtime::Launch& launch) { launch.out(q).out(r); });
  };
}

std::function<void(const runtime::Buffer&)> prepare_small_solve(Programs& programs, runtime::Queue& queue,
                                                                const graph::Node& node) {
  const std::int64_t columns = Stack(node).n;
  if (!fits(queue, node, columns)) return nullptr;
  SmallFactors small(programs, queue, "small_solve", node, columns);
  small.sizes.identity = node.inputs.size() == 1;
  return [&queue, &node, small](const runtime::Buffer& solution) {
    small.run([&](runtime::Launch& launch) {
      launch.in(*node.inputs[node.inputs.size() - 1]->storage).out(solution).fault(singular_fault(queue, node));
    });
  };
}

std::function<void(const runtime::Buffer&)> prepare_small_triangular(Programs& programs, runtime::Queue& queue,
                                                                     const graph::Node& node) {
  const Stack right(node);
  if (!fits(queue, node, right.n)) return nullptr;
  const graph::TriangularInfo& info = node.get<graph::Op::solve_triangular>();
  SmallFactors small(programs, queue, "small_triangular", node, right.n);
  if (Stack(*node.inputs[0]).matrices == 1) small.sizes.step = 0;
  small.sizes.matrices = number(right.matrices);
  small.sizes.upper = info.upper;
  small.sizes.unit = info.unit;
  return [&queue, &node, small](const runtime::Buffer& solution) {
    small.run([&](runtime::Launch& launch) {
      launch.in(*node.inputs[1]->storage).out(solution).fault(singular_fault(queue, node));
    });
  };
}

}  // namespace koine::exec
