// SPDX-License-Identifier: Apache-2.0
// Launching kernels/cholesky_tiles.cl: Cholesky factorisations on cards, block by block within panels.
#include "exec/factor_blocks.hpp"

#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/matmul.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

/// Columns of a panel. Deep products behind it are much faster than those of tiles in float64, for which cards have
/// matrix units, and not in float32.
std::int64_t panel_of(DType type, std::int64_t n) {
  constexpr std::int64_t deep = 512;
  return type == float64 ? deep : n;
}

/// Rows `row` to `row + rows` of what is behind a panel, in columns from `first`, where the panel ends, to those rows.
struct Strip {
  std::int64_t first, row, rows;
  MatmulWork product;

  std::int64_t columns() const { return row + rows - first; }
};

std::vector<Strip> strips_behind(Programs& programs, runtime::Queue& queue, const Stack& stack, DType type,
                                 std::int64_t begin, std::int64_t end) {
  std::vector<Strip> strips;
  const std::int64_t n = stack.n, half = (n - end) / 2 / block_columns * block_columns;
  for (const auto& [row, last] : {std::pair(end, end + half), std::pair(end + half, n)}) {
    if (row == last) continue;
    Strip strip{end, row, last - row, nullptr};
    MatmulProblem p;
    p.dtype = type;
    p.m = strip.rows;
    p.n = strip.columns();
    p.k = end - begin;
    p.batch = {stack.matrices};
    p.a = {row * n + begin, n, 1, {stack.elements()}};
    p.b = {end * n + begin, 1, n, {stack.elements()}};
    strip.product = prepare_product(programs, queue, p);
    strips.push_back(std::move(strip));
  }
  return strips;
}

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::function<void(const runtime::Buffer&)> prepare_cholesky_blocks(Programs& programs, runtime::Queue& queue,
                                                                    const graph::Node& node) {
  const BlockKernels kernels(programs, queue, node.dtype);
  const runtime::KernelRef tiles = factor_kernel(programs, queue, "cholesky_tiles", node.dtype);
  const runtime::KernelRef take = factor_kernel(programs, queue, "cholesky_tiles", node.dtype, "cholesky_take");
  const Stack stack(node);
  const std::int64_t n = stack.n, panel = panel_of(node.dtype, n);
  std::vector<std::vector<Strip>> behind;
  for (std::int64_t end = panel; end < n; end += panel) {
    behind.push_back(strips_behind(programs, queue, stack, node.dtype, end - panel, end));
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
      for (const Strip& strip : behind[number(done / panel)]) {
        const runtime::BufferRef products =
            queue.allocate(number(stack.matrices * strip.rows * strip.columns()) * size_of(node.dtype), "cholesky");
        strip.product({factor, factor, *products});
        runtime::Launch launch(queue, take);
        launch.out(factor).in(*products);
        launch.value(parameters::kn_cholesky_take{number(n), number(strip.first), number(strip.row), number(strip.rows),
                                                  number(strip.columns())});
        launch.run({number(stack.matrices * strip.rows) * blocks_over(strip.columns(), group_size) * group_size},
                   {group_size});
      }
    }
  };
}

}  // namespace koine::exec
