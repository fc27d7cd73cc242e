// SPDX-License-Identifier: Apache-2.0
// Launching kernels/cholesky_tiles.cl: Cholesky factorisations on cards, block by block within panels.
#include "exec/factor_blocks.hpp"

#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/matmul.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <vector>

namespace koine::exec {
namespace {

/// Columns of a panel. Deep products behind it are faster than those of tiles, above all in float64, for which cards
/// have matrix units.
std::int64_t panel_of(DType type) { return type == float64 ? 512 : 1024; }

/// What takes the products of columns `begin` to `end` from the lower triangle behind them.
DeepUpdate update_behind(Programs& programs, runtime::Queue& queue, const Stack& stack, DType type, std::int64_t begin,
                         std::int64_t end) {
  const std::int64_t n = stack.n;
  MatmulProblem p;
  p.dtype = type;
  p.m = p.n = n - end;
  p.k = end - begin;
  p.batch = {stack.matrices};
  p.a = {end * n + begin, n, 1, {stack.elements()}};
  p.b = {end * n + begin, 1, n, {stack.elements()}};
  return {programs, queue, p, 0};
}

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::function<void(const runtime::Buffer&)> prepare_cholesky_blocks(Programs& programs, runtime::Queue& queue,
                                                                    const graph::Node& node) {
  const BlockKernels kernels(programs, queue, node.dtype);
  const runtime::KernelRef tiles = factor_kernel(programs, queue, "cholesky_tiles", node.dtype);
  const Stack stack(node);
  const std::int64_t n = stack.n, panel = panel_of(node.dtype);
  std::vector<DeepUpdate> behind;
  for (std::int64_t end = panel; end < n; end += panel) {
    behind.push_back(update_behind(programs, queue, stack, node.dtype, end - panel, end));
  }
  return [=, &queue, &node](const runtime::Buffer& factor) {
    const graph::Node& x = *node.inputs[0];
    const std::int64_t each = stack.elements();
    const std::shared_ptr<runtime::Fault> fault = indefinite_fault(queue, node);
    for (std::int64_t done = 0; done < n; done += block_columns) {
      const std::int64_t begin = done / panel * panel, end = std::min(begin + panel, n);
      const std::uint64_t down = blocks_over(n - done, block_columns), left = blocks_over(end - done, block_columns);
      parameters::kn_cholesky_tiles d{number(x.layout.offset), number(n), number(done), 1, 1, 0};
      if (done == 0) {
        d.across = down;
        d.tiles = down * down;
      } else if (done > begin) {
        d.across = left;
        d.tiles = left * (left + 1) / 2 + (down - left) * left;
        d.depth = block_columns;
      }
      {
        runtime::Launch launch(queue, tiles);
        launch.in(*x.storage).out(factor).fault(fault).value(d);
        launch.run({number(stack.matrices) * d.tiles * group_size}, {group_size});
      }
      // The rows below the block are the columns of what is solved with its factor.
      const std::int64_t next = std::min(done + block_columns, n), at = done * n + done;
      kernels.solve({factor, at, n, 1, each}, {factor, next * n + done, 1, n, each}, stack.matrices, next - done,
                    n - next, {.first = done}, fault);
      if (next < end || end == n) continue;
      behind[number(done / panel)].run(factor, factor, {factor, end * n + end, n, 1, each}, "cholesky");
    }
  };
}

}  // namespace koine::exec
