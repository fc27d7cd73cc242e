// SPDX-License-Identifier: Apache-2.0
// Equations with square matrices as a whole: on cards groups of small ones, on CPUs LAPACK, or lanes of vectors where
// matrices are small. LAPACK sees a row-major matrix as its transpose, A^T = P L U, so A X = B is X^T P L U = B^T, of
// which X^T and B^T are what lies in memory: nothing is transposed.
#include "exec/factor_command.hpp"
#include "exec/factor_host.hpp"
#include "exec/families.hpp"
#include "exec/lapack_blocks.hpp"
#include "exec/small_factors.hpp"
#include "exec/small_systems_host.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

namespace koine::exec {
namespace {

/// Where the operands of a command lie, and its matrices.
struct Equations {
  explicit Equations(const graph::Node& node)
      : stack(node),
        n(stack.m),
        columns(stack.n),
        matrix(node.inputs[0]->layout.offset),
        right(node.inputs.size() > 1 ? node.inputs[1]->layout.offset : -1) {}

  Stack stack;
  std::int64_t n, columns;
  std::int64_t matrix, right;  // where they begin, or -1 where the identity is meant
};

template <class T>
void run_small(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out) {
  const Equations e(node);
  const std::int64_t elements = e.n * (e.n + e.columns);
  const SmallSystemBlocks<T> blocks(queue, e.stack.matrices, elements, e.n * elements);
  const runtime::BufferRef room = queue.allocate(blocks.room(), function_of(node));
  runtime::HostCommand command(queue, "solve_host");
  command.in(*node.inputs[0]->storage).in(*node.inputs[node.inputs.size() - 1]->storage).out(out).out(*room);
  command.fault(singular_fault(queue, node));
  blocks.enqueue(command, [e, blocks](std::span<void* const> at) {
    const host::SmallSystemFunctions<T>& functions = host::small_systems<T>();
    const host::SmallSystems<T> job{e.stack.matrices,
                                    e.n,
                                    e.columns,
                                    static_cast<const T*>(at[0]) + e.matrix,
                                    e.right < 0 ? nullptr : static_cast<const T*>(at[1]) + e.right,
                                    static_cast<T*>(at[2])};
    blocks.share(at[3], [&](std::int64_t block, T* own) {
      std::int64_t zeros[64 / sizeof(T)];
      functions.solve(job, block, own, zeros);
      const std::int64_t first = block * functions.lanes, count = std::min(functions.lanes, job.matrices - first);
      for (std::int64_t lane = 0; lane < count; ++lane) {
        if (zeros[lane] >= 0) report_position(at[4], first + lane, zeros[lane]);
      }
    });
  });
}

template <class T, class I>
void run_lapack(runtime::Queue& queue, const graph::Node& node, const FactorFunctions& functions,
                const runtime::Buffer& out) {
  const Equations e(node);
  const std::int64_t square = e.n * e.n;
  const double work = cube_of(e.n, e.n) / 3 + static_cast<double>(square) * static_cast<double>(e.columns);
  const Shares shares = shares_of(queue, e.stack.matrices, work);
  const auto in_all = [&](std::int64_t count) { return static_cast<std::uint64_t>(shares.stack * count); };
  const runtime::BufferRef factors = queue.allocate(in_all(square) * sizeof(T), function_of(node)),
                           exchanged = queue.allocate(in_all(e.n) * sizeof(I), function_of(node));
  runtime::HostCommand command(queue, "solve_host");
  command.in(*node.inputs[0]->storage)
      .in(*node.inputs[node.inputs.size() - 1]->storage)
      .out(out)
      .out(*factors)
      .out(*exchanged);
  command.fault(singular_fault(queue, node));
  enqueue_factors(queue.traits(), node, command, shares, work * static_cast<double>(e.stack.matrices),
                  [e, shares, functions, square](std::span<void* const> at) {
                    const LapackCalls<T, I> lapack(functions);
                    for_each_matrix(shares, e.stack.matrices, [&](std::int64_t matrix, int thread) {
                      const std::int64_t n = e.n, columns = e.columns;
                      T* const a = static_cast<T*>(at[3]) + thread * square;
                      I* const pivots = static_cast<I*>(at[4]) + thread * n;
                      T* const x = static_cast<T*>(at[2]) + matrix * n * columns;
                      std::copy_n(static_cast<const T*>(at[0]) + e.matrix + matrix * square, square, a);
                      getrf_in_parts(lapack, shares.parts, n, n, a, pivots);
                      for (std::int64_t i = 0; i < n; ++i) {
                        if (a[i * n + i] == T(0)) return report_position(at[5], matrix, i);
                      }
                      if (e.right >= 0) {
                        std::copy_n(static_cast<const T*>(at[1]) + e.right + matrix * n * columns, n * columns, x);
                      } else {
                        std::fill_n(x, n * columns, T(0));
                        for (std::int64_t i = 0; i < n; ++i) x[i * n + i] = T(1);
                      }
                      if (columns == 1) {
                        lapack.trsv_transposed("U", "N", n, a, x);
                        lapack.trsv_transposed("L", "U", n, a, x);
                      } else {
                        share_columns(shares.parts, columns, [&](std::int64_t first, std::int64_t count) {
                          lapack.trsm("R", "U", "N", "N", count, n, a, n, x + first, columns);
                          lapack.trsm("R", "L", "N", "U", count, n, a, n, x + first, columns);
                        });
                      }
                      for (std::int64_t i = n; i-- > 0;) {
                        const std::int64_t other = pivots[i] - 1;
                        if (other != i) std::swap_ranges(x + i * columns, x + (i + 1) * columns, x + other * columns);
                      }
                    });
                  });
}

void run_on_host(runtime::Queue& queue, const graph::Node& node, const runtime::Buffer& out) {
  with_types(node.dtype, [&]<class T, class I>(T, I, const FactorFunctions& functions) {
    if constexpr (std::is_floating_point_v<T>) {
      const Stack stack(node);
      if (host::small_systems_suit<T>(stack.matrices, stack.m, stack.n)) return run_small<T>(queue, node, out);
    }
    run_lapack<T, I>(queue, node, functions, out);
  });
}

}  // namespace

// The inputs are in row-major order and have elements, and fits_small_groups() or factors_on_host() is true.
Work prepare_solve(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto on_card = prepare_small_solve(programs, queue, node);
  if (!on_card) programs.host_command("solve_host", factors_at_once(queue.traits(), node));
  return [&queue, &node, on_card] {
    runtime::BufferRef out =
        queue.allocate(static_cast<std::uint64_t>(node.shape.elements()) * size_of(node.dtype), function_of(node));
    on_card ? on_card(*out) : run_on_host(queue, node, *out);
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
