// SPDX-License-Identifier: Apache-2.0
// A matrix by a vector as a host command, which the calling thread runs where nothing is under way.
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "exec/host_run.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"
#include "host/matrix_vector.hpp"
#include "runtime/host_command.hpp"

namespace koine::exec {
namespace {

/// A row by a matrix is the transposed matrix by that row.
struct Sides {
  MatmulOperand matrix, vector;
  std::int64_t rows;
  bool swapped;
};

template <class Problem>
Sides sides_of(const Problem& p) {
  if (p.n == 1) return {p.a, p.b, p.m, false};
  Sides sides{p.b, p.a, p.n, true};
  std::swap(sides.matrix.row_stride, sides.matrix.column_stride);
  std::swap(sides.vector.row_stride, sides.vector.column_stride);
  return sides;
}

/// Whether it takes the calling thread no longer than other steps that it does.
bool is_small(const DeviceTraits& traits, std::int64_t rows, std::int64_t depth) {
  return rows <= static_cast<std::int64_t>(shared_host_work(traits.tuning.host_step_work)) / depth;
}

}  // namespace

bool suits_host(const MatmulProblem& p) {
  constexpr std::int64_t deepest = 1 << 22;
  if (!p.host_memory || p.fixed || p.epilogue != nullptr || !is_real_floating(p.dtype) || !p.batch.empty())
    return false;
  if ((p.m != 1 && p.n != 1) || p.k > deepest) return false;
  const Sides sides = sides_of(p);
  const BlasLayout layout = blas_layout(sides.matrix, sides.rows, p.k);
  return layout.leading > 0;
}

MatmulWork prepare_host(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  const Sides sides = sides_of(p);
  const BlasLayout layout = blas_layout(sides.matrix, sides.rows, p.k);
  const host::MatrixVector problem{.type = p.dtype,
                                   .matrix_type = sides.matrix.stored.value_or(p.dtype),
                                   .vector_type = sides.vector.stored.value_or(p.dtype),
                                   .rows = sides.rows,
                                   .depth = p.k,
                                   .leading = layout.leading,
                                   .by_columns = layout.transposed,
                                   .step = p.k == 1 ? 1 : sides.vector.row_stride};
  const bool small = is_small(queue.traits(), sides.rows, p.k);
  programs.host_command("matmul_host", small);
  return [&queue, sides, problem, small, to = p.out_offset](const MatmulMemory& memory) {
    runtime::HostCommand command(queue, "matmul_host");
    command.in(sides.swapped ? memory.b : memory.a).in(sides.swapped ? memory.a : memory.b).out(memory.out);
    const auto size = static_cast<std::int64_t>(size_of(problem.type));
    const auto of_matrix = static_cast<std::int64_t>(size_of(problem.matrix_type)),
               of_vector = static_cast<std::int64_t>(size_of(problem.vector_type));
    command.moves(static_cast<std::uint64_t>((problem.rows * of_matrix + of_vector) * problem.depth),
                  static_cast<std::uint64_t>(problem.rows * size));
    runtime::HostCommand::Function function(
        [&queue, problem, matrix = sides.matrix.offset * of_matrix, vector = sides.vector.offset * of_vector,
         to = to * size, room = std::make_shared<std::vector<std::byte>>(problem.room())](std::span<void* const> at) {
          host::multiply(problem, queue.traits(), static_cast<const std::byte*>(at[0]) + matrix,
                         static_cast<const std::byte*>(at[1]) + vector, static_cast<std::byte*>(at[2]) + to,
                         room->data());
        });
    small ? command.run_small(std::move(function)) : command.run(std::move(function));
  };
}

}  // namespace koine::exec
