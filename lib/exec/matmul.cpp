// SPDX-License-Identifier: Apache-2.0
// What becomes of a matrix product before its implementation runs: batches are collapsed, great depths are cut into
// blocks.
#include "exec/matmul.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/dtypes.hpp"
#include "base/log.hpp"
#include "exec/matmul_epilogue.hpp"
#include "exec/matmul_routes.hpp"
#include "exec/reduce.hpp"
#include "graph/infer.hpp"

namespace koine::exec {
namespace {

std::string_view route_name(MatmulRoute route) {
  switch (route) {
    case MatmulRoute::nothing: return "nothing";
    case MatmulRoute::zeros: return "zeros";
    case MatmulRoute::host: return "host";
    case MatmulRoute::vector: return "vector";
    case MatmulRoute::blas: return "blas";
    case MatmulRoute::widened: return "widened";
    case MatmulRoute::packed: return "packed";
    case MatmulRoute::small: return "small";
    case MatmulRoute::many: return "many";
    case MatmulRoute::ptx: return "ptx";
    case MatmulRoute::matrix: return "matrix";
    case MatmulRoute::clblast: return "clblast";
    case MatmulRoute::tile: return "tile";
  }
  return "?";
}

struct BatchAxis {
  std::int64_t size, a, b;
};

/// Writes the batch with as few axes as there can be: those that walk both operands in even steps become one, and those
/// along which all matrices meet the same other one become rows of a single larger product. Whether the operands
/// changed places.
bool collapse_batch(MatmulProblem& p) {
  std::vector<BatchAxis> axes;
  for (std::size_t i = 0; i < p.batch.size(); ++i) {
    const BatchAxis axis{p.batch[i], p.a.batch_strides[i], p.b.batch_strides[i]};
    if (axis.size == 1) continue;
    if (!axes.empty() && axes.back().a == axis.size * axis.a && axes.back().b == axis.size * axis.b) {
      axes.back() = {axes.back().size * axis.size, axis.a, axis.b};
    } else {
      axes.push_back(axis);
    }
  }
  const bool ordered = p.fixed && is_complex(p.dtype);  // a * b adds up in another order than b * a
  const bool swaps = p.n == 1 && p.m != 1 && !axes.empty() && axes.back().a == 0 && !ordered;
  if (swaps) {
    // One matrix times many columns: as many rows times the transposed matrix.
    std::swap(p.a, p.b);
    std::swap(p.a.row_stride, p.a.column_stride);
    std::swap(p.b.row_stride, p.b.column_stride);
    std::swap(p.m, p.n);
    for (BatchAxis& axis : axes) std::swap(axis.a, axis.b);
  }
  while (!axes.empty() && axes.back().b == 0 && (p.m == 1 || axes.back().a == p.m * p.a.row_stride)) {
    if (p.m == 1) p.a.row_stride = axes.back().a;
    p.m *= axes.back().size;
    axes.pop_back();
  }
  p.batch.clear();
  p.a.batch_strides.clear();
  p.b.batch_strides.clear();
  for (const BatchAxis& axis : axes) {
    p.batch.push_back(axis.size);
    p.a.batch_strides.push_back(axis.a);
    p.b.batch_strides.push_back(axis.b);
  }
  return swaps;
}

/// The problem as kernels take it. Whether the operands changed places.
bool collapse(const DeviceTraits& traits, MatmulProblem& p) {
  const bool swapped = collapse_batch(p);
  p.split = p.split && traits.ptx_sm90a && worth_splitting(p);
  return swapped;
}

MatmulWork prepare_piece(Programs& programs, runtime::Queue& queue, MatmulRoute route, const MatmulPiece& piece) {
  switch (route) {
    case MatmulRoute::nothing:
    case MatmulRoute::widened: break;
    case MatmulRoute::zeros:
      return [&queue, piece](const MatmulMemory& memory) {
        const auto elements = static_cast<std::uint64_t>(piece.batch.count() * piece.m * piece.n);
        queue.fill_zero(memory.out, static_cast<std::uint64_t>(piece.out_offset) * size_of(piece.dtype),
                        elements * size_of(piece.dtype), "matmul");
      };
    case MatmulRoute::host: return prepare_host(programs, queue, piece);
    case MatmulRoute::vector: return prepare_vector(programs, queue, piece);
    case MatmulRoute::blas: return prepare_blas(programs, queue, piece);
    case MatmulRoute::packed: return prepare_packed(programs, queue, piece);
    case MatmulRoute::small: return prepare_small(programs, queue, piece);
    case MatmulRoute::many: return prepare_many(programs, queue, piece);
    case MatmulRoute::ptx: return prepare_ptx(programs, queue, piece);
    case MatmulRoute::matrix: return prepare_matrix(programs, queue, piece);
    case MatmulRoute::clblast: return prepare_clblast(programs, queue, piece);
    case MatmulRoute::tile: return prepare_tile(programs, queue, piece);
  }
  return [](const MatmulMemory&) {};
}

/// Takes the axes of the batch from `axis` on; those beyond the last four are walked here.
void prepare_batch(Programs& programs, runtime::Queue& queue, MatmulRoute route, const MatmulProblem& p,
                   std::size_t axis, MatmulPiece piece, std::vector<MatmulWork>& works) {
  const std::size_t count = p.batch.size(), kernel_axes = piece.batch.sizes.size();
  if (count - axis > kernel_axes) {
    std::int64_t results = p.m * p.n;
    for (std::size_t i = axis + 1; i < count; ++i) results *= p.batch[i];
    for (std::int64_t i = 0; i < p.batch[axis]; ++i) {
      prepare_batch(programs, queue, route, p, axis + 1, piece, works);
      piece.a.offset += p.a.batch_strides[axis];
      piece.b.offset += p.b.batch_strides[axis];
      piece.out_offset += results;
    }
    return;
  }
  for (std::size_t i = axis; i < count; ++i) {
    const std::size_t at = kernel_axes - count + i;
    piece.batch.sizes[at] = p.batch[i];
    piece.batch.a_strides[at] = p.a.batch_strides[i];
    piece.batch.b_strides[at] = p.b.batch_strides[i];
  }
  works.push_back(prepare_piece(programs, queue, route, piece));
}

MatmulWork prepare_batch(Programs& programs, runtime::Queue& queue, MatmulRoute route, const MatmulProblem& p,
                         const MatmulPiece& piece) {
  std::vector<MatmulWork> works;
  prepare_batch(programs, queue, route, p, 0, piece, works);
  if (works.size() == 1) return std::move(works[0]);
  return [works = std::move(works)](const MatmulMemory& memory) {
    for (const MatmulWork& work : works) work(memory);
  };
}

/// The most of the depth that an implementation takes at once, so that rounding errors stay small, and few results
/// leave no compute unit without work.
std::int64_t most_depth(const DeviceTraits& traits, const MatmulProblem& p, MatmulRoute route) {
  constexpr std::int64_t fixed = 4096;      // changing this changes results
  constexpr std::int64_t running = 4096;    // a tile keeps one sum of each result
  constexpr std::int64_t packed = 1 << 20;  // a CPU adds up sums of 128 or more
  if (is_integer(p.dtype)) return p.k;
  if (p.fixed) return fixed;
  if (route == MatmulRoute::blas) return blas_depth(p);
  if (route == MatmulRoute::packed) return packed;
  if (route == MatmulRoute::ptx) return ptx_depth(traits, p);
  if (route == MatmulRoute::small) return small_depth(traits, p);
  if (route == MatmulRoute::tile) return std::min(running, shared_depth(traits, p, 2, 128));
  if (route == MatmulRoute::many) return staged_depth(traits, p);
  return route == MatmulRoute::matrix ? running : p.k;
}

MatmulProblem rows_of(MatmulProblem p, std::int64_t first, std::int64_t count) {
  p.a.offset += first * p.a.row_stride;
  p.m = count;
  return p;
}

/// A run of matrices along the first axis of the batch.
MatmulProblem matrices_of(MatmulProblem p, std::int64_t first, std::int64_t count) {
  p.a.offset += first * p.a.batch_strides[0];
  p.b.offset += first * p.b.batch_strides[0];
  p.batch[0] = count;
  if (count == 1) {
    for (auto* list : {&p.batch, &p.a.batch_strides, &p.b.batch_strides}) list->erase(list->begin());
  }
  return p;
}

/// `count` blocks of the depth from `first` on, as one more axis of the batch.
MatmulProblem blocks_of(MatmulProblem p, std::int64_t first, std::int64_t count, std::int64_t depth) {
  p.a.offset += first * p.a.column_stride;
  p.b.offset += first * p.b.row_stride;
  p.k = depth;
  p.batch.insert(p.batch.begin(), count);
  p.a.batch_strides.insert(p.a.batch_strides.begin(), depth * p.a.column_stride);
  p.b.batch_strides.insert(p.b.batch_strides.begin(), depth * p.b.row_stride);
  return p;
}

/// Whether the sums of all blocks of a depth take little enough memory.
bool fits_at_once(const DeviceTraits& traits, const MatmulProblem& p, std::int64_t depth) {
  constexpr std::int64_t least_bytes = 256 << 20;
  const std::int64_t most_bytes = std::max(least_bytes, static_cast<std::int64_t>(traits.memory / 64));
  const auto size = static_cast<std::int64_t>(size_of(graph::accumulation_type(p.dtype)));
  return (p.k + depth - 1) / depth * p.matrices() * p.m * p.n <= most_bytes / size;
}

/// A product in blocks of the depth, whose sums are added up by the tree of fixed reductions (codegen/reduce.hpp).
/// `part`: it is a part of the results, from `out_offset` on.
MatmulWork prepare_deep(Programs& programs, runtime::Queue& queue, MatmulRoute route, const MatmulProblem& p,
                        std::int64_t depth, std::int64_t out_offset = 0, bool part = false) {
  constexpr std::int64_t fewest_rows = 256;
  const DType type = graph::accumulation_type(p.dtype);
  const std::int64_t results = p.matrices() * p.m * p.n, whole = p.k / depth, rest = p.k % depth,
                     blocks = whole + (rest > 0 ? 1 : 0);
  if (!fits_at_once(queue.traits(), p, depth)) {
    const auto halves = [&](auto half_of, std::int64_t count, std::int64_t first) -> MatmulWork {
      const auto half = [&](std::int64_t from, std::int64_t of) {
        return prepare_deep(programs, queue, route, half_of(p, from, of), depth, out_offset + results / count * from,
                            true);
      };
      return [one = half(0, first), two = half(first, count - first)](const MatmulMemory& memory) {
        one(memory);
        two(memory);
      };
    };
    if (!p.batch.empty()) return halves(matrices_of, p.batch[0], p.batch[0] / 2);
    if (p.m >= 2 * fewest_rows) return halves(rows_of, p.m, p.m / 2 / fewest_rows * fewest_rows);
  }
  /// The blocks' sums, in memory while they are added up.
  struct Total {
    graph::NodeRef sums;
    codegen::Body body;
    std::unique_ptr<const Reduction> reduction;
  };
  const auto total = std::make_shared<Total>();
  graph::Place place;
  place.context = &queue.context();
  const Shape shape{blocks, results};
  total->sums = graph::make_leaf(type, graph::row_major(shape), nullptr, place);
  total->body = stored_body({total->sums}, shape, total->sums.get());
  const Reduction::Order order{
      {{{graph::ReduceKind::sum, {0}}, p.dtype}}, true, p.epilogue ? &p.epilogue->body() : nullptr};
  total->reduction = std::make_unique<Reduction>(programs, queue, total->body, order, place, "matmul");
  const auto multiply = [&](const MatmulProblem& some, std::int64_t block, std::int64_t block_depth) {
    const MatmulPiece piece{p.dtype, p.m,    p.n,     some.k, {},      some.a,       some.b,     block * results,
                            p.fixed, p.tf32, p.split, true,   nullptr, p.one_memory, block_depth};
    return prepare_batch(programs, queue, route, some, piece);
  };
  std::vector<MatmulWork> products;
  if (route == MatmulRoute::ptx && ptx_takes_blocks(queue.traits(), p, depth)) {
    products.push_back(multiply(p, 0, depth));
  } else {
    products.push_back(multiply(blocks_of(p, 0, whole, depth), 0, 0));
    if (rest > 0) products.push_back(multiply(blocks_of(p, whole * depth, 1, rest), whole, 0));
  }
  const auto bytes = [](std::int64_t count, DType of) { return static_cast<std::uint64_t>(count) * size_of(of); };
  return [=, &queue, dtype = p.dtype, products = std::move(products)](const MatmulMemory& memory) {
    total->sums->storage = queue.allocate(bytes(blocks * results, type), "matmul");
    for (const MatmulWork& product : products) product({memory.a, memory.b, *total->sums->storage});
    const runtime::BufferRef own = part ? queue.allocate(bytes(results, dtype), "matmul") : nullptr;
    const runtime::Buffer* out = part ? own.get() : &memory.out;
    total->reduction->run({&out, 1});
    if (part) queue.copy(memory.out, bytes(out_offset, dtype), *out, 0, bytes(results, dtype), "matmul");
    total->sums->storage = nullptr;
  };
}

MatmulWork prepare_collapsed(Programs& programs, runtime::Queue& queue, const MatmulProblem& p) {
  const MatmulChoice choice = choose_matmul(queue.traits(), p);
  if (base::log_enabled(base::LogTopic::launch)) {
    base::log_line(base::LogTopic::launch, "matmul " + std::string(name(p.dtype)) + " " + std::to_string(p.m) + "x" +
                                               std::to_string(p.k) + "x" + std::to_string(p.n) + " runs as " +
                                               std::string(route_name(choice.route)) + ": " + std::string(choice.why));
  }
  if (choice.route == MatmulRoute::widened) {
    return prepare_widened(programs, queue, p,
                           [&](const MatmulProblem& wide) { return prepare_collapsed(programs, queue, wide); });
  }
  const std::int64_t depth = most_depth(queue.traits(), p, choice.route);
  const MatmulPiece piece{p.dtype, p.m,     p.n,    p.k,     {},    p.a,        p.b,
                          0,       p.fixed, p.tf32, p.split, false, p.epilogue, p.one_memory};
  return p.k > depth ? prepare_deep(programs, queue, choice.route, p, depth)
                     : prepare_batch(programs, queue, choice.route, p, piece);
}

}  // namespace

bool reads_through_casts(const DeviceTraits& traits, const MatmulProblem& casts, const MatmulProblem& apart) {
  MatmulProblem p = casts, stored = apart;
  collapse(traits, p);
  collapse(traits, stored);
  return choose_matmul(traits, p).route == choose_matmul(traits, stored).route;
}

bool is_one_chain(const DeviceTraits& traits, const MatmulProblem& problem) {
  MatmulProblem p = problem;
  collapse(traits, p);
  const MatmulRoute route = choose_matmul(traits, p).route;
  return (route == MatmulRoute::packed || (route == MatmulRoute::vector && is_integer(p.dtype))) &&
         p.k <= most_depth(traits, p, route);
}

bool takes_epilogue(const DeviceTraits& traits, const MatmulProblem& problem) {
  // A CPU's element-wise kernel works in wide vectors on what the caches hold, or is no kernel at all but a host step;
  // a product's kernel would be compiled anew for each epilogue.
  if (traits.cpu_loops()) return false;
  MatmulProblem p = problem;
  collapse(traits, p);
  const MatmulRoute route = choose_matmul(traits, p).route;
  // The kernel that adds up blocks of the depth takes what is no type of 16 bits and lies in the order of the results.
  if (const std::int64_t depth = most_depth(traits, p, route); p.k > depth) {
    const bool plain = p.epilogue == nullptr || p.epilogue->in_order();
    return (p.dtype == float32 || p.dtype == float64) && plain && fits_at_once(traits, p, depth);
  }
  return route == MatmulRoute::vector || route == MatmulRoute::small || route == MatmulRoute::many ||
         route == MatmulRoute::tile || route == MatmulRoute::matrix ||
         (route == MatmulRoute::ptx && ptx_takes_epilogue(traits, p));
}

std::int64_t shared_depth(const DeviceTraits& traits, const MatmulProblem& p, std::int64_t each, std::int64_t least) {
  const auto divide_up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t tiles = divide_up(p.m, 64) * divide_up(p.n, 64) * p.matrices();
  const std::int64_t blocks = std::min(each * traits.compute_units / tiles, p.k / least);
  // Adding up the blocks' sums takes a launch, and so does a last block that is shorter than the others.
  if (blocks < 2 || p.k < 4 * least) return p.k;
  for (std::int64_t even = blocks; even > blocks / 2; --even) {
    if (p.k % (16 * even) == 0) return p.k / even;
  }
  return divide_up(divide_up(p.k, blocks), 64) * 64;
}

BlasLayout blas_layout(const MatmulOperand& operand, std::int64_t rows, std::int64_t columns) {
  // The stride of an axis with one element says nothing.
  const bool row_unit = rows == 1 || operand.row_stride == 1;
  const bool column_unit = columns == 1 || operand.column_stride == 1;
  if (column_unit && rows == 1) return {false, columns};
  if (column_unit && operand.row_stride >= columns) return {false, operand.row_stride};
  if (row_unit && columns == 1) return {true, rows};
  if (row_unit && operand.column_stride >= rows) return {true, operand.column_stride};
  return {};
}

MatmulTaking prepare_taking(Programs& programs, runtime::Queue& queue, const MatmulProblem& problem,
                            std::int64_t corner) {
  const DeviceTraits& traits = queue.traits();
  if (!ptx_takes(traits, problem)) return nullptr;
  MatmulProblem one = problem;
  one.batch.clear();
  const MatmulRoute route = choose_matmul(traits, one).route;
  if (route != MatmulRoute::ptx || one.k > most_depth(traits, one, route)) return nullptr;
  MatmulPiece piece{one.dtype, one.m, one.n, one.k, {}, one.a, one.b};
  piece.corner = std::clamp(corner, -one.m, one.n);
  try {
    return prepare_ptx_taking(programs, queue, piece);
  } catch (const ProgramRefused&) {
    return nullptr;
  }
}

MatmulWork prepare_product(Programs& programs, runtime::Queue& queue, const MatmulProblem& problem) {
  MatmulProblem p = problem;
  const bool swapped = collapse(queue.traits(), p);
  p.host_memory = queue.context().works_in_host_memory();
  MatmulWork work;
  try {
    work = prepare_collapsed(programs, queue, p);
  } catch (const ProgramRefused&) {
    p.portable = true;
    if (p.epilogue && !takes_epilogue(queue.traits(), p)) throw;  // the kernel that takes its place does not
    work = prepare_collapsed(programs, queue, p);
  }
  if (!swapped) return work;
  return [work = std::move(work)](const MatmulMemory& memory) { work({memory.b, memory.a, memory.out}); };
}

}  // namespace koine::exec
