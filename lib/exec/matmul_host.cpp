// SPDX-License-Identifier: Apache-2.0
// Matrices by vectors as a host command, which the calling thread runs where nothing is under way.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/rounding.hpp"
#include "exec/host_run.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"
#include "host/matrix_vector.hpp"
#include "host/parts.hpp"
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

/// What a command knows of the work, but for where its memory is. Offsets count elements.
struct Task {
  host::MatrixVector problem;
  MatmulBatch batch;
  bool swapped;  // the matrices are b of the batch
  std::int64_t matrix, vector, to;

  std::uint64_t work() const { return static_cast<std::uint64_t>(problem.rows * problem.depth); }
  /// Whether threads take whole matrices, none of which is worth several of them.
  bool side_by_side(const DeviceTraits& traits) const {
    return batch.count() > 1 && work() < 2 * std::uint64_t{traits.tuning.thread_work};
  }
  /// Matrices that a thread takes at once.
  std::int64_t of_part() const { return std::max<std::int64_t>(1, (1 << 15) / static_cast<std::int64_t>(work())); }
  std::size_t parts() const { return static_cast<std::size_t>(base::divide_up(batch.count(), of_part())); }
  std::size_t room(const DeviceTraits& traits) const {
    return problem.room() * (side_by_side(traits) ? std::min<std::size_t>(parts(), traits.compute_units) : 1);
  }
};

/// Multiplies the matrix of that number.
void multiply(const Task& task, const DeviceTraits& traits, std::int64_t number, std::span<void* const> at,
              std::byte* room) {
  auto [matrix, vector] = task.batch.offsets(number);
  if (task.swapped) std::swap(matrix, vector);
  const auto behind = [](DType type, std::int64_t elements) {
    return elements * static_cast<std::int64_t>(size_of(type));
  };
  const host::MatrixVector& p = task.problem;
  host::multiply(p, traits, static_cast<const std::byte*>(at[0]) + behind(p.matrix_type, task.matrix + matrix),
                 static_cast<const std::byte*>(at[1]) + behind(p.vector_type, task.vector + vector),
                 static_cast<std::byte*>(at[2]) + behind(p.type, task.to + number * p.rows), room);
}

void multiply_all(const Task& task, const DeviceTraits& traits, std::span<void* const> at, std::byte* room) {
  const std::int64_t count = task.batch.count(), of_part = task.of_part();
  if (!task.side_by_side(traits)) {
    for (std::int64_t number = 0; number < count; ++number) multiply(task, traits, number, at, room);
    return;
  }
  host::Parts parts(task.parts());
  std::atomic<std::size_t> threads{0};
  host::share(traits, task.work() * static_cast<std::uint64_t>(count), parts, [&] {
    std::byte* mine = nullptr;
    for (std::size_t part; parts.take(part);) {
      if (mine == nullptr) mine = room + task.problem.room() * threads.fetch_add(1, std::memory_order_relaxed);
      const std::int64_t first = static_cast<std::int64_t>(part) * of_part, last = std::min(count, first + of_part);
      for (std::int64_t number = first; number < last; ++number) multiply(task, traits, number, at, mine);
    }
  });
}

}  // namespace

bool suits_host(const MatmulProblem& p) {
  constexpr std::int64_t deepest = 1 << 22;
  if (!p.host_memory || p.fixed || p.epilogue != nullptr || !is_real_floating(p.dtype)) return false;
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
  const Task task{problem, p.batch, sides.swapped, sides.matrix.offset, sides.vector.offset, p.out_offset};
  const bool small = is_small(queue.traits(), p.batch.count() * sides.rows, p.k);
  programs.host_command("matmul_host", small);
  return [&queue, task, small](const MatmulMemory& memory) {
    runtime::HostCommand command(queue, "matmul_host");
    command.in(task.swapped ? memory.b : memory.a).in(task.swapped ? memory.a : memory.b).out(memory.out);
    const auto count = static_cast<std::uint64_t>(task.batch.count());
    command.moves(count * task.problem.bytes_read(), count * task.problem.bytes_written());
    runtime::HostCommand::Function function(
        [&queue, task, room = std::make_shared<std::vector<std::byte>>(task.room(queue.traits()))](
            std::span<void* const> at) { multiply_all(task, queue.traits(), at, room->data()); });
    small ? command.run_small(std::move(function)) : command.run(std::move(function));
  };
}

}  // namespace koine::exec
