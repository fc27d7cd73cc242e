// SPDX-License-Identifier: Apache-2.0
// The upper triangle of a matrix by its own transpose, whose mirror image is the lower one. Threads share strips of the
// results, or, of few results, blocks of the depth.
#include "exec/matmul_gram.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/rounding.hpp"
#include "base/with_type.hpp"
#include "exec/host_blas.hpp"
#include "exec/programs.hpp"
#include "exec/share_parts.hpp"
#include "host/functions.hpp"
#include "runtime/host_command.hpp"

namespace koine::exec {
namespace {

// No rows of tuning: a BLAS may add up otherwise for other sizes. Strips of fewer lines than a half of `many` take as
// long as whole ones; a block of the depth takes much longer to multiply than to add.
constexpr std::int64_t fewest = 32, many = 256, block_depth = 1024, most_blocks = 64;

/// Into how many parts each matrix is to be cut.
std::int64_t parts_of_matrix(const MatmulPiece& p, int threads) {
  const std::int64_t matrices = p.batch.count();
  return matrices >= 8 * threads ? 1 : threads / std::gcd<std::int64_t>(threads, matrices);
}

/// A part of each matrix: results from a row and a column on, or products from a step of the depth on.
struct Cut {
  std::int64_t row = 0, column = 0, step = 0;
};

struct Task {
  const HostBlas& blas;
  MatmulPiece p;
  int threads;
  std::int64_t lines, depth;  // of a part
  std::vector<Cut> parts;

  bool in_blocks() const { return depth < p.k; }
  std::int64_t results() const { return p.n * p.n; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_of(p.dtype)); }
};

Task task_of(const MatmulPiece& p, int threads) {
  Task task{*HostBlas::get(), p, threads, p.n, p.k, {}};
  const std::int64_t parts = parts_of_matrix(p, threads);
  if (parts > 1 && p.n < many) {
    task.depth = std::max(block_depth, base::divide_up(p.k, most_blocks));
    for (std::int64_t step = 0; step < p.k; step += task.depth) task.parts.push_back({0, 0, step});
    return task;
  }
  // As many strips as threads give each thread as much to do: a square is twice a triangle on the diagonal.
  task.lines = std::min(p.n, base::round_up(base::divide_up(p.n, parts), std::int64_t{16}));
  for (std::int64_t row = 0; row < p.n; row += task.lines) {
    for (std::int64_t column = row + task.lines; column < p.n; column += task.lines)
      task.parts.push_back({row, column});
  }
  for (std::int64_t row = 0; row < p.n; row += task.lines) task.parts.push_back({row, row});
  return task;
}

/// Copies what lies above the diagonal of a square of n, in these rows and columns, to below it.
void mirror(DType type, void* square, std::int64_t n, Cut from, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t tile = 16;  // of whose rows and columns caches hold all lines
  base::with_type(type, [&]<class T>(base::Tag<T>) {
    T* const at = static_cast<T*>(square);
    const std::int64_t last_row = from.row + rows, last_column = from.column + columns;
    for (std::int64_t top = from.row; top < last_row; top += tile) {
      for (std::int64_t left = from.column; left < last_column; left += tile) {
        for (std::int64_t row = top; row < std::min(top + tile, last_row); ++row) {
          for (std::int64_t column = std::max(left, row + 1); column < std::min(left + tile, last_column); ++column) {
            at[column * n + row] = at[row * n + column];
          }
        }
      }
    }
  });
}

void multiply(const Task& task, const Cut& part, std::int64_t matrix, std::span<void* const> memory) {
  const MatmulPiece& p = task.p;
  const auto at = [&](void* base, std::int64_t element) {
    return static_cast<std::byte*>(base) + element * task.size();
  };
  const auto lines_from = [&](std::int64_t line) {
    return at(memory[0],
              p.a.offset + p.batch.offsets(matrix).first + line * p.a.row_stride + part.step * p.a.column_stride);
  };
  const std::int64_t rows = std::min(task.lines, p.n - part.row), columns = std::min(task.lines, p.n - part.column),
                     depth = std::min(task.depth, p.k - part.step);
  const BlasLayout layout = blas_layout(p.a, p.n, p.k);
  void* const square =
      task.in_blocks()
          ? at(memory[2],
               (matrix * static_cast<std::int64_t>(task.parts.size()) + part.step / task.depth) * task.results())
          : at(memory[1], p.out_offset + matrix * task.results());
  void* const to = at(square, part.row * p.n + part.column);
  if (part.row == part.column) {
    task.blas.multiply(HostBlas::Gram{p.dtype, rows, depth, layout, lines_from(part.row), to, p.n});
  } else {
    task.blas.multiply(HostBlas::Product{p.dtype, rows, columns, depth, layout, blas_layout(p.b, p.k, p.n),
                                         lines_from(part.row), lines_from(part.column), to, p.n});
  }
  if (!task.in_blocks()) mirror(p.dtype, square, p.n, part, rows, columns);
}

/// Adds up the blocks of a matrix, in their order.
void add_blocks(const Task& task, std::int64_t matrix, std::span<void* const> memory) {
  const MatmulPiece& p = task.p;
  const host::Function add =
      host::functions().combined[static_cast<int>(graph::ReduceKind::sum)][static_cast<int>(p.dtype)];
  const auto blocks = static_cast<std::int64_t>(task.parts.size());
  std::byte* const square = static_cast<std::byte*>(memory[1]) + (p.out_offset + matrix * task.results()) * task.size();
  const std::byte* const first =
      static_cast<const std::byte*>(memory[2]) + matrix * blocks * task.results() * task.size();
  for (std::int64_t row = 0; row < p.n; ++row) {
    const std::int64_t from_diagonal = (row * p.n + row) * task.size();
    const void* before = first + from_diagonal;
    for (std::int64_t block = 1; block < blocks; ++block) {
      const void* const from[] = {before, first + block * task.results() * task.size() + from_diagonal, nullptr};
      add(square + from_diagonal, from, static_cast<std::size_t>(p.n - row));
      before = square + from_diagonal;
    }
  }
  mirror(p.dtype, square, p.n, {}, p.n, p.n);
}

}  // namespace

bool gram_is_worth_it(const MatmulPiece& p, int threads) {
  if (!is_gram(p) || p.n < fewest) return false;
  return p.n >= many || parts_of_matrix(p, threads) == 1 || p.k >= block_depth * threads;
}

MatmulWork prepare_gram(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece, GramThreads threads) {
  programs.host_command("matmul_blas", threads.small);
  const auto task = std::make_shared<const Task>(task_of(piece, threads.count));
  return [&queue, task, threads](const MatmulMemory& memory) {
    task->blas.check_room(threads.count, "matmul");
    const std::int64_t matrices = task->p.batch.count();
    runtime::HostCommand command(queue, "matmul_blas");
    command.in(memory.a).out(memory.out);
    runtime::BufferRef blocks;
    if (task->in_blocks()) {
      const auto count = static_cast<std::int64_t>(task->parts.size());
      blocks = queue.allocate(static_cast<std::uint64_t>(matrices * count * task->results() * task->size()), "matmul");
      command.out(*blocks);
    }
    runtime::HostCommand::Function function([task, matrices](std::span<void* const> operands) {
      const std::int64_t whole = matrices * static_cast<std::int64_t>(task->parts.size());
      constexpr std::int64_t enough = std::numeric_limits<std::int64_t>::max();  // so many threads were chosen by it
      share_parts(task->threads, whole, enough, [&](std::int64_t number) {
        multiply(*task, task->parts[static_cast<std::size_t>(number / matrices)], number % matrices, operands);
      });
      if (!task->in_blocks()) return;
      for (std::int64_t matrix = 0; matrix < matrices; ++matrix) add_blocks(*task, matrix, operands);
    });
    threads.small ? command.run_small(std::move(function)) : command.run(std::move(function));
  };
}

}  // namespace koine::exec
