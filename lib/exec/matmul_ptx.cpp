// SPDX-License-Identifier: Apache-2.0
// Matrix products by programs in PTX: which program, how the operands lie for the copy engine, and copies of those that
// it cannot read.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/rounding.hpp"
#include "codegen/ptx_matmul.hpp"
#include "exec/families.hpp"
#include "exec/kernel_run.hpp"
#include "exec/matmul_epilogue.hpp"
#include "exec/matmul_ptx_side.hpp"
#include "exec/matmul_ptx_tiles.hpp"
#include "exec/matmul_trial.hpp"
#include "exec/trial.hpp"
#include "runtime/launch.hpp"

namespace koine::exec {
namespace {

using base::divide_up;
using base::round_up;
using codegen::PtxMatmul;
using codegen::PtxMatmulBlock;

/// An operand's copy, whose lines begin at multiples of 16 bytes, in memory while the product is enqueued.
struct Copy {
  std::shared_ptr<codegen::Step> step = std::make_shared<codegen::Step>();
  graph::NodeRef source, result;
  graph::Destination destination;
  std::uint64_t bytes = 0;
  Work work;
};

std::shared_ptr<Copy> prepare_copy(Programs& programs, runtime::Queue& queue, const Side& side, bool along,
                                   Side& copied) {
  // As unsigned integers, which nothing converts.
  const DType type = side.size == 2 ? DType::uint16 : side.size == 4 ? DType::uint32 : DType::uint64;
  copied = side;
  copied.offset = 0;
  const std::int64_t pitch = round_up(side.inner(along), aligned_bytes / side.size);
  (along ? copied.depth_stride : copied.line_stride) = 1;
  (along ? copied.line_stride : copied.depth_stride) = pitch;
  std::int64_t elements = pitch * side.outer(along);
  graph::Layout from, to;
  from.offset = side.offset;
  for (std::size_t axis = side.sizes.size(); axis-- > 0;) {
    copied.strides[axis] = side.walks(axis) ? elements : 0;
    if (side.walks(axis)) elements *= side.sizes[axis];
  }
  const auto add_axis = [&](std::int64_t size, std::int64_t from_stride, std::int64_t to_stride) {
    from.shape.push_back(size);
    from.strides.push_back(from_stride);
    to.shape.push_back(size);
    to.strides.push_back(to_stride);
  };
  for (std::size_t axis = 0; axis < side.sizes.size(); ++axis) {
    if (side.walks(axis)) add_axis(side.sizes[axis], side.strides[axis], copied.strides[axis]);
  }
  add_axis(side.outer(along), side.outer_stride(along), copied.outer_stride(along));
  add_axis(side.inner(along), side.inner_stride(along), 1);

  auto copy = std::make_shared<Copy>();
  graph::Place place;
  place.context = &queue.context();
  copy->bytes = static_cast<std::uint64_t>(elements * side.size);
  copy->source = graph::make_leaf(type, from, nullptr, place);
  copy->result = graph::make_leaf(type, to, nullptr, place);
  copy->destination.layout = to;
  copy->step->family = graph::Op::elementwise;
  copy->step->node = copy->result.get();
  copy->step->body = stored_body({copy->source}, from.shape, copy->result.get());
  copy->step->body.outputs[0].destination = &copy->destination;
  copy->work = prepare_elementwise(programs, queue, *copy->step);
  return copy;
}

/// The copy of what is in `memory`.
runtime::BufferRef run(Copy& copy, runtime::Queue& queue, const runtime::Buffer& memory) {
  runtime::BufferRef result = queue.allocate(copy.bytes, "matmul");
  // Only read, and held by whoever runs the product.
  copy.source->storage = runtime::BufferRef(runtime::BufferRef(), const_cast<runtime::Buffer*>(&memory));
  copy.destination.storage = result;
  copy.work();
  copy.source->storage = nullptr;
  copy.result->storage = nullptr;
  copy.destination.storage = nullptr;
  return result;
}

/// The same of an operand that is split in two, as codegen/ptx_matmul.hpp says.
struct Split {
  std::function<void(const runtime::Buffer&, runtime::Buffer&)> work;
  std::uint64_t bytes = 0;
};

Split prepare_halves(Programs& programs, runtime::Queue& queue, const Side& side, Side& copied) {
  copied = side;
  copied.offset = 0;
  copied.depth_stride = 1;
  copied.line_stride = round_up(side.depth, aligned_bytes / side.size);
  std::int64_t elements = 2 * side.lines * copied.line_stride;
  SplitOperand operand{side.lines,        side.depth,         side.offset, side.line_stride,
                       side.depth_stride, copied.line_stride, {},          {}};
  for (std::size_t axis = side.sizes.size(); axis-- > 0;) {
    const bool walks = side.walks(axis);
    operand.sizes[axis] = walks ? side.sizes[axis] : 1;
    operand.strides[axis] = walks ? side.strides[axis] : 0;
    copied.strides[axis] = walks ? elements : 0;
    if (walks) elements *= side.sizes[axis];
  }
  return {prepare_split(programs, queue, operand), static_cast<std::uint64_t>(elements * side.size)};
}

PtxMatmulBlock::Map map_of(const Side& side, bool along) {
  PtxMatmulBlock::Map map{};
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::uint64_t>(elements * side.size); };
  const std::int64_t least = round_up(side.inner(along), aligned_bytes / side.size);
  map.offset = bytes(side.offset);
  map.sizes[0] = static_cast<std::uint32_t>(side.inner(along));
  map.sizes[1] = static_cast<std::uint32_t>(side.outer(along));
  map.strides[0] = bytes(side.outer(along) > 1 ? side.outer_stride(along) : least);
  for (std::size_t i = 0; i < 3; ++i) {  // the inner axes first
    const std::size_t axis = side.sizes.size() - 1 - i;
    map.sizes[2 + i] = side.walks(axis) ? static_cast<std::uint32_t>(side.sizes[axis]) : 1;
    map.strides[1 + i] = side.walks(axis) ? bytes(side.strides[axis]) : map.strides[0];
  }
  return map;
}

}  // namespace

bool suits_ptx(const DeviceTraits& traits, const MatmulProblem& p) {
  if (!traits.ptx_sm90a && !traits.ptx_sm80) return false;
  if (p.dtype != float16 && p.dtype != bfloat16 && p.dtype != float64 && p.dtype != float32) return false;
  // Smaller ones would leave most of a tile empty.
  constexpr std::int64_t fewest = 32, least_depth = 16;
  // Tiles, rows and columns are counted in 32 bits.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 256;
  if (p.k < least_depth || std::max({p.m, p.n, p.k}) > most) return false;
  std::int64_t matrices = 1;
  for (const std::int64_t size : p.batch) matrices *= size;
  const Side a = side_a(p, p.batch, p.a.batch_strides), b = side_b(p, p.batch, p.b.batch_strides);
  if (suits_lone_fetching(traits, p, matrices, a, b) || suits_fetching(traits, p, matrices, a, b)) return true;
  if (ptx_is_tall(traits, p)) return true;
  if (std::min(p.m, p.n) < fewest) return false;
  if (divide_up(p.m, 64) * divide_up(p.n, 64) > most / matrices) return false;
  // An operand that has to be copied: each element then takes part in as many products as the other has lines.
  constexpr std::int64_t enough = 128;
  if (p.split) return true;  // copied anyway
  return (p.n >= enough || way_of(a, !p.tf32)) && (p.m >= enough || way_of(b, !(p.tf32 && traits.ptx_sm80)));
}

bool ptx_takes_epilogue(const DeviceTraits& traits, const MatmulProblem& p) {
  const bool along = way_of(side_b(p, p.batch, p.b.batch_strides), false).has_value();
  const bool turned = p.tf32 && !p.split && !along;
  // A launch has three axes of the batch, so that a result's row follows from its matrix.
  if (traits.ptx_sm80 || p.dtype == float64 || turned || p.batch.size() > 3) return false;
  return p.epilogue == nullptr || p.epilogue->in_ptx(p.n) != nullptr;
}

bool ptx_takes(const DeviceTraits& traits, const MatmulProblem& p) {
  return traits.ptx_sm90a && !p.fixed && !p.tf32 && !p.split && (p.dtype == float32 || p.dtype == float64) &&
         std::all_of(p.batch.begin(), p.batch.end(), [](std::int64_t size) { return size == 1; });
}

bool worth_splitting(const MatmulProblem& p) {
  constexpr std::int64_t enough = 256;
  return std::min(p.m, p.n) >= enough && p.k >= enough;
}

bool ptx_takes_blocks(const DeviceTraits& traits, const MatmulProblem& p, std::int64_t depth) {
  constexpr std::int64_t stage = 32;
  return traits.ptx_sm90a && p.dtype == float32 && !p.tf32 && !p.split && p.batch.size() <= 4 && depth % stage == 0;
}

namespace {

runtime::ProgramText ptx_text(const PtxMatmul& program) {
  return {.source = codegen::print_ptx_matmul(program),
          .options = "",
          .entry = program.name(),
          .about = program.signature(),
          .assembly = true};
}

/// Enqueues a piece whose operands lie as the program takes them, and whose results go to where the target is, if the
/// program takes them from it.
void launch_ptx(runtime::Queue& queue, const runtime::KernelRef& kernel, const PtxMatmul& program, const MatmulPiece& p,
                const runtime::Buffer& a_memory, const runtime::Buffer& b_memory, const MatmulTarget& target) {
  const std::int64_t out_size = program.wide_results() ? 4 : program.size();
  PtxMatmulBlock block{};
  block.m = static_cast<std::uint32_t>(p.m);
  block.n = static_cast<std::uint32_t>(p.n);
  const std::int64_t depth = program.blocks ? p.block_depth : p.k, blocks = blocks_of(p);
  block.k = static_cast<std::uint32_t>(depth);
  block.steps = static_cast<std::uint32_t>(divide_up(depth, program.depth()));
  block.down = static_cast<std::uint32_t>(divide_up(p.m, program.rows));
  block.across = static_cast<std::uint32_t>(divide_up(p.n, program.columns));
  block.batch[0] = static_cast<std::uint32_t>(p.batch.sizes[3]);
  block.batch[1] = static_cast<std::uint32_t>(p.batch.sizes[2]);
  Side a = side_a(p), b = side_b(p);
  block.corner = static_cast<std::int32_t>(p.corner);
  Side out{p.m, p.n, target.offset, target.row_stride, 1, listed(p.batch.sizes), Axes(4), out_size};
  std::int64_t results = p.m * p.n;
  for (std::size_t axis = out.sizes.size(); axis-- > 0; results *= out.sizes[axis]) out.strides[axis] = results;
  for (std::size_t i = 0; i < 3; ++i) {
    block.a_walks[i] = a.walks(3 - i);
    block.b_walks[i] = b.walks(3 - i);
  }
  const std::int64_t outer = p.batch.sizes[0];  // walked here: the copy engine has five axes
  block.block_tiles = static_cast<std::uint32_t>(tiles_of(program, p) * p.batch.count() / outer);
  block.block_matrices = static_cast<std::uint32_t>(p.batch.count());
  block.tiles = block.block_tiles * static_cast<std::uint32_t>(blocks);
  const std::int64_t at_once = program.groups_of_unit() * std::int64_t{queue.traits().compute_units};
  const auto groups = static_cast<std::size_t>(program.sm80     ? block.tiles
                                               : program.spread ? spread_groups(block.tiles, block.steps, at_once)
                                                                : std::min<std::int64_t>(at_once, block.tiles));
  const auto items = static_cast<std::size_t>(program.items());
  std::size_t scratch_bytes = (program.sm80 ? 1 : groups) * PtxMatmulBlock::scratch_bytes;
  if (program.spread) {
    block.whole = static_cast<std::uint32_t>(whole_tiles(block.tiles, static_cast<std::int64_t>(groups)));
    scratch_bytes += 2 * groups * static_cast<std::size_t>(4 * program.rows * program.columns);
  }
  const runtime::BufferRef scratch = queue.allocate(scratch_bytes, "matmul");
  for (std::int64_t i = 0; i < outer; ++i) {
    block.a = map_of(a, program.a_along);
    block.b = map_of(b, program.b_along);
    block.out = map_of(out, true);
    if (program.split) {
      block.a.sizes[1] *= 2;
      block.b.sizes[1] *= 2;
    }
    runtime::Launch launch(queue, kernel);
    launch.in(a_memory).in(b_memory).out(target.buffer).out(*scratch);
    // All launches of the queue leave them as they were: what one depends on, others do not.
    if (program.spread) launch.in(queue.zero_words("matmul"));
    launch.value(block);
    if (program.epilogue) p.epilogue->add(launch, *program.epilogue);
    launch.run({groups * items}, {items});
    a.offset += a.strides[0];
    b.offset += b.strides[0];
    out.offset += out.strides[0];
  }
}

/// Tries a program out by more than a tile each way, more stages than the ring has, and ends within them.
void try_ptx(runtime::Queue& queue, const PtxMatmul& program) {
  const std::int64_t depth = program.stages() * program.depth() + program.depth() / 2 + 3;
  const std::int64_t lines = program.aligned ? 60 : 59;
  const MatmulTrial trial{.type = program.type,
                          .out_type = program.wide_results() ? float32 : program.type,
                          .m = program.gram ? lines : program.rows + (program.lone ? 7 : 56),
                          .n = program.gram ? lines : program.columns + (program.lone ? lines - 52 : lines - 36),
                          .k = depth,
                          .batches = program.batched ? 3 : 1,
                          .block_depth = program.blocks ? 3 * program.depth() : 0,
                          .a_along = program.a_along,
                          .b_along = program.b_along,
                          .parts = program.parts,
                          .split = program.split,
                          .loose = program.loose,
                          .taken = program.taken,
                          .gram = program.gram};
  try_out(queue, program.signature(), ptx_text(program), [&](const runtime::KernelRef& kernel) {
    return multiplies(queue, trial, [&](const MatmulPiece& piece, const MatmulMemory& memory) {
      launch_ptx(queue, kernel, program, piece, memory.a, memory.b, {memory.out, 0, piece.n});
    });
  });
}

/// What it gives enqueues the piece, whose results go to where the target is, or are taken from it.
MatmulTaking prepare_program(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece, bool taken) {
  MatmulPiece p = piece;
  PtxMatmul program{.type = p.dtype,
                    .tf32 = p.tf32 || p.split,
                    .split = p.split,
                    .batched = p.batch.count() > p.batch.sizes[0],
                    .sm80 = queue.traits().ptx_sm80,
                    .blocks = p.block_depth > 0,
                    .taken = taken,
                    .epilogue = p.epilogue ? p.epilogue->in_ptx(p.n) : nullptr};
  program.parts = size_of(p.dtype) == 2 && (p.parts || (program.epilogue && program.epilogue->type() == float32));
  /// What makes an operand that the program takes; nothing where it lies so.
  std::function<runtime::BufferRef(const runtime::Buffer&)> copies[2];
  const auto arrange = [&](const Side& side, bool across_too, bool& along, auto& copy) {
    if (program.split) {
      along = true;
      Side copied;
      copy = [&queue, split = prepare_halves(programs, queue, side, copied)](const runtime::Buffer& memory) {
        runtime::BufferRef result = queue.allocate(split.bytes, "matmul");
        split.work(memory, *result);
        return result;
      };
      return copied;
    }
    if (const auto way = program.loose ? loose_way_of(side) : way_of(side, across_too)) {
      along = *way;
      return side;
    }
    // In the order in which it is read best, where there is a choice.
    along = !across_too || std::abs(side.depth_stride) <= std::abs(side.line_stride);
    Side copied;
    copy = [&queue, work = prepare_copy(programs, queue, side, along, copied)](const runtime::Buffer& memory) {
      return run(*work, queue, memory);
    };
    return copied;
  };
  const Side given_a = side_a(p), given_b = side_b(p);
  const std::int64_t matrices = p.batch.count() * blocks_of(p);
  program.lone = !taken && suits_lone_fetching(queue.traits(), p, matrices, given_a, given_b);
  program.loose = program.lone || (!taken && suits_fetching(queue.traits(), p, matrices, given_a, given_b));
  const Side a = arrange(given_a, !p.tf32, program.a_along, copies[0]);
  const Side b = arrange(given_b, !(p.tf32 && program.sm80), program.b_along, copies[1]);
  p.a = {a.offset, a.line_stride, a.depth_stride, {}};
  p.b = {b.offset, b.depth_stride, b.line_stride, {}};
  std::copy(a.strides.begin(), a.strides.end(), p.batch.a_strides.begin());
  std::copy(b.strides.begin(), b.strides.end(), p.batch.b_strides.begin());
  choose_tile(program, p, queue.traits(), !program.epilogue && is_gram(piece));
  if (program.gram) copies[1] = nullptr;
  const std::int64_t unit = aligned_bytes / (program.wide_results() ? 4 : program.size());
  program.aligned = taken || (p.n % unit == 0 && p.out_offset % unit == 0);

  /// Whether an evaluation has to find out first whether a program is right. Throws where it is not.
  const auto wants_trial = [&](const std::string& signature, const auto& trial) {
    const std::optional<bool> verdict = trial_verdict(queue.context(), signature);
    if (!verdict.value_or(true)) throw ProgramRefused();
    return !verdict && programs.need("trial of " + signature, trial);
  };
  const MatmulTaking later = [](const runtime::Buffer&, const runtime::Buffer&, const MatmulTarget&) {};
  PtxMatmul alone = program;  // an epilogue changes nothing of what is multiplied to find out
  alone.epilogue = nullptr;
  if (wants_trial(alone.signature(), [&queue, alone] { try_ptx(queue, alone); })) return later;
  if (program.epilogue) {  // of which the driver may refuse the text
    const std::string signature = program.signature();
    const auto build = [&queue, signature, program] {
      try_out(queue, signature, ptx_text(program), [](const runtime::KernelRef&) { return true; });
    };
    if (wants_trial(signature, build)) return later;
  }
  const runtime::KernelRef kernel = programs.kernel(program.signature(), [&] { return ptx_text(program); });
  return [&queue, p, program, kernel, a_copy = copies[0], b_copy = copies[1]](
             const runtime::Buffer& a_memory, const runtime::Buffer& b_memory, const MatmulTarget& target) {
    const runtime::BufferRef left = a_copy ? a_copy(a_memory) : nullptr;
    const runtime::BufferRef right = b_copy ? b_copy(b_memory) : nullptr;
    launch_ptx(queue, kernel, program, p, left ? *left : a_memory, right ? *right : b_memory, target);
  };
}

}  // namespace

MatmulWork prepare_ptx(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece) {
  return [offset = piece.out_offset, pitch = piece.n,
          work = prepare_program(programs, queue, piece, false)](const MatmulMemory& memory) {
    work(memory.a, memory.b, {memory.out, offset, pitch});
  };
}

MatmulTaking prepare_ptx_taking(Programs& programs, runtime::Queue& queue, const MatmulPiece& piece) {
  return prepare_program(programs, queue, piece, true);
}

}  // namespace koine::exec
