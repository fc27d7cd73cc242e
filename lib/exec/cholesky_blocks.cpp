// SPDX-License-Identifier: Apache-2.0
// Launching kernels/cholesky_steps.cl: Cholesky factorisations on cards, block by block within panels.
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

/// Rows of a group that takes products: KN_TALL.
constexpr std::int64_t step_rows = 128;

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }
template <class Count>
std::uint32_t word(Count value) {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::function<void(const runtime::Buffer&)> prepare_cholesky_blocks(Programs& programs, runtime::Queue& queue,
                                                                    const graph::Node& node) {
  const runtime::KernelRef step = factor_kernel(programs, queue, "cholesky_steps", node.dtype);
  const runtime::KernelRef diagonal = factor_kernel(programs, queue, "cholesky_steps", node.dtype, "cholesky_diagonal");
  const Stack stack(node);
  const std::int64_t n = stack.n, panel = panel_of(node.dtype);
  std::vector<DeepUpdate> behind;
  for (std::int64_t end = panel; end < n; end += panel) {
    behind.push_back(update_behind(programs, queue, stack, node.dtype, end - panel, end));
  }
  return [=, &queue, &node](const runtime::Buffer& factor) {
    const graph::Node& x = *node.inputs[0];
    const std::shared_ptr<runtime::Fault> fault = indefinite_fault(queue, node);
    const std::uint64_t matrices = number(stack.matrices), squares = blocks_over(n, block_columns) - 1;
    const runtime::BufferRef factors_of_squares = queue.allocate(
        matrices * std::max(squares, std::uint64_t{1}) * block_columns * block_columns * size_of(node.dtype),
        "cholesky");
    for (std::int64_t done = 0; done < n; done += block_columns) {
      const std::int64_t begin = done / panel * panel, end = std::min(begin + panel, n);
      // The first group has the square, each of the others a block of rows.
      const std::uint64_t solving = blocks_over(n - done, block_columns);
      const std::uint64_t across = done == 0 ? solving : done == begin ? 1 : blocks_over(end - done, block_columns);
      const std::uint64_t groups = solving + blocks_over(n - done, step_rows) * (across - 1);
      runtime::Launch launch(queue, step);
      launch.in(*x.storage).out(factor).out(*factors_of_squares).fault(fault);
      launch.value(parameters::kn_cholesky_steps{number(x.layout.offset), word(n), word(done), word(groups),
                                                 word(solving), word(across), done > begin ? word(block_columns) : 0});
      launch.run({matrices * groups * group_size}, {group_size});
      const std::int64_t next = std::min(done + block_columns, n);
      if (next < end || end == n) continue;
      behind[number(done / panel)].run(factor, factor, {factor, end * n + end, n, 1, stack.elements()}, "cholesky");
    }
    if (squares == 0) return;
    runtime::Launch launch(queue, diagonal);
    launch.in(*factors_of_squares).out(factor).value(number(n));
    launch.run({matrices * squares * group_size}, {group_size});
  };
}

}  // namespace koine::exec
