// SPDX-License-Identifier: Apache-2.0
// Launching kernels/lu_panel.cl and qr_panel.cl: LU factorisations on cards, panel by panel, and panels of QR.
#include "exec/factor_blocks.hpp"

#include "base/dtypes.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace koine::exec {
namespace {

// Scalars of 32 bits that a work-item has of a panel in registers, and rows.
constexpr int most_scalars = 128, most_rows = 64;
// Columns of a panel of LU: KN_PANEL of lu_panel.cl.
constexpr std::int64_t panel_columns = 32;

struct PanelSpec {
  DType type;
  int rows, wide, group;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_ROWS", rows);
    v.define("KN_WIDE", wide);
    v.define("KN_GROUP", group);
  }
};

/// Of a panel with so many rows.
PanelSpec panel_spec(DType type, std::int64_t rows) {
  constexpr int most_wide = 8;
  const int group = rows <= block_columns ? static_cast<int>(block_columns) : static_cast<int>(group_size);
  const int each = static_cast<int>(std::bit_ceil(blocks_over(rows, group)));
  const int scalars = static_cast<int>(size_of(type) / sizeof(float));
  return {type, each, std::min(most_wide, most_scalars / scalars / each), group};
}

/// Transposes matrices of so many rows and columns, from an offset on.
using Turn = std::function<void(const runtime::Buffer& from, std::int64_t offset, const runtime::Buffer& to,
                                std::int64_t matrices, std::int64_t rows, std::int64_t columns)>;

Turn prepare_turn(Programs& programs, runtime::Queue& queue, DType type) {
  const runtime::KernelRef kernel = factor_kernel(programs, queue, "turn", type);
  return [&queue, kernel](const runtime::Buffer& from, std::int64_t offset, const runtime::Buffer& to,
                          std::int64_t matrices, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t square = 32;
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    runtime::Launch launch(queue, kernel);
    launch.in(from).out(to);
    launch.value(parameters::kn_turn{number(offset), number(matrices), number(rows), number(columns)});
    launch.run({number(matrices) * blocks_over(rows, square) * blocks_over(columns, square) * group_size},
               {group_size});
  };
}

}  // namespace

bool panels_in_blocks(const graph::Place& place, DType type, std::int64_t rows) {
  const auto most = static_cast<std::int64_t>(group_size * most_rows * sizeof(float) / size_of(type));
  return factors_in_blocks(place, type) && rows <= most;
}

std::function<void(const runtime::Buffer&, const runtime::Buffer&, const runtime::Buffer&)> prepare_lu_blocks(
    Programs& programs, runtime::Queue& queue, const graph::Node& node) {
  const Stack stack(*node.inputs[0]);
  const std::int64_t m = stack.m, n = stack.n, pivots = std::min(m, n);
  const BlockKernels kernels(programs, queue, node.dtype);
  const auto kernel_of = [&](const PanelSpec& spec, std::string_view entry) {
    return programs.kernel_of_file("lu_panel", spec, entry);
  };
  std::vector<runtime::KernelRef> panels;
  for (std::int64_t first = 0; first < pivots; first += panel_columns) {
    panels.push_back(kernel_of(panel_spec(node.dtype, m - first), "lu_panel"));
  }
  const runtime::KernelRef rows = kernel_of(panel_spec(node.dtype, m), "lu_rows");
  const Turn turn = prepare_turn(programs, queue, node.dtype);
  return [=, &queue, &node](const runtime::Buffer& factors, const runtime::Buffer& order,
                            const runtime::Buffer& exchanges) {
    constexpr std::int64_t columns_of_group = 32, moves_of_panel = 2 * panel_columns;
    const graph::Node& x = *node.inputs[0];
    const auto matrices = static_cast<std::uint64_t>(stack.matrices);
    const auto allocate = [&](std::int64_t elements, std::size_t size) {
      return queue.allocate(matrices * static_cast<std::uint64_t>(elements) * size, "lu");
    };
    const runtime::BufferRef turned = allocate(m * n, size_of(node.dtype)),
                             moves = allocate(moves_of_panel, sizeof(int));
    turn(*x.storage, x.layout.offset, *turned, stack.matrices, m, n);
    for (std::int64_t first = 0; first < pivots; first += panel_columns) {
      const std::int64_t width = std::min(panel_columns, pivots - first), next = first + width;
      const parameters::kn_lu_panel d{matrices, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                                      static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(width)};
      {
        const auto items = static_cast<std::size_t>(panel_spec(node.dtype, m - first).group);
        runtime::Launch launch(queue, panels[static_cast<std::size_t>(first / panel_columns)]);
        launch.out(*turned).out(order).out(exchanges).out(*moves).value(d).run({matrices * items}, {items});
      }
      if (width < n) {
        runtime::Launch launch(queue, rows);
        launch.out(*turned).in(*moves).value(d);
        launch.run({matrices * blocks_over(n - width, columns_of_group) * group_size}, {group_size});
      }
      // Of the transposes: element (i, j) of the matrix lies at j * m + i.
      const auto part = [&](std::int64_t i, std::int64_t j) { return StackPart{*turned, j * m + i, m, 1, m * n}; };
      const StackPart corner = part(first, first), right = part(first, next);
      kernels.solve({*turned, corner.offset, 1, m, m * n}, {*turned, right.offset, 1, m, m * n}, stack.matrices, width,
                    n - next, {.unit = true});
      kernels.update(right, part(next, first), part(next, next), stack.matrices, n - next, m - next, width);
    }
    turn(*turned, 0, factors, stack.matrices, n, m);
  };
}

std::function<void(const runtime::Buffer&, const runtime::Buffer&, const runtime::Buffer&)> prepare_qr_panel(
    Programs& programs, runtime::Queue& queue, const graph::Node& node) {
  const Stack stack(*node.inputs[0]);
  const PanelSpec spec = panel_spec(node.dtype, stack.m);
  const runtime::KernelRef kernel = programs.kernel_of_file("qr_panel", spec, "qr_panel");
  const Turn turn = prepare_turn(programs, queue, node.dtype);
  return [=, &queue, &node](const runtime::Buffer& reflectors, const runtime::Buffer& triangles,
                            const runtime::Buffer& results) {
    const graph::Node& x = *node.inputs[0];
    const runtime::BufferRef turned =
        queue.allocate(static_cast<std::uint64_t>(stack.matrices * stack.elements()) * size_of(node.dtype), "qr");
    turn(*x.storage, x.layout.offset, *turned, stack.matrices, stack.m, stack.n);
    {
      const auto items = static_cast<std::size_t>(spec.group);
      runtime::Launch launch(queue, kernel);
      launch.out(*turned).out(triangles).out(results);
      launch.value(parameters::kn_qr_panel{static_cast<std::uint64_t>(stack.m), static_cast<std::uint64_t>(stack.n)});
      launch.run({static_cast<std::size_t>(stack.matrices) * items}, {items});
    }
    turn(*turned, 0, reflectors, stack.matrices, stack.n, stack.m);
  };
}

}  // namespace koine::exec
