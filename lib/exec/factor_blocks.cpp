// SPDX-License-Identifier: Apache-2.0
// Launching kernels/tile_update.cl, solve_columns.cl and solve_spread.cl: equations with triangles, block by block.
#include "exec/factor_blocks.hpp"

#include "base/dtypes.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "exec/side_by_side.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <utility>

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

/// By groups that wait for each other, where they may; nothing for more than one right side, and for few blocks.
std::function<void(const runtime::Buffer&)> prepare_triangular_spread(Programs& programs, runtime::Queue& queue,
                                                                      const graph::Node& node) {
  constexpr std::uint64_t fewest = 4;
  const Stack stack(node);
  const std::uint64_t blocks = blocks_over(stack.m, block_columns);
  const auto matrices = static_cast<std::uint64_t>(stack.matrices);
  const std::uint64_t words = matrices * blocks * block_columns * size_of(node.dtype) / sizeof(float);
  if (stack.n != 1 || blocks < fewest || words > SideBySide::words) return nullptr;
  SideBySide* const side = SideBySide::of(programs, queue);
  const std::uint64_t groups = side ? std::min(side->groups() / matrices, blocks) : 0;
  if (groups < fewest) return nullptr;
  const runtime::KernelRef kernel = factor_kernel(programs, queue, "solve_spread", node.dtype);
  return [=, &queue, &node](const runtime::Buffer& solution) {
    const graph::Node &a = *node.inputs[0], &b = *node.inputs[1];
    const graph::TriangularInfo& info = node.get<graph::Op::solve_triangular>();
    const Stack triangles(a);
    const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const auto [told, when] = side->told(queue, 1);
    runtime::Launch launch(queue, kernel);
    launch.in(*a.storage).in(*b.storage).out(solution).out(told).fault(singular_fault(queue, node));
    launch.value(
        parameters::kn_solve_spread{number(a.layout.offset), triangles.matrices == 1 ? 0 : number(triangles.elements()),
                                    number(b.layout.offset), number(stack.m), groups, when, info.upper, info.unit});
    launch.run({matrices * groups * group_size}, {group_size});
  };
}

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

DeepUpdate::DeepUpdate(Programs& programs, runtime::Queue& queue, const MatmulProblem& product, std::int64_t corner)
    : queue_(queue),
      matrices_(product.batch.empty() ? 1 : product.batch[0]),
      corner_(corner),
      size_(size_of(product.dtype)),
      taking_(prepare_taking(programs, queue, product, corner)) {
  if (taking_) return;
  take_ = factor_kernel(programs, queue, "take_products", product.dtype);
  // Two strips are spared a quarter of a square, of which half is right of the diagonal.
  const std::int64_t half = corner < product.n ? product.m / 2 / block_columns * block_columns : 0;
  for (const auto& [row, last] : {std::pair(std::int64_t{0}, half), std::pair(half, product.m)}) {
    if (row == last) continue;
    MatmulProblem p = product;
    p.m = last - row;
    p.n = std::min(product.n, last + corner);
    p.a.offset += row * p.a.row_stride;
    strips_.push_back({row, p.m, p.n, prepare_product(programs, queue, p)});
  }
}

void DeepUpdate::run(const runtime::Buffer& a, const runtime::Buffer& b, const StackPart& c,
                     std::string_view function) const {
  if (taking_) return taking_(a, b, {c.buffer, c.offset, c.row});
  constexpr std::int64_t run_of_group = 1024;  // KN_RUN
  const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  for (const Strip& strip : strips_) {
    const runtime::BufferRef products =
        queue_.allocate(number(matrices_ * strip.rows * strip.columns) * size_, function);
    strip.product({a, b, *products});
    runtime::Launch launch(queue_, take_);
    launch.out(c.buffer).in(*products);
    launch.value(parameters::kn_take_products{number(c.offset + strip.row * c.row), number(c.row), number(c.step),
                                              number(strip.rows), number(strip.columns), corner_ + strip.row});
    launch.run({number(matrices_ * strip.rows) * blocks_over(strip.columns, run_of_group) * group_size}, {group_size});
  }
}

std::function<void(const runtime::Buffer&)> prepare_triangular_blocks(Programs& programs, runtime::Queue& queue,
                                                                      const graph::Node& node) {
  if (auto spread = prepare_triangular_spread(programs, queue, node)) return spread;
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
