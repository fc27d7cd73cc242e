// SPDX-License-Identifier: Apache-2.0
// QR factorisations of real matrices as a whole: by blocks on cards, and of small ones in the lanes of vectors on CPUs.
#include "exec/factor_blocks.hpp"
#include "exec/factor_host.hpp"
#include "exec/families.hpp"
#include "exec/small_systems_host.hpp"

#include <algorithm>
#include <span>
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

}  // namespace

// The input is in row-major order and has elements, and panels_in_blocks() or qr_by_lanes() is true.
Work prepare_qr(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const bool in_blocks = panels_in_blocks(place_on(queue, node), node.dtype, Stack(*node.inputs[0]).m);
  const auto blocks = in_blocks ? prepare_qr_blocks(programs, queue, node) : nullptr;
  if (!in_blocks) programs.host_command("qr_host", factors_at_once(node));
  return [&queue, &node, blocks] {
    const Stack stack(*node.inputs[0]);
    const std::int64_t columns = node.get<graph::Op::qr>().columns;
    const auto allocate = [&](std::int64_t elements) {
      return queue.allocate(static_cast<std::uint64_t>(stack.matrices * elements) * size_of(node.dtype),
                            function_of(node));
    };
    std::vector<runtime::BufferRef> out{allocate(stack.m * columns), allocate(columns * stack.n)};
    if (blocks) {
      blocks(*out[0], *out[1]);
    } else {
      size_of(node.dtype) == sizeof(float) ? run_small<float>(queue, node, *out[0], *out[1])
                                           : run_small<double>(queue, node, *out[0], *out[1]);
    }
    graph::fulfil_results(node, wanted_results(node), out);
  };
}

}  // namespace koine::exec
