// SPDX-License-Identifier: Apache-2.0
// Launching kernels/tile_update.cl and solve_columns.cl: equations with triangles, block by block.
#include "exec/factor_blocks.hpp"

#include "base/dtypes.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "runtime/launch.hpp"

#include <algorithm>

namespace koine::exec {
namespace {

struct SolveSpec {
  DType type;
  int columns;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_COLUMNS", columns);
  }
};

}  // namespace

std::uint64_t blocks_over(std::int64_t all, std::int64_t size) {
  return static_cast<std::uint64_t>((all + size - 1) / size);
}

bool factors_in_blocks(const graph::Place& place, DType type) {
  constexpr std::uint64_t most_local = 40 << 10;  // solve_columns.cl with float64
  const DeviceTraits& traits = *place.traits;
  return !place.reproducible && !traits.cpu_loops() && !traits.quirks.loops_end_early &&
         (type == float32 || type == float64) && traits.max_group >= group_size && traits.local_memory >= most_local;
}

graph::Place place_on(const runtime::Queue& queue, const graph::Node& node) {
  graph::Place place = node.place;
  place.traits = &queue.traits();
  return place;
}

BlockKernels::BlockKernels(Programs& programs, runtime::Queue& queue, DType type)
    : queue_(queue), columns_(type == float32 ? 64 : 32) {
  update_ = factor_kernel(programs, queue, "tile_update", type);
  solve_ = programs.kernel_of_file("solve_columns", SolveSpec{type, static_cast<int>(columns_)}, "solve_columns");
}

void BlockKernels::update(const StackPart& a, const StackPart& b, const StackPart& c, std::int64_t matrices,
                          std::int64_t m, std::int64_t n, std::int64_t k) const {
  if (m == 0 || n == 0) return;
  const std::size_t groups =
      static_cast<std::size_t>(matrices) * blocks_over(m, block_columns) * blocks_over(n, block_columns);
  runtime::Launch launch(queue_, update_);
  launch.in(a.buffer).in(b.buffer).out(c.buffer);
  launch.value(parameters::kn_tile_update{a.offset, a.row, a.column, a.step, b.offset, b.row, b.column, b.step,
                                          c.offset, c.row, c.step, m, n, k});
  launch.run({groups * group_size}, {group_size});
}

void BlockKernels::solve(const StackPart& a, const StackPart& b, std::int64_t matrices, std::int64_t n,
                         std::int64_t columns, const Triangle& triangle,
                         const std::shared_ptr<runtime::Fault>& fault) const {
  if (columns == 0) return;
  const std::size_t groups =
      static_cast<std::size_t>(matrices) * blocks_over(columns, static_cast<std::int64_t>(columns_));
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  runtime::Launch launch(queue_, solve_);
  launch.in(a.buffer).out(b.buffer);
  if (fault) {
    launch.fault(fault);
  } else {
    launch.out(b.buffer);
  }
  launch.value(parameters::kn_solve_columns{number(a.offset), number(a.row), number(a.column), number(a.step),
                                            number(b.offset), number(b.row), number(b.column), number(b.step),
                                            number(matrices), number(n), number(columns), number(triangle.first),
                                            triangle.upper, triangle.unit});
  constexpr std::size_t sets = 4;  // KN_SETS
  launch.run({groups * sets * columns_}, {sets * columns_});
}

std::function<void(const runtime::Buffer&)> prepare_triangular_blocks(Programs& programs, runtime::Queue& queue,
                                                                      const graph::Node& node) {
  const BlockKernels kernels(programs, queue, node.dtype);
  return [&queue, &node, kernels](const runtime::Buffer& solution) {
    const graph::Node &a = *node.inputs[0], &b = *node.inputs[1];
    const graph::TriangularInfo& info = node.get<graph::Op::solve_triangular>();
    const Stack stack(node), triangles(a);
    const std::int64_t n = stack.m, columns = stack.n, step = triangles.matrices == 1 ? 0 : triangles.elements();
    const std::size_t size = size_of(node.dtype);
    queue.copy(const_cast<runtime::Buffer&>(solution), 0, *b.storage,
               static_cast<std::uint64_t>(b.layout.offset) * size,
               static_cast<std::uint64_t>(node.shape.elements()) * size, info.function());
    const std::shared_ptr<runtime::Fault> fault = singular_fault(queue, node);
    const auto part_of_a = [&](std::int64_t row, std::int64_t column) {
      return StackPart{*a.storage, a.layout.offset + row * n + column, n, 1, step};
    };
    const auto rows_from = [&](std::int64_t row) {
      return StackPart{solution, row * columns, columns, 1, stack.elements()};
    };
    for (std::int64_t block = 0; block < n; block += block_columns) {
      const std::int64_t first = info.upper ? (n - 1 - block) / block_columns * block_columns : block;
      const std::int64_t last = std::min(first + block_columns, n);
      kernels.solve(part_of_a(first, first), rows_from(first), stack.matrices, last - first, columns,
                    {.upper = info.upper, .unit = info.unit, .first = first}, fault);
      const std::int64_t others = info.upper ? 0 : last, count = info.upper ? first : n - last;
      kernels.update(part_of_a(others, first), rows_from(first), rows_from(others), stack.matrices, count, columns,
                     last - first);
    }
  };
}

}  // namespace koine::exec
