// SPDX-License-Identifier: Apache-2.0
// How the operands of a reduction are walked.
#include "base/rounding.hpp"
#include "codegen/reduce.hpp"

#include "codegen/ordering.hpp"
#include "codegen/print_walk.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace koine::codegen {
namespace {

// All of these decide the order of sums, so that none is a row of tuning.
// Elements of one block: few enough that rounding errors stay small within it, enough to keep a work-item or a group
// busy. Neither depends on the device, so that the order of the additions between blocks does not. A GPU has smaller
// blocks where there would be few: each keeps a group busy for a round of loads, of moments for a chunk.
constexpr std::int64_t block_elements = 32768;
constexpr std::int64_t fewest_of_group = 4096, fewest_of_group_in_chunks = 8192, enough_blocks = 512;
constexpr std::int64_t longest_chain = 4096;  // of elements that are added to one value in turn
constexpr std::int64_t segment_elements = 4096;
constexpr std::int64_t enough_items = 1 << 16;  // to fill a GPU with columns, each with several loads under way
constexpr std::int64_t fewest_rows = 32;        // of a block of columns
constexpr std::int64_t fewest_rows_of_item = 8;
constexpr std::int64_t most_lanes = 32;      // a group's work-items read at least a line of memory side by side
constexpr std::int64_t vectors_of_item = 4;  // of a row that several work-items share
constexpr std::int64_t most_rounds = 8;
// Of a GPU's work-item whose vectors, several at once, would take more registers than it has.
constexpr std::size_t dear_lines = 64, dear_loads = 8;
constexpr std::int64_t longest_gathered_row = 64;
constexpr std::int64_t fewest_gathered_rows = 4;
constexpr std::int64_t longest_together = 64;  // in vectors
constexpr int cpu_tile = 16;
// Of moments, for each work-item: registers of a GPU; of a CPU the nearest cache has room for a tile's vectors too.
constexpr int chunk_bytes = 128;
constexpr std::int64_t enough_rows = 1 << 11;  // to fill a GPU by a few work-items each
constexpr int cpu_chunk = 16;
constexpr int cpu_chains = 4;
constexpr std::size_t longest_chained_body = 8;  // in lines: longer ones keep a CPU busy by themselves
constexpr int widest_position = 4;               // of a GPU's vectors: their positions take 64 bits each
// Of the fixed tree: changing these changes results.
constexpr std::int64_t fixed_block = 4096;
constexpr std::int64_t fixed_values = 32;
constexpr std::int64_t fixed_tile_bytes = 16384;  // of a CPU's tile of running values: half of the smallest first cache

using base::divide_up;

/// The axes of `domain` in `axes` (or the others), with every load's strides and seams along them, merged.
graph::Collapsed part(const Body& body, const std::vector<std::size_t>& axes, bool listed,
                      std::vector<WalkSeam>& merged_seams) {
  Shape shape;
  std::vector<Shape> strides(body.loads.size());
  std::vector<std::vector<graph::Seam>> seams(body.loads.size());
  for (std::size_t axis = 0; axis < body.domain.size(); ++axis) {
    if (std::binary_search(axes.begin(), axes.end(), axis) != listed) continue;
    for (std::size_t k = 0; k < strides.size(); ++k) {
      strides[k].push_back(body.loads[k].layout.strides[axis]);
      for (const graph::Seam& seam : body.loads[k].seams) {
        if (seam.axis == axis) seams[k].push_back({shape.size(), seam.at, seam.jump, seam.turn});
      }
    }
    shape.push_back(body.domain[axis]);
  }
  const auto seams_of = [&](std::size_t k) -> const std::vector<graph::Seam>& { return seams[k]; };
  graph::Collapsed result;
  graph::collapse(
      shape, strides.size(), [&](std::size_t k) -> const Shape& { return strides[k]; }, result,
      [&](std::size_t axis) { return begins_apart(shape, axis, seams.size(), seams_of); });
  merge_seams(shape, result, seams.size(), seams_of, merged_seams);
  if (result.shape.empty()) result.add_axis(1, 0);
  return result;
}

/// Whether loads move more evenly along the last axis of `a` than along that of `b`: fewer of them by other steps than
/// 0 and 1, or as many and more by 1. Where all move by those alone, the longer axis is better.
bool reads_better(const graph::Collapsed& a, const graph::Collapsed& b) {
  const auto steps = [](const graph::Collapsed& axes) {
    std::pair<std::size_t, std::size_t> count{0, 0};  // by other steps, by 0
    for (std::size_t k = 0; k < axes.layouts; ++k) {
      if (axes.step(k) == 0)
        ++count.second;
      else if (axes.step(k) != 1)
        ++count.first;
    }
    return count;
  };
  const auto of_a = steps(a), of_b = steps(b);
  return of_a.first + of_b.first == 0 ? a.shape.back() > b.shape.back() : of_a < of_b;
}

/// Whether rows are read better than columns as narrow as a point's coordinates, though their elements lie apart. What
/// a card reads across these columns it reads again for each, in lines that neighbours share along the rows; of a CPU's
/// vectors they would fill a few lanes, and take as long as whole ones.
bool has_narrow_columns(const ReduceWalk& walk) {
  constexpr std::int64_t long_row = 256;
  const std::int64_t narrow = walk.cpu ? walk.width / 4 : 4;
  if (walk.fixed || walk.kept.shape.back() > narrow || walk.reduced.shape.back() < long_row) return false;
  bool repeated = walk.cpu;
  for (std::size_t k = 0; k < walk.kept.layouts; ++k) {
    const std::int64_t across = walk.kept.step(k), along = walk.reduced.step(k);
    if (std::abs(along) > narrow) return false;
    repeated = repeated || (across == 0 && along == 1);
  }
  return repeated;
}

/// Whether a CPU reads columns better than rows once it has copied what lies apart along them, as one of two sets of
/// points is for the distances of each from each: a vector then holds as many results, whatever a row's length is.
bool has_columns_to_copy(const ReducePass& pass, const ReduceWalk& walk) {
  const Body& body = *pass.body;
  if (!walk.cpu || walk.fixed || walk.width == 1 || walk.kept.shape.back() < walk.width) return false;
  if (body.domain.elements() < fewest_ordered || graph::info(pass.kind).state != graph::State::value) return false;
  bool copied = false;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    const std::int64_t step = walk.kept.step(k);
    if (!load.seams.empty()) return false;
    if (step == 0 || step == 1 || load.iota) continue;
    if (!is_worth_ordering(load, body.domain)) return false;
    copied = true;
  }
  return copied;
}

/// Whether rows are no longer than a vector.
bool is_one_vector(const ReduceWalk& walk) { return !walk.columns && walk.innermost().shape.back() <= walk.width; }

/// Whether a load's elements are the same for all results but those of a vector, and lie apart or are of a row that is
/// no whole number of vectors; in a loop only of rows of one vector, and of no more rounds than a work-item keeps
/// vectors.
bool is_steady(const ReduceWalk& walk, const Body& body, std::size_t k) {
  const Load& load = body.loads[k];
  const std::int64_t step = walk.innermost().step(k);
  const bool part = !walk.columns && walk.innermost().shape.back() % walk.width != 0;
  if (step == 0 || (step == 1 && !part) || load.iota || load.take || load.draw() || !load.seams.empty()) return false;
  if (load.loop >= 0 &&
      !(is_one_vector(walk) && body.loops[static_cast<std::size_t>(load.loop)].count <= most_steady)) {
    return false;
  }
  bool same = true;
  for (std::size_t axis = 0; axis + (walk.columns ? 1 : 0) < walk.kept.shape.size(); ++axis) {
    same = same && walk.kept.stride(k, axis) == 0;
  }
  return same;
}

/// Whether there are many rows, and a row, or a column of vectors that each are all of a row, is no more vectors than a
/// work-item keeps.
bool keeps_steady(const ReduceWalk& walk) {
  if (!walk.columns && walk.kept.shape.elements() < walk.width) return false;
  const std::int64_t most = most_steady * (walk.columns ? 1 : walk.width);
  return walk.cpu && !walk.fixed && walk.width > 1 && walk.reduced.shape.size() == 1 &&
         walk.reduced.shape.back() <= most && (!walk.columns || walk.innermost().shape.back() <= walk.width);
}

/// Chooses how a CPU takes short rows, whose vectors it would be slow to take apart for a result each: as many rows as
/// a vector has elements are folded at once, or, where rows would be read element by element, each vector is gathered
/// from neighbouring rows, as if they were columns.
void choose_short_rows(ReduceWalk& walk, const Body& body) {
  const std::int64_t inner = walk.reduced.shape.back();
  if (!walk.cpu || walk.width == 1 || walk.columns || walk.kept.shape.elements() < walk.width) return;
  bool in_vectors = walk.reduced.shape.size() == 1 && 2 * inner >= walk.width;
  bool whole = inner % walk.width == 0, at_hand = true;  // whether vectors are whole, or read no row's memory
  walk.dense = walk.kept.shape.size() == 1;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const std::int64_t step = walk.reduced.step(k);
    const bool steady = keeps_steady(walk) && is_steady(walk, body, k);
    in_vectors = in_vectors && (step == 0 || step == 1 || body.loads[k].iota || steady);
    at_hand = at_hand && (step == 0 || steady);
    walk.dense = walk.dense && (step == 0 || steady || body.loads[k].iota || walk.kept.step(k) == inner);
    // Behind a row's end lie the positions of other rows, and other pieces.
    walk.dense = walk.dense && !body.loads[k].take && body.loads[k].seams.empty();
  }
  whole = whole || walk.dense || at_hand;
  walk.together = in_vectors && whole && !walk.fixed && inner <= longest_together * walk.width;
  walk.dense = walk.dense && walk.together;
  if (walk.together || walk.reduced.shape.elements() > longest_gathered_row) return;
  const std::int64_t beside = walk.kept.shape.back();
  walk.columns = beside >= walk.width;
  // Broadcasting keeps neighbours apart, as the components of a mixture beside each point: what there are of them still
  // fill more of a vector than a row does.
  if (walk.columns || walk.fixed || beside < fewest_gathered_rows || 2 * inner > walk.width || beside < inner) return;
  walk.columns = true;
  walk.width = static_cast<int>(std::bit_floor(static_cast<std::uint64_t>(beside)));
}

/// The running values that elements fall to: combining with one that none fell to changes nothing, but for products of
/// complex numbers.
std::int64_t values_in_use(const ReducePass& pass, std::int64_t elements) {
  const bool all = pass.kind == graph::ReduceKind::prod && is_complex(pass.result);
  return all || elements >= fixed_values ? fixed_values : std::int64_t(std::bit_ceil(std::uint64_t(elements)));
}

/// Vectors that a work-item keeps to take moments of.
int chunk_of(const ReducePass& pass, const ReduceWalk& walk) {
  if (graph::info(pass.kind).state != graph::State::moments || pass.partial) return 0;
  const int vector = walk.width * static_cast<int>(size_of(combined_type(pass)));
  return walk.cpu ? cpu_chunk : std::max(chunk_bytes / vector, 1);
}

/// Elements of a block of rows of so many elements.
std::int64_t block_of_rows(const ReduceWalk& walk, std::int64_t elements) {
  if (walk.fixed) return fixed_block;
  if (walk.cpu) return std::min(block_elements, longest_chain * walk.width);
  if (elements <= block_elements) return block_elements;
  const auto share = static_cast<std::uint64_t>(divide_up(elements * walk.kept.shape.elements(), enough_blocks));
  return std::clamp(static_cast<std::int64_t>(std::bit_ceil(share)),
                    walk.chunk > 0 ? fewest_of_group_in_chunks : fewest_of_group, block_elements);
}

void divide_rows(ReduceWalk& walk, const ReducePass& pass, const DeviceTraits& traits) {
  const std::int64_t inner = walk.reduced.shape.back(), elements = walk.reduced.shape.elements();
  const std::int64_t block = block_of_rows(walk, elements);
  const std::int64_t longest = walk.fixed ? 1 : std::min(inner, segment_elements);
  const std::int64_t segment = walk.cpu ? longest : walk.width;
  const std::int64_t row_segments = divide_up(inner, segment), segments = elements / inner * row_segments;
  // A vector adds a segment of a short row to the same few of its values.
  const std::int64_t per_block = std::clamp<std::int64_t>(block / (walk.fixed ? segment : std::min(segment, inner)), 1,
                                                          walk.cpu && !walk.fixed ? longest_chain : block);
  const std::int64_t blocks = divide_up(segments, per_block), units = walk.kept.shape.elements() * blocks;
  const std::int64_t share = units / (std::int64_t{traits.tuning.items_per_core} * traits.compute_units);
  const std::int64_t least = divide_up(traits.tuning.reduce_elements_per_item, std::min(elements, block));
  bool few_parts = false;
  if (walk.fixed) {
    const auto vectors = static_cast<int>(divide_up(values_in_use(pass, elements), walk.width));
    (walk.cpu ? walk.tile : walk.lanes) = vectors;
    walk.ragged = walk.cpu && walk.reduced.shape.size() > 1 && inner % fixed_values != 0;
  } else {
    // Of the blocks of few rows, however many there are: one program for all.
    few_parts = !walk.cpu && pass.partial && walk.kept.shape.elements() <= fewest_rows;
    // A chunk's moments are worth taking of several vectors, too.
    const std::int64_t shares = divide_up(segments, std::max<std::int64_t>(walk.chunk / 2, vectors_of_item));
    walk.lanes = walk.cpu ? 1 : shares >= 128 ? 256 : shares >= 16 || few_parts ? 32 : shares >= 4 ? 4 : 1;
    // To combine moments takes divisions: where rows alone are many, fewer work-items share one.
    if (walk.chunk > 0 && units >= enough_rows) walk.lanes = std::min(walk.lanes, 32);
  }
  if (walk.cpu && !walk.fixed && walk.width > 1) {
    const graph::State state = graph::info(pass.kind).state;
    const bool value = state == graph::State::value && pass.several.empty();
    if (value && pass.body->lines.size() <= longest_chained_body && inner >= cpu_chains * walk.width) {
      walk.chains = cpu_chains;
    }
    walk.skims =
        state == graph::State::position && !pass.partial && !walk.together && inner >= 2 * skimmed_vectors * walk.width;
  }
  if (!walk.cpu) {
    const std::int64_t rounds = divide_up(std::min(segments, per_block), walk.lanes);
    if (rounds <= most_rounds && walk.chunk == 0 && blocks == 1 && !few_parts) {
      walk.rounds = static_cast<int>(std::bit_ceil(std::uint64_t(rounds)));
    }
    if (pass.body->lines.size() > dear_lines || pass.body->loads.size() > dear_loads) walk.rounds = 1;
    walk.whole = inner % walk.width == 0;
  }
  walk.inner = std::uint64_t(inner);
  walk.row_segments = std::uint64_t(row_segments);
  walk.segments = std::uint64_t(segments);
  walk.segment = std::uint64_t(segment);
  walk.blocks = std::uint64_t(blocks);
  walk.per_block = std::uint64_t(per_block);
  walk.units = std::uint64_t(units);
  walk.units_per_item = walk.cpu ? std::uint64_t(std::max(least, share)) : 1;
  walk.together = walk.together && blocks == 1;
  if (walk.together) {
    const auto width = static_cast<std::uint64_t>(walk.width);
    walk.units_per_item = (walk.units_per_item + width - 1) / width * width;
  }
}

/// A name of the block, with the number of the reduction where there are several.
ParamBlock::Name finish_name(const char* name, const ReducePass& pass, std::size_t number) {
  return pass.several.empty() ? ParamBlock::Name(name) : ParamBlock::Name(name, number);
}

/// Among how many work-items of a group the rows of a vector of columns fall, of which there are `across`: as many as
/// fill a GPU, while each has several rows and neighbours read whole lines.
int column_lanes(std::int64_t across, std::int64_t rows) {
  const auto floor = [](std::int64_t x) {
    return std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(x, 1))));
  };
  const auto ceil = [](std::int64_t x) { return std::int64_t(std::bit_ceil(std::uint64_t(x))); };
  const std::int64_t most = std::max(most_lanes, reduce_group / std::min<std::int64_t>(ceil(across), reduce_group));
  return static_cast<int>(std::min({most, floor(rows / fewest_rows_of_item), ceil(divide_up(enough_items, across))}));
}

void divide_columns(ReduceWalk& walk, const ReducePass& pass, const DeviceTraits& traits) {
  const std::int64_t inner = walk.kept.shape.back(), rows = walk.reduced.shape.elements();
  std::int64_t most_vectors = cpu_tile;
  if (walk.fixed) {
    walk.lanes = static_cast<int>(values_in_use(pass, rows));
    const auto vector = walk.width * static_cast<std::int64_t>(size_of(combined_type(pass)));
    most_vectors = std::clamp<std::int64_t>(fixed_tile_bytes / (walk.lanes * vector), 1, cpu_tile);
  }
  const std::int64_t vectors = walk.cpu ? std::min(most_vectors, divide_up(inner, walk.width)) : 1;
  // A tile ends where its results do, so a few sizes of tiles serve rows of every length. Where the vectors of several
  // rows are at hand at once, more of them would take more of the nearest cache.
  walk.tile = static_cast<int>(walk.chunk > 0 ? vectors : std::int64_t(std::bit_ceil(std::uint64_t(vectors))));
  const std::int64_t segment = walk.width * vectors, row_segments = divide_up(inner, segment);
  const std::int64_t across = row_segments * (walk.kept.shape.elements() / inner);
  if (!walk.cpu && !walk.fixed) walk.lanes = column_lanes(across, rows);
  const std::int64_t lanes = walk.fixed ? 1 : walk.lanes;
  const std::int64_t enough =
      walk.cpu ? divide_up(rows * segment, block_elements) : divide_up(enough_items, across * lanes);
  const std::int64_t shares = std::max(enough, divide_up(traits.fewest_shares(rows), lanes));
  const std::int64_t per_block =
      walk.fixed ? fixed_block : std::clamp(divide_up(rows, shares), fewest_rows * lanes, longest_chain * lanes);
  const std::int64_t blocks = divide_up(rows, per_block);
  walk.inner = std::uint64_t(inner);
  walk.row_segments = std::uint64_t(row_segments);
  walk.segments = std::uint64_t(rows);
  walk.segment = std::uint64_t(segment);
  walk.blocks = std::uint64_t(blocks);
  walk.per_block = std::uint64_t(per_block);
  walk.units = std::uint64_t(across * blocks);
  const std::int64_t elements = std::min(rows, per_block) * segment;
  walk.units_per_item = walk.cpu ? std::uint64_t(divide_up(traits.tuning.reduce_elements_per_item, elements)) : 1;
}

}  // namespace

ReduceWalk make_reduce_walk(const ReducePass& pass, const std::vector<std::size_t>& axes, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  ReduceWalk walk{};
  walk.cpu = traits.cpu_loops();
  walk.fixed = pass.fixed;
  walk.tile = walk.lanes = 1;
  walk.kept = part(body, axes, false, walk.kept_seams);
  walk.reduced = part(body, axes, true, walk.reduced_seams);
  walk.width = fold_width(body, traits);
  walk.columns = (reads_better(walk.kept, walk.reduced) || has_columns_to_copy(pass, walk)) &&
                 walk.kept.shape.back() > 1 && !has_narrow_columns(walk);
  if (!walk.cpu && graph::info(pass.kind).state == graph::State::position) {
    walk.width = std::min(walk.width, widest_position);
  }
  choose_short_rows(walk, body);
  const graph::Collapsed& inner = walk.innermost();
  const graph::Collapsed& outer = walk.columns ? walk.reduced : walk.kept;
  walk.aligned = !walk.cpu && walk.width > 1;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const std::int64_t step = inner.step(k);
    walk.offsets.push_back(body.loads[k].layout.offset);
    const bool in_pieces = walk.inner_seams().in_pieces(k), uniform = step == 0 && !in_pieces;
    walk.access.push_back(step == 1 ? Access::contiguous : uniform ? Access::uniform : Access::strided);
    if (uniform) continue;
    if (step != 1 || in_pieces) walk.aligned = false;
    if (!body.loads[k].iota) {
      walk.aligned = walk.aligned && walk.offsets[k] % walk.width == 0 && loops_aligned(body.loads[k], walk.width) &&
                     seams_aligned(body.loads[k], walk.width) &&
                     starts_aligned(inner, k, inner.shape.size() - 1, walk.width) &&
                     starts_aligned(outer, k, outer.shape.size(), walk.width);
    }
  }
  // Partial results of columns are stored as vectors too, one row of results after another.
  if (walk.columns && walk.kept.shape.back() % walk.width != 0) walk.aligned = false;
  // A vector of a fixed walk never holds elements of two rows.
  const bool several_rows = walk.fixed && !walk.columns && walk.reduced.shape.size() > 1;
  if (several_rows && walk.reduced.shape.back() % walk.width != 0) walk.aligned = false;
  if (!walk.cpu && !walk.aligned) walk.width = 1;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const bool steady = keeps_steady(walk) && is_steady(walk, body, k);
    walk.steady.push_back(!steady ? Steady::no : is_one_vector(walk) ? Steady::one : Steady::each);
  }
  walk.chunk = chunk_of(pass, walk);
  walk.wide = body.domain.elements() > std::numeric_limits<std::int32_t>::max();
  if (walk.columns) {
    divide_columns(walk, pass, traits);
  } else {
    divide_rows(walk, pass, traits);
  }
  walk.in_blocks = !walk.cpu && walk.blocks > 1;
  return walk;
}

ParamBlock parameters_of(const ReducePass& pass, const ReduceWalk& walk, std::span<const Finish> finishes) {
  ParamBlock block;
  block.add("inner", walk.inner);
  block.add("row_segments", walk.row_segments);
  block.add("segments", walk.segments);
  block.add("segment", walk.segment);
  block.add("blocks", walk.blocks);
  block.add("per_block", walk.per_block);
  block.add("units", walk.units);
  block.add("units_per_item", walk.units_per_item);
  block.add("offset", walk.offsets);
  block.add("kept_size", walk.kept.shape);
  block.add("kept_stride", walk.kept.strides);
  block.add("reduced_size", walk.reduced.shape);
  block.add("reduced_stride", walk.reduced.strides);
  add_seams(block, "kept_seams", walk.kept_seams);
  add_seams(block, "reduced_seams", walk.reduced_seams);
  add_values(block, *pass.body);
  if (const Body* finish = finish_body(pass)) {
    for (std::size_t k = 0; k < finish->constants.size(); ++k) {
      block.add_constant({"finish_c", k}, *finish->constants[k]);
    }
    const std::span<const Load> loads = loads_beside(pass);
    for (std::size_t k = 0; k < loads.size(); ++k) block.add({"beside", k}, loads[k].layout.offset);
  }
  const std::vector<ReducePass> singles = single_passes(pass);
  for (std::size_t k = 0; k < singles.size(); ++k) {
    if (!takes_constants(singles[k])) continue;
    const DType type = graph::real_part(combined_type(singles[k]));
    block.add_real(finish_name("divisor", pass, k), type, finishes[k].divisor);
    block.add_real(finish_name("scale", pass, k), type, finishes[k].scale);
  }
  return block;
}

}  // namespace koine::codegen
