// SPDX-License-Identifier: Apache-2.0
// QR factorisations as a whole: on cards in groups of small ones or by blocks, and on CPUs by LAPACK and products,
// stacks of small real matrices in the lanes of vectors.
#include "exec/factor_blocks.hpp"
#include "exec/factor_command.hpp"
#include "exec/factor_host.hpp"
#include "exec/families.hpp"
#include "exec/qr_parts.hpp"
#include "exec/small_factors.hpp"
#include "exec/small_systems_host.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

namespace koine::exec {
namespace {

template <class T>
void run_small(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& q, const runtime::Buffer& r) {
  const Stack stack(*node.inputs[0]);
  const std::int64_t columns = node.get<graph::Op::qr>().columns;
  const SmallSystemBlocks<T> blocks(queue, stack.matrices, stack.m * (stack.n + columns + 1),
                                    2 * stack.elements() * std::min(stack.m, stack.n));
  const runtime::BufferRef room = queue.allocate(blocks.room(), function_of(node));
  runtime::HostCommand command(queue, "qr_host");
  command.in(*node.inputs[0]->storage).out(q).out(r).out(*room);
  blocks.enqueue(command, [stack, columns, blocks, offset = node.inputs[0]->layout.offset](std::span<void* const> at) {
    const host::SmallReflections<T> job{
        stack.matrices,        stack.m, stack.n, columns, static_cast<const T*>(at[0]) + offset, static_cast<T*>(at[1]),
        static_cast<T*>(at[2])};
    blocks.share(at[3], [&](std::int64_t block, T* own) { host::small_systems<T>().orthogonalise(job, block, own); });
  });
}

template <class T, class I>
void run_in_parts(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
                  const runtime::Buffer& q, const runtime::Buffer& r) {
  const Stack stack(*node.inputs[0]);
  const std::int64_t columns = node.get<graph::Op::qr>().columns, room = QrParts<T, I>::room(stack.m, stack.n, columns);
  const double work = 2 * cube_of(stack.m, stack.n);
  const Shares shares = shares_of(queue, stack.matrices, work);
  const runtime::BufferRef memory = queue.allocate(static_cast<std::uint64_t>(shares.stack * room) * sizeof(T), "qr");
  runtime::HostCommand command(queue, "qr_host");
  command.in(*node.inputs[0]->storage).out(q).out(r).out(*memory);
  enqueue_factors(
      queue.traits(), node, command, shares, work * static_cast<double>(stack.matrices),
      [stack, columns, room, shares, functions, offset = node.inputs[0]->layout.offset](std::span<void* const> at) {
        const LapackCalls<T, I> lapack(functions);
        for_each_matrix(shares, stack.matrices, [&](std::int64_t matrix, int thread) {
          const QrParts<T, I> parts(lapack, shares.parts, stack.m, stack.n, columns,
                                    static_cast<T*>(at[3]) + thread * room);
          parts.factorise(static_cast<const T*>(at[0]) + offset + matrix * stack.elements(),
                          static_cast<T*>(at[1]) + matrix * stack.m * columns,
                          static_cast<T*>(at[2]) + matrix * columns * stack.n);
        });
      });
}

void run_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& q, const runtime::Buffer& r) {
  with_types(node.dtype, [&]<class T, class I>(T, I, const FactorFunctions& functions) {
    if constexpr (std::is_floating_point_v<T>) {
      const Stack stack(*node.inputs[0]);
      if (host::small_reflections_suit<T>(stack.matrices, stack.m, stack.n)) return run_small<T>(queue, node, q, r);
    }
    run_in_parts<T, I>(queue, node, functions, q, r);
  });
}

}  // namespace

// The input is in row-major order and has elements, and reflects_in_small_groups(), panels_in_blocks() or
// factors_on_host() is true.
Work prepare_qr(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  auto on_card = prepare_small_qr(programs, queue, node);
  if (!on_card && panels_in_blocks(place_on(queue, node), node.dtype, Stack(*node.inputs[0]).m)) {
    on_card = prepare_qr_blocks(programs, queue, node);
  }
  if (!on_card) programs.host_command("qr_host", factors_at_once(queue.traits(), node));
  return [&queue, &node, on_card] {
    const Stack stack(*node.inputs[0]);
    const std::int64_t columns = node.get<graph::Op::qr>().columns;
    const auto allocate = [&](std::int64_t elements) {
      return queue.allocate(static_cast<std::uint64_t>(stack.matrices * elements) * size_of(node.dtype),
                            function_of(node));
    };
    std::vector<runtime::BufferRef> out{allocate(stack.m * columns), allocate(columns * stack.n)};
    if (on_card) {
      on_card(*out[0], *out[1]);
    } else {
      run_on_host(queue, node, *out[0], *out[1]);
    }
    graph::fulfil_results(node, wanted_results(node), out);
  };
}

}  // namespace koine::exec
