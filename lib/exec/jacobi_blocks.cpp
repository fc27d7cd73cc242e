// SPDX-License-Identifier: Apache-2.0
// Launching kernels/jacobi_blocks.cl.
#include "exec/jacobi_blocks.hpp"

#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"
#include "graph/infer.hpp"
#include "runtime/launch.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace koine::exec {
namespace {

// KN_DEPTH; what a row takes is a multiple of it.
constexpr std::uint64_t lanes = 16;
// Far more than rows of any size take: some ten.
constexpr std::uint32_t most_sweeps = 60;
// Sweeps that nearly all matrices take, after which the host looks whether that was all.
constexpr std::uint32_t sure_sweeps = 5;
// Elements of the matrices that are worked on at once: more of them would not make a card busier.
constexpr std::uint64_t most_elements = std::uint64_t{1} << 26;
// Of local memory: what cards have for a group, and what kernels take beside the two matrices of a pair of blocks.
constexpr std::uint64_t most_local = 48 << 10, besides = 2 << 10;

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

std::uint64_t round_up(std::uint64_t n, std::uint64_t step) { return (n + step - 1) / step * step; }

/// Bytes of a matrix with two blocks of rows and columns; in rows that are one longer.
std::uint64_t side_bytes(DType type, std::uint64_t block, std::uint64_t more = 0) {
  return 2 * block * (2 * block + more) * size_of(type);
}

/// Rows of a block, or 0.
std::uint64_t block_for(const DeviceTraits& traits, DType type) {
  const std::uint64_t local = std::min(traits.local_memory, most_local);
  for (const std::uint64_t block : {32, 16, 8}) {
    if (side_bytes(type, block) + side_bytes(type, block, 1) + besides <= local) return block;
  }
  return 0;
}

}  // namespace

struct JacobiBlocks::Some {
  parameters::kn_jacobi d;
  parameters::kn_jacobi_blocks blocks;
  runtime::BufferRef rows, turns, squares, scales, turned;
};

bool JacobiBlocks::suits(const runtime::Queue& queue, const SpectraProblem& problem) {
  const DeviceTraits& traits = queue.traits();
  return !traits.cpu_loops() && !traits.quirks.loops_end_early && traits.max_group >= group_size &&
         block_for(traits, problem.type) > 0;
}

JacobiBlocks::JacobiBlocks(Programs& programs, runtime::Queue& queue, const SpectraProblem& problem)
    : queue_(queue),
      problem_(problem),
      block_(block_for(queue.traits(), problem.type)),
      pairs_(round_up(problem.rows, 2 * block_) / (2 * block_)),
      row_(round_up(problem.columns, lanes)),
      turns_(problem.vectors && !problem.hermitian ? round_up(problem.rows, lanes) : 0) {
  const auto kernel = [&](std::string_view entry) {
    return programs.kernel_of_file("jacobi_blocks", BlocksSpec{problem.type, problem.hermitian, block_}, entry);
  };
  largest_ = kernel("jacobi_largest");
  load_ = kernel("jacobi_load");
  products_ = kernel("jacobi_products");
  turn_ = kernel("jacobi_turns");
  apply_ = kernel("jacobi_apply");
  values_ = kernel("jacobi_values");
  results_ = kernel("jacobi_results");
  if (problem.hermitian) {
    shift_ = kernel("jacobi_shift");
    quotients_ = kernel("jacobi_quotients");
  } else {
    complete_ = kernel("jacobi_complete");
  }
}

void JacobiBlocks::run(const SpectraMemory& memory, const std::shared_ptr<runtime::Fault>& fault) const {
  const SpectraProblem& p = problem_;
  const std::uint64_t bytes = size_of(graph::real_part(p.type)), parts = is_complex(p.type) ? 2 : 1;
  const std::uint64_t row_bytes = parts * row_ * bytes, turn_bytes = parts * turns_ * bytes;
  const std::uint64_t at_once = std::clamp<std::uint64_t>(most_elements / (p.kept * row_), 1, p.batch);
  for (std::uint64_t first = 0; first < p.batch; first += at_once) {
    const std::uint64_t matrices = std::min(at_once, p.batch - first);
    // So many groups that each compute unit has two.
    const std::uint64_t wanted = 2 * queue_.traits().compute_units / (matrices * pairs_) + 1;
    const std::uint64_t columns = round_up(std::max(row_ / wanted, 4 * lanes), lanes);
    const Some some{.d = {.batch = p.batch,
                          .rows = p.rows,
                          .columns = p.columns,
                          .offset = memory.offset,
                          .kept = p.kept,
                          .row = row_,
                          .turns = turns_,
                          .room = 0,
                          .vectors = p.vectors,
                          .sweeps = std::clamp(most_steps.load(), 1U, most_sweeps)},
                    .blocks = {.first = first,
                               .matrices = matrices,
                               .pairs = pairs_,
                               .parts = (row_ + columns - 1) / columns,
                               .columns = columns,
                               .sweep = 0,
                               .round = 0},
                    .rows = queue_.allocate(matrices * p.kept * row_bytes, p.function),
                    .turns = turns_ > 0 ? queue_.allocate(matrices * p.rows * turn_bytes, p.function) : nullptr,
                    .squares = queue_.allocate(matrices * p.rows * bytes, p.function),
                    .scales = queue_.allocate(matrices * bytes, p.function),
                    .turned = queue_.allocate(matrices * most_sweeps * sizeof(std::uint32_t), p.function)};
    load(some, memory, fault);
    Some done = some;
    done.blocks.sweep = sweep(some);
    finish(done, memory, fault);
  }
}

void JacobiBlocks::load(const Some& some, const SpectraMemory& memory,
                        const std::shared_ptr<runtime::Fault>& fault) const {
  const std::uint64_t matrices = some.blocks.matrices, rows = matrices * problem_.rows;
  const runtime::BufferRef largest =
      queue_.allocate(rows * size_of(graph::real_part(problem_.type)), problem_.function);
  queue_.fill_zero(*some.turned, 0, some.turned->size(), problem_.function);
  {
    runtime::Launch launch(queue_, largest_);
    launch.in(memory.from).out(*largest).value(some.d).value(some.blocks).run({rows * group_size}, {group_size});
  }
  {
    runtime::Launch launch(queue_, load_);
    launch.in(memory.from).in(*largest).out(*some.rows).out(some.turns ? *some.turns : *some.rows);
    launch.out(*some.squares).out(*some.scales).fault(fault).value(some.d).value(some.blocks);
    launch.run({matrices * problem_.kept * group_size}, {group_size});
  }
  if (!problem_.hermitian) return;
  runtime::Launch launch(queue_, shift_);
  launch.out(*some.rows).in(*some.squares).value(some.d).run({matrices * group_size}, {group_size});
}

std::uint32_t JacobiBlocks::sweep(const Some& some) const {
  const parameters::kn_jacobi& d = some.d;
  parameters::kn_jacobi_blocks blocks = some.blocks;
  const DType type = problem_.type;
  const std::uint64_t matrices = blocks.matrices, pairs = matrices * blocks.pairs, side = 2 * block_;
  const std::uint64_t tiles = (d.row + side - 1) / side + (d.turns + side - 1) / side;
  const auto allocate = [&](std::uint64_t bytes) { return queue_.allocate(bytes, problem_.function); };
  const runtime::BufferRef products = allocate(pairs * blocks.parts * side_bytes(type, block_)),
                           turns = allocate(pairs * side_bytes(type, block_)),
                           turns_pair = allocate(pairs * sizeof(std::uint32_t));
  std::vector<std::uint32_t> turned(matrices);
  for (;; ++blocks.sweep) {
    for (blocks.round = 0; blocks.round < 2 * blocks.pairs - 1; ++blocks.round) {
      {
        runtime::Launch launch(queue_, products_);
        launch.in(*some.rows).out(*products).in(*some.turned).value(d).value(blocks);
        launch.run({pairs * blocks.parts * group_size}, {group_size});
      }
      {
        runtime::Launch launch(queue_, turn_);
        launch.in(*products).out(*turns).out(*some.turned).out(*turns_pair).value(d).value(blocks);
        launch.local(side_bytes(type, block_)).local(side_bytes(type, block_)).run({pairs * group_size}, {group_size});
      }
      runtime::Launch launch(queue_, apply_);
      launch.out(*some.rows).out(some.turns ? *some.turns : *some.rows).in(*turns).in(*some.turned).in(*turns_pair);
      launch.value(d).value(blocks).local(side_bytes(type, block_)).local(side_bytes(type, block_, 1));
      launch.run({pairs * tiles * group_size}, {group_size});
    }
    if (blocks.sweep + 1 == d.sweeps) return blocks.sweep;
    if (blocks.sweep + 1 < sure_sweeps) continue;
    const std::uint64_t bytes = matrices * sizeof(std::uint32_t);
    queue_.peek(*some.turned, blocks.sweep * bytes, turned.data(), bytes, problem_.function);
    if (std::ranges::all_of(turned, [](std::uint32_t any) { return any == 0; })) return blocks.sweep;
  }
}

void JacobiBlocks::finish(const Some& some, const SpectraMemory& memory,
                          const std::shared_ptr<runtime::Fault>& fault) const {
  const SpectraProblem& p = problem_;
  const parameters::kn_jacobi& d = some.d;
  const std::uint64_t matrices = some.blocks.matrices, side = 2 * block_, tiles = (p.rows + side - 1) / side;
  const std::uint64_t bytes = size_of(graph::real_part(p.type)), parts = is_complex(p.type) ? 2 : 1;
  const auto allocate = [&](std::uint64_t elements) { return queue_.allocate(elements * bytes, p.function); };
  const runtime::BufferRef lengths = allocate(matrices * p.kept);
  const std::size_t rows = matrices * p.kept * group_size;
  if (p.hermitian) {
    const runtime::BufferRef found = allocate(matrices * tiles * p.rows * 2);
    {
      runtime::Launch launch(queue_, quotients_);
      launch.in(memory.from).in(*some.rows).in(*some.scales).out(*found).value(d).value(some.blocks);
      launch.run({matrices * tiles * tiles * group_size}, {group_size});
    }
    runtime::Launch launch(queue_, values_);
    launch.out(*some.rows).out(*lengths).in(*found).value(d).run({rows}, {group_size});
  } else {
    {
      runtime::Launch launch(queue_, values_);
      launch.out(*some.rows).out(*lengths).value(d).run({rows}, {group_size});
    }
    if (p.vectors) {
      const runtime::BufferRef room = allocate(matrices * (p.kept * parts + row_));
      runtime::Launch launch(queue_, complete_);
      launch.out(*some.rows).out(*lengths).out(*room).value(d).run({matrices * group_size}, {group_size});
    }
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
