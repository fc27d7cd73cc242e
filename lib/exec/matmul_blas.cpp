// SPDX-License-Identifier: Apache-2.0
// Matrix products by a BLAS of the host's: one host command, whose threads take the matrices of a batch, or parts of
// them.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>

#include "base/parallel.hpp"
#include "base/rounding.hpp"
#include "exec/host_blas.hpp"
#include "exec/host_run.hpp"
#include "exec/matmul_gram.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/programs.hpp"
#include "host/functions.hpp"
#include "runtime/host_command.hpp"

namespace koine::exec {
namespace {

using base::divide_up;
using base::round_up;

/// Whether a call of a BLAS would take longer than what it computes.
bool is_small(const MatmulPiece& p) {
  constexpr std::int64_t small = 16 * 16 * 16;
  return !is_complex(p.dtype) && p.m * p.n * p.k <= small && p.b.column_stride == 1 && p.b.row_stride >= 0 &&
         p.a.row_stride >= 0 && p.a.column_stride >= 0;
}

/// How the results are divided. No rows of tuning: a BLAS may add up otherwise for other sizes.
struct ProductShares {
  std::int64_t rows, columns;  // of a part of a matrix, which one call computes
  std::int64_t down, across;   // parts of a matrix
  std::int64_t together;       // how many parts a thread takes at once
  int threads;
};

ProductShares share(const DeviceTraits& traits, const MatmulPiece& p, bool has_threads) {
  constexpr std::int64_t least_work = 1 << 20;  // multiplications that are worth starting a thread for
  constexpr std::int64_t even = 16;             // a BLAS computes as many rows or columns at once
  const std::int64_t matrices = p.batch.count(), work = std::max<std::int64_t>(1, p.m * p.n * p.k);
  const auto enough = static_cast<std::int64_t>(
      std::min(static_cast<double>(work) * static_cast<double>(matrices) / least_work, 1024.0));
  std::int64_t threads = has_threads ? 1 : std::clamp<std::int64_t>(enough, 1, traits.compute_units);
  if (threads > 1) threads = std::min<std::int64_t>(threads, base::usable_cores());
  // Many matrices go round evenly enough.
  const std::int64_t parts = matrices >= 8 * threads || is_small(p) ? 1 : threads / std::gcd(threads, matrices);
  ProductShares best{p.m, p.n, 1, 1, 1, static_cast<int>(threads)};
  std::int64_t shortest = 0;
  for (std::int64_t down = 1; down <= parts; ++down) {
    if (parts % down != 0) continue;
    const std::int64_t rows = std::min(p.m, round_up(divide_up(p.m, down), even));
    const std::int64_t columns = std::min(p.n, round_up(divide_up(p.n, parts / down), even));
    // Each element of either matrix is prepared once for each part that it belongs to.
    const std::int64_t sides = rows * columns + even * (rows + columns);
    if (shortest != 0 && sides >= shortest) continue;
    shortest = sides;
    best.rows = rows;
    best.columns = columns;
  }
  best.down = divide_up(p.m, best.rows);
  best.across = divide_up(p.n, best.columns);
  best.together = std::max<std::int64_t>(1, matrices * best.down * best.across / (threads * 16));
  return best;
}

/// Computes one part of one matrix.
void multiply(const HostBlas& blas, const MatmulPiece& p, const ProductShares& shares, std::int64_t part,
              std::span<void* const> memory) {
  const auto size = static_cast<std::int64_t>(size_of(p.dtype));
  const std::int64_t column = part % shares.across * shares.columns,
                     row = part / shares.across % shares.down * shares.rows,
                     matrix = part / (shares.across * shares.down);
  const auto [a_first, b_first] = p.batch.offsets(matrix);
  const std::int64_t a = p.a.offset + a_first + row * p.a.row_stride,
                     b = p.b.offset + b_first + column * p.b.column_stride;
  const std::int64_t c = p.out_offset + (matrix * p.m + row) * p.n + column;
  const auto at = [&](std::size_t operand, std::int64_t element) {
    return static_cast<std::byte*>(memory[operand]) + element * size;
  };
  blas.multiply({p.dtype, std::min(shares.rows, p.m - row), std::min(shares.columns, p.n - column), p.k,
                 blas_layout(p.a, p.m, p.k), blas_layout(p.b, p.k, p.n), at(0, a), at(1, b), at(2, c), p.n});
}

/// Multiplies the small matrices [first, last) of a batch.
void multiply_small(const MatmulPiece& p, std::int64_t first, std::int64_t last, std::span<void* const> memory) {
  const auto number = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const host::SmallProduct product{.rows = number(p.m),
                                   .columns = number(p.n),
                                   .depth = number(p.k),
                                   .left_row = number(p.a.row_stride),
                                   .left_column = number(p.a.column_stride),
                                   .right_row = number(p.b.row_stride)};
  const host::Multiply multiply = host::functions().small_products[static_cast<int>(p.dtype)];
  const auto at = [&](std::size_t operand, std::int64_t element) {
    return static_cast<std::byte*>(memory[operand]) + element * static_cast<std::int64_t>(size_of(p.dtype));
  };
  // Without divisions for each, which would take longer than the smallest products.
  const std::int64_t inner = p.batch.sizes.back();
  for (std::int64_t matrix = first; matrix < last;) {
    auto [a, b] = p.batch.offsets(matrix);
    a += p.a.offset;
    b += p.b.offset;
    for (const std::int64_t end = std::min(last, (matrix / inner + 1) * inner); matrix < end; ++matrix) {
      multiply(at(2, p.out_offset + matrix * p.m * p.n), at(0, a), at(1, b), product);
      a += p.batch.a_strides.back();
      b += p.batch.b_strides.back();
    }
  }
}

}  // namespace

bool suits_blas(const DeviceTraits& traits, const MatmulProblem& p) {
  // Up to here a kernel takes longer to compile than many products take.
  constexpr double small = 128.0 * 128.0 * 128.0;
  const auto fits = [](const BlasLayout& layout) { return layout.leading > 0 && layout.leading <= HostBlas::most; };
  if (!traits.host_commands || !(p.dtype == float32 || p.dtype == float64 || is_complex(p.dtype)) ||
      std::max({p.m, p.n, p.k}) > HostBlas::most || !fits(blas_layout(p.a, p.m, p.k)) ||
      !fits(blas_layout(p.b, p.k, p.n))) {
    return false;
  }
  const HostBlas* const blas = HostBlas::get();
  if (blas == nullptr) return false;
  const bool narrow = blas->vector_bytes() != 0 && blas->vector_bytes() < traits.vector_bytes;
  return !narrow || static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) <= small;
}

std::int64_t blas_depth(const MatmulProblem& p) {
  // Few results leave threads nothing else to share than the depth.
  constexpr std::int64_t deep = 1 << 16, few = 1 << 18, short_sum = 1 << 14, long_sum = 1 << 20;
  std::int64_t results = p.m * p.n;
  for (const std::int64_t size : p.batch) results *= size;
  return p.k >= deep && results <= few ? short_sum : long_sum;
}

MatmulWork prepare_blas(Programs& programs, runtime::Queue& queue, const MatmulPiece& p) {
  const HostBlas& blas = *HostBlas::get();
  const ProductShares shares = share(queue.traits(), p, blas.has_threads());
  const double multiplications = static_cast<double>(p.batch.count()) * static_cast<double>(p.m) *
                                 static_cast<double>(p.n) * static_cast<double>(p.k);
  // What threads share, the calling one among them, begins at once where a command would first wake others. While all
  // cores multiply, nobody misses that thread.
  const bool small = multiplied_at_once(
      queue.traits(),
      shares.threads == 1 ? multiplications : multiplications / static_cast<double>(shared_host_work(1)));
  if (blas.has_syrk() && !is_small(p) && gram_is_worth_it(p, shares.threads)) {
    return prepare_gram(programs, queue, p, {shares.threads, small});
  }
  programs.host_command("matmul_blas", small);
  return [&queue, &blas, p, shares, small](const MatmulMemory& memory) {
    if (!is_small(p)) blas.check_room(shares.threads, "matmul");
    runtime::HostCommand command(queue, "matmul_blas");
    command.in(memory.a).in(memory.b).out(memory.out);
    runtime::HostCommand::Function function([&blas, p, shares](std::span<void* const> operands) {
      const std::int64_t parts = p.batch.count() * shares.down * shares.across;
      std::atomic<std::int64_t> next{0};
      const auto work = [&] {
        for (std::int64_t first; (first = next.fetch_add(shares.together, std::memory_order_relaxed)) < parts;) {
          const std::int64_t last = std::min(parts, first + shares.together);
          if (is_small(p)) {
            multiply_small(p, first, last, operands);
            continue;
          }
          for (std::int64_t part = first; part < last; ++part) multiply(blas, p, shares, part, operands);
        }
      };
      base::share_work(shares.threads, std::ref(work));  // by reference, which takes no memory
    });
    small ? command.run_small(std::move(function)) : command.run(std::move(function));
  };
}

}  // namespace koine::exec
