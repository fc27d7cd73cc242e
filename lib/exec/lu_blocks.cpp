// SPDX-License-Identifier: Apache-2.0
// Launching kernels/lu_panel.cl and lu_spread.cl: LU factorisations on cards, panel by panel.
#include "exec/factor_blocks.hpp"

#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/panels.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <vector>

namespace koine::exec {
namespace {

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

/// What factorises a panel of LU.
struct LuPanel {
  runtime::KernelRef kernel;
  std::size_t items;
  Spread spread;
};

}  // namespace

std::function<void(const runtime::Buffer&, const runtime::Buffer&, const runtime::Buffer&)> prepare_lu_blocks(
    Programs& programs, runtime::Queue& queue, const graph::Node& node) {
  const Stack stack(*node.inputs[0]);
  const std::int64_t m = stack.m, n = stack.n, pivots = std::min(m, n);
  constexpr std::int64_t wide = 256;  // columns of a wide panel: what is behind it is updated by products as deep
  const BlockKernels kernels(programs, queue, node.dtype);
  const auto kernel_of = [&](const PanelSpec& spec, std::string_view entry) {
    return programs.kernel_of_file("lu_panel", spec, entry);
  };
  std::vector<LuPanel> panels;
  for (std::int64_t first = 0; first < pivots; first += panel_columns) {
    const Spread spread = spread_over(programs, queue, node.dtype, stack.matrices, m - first);
    if (spread.rows > 0) {
      panels.push_back({programs.kernel_of_file("lu_spread", SpreadSpec{node.dtype, spread.rows, Warps(queue.traits())},
                                                "lu_spread"),
                        Spread::items, spread});
    } else {
      const PanelSpec spec = panel_spec(node.dtype, m - first);
      panels.push_back({kernel_of(spec, "lu_panel"), number(spec.group), spread});
    }
  }
  // Element (i, j) of a matrix lies at j * m + i.
  std::vector<DeepUpdate> behind;
  for (std::int64_t last = wide; last < pivots; last += wide) {
    MatmulProblem p;
    p.dtype = node.dtype;
    p.batch = {stack.matrices};
    p.m = n - last;
    p.n = m - last;
    p.k = wide;
    p.a = {last * m + last - p.k, m, 1, {m * n}};
    p.b = {(last - p.k) * m + last, m, 1, {m * n}};
    behind.emplace_back(programs, queue, p);
  }
  const runtime::KernelRef rows = kernel_of(panel_spec(node.dtype, m), "lu_rows");
  const Turn turn = prepare_turn(programs, queue, node.dtype);
  return [=, &queue, &node](const runtime::Buffer& factors, const runtime::Buffer& order,
                            const runtime::Buffer& exchanges) {
    constexpr std::int64_t columns_of_group = 32, moves_of_panel = 2 * panel_columns;
    const graph::Node& x = *node.inputs[0];
    const std::uint64_t matrices = number(stack.matrices);
    const auto allocate = [&](std::int64_t elements, std::size_t size) {
      return queue.allocate(matrices * number(elements) * size, "lu");
    };
    const runtime::BufferRef turned = allocate(m * n, size_of(node.dtype)),
                             moves = allocate(wide / panel_columns * moves_of_panel, sizeof(int));
    const auto part = [&](std::int64_t i, std::int64_t j) { return StackPart{*turned, j * m + i, m, 1, m * n}; };
    const auto move_rows = [&](const parameters::kn_lu_rows& d) {
      const std::uint64_t others = d.end - d.begin - (d.to - d.from);
      if (others == 0) return;
      runtime::Launch launch(queue, rows);
      launch.out(*turned).out(order).in(*moves).value(d);
      launch.run({matrices * blocks_over(static_cast<std::int64_t>(others), columns_of_group) * group_size},
                 {group_size});
    };
    /// Rows of U from `first` to `next`, in columns from `begin` to `end`.
    const auto solve = [&](std::int64_t first, std::int64_t next, std::int64_t begin, std::int64_t end) {
      kernels.solve({*turned, first * m + first, 1, m, m * n}, {*turned, begin * m + first, 1, m, m * n},
                    stack.matrices, next - first, end - begin, {.unit = true});
    };
    /// Their products taken from the rows below, up to `bottom`.
    const auto take = [&](std::int64_t first, std::int64_t next, std::int64_t bottom, std::int64_t begin,
                          std::int64_t end) {
      kernels.update(part(first, begin), part(next, first), part(next, begin), stack.matrices, end - begin,
                     bottom - next, next - first);
    };
    turn(*x.storage, *turned, stack.matrices, {x.layout.offset, m, n, n, m * n});
    for (std::int64_t begin = 0; begin < pivots; begin += wide) {
      const std::int64_t end = std::min(begin + wide, pivots);
      std::uint64_t count = 0;
      for (std::int64_t first = begin; first < end; first += panel_columns, ++count) {
        const std::int64_t next = std::min(first + panel_columns, end);
        const LuPanel& panel = panels[number(first / panel_columns)];
        const bool spread = panel.spread.rows > 0;
        const std::uint64_t at = count * matrices * moves_of_panel;
        {
          const auto [words, when] = panel.spread.told(queue, *moves);
          runtime::Launch launch(queue, panel.kernel);
          launch.out(*turned).out(order).out(exchanges).out(*moves);
          if (spread) launch.out(words);
          launch.value(parameters::kn_lu_panel{matrices, number(m), number(n), number(first), number(next - first),
                                               panel.spread.groups, at, when});
          launch.run({matrices * panel.spread.groups * panel.items}, {panel.items});
        }
        move_rows({matrices, number(m), number(n), number(first), 1, number(begin), number(end), number(first),
                   number(spread ? first : next), at, spread});
        solve(first, next, next, end);
        take(first, next, m, next, end);
      }
      move_rows(
          {matrices, number(m), number(n), number(begin), count, 0, number(n), number(begin), number(end), 0, false});
      if (end == n) continue;
      for (std::int64_t first = begin; first < end; first += block_columns) {
        const std::int64_t next = std::min(first + block_columns, end);
        solve(first, next, end, n);
        take(first, next, end, end, n);
      }
      if (end < pivots) behind[number(begin / wide)].run(*turned, *turned, part(end, end), "lu");
    }
    turn(*turned, factors, stack.matrices, {0, n, m, m, m * n});
  };
}

}  // namespace koine::exec
