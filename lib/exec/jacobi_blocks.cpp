// SPDX-License-Identifier: Apache-2.0
// Launching kernels/jacobi_blocks.cl.
#include "exec/jacobi_blocks.hpp"

#include "base/rounding.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "graph/infer.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace koine::exec {
namespace {

// KN_DEPTH, which decides the order of sums; what a row takes is a multiple of it.
constexpr std::uint64_t lanes = 16;
// Rows and columns of Hermitian matrices are a multiple of it, and of two blocks of any type.
constexpr std::uint64_t hermitian_rows = 64;
// KN_TILE_GROUP: work-items that compute a tile of products.
constexpr std::uint64_t tile_group = 64;
// Elements of the matrices that are worked on at once: more of them would not make a card busier.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 26;
// Of local memory: what cards have for a group, and what kernels take beside the two matrices of a pair of blocks.
constexpr std::uint64_t most_local = 48 << 10, besides = 3 << 10;

struct BlocksSpec {
  DType type;
  bool hermitian;
  std::uint64_t block;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_DOUBLE", size_of(graph::real_part(type)) == 8);
    v.define("KN_COMPLEX", is_complex(type));
    v.define("KN_HERMITIAN", static_cast<int>(hermitian));
    v.define("KN_BLOCK", static_cast<int>(block));
  }
};

using base::round_up;

/// Bytes of a matrix with two blocks of rows and columns; in rows that are `more` longer.
std::uint64_t side_bytes(DType type, std::uint64_t block, std::uint64_t more = 0) {
  return 2 * block * (2 * block + more) * size_of(type);
}

/// Rows of a block, or 0.
std::uint64_t block_for(const DeviceTraits& traits, DType type) {
  const std::uint64_t local = std::min(traits.local_memory, most_local);
  for (const std::uint64_t block : {32, 16, 8}) {
    if (2 * side_bytes(type, block, block / 4) + besides <= local) return block;
  }
  return 0;
}

bool is_double(DType type) { return size_of(graph::real_part(type)) == 8; }

/// KN_TURN_GROUP: work-items that turn a tile. Where they are a whole group of those that find turns, such groups turn
/// the vectors by the last ones meanwhile.
std::uint64_t turn_group_of(DType type) { return is_double(type) ? tile_group : group_size; }

/// The same problem in float32, with vectors.
SpectraProblem in_single(SpectraProblem problem) {
  problem.type = is_complex(problem.type) ? DType::complex64 : DType::float32;
  problem.vectors = true;
  return problem;
}

}  // namespace

struct JacobiBlocks::Some {
  parameters::kn_jacobi d;
  parameters::kn_jacobi_blocks blocks;
  runtime::BufferRef rows, turns, squares, scales, limits, turned;
};

bool JacobiBlocks::suits(const runtime::Queue& queue, const SpectraProblem& problem) {
  const DeviceTraits& traits = queue.traits();
  return !traits.cpu_loops() && !traits.quirks.loops_end_early && traits.max_group >= group_size &&
         block_for(traits, problem.type) > 0;
}

JacobiBlocks::JacobiBlocks(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem,
                           std::uint64_t block)
    : queue_(queue),
      problem_(problem),
      block_(block),
      pairs_(round_up(problem.rows, problem.hermitian ? hermitian_rows : 2 * block) / (2 * block)),
      row_(round_up(problem.columns, problem.hermitian ? hermitian_rows : lanes)),
      turns_(!problem.vectors    ? 0
             : problem.hermitian ? row_
                                 : round_up(problem.rows, lanes)) {
  const BlocksSpec spec{problem.type, problem.hermitian, block};
  turn_ = programs.kernel_of_file("jacobi_blocks", spec, "jacobi_turns");
  apply_ = programs.kernel_of_file("jacobi_blocks", spec, "jacobi_apply");
}

JacobiBlocks::JacobiBlocks(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem)
    : JacobiBlocks(programs, queue, problem, block_for(queue.traits(), problem.type)) {
  const auto kernel = [&](std::string_view entry) {
    return programs.kernel_of_file("jacobi_blocks", BlocksSpec{problem.type, problem.hermitian, block_}, entry);
  };
  largest_ = kernel("jacobi_largest");
  load_ = kernel("jacobi_load");
  values_ = kernel("jacobi_values");
  results_ = kernel("jacobi_results");
  if (!problem.hermitian) {
    products_ = kernel("jacobi_products");
    complete_ = kernel("jacobi_complete");
    return;
  }
  limit_ = kernel("jacobi_limit");
  if (!is_double(problem.type)) return;
  const std::uint64_t at_once = matrices_at_once(), left = problem.batch % at_once;
  std::vector<std::uint64_t> stacks{at_once};
  if (left > 0) stacks.push_back(left);
  precision_.emplace(programs, queue, problem.type, row_, stacks, problem.function);
  const SpectraProblem single = in_single(problem);
  single_.reset(new JacobiBlocks(programs, queue, single, block_for(queue.traits(), single.type)));
}

std::uint64_t JacobiBlocks::matrices_at_once() const {
  const SpectraProblem& p = problem_;
  // What one takes, or what its pairs do if that is more.
  const std::uint64_t elements = std::max((p.hermitian ? row_ : p.kept) * row_, pairs_ * 4 * block_ * block_);
  return std::clamp<std::uint64_t>(most_elements / elements, 1, p.batch);
}

void JacobiBlocks::run(const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const {
  const SpectraProblem& p = problem_;
  const std::uint64_t at_once = matrices_at_once();
  for (std::uint64_t first = 0; first < p.batch; first += at_once) {
    Some some = some_from(first, std::min(at_once, p.batch - first), memory.offset);
    load(some, memory, fault);
    // Sweeps that nearly all matrices take, after which the host looks whether that was all.
    const std::uint32_t sure_sweeps = single_ || some.blocks.inner > 1 ? 2 : 5;
    if (!single_ || !turn_with_single(some)) sweep(some, sure_sweeps);
    finish(some, memory, fault);
  }
}

JacobiBlocks::Some JacobiBlocks::some_from(std::uint64_t first, std::uint64_t matrices, std::uint64_t offset) const {
  const SpectraProblem& p = problem_;
  const std::uint64_t bytes = size_of(graph::real_part(p.type)), parts = is_complex(p.type) ? 2 : 1;
  const std::uint64_t rows = p.hermitian ? row_ : p.kept, rows_of_turns = p.hermitian ? row_ : p.rows;
  const auto allocate = [&](std::uint64_t size) { return queue_.allocate(matrices * size, p.function); };
  // So many groups that each compute unit has two.
  const std::uint64_t shares = 2 * queue_.traits().compute_units / (matrices * pairs_) + 1;
  const std::uint64_t columns = round_up(std::max(row_ / shares, 4 * lanes), lanes);
  const std::uint32_t sweeps = most_sweeps();
  return {.d = {.batch = p.batch,
                .rows = p.rows,
                .columns = p.columns,
                .offset = offset,
                .kept = p.kept,
                .row = row_,
                .turns = turns_,
                .room = 0,
                .vectors = p.vectors,
                .sweeps = sweeps},
          .blocks = {.first = first,
                     .matrices = static_cast<std::uint32_t>(matrices),
                     .pairs = static_cast<std::uint32_t>(pairs_),
                     .parts = static_cast<std::uint32_t>((row_ + columns - 1) / columns),
                     .columns = static_cast<std::uint32_t>(columns),
                     .sweep = 0,
                     .round = 0,
                     .turning = 0,
                     // All rows are one pair's: what turns them is found without leaving local memory.
                     .inner = p.hermitian && pairs_ == 1 ? sweeps : 1},
          .rows = allocate(rows * parts * row_ * bytes),
          .turns = turns_ > 0 ? allocate(rows_of_turns * parts * turns_ * bytes) : nullptr,
          .squares = allocate(p.rows * bytes),
          .scales = allocate(bytes),
          .limits = allocate(2 * bytes),
          .turned = allocate(sweeps * sizeof(std::uint32_t))};
}

void JacobiBlocks::load(const Some& some, const SpectraMemory& memory,
                        const std::shared_ptr<runtime::Fault>& fault) const {
  const std::uint64_t matrices = some.blocks.matrices, rows = matrices * problem_.rows;
  const runtime::BufferRef largest =
      queue_.allocate(rows * size_of(graph::real_part(problem_.type)), problem_.function);
  {
    runtime::Launch launch(queue_, largest_);
    launch.in(memory.from).out(*largest).value(some.d).value(some.blocks).run({rows * group_size}, {group_size});
  }
  {
    runtime::Launch launch(queue_, load_);
    launch.in(memory.from).in(*largest).out(*some.rows).out(some.turns ? *some.turns : *some.rows);
    launch.out(*some.squares).out(*some.scales).fault(fault).value(some.d).value(some.blocks);
    launch.run({matrices * (problem_.hermitian ? row_ : problem_.kept) * group_size}, {group_size});
  }
  if (!problem_.hermitian) return;
  runtime::Launch launch(queue_, limit_);
  launch.in(*some.squares).out(*some.limits).value(some.d).run({matrices * group_size}, {group_size});
}

bool JacobiBlocks::turn_with_single(Some& some) const {
  const std::uint64_t matrices = some.blocks.matrices;
  Some single = single_->some_from(some.blocks.first, matrices, 0);
  const JacobiPrecision::Turned turned =
      precision_->turn({matrices, some.rows, some.limits, some.turns},
                       {single.rows, single.turns, single.limits, [&](std::uint32_t least) {
                          single.blocks.sweep = 0;
                          single_->sweep(single, least);
                        }});
  some.rows = turned.values;
  if (some.turns) some.turns = turned.turns;
  if (turned.diagonal) queue_.fill_zero(*some.turned, 0, some.turned->size(), problem_.function);
  return turned.diagonal;
}

void JacobiBlocks::sweep(Some& some, std::uint32_t sure_sweeps) const {
  const parameters::kn_jacobi& d = some.d;
  parameters::kn_jacobi_blocks& blocks = some.blocks;
  const DType type = problem_.type;
  const std::uint64_t matrices = blocks.matrices, pairs = matrices * blocks.pairs, side = 2 * block_;
  const std::uint64_t vector_tiles = (d.turns + side - 1) / side, turn_group = turn_group_of(type);
  const bool late = turn_group == group_size;
  const std::uint64_t tiles =
      (problem_.hermitian ? blocks.pairs : (d.row + side - 1) / side) + (late ? 0 : vector_tiles);
  const auto allocate = [&](std::uint64_t bytes) { return queue_.allocate(bytes, problem_.function); };
  runtime::BufferRef products;
  if (!problem_.hermitian) products = allocate(pairs * blocks.parts * side_bytes(type, block_));
  // Of a round, and of the one before.
  runtime::BufferRef turns = allocate(pairs * side_bytes(type, block_)),
                     turns_pair = allocate(pairs * sizeof(std::uint32_t)), turns_before = allocate(turns->size()),
                     turns_pair_before = allocate(turns_pair->size());
  queue_.fill_zero(*some.turned, 0, some.turned->size(), problem_.function);
  // Compute units that have no pair share what there is to turn.
  const std::uint64_t units = queue_.traits().compute_units, late_tiles = late ? pairs * vector_tiles : 0,
                      late_groups = std::min(late_tiles, 2 * pairs <= units ? units - pairs : late_tiles);
  const auto find = [&](std::uint64_t turning, std::uint64_t others) {
    blocks.turning = static_cast<std::uint32_t>(turning);
    runtime::Launch launch(queue_, turn_);
    launch.in(products ? *products : *some.rows).out(*turns).out(*some.turned).out(*turns_pair).in(*some.limits);
    launch.out(some.turns ? *some.turns : *some.rows).in(*turns_before).in(*turns_pair_before);
    launch.value(d).value(blocks).run({(turning + others) * group_size}, {group_size});
  };
  std::vector<std::uint32_t> turned(matrices);
  for (bool more = true; more; blocks.sweep += more ? 1 : 0) {
    for (blocks.round = 0; blocks.round < 2 * blocks.pairs - 1; ++blocks.round) {
      if (products) {
        runtime::Launch launch(queue_, products_);
        launch.in(*some.rows).out(*products).in(*some.turned).value(d).value(blocks);
        launch.run({pairs * blocks.parts * tile_group}, {tile_group});
      }
      find(pairs, blocks.sweep + blocks.round > 0 ? late_groups : 0);
      runtime::Launch launch(queue_, apply_);
      launch.out(*some.rows).out(some.turns ? *some.turns : *some.rows).in(*turns).in(*some.turned).in(*turns_pair);
      launch.value(d).value(blocks).run({pairs * tiles * turn_group}, {turn_group});
      std::swap(turns, turns_before);
      std::swap(turns_pair, turns_pair_before);
    }
    more = blocks.sweep + 1 < d.sweeps;
    if (!more || blocks.sweep + 1 < sure_sweeps) continue;
    const std::uint64_t bytes = matrices * sizeof(std::uint32_t);
    queue_.peek(*some.turned, blocks.sweep * bytes, turned.data(), bytes, problem_.function);
    more = std::ranges::any_of(turned, [](std::uint32_t any) { return any != 0; });
  }
  // By what the last round found, which is the one before a round of no pairs.
  if (late_tiles > 0) find(0, late_tiles);
}

void JacobiBlocks::finish(const Some& some, const SpectraMemory& memory,
                          const std::shared_ptr<runtime::Fault>& fault) const {
  const SpectraProblem& p = problem_;
  const parameters::kn_jacobi& d = some.d;
  const std::uint64_t matrices = some.blocks.matrices, rows = matrices * p.kept * group_size;
  const std::uint64_t bytes = size_of(graph::real_part(p.type)), parts = is_complex(p.type) ? 2 : 1;
  const auto allocate = [&](std::uint64_t elements) { return queue_.allocate(elements * bytes, p.function); };
  const runtime::BufferRef lengths = allocate(matrices * p.kept);
  {
    runtime::Launch launch(queue_, values_);
    if (p.hermitian) {
      launch.in(*some.rows).out(some.turns ? *some.turns : *some.rows);
    } else {
      launch.out(*some.rows);
    }
    launch.out(*lengths).value(d).run({rows}, {group_size});
  }
  if (!p.hermitian && p.vectors) {
    const runtime::BufferRef room = allocate(matrices * (p.kept * parts + row_));
    runtime::Launch launch(queue_, complete_);
    launch.out(*some.rows).out(*lengths).out(*room).value(d).run({matrices * group_size}, {group_size});
  }
  const auto or_values = [&](const runtime::BufferRef& buffer) -> const runtime::Buffer& {
    return buffer ? *buffer : *memory.values;
  };
  runtime::Launch launch(queue_, results_);
  launch.in(*some.rows).in(some.turns ? *some.turns : *some.rows).in(*lengths).in(*some.scales).in(*some.turned);
  launch.out(*memory.values).out(or_values(memory.left)).out(or_values(memory.right)).fault(fault);
  launch.value(d).value(some.blocks).run({rows}, {group_size});
}

}  // namespace koine::exec
