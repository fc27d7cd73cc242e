// SPDX-License-Identifier: Apache-2.0
// The walk over whole rows, and its phases.
#include "codegen/rows.hpp"

#include "base/rounding.hpp"
#include "codegen/reduce.hpp"

#include "graph/families.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <bit>

namespace koine::codegen {
namespace {

using graph::Op;
using graph::State;

// No rows of tuning, as the order of sums follows from them.
constexpr std::int64_t room_bytes = 128;       // of a GPU's work-item: 32 of its registers
constexpr std::int64_t most_kept_bytes = 256;  // of all lines of a GPU's work-item
constexpr int longest_chain = 256;             // of vectors that a CPU adds up one after another
// Of rows that a GPU's registers do not hold: bytes that its groups together, or a core, find in a cache again; rows
// for each compute unit that keep all of them busy; elements of a GPU's work-item that are under way together. Second
// caches of cores have from 512 KiB on.
constexpr std::int64_t longest_row_bytes = 1 << 18, longest_row_bytes_of_cpu = 1 << 20;
constexpr std::int64_t enough_long_rows = 4;
constexpr int room_again = 16;
// Elements of a CPU's row, at least, that are at hand: short rows of many lengths share a program.
constexpr std::int64_t least_room = 256;
constexpr std::int64_t second_cache_bytes = 1 << 18;
constexpr int dear_operations = 8;  // that a CPU keeps the result of
constexpr std::int64_t longest_together = 8;
// Of a GPU: vectors of a work-item before a row takes another one, which are more where nothing but results of rows is
// stored, since neighbours then need not store side by side; work-items of a row before each has as many elements as
// its registers have room for, and work-items of a compute unit that keep it busy.
constexpr std::int64_t vectors_of_neighbour = 2, vectors_of_folding_neighbour = 8;
constexpr std::int64_t few_lanes = 32, most_room = 32, enough_items = 1024;

/// Elements that a GPU's work-item reads at once: as many as 16 bytes hold, where every row begins with whole ones.
int gpu_width(const Body& body, const RowsWalk& walk, const DeviceTraits& traits) {
  const int width = fold_width(body, traits, true);
  if (walk.count % static_cast<std::uint64_t>(width) != 0) return 1;
  for (std::size_t k = 0; k < walk.offsets.size(); ++k) {
    const bool row = k >= body.loads.size() && body.of_row(body.outputs[k - body.loads.size()]);
    const bool in_memory = k >= body.loads.size() || !body.loads[k].iota;
    if (row || walk.access[k] == Access::uniform) continue;
    const bool aligned =
        walk.access[k] == Access::contiguous && !walk.inner_seams().in_pieces(k) &&
        (k >= body.loads.size() || seams_aligned(body.loads[k], width)) &&
        (!in_memory || (walk.offsets[k] % width == 0 && starts_aligned(walk.kept, k, walk.kept.shape.size(), width))) &&
        (k >= body.loads.size() || loops_aligned(body.loads[k], width));
    if (!aligned) return 1;
  }
  return width;
}

/// For each line what computing it from memory costs.
std::vector<int> costs_of(const Body& body, const RowsWalk& walk) {
  std::vector<int> costs;
  for (const Line& line : body.lines) {
    const bool loads = line.op == Op::leaf || line.op == Op::iota;
    const auto load = static_cast<std::size_t>(line.args[0]);
    const bool gathered = loads && walk.together && walk.access[load] == Access::strided && !body.loads[load].iota;
    const bool apart = loads && (gathered || line.args[1] >= 0 || body.loads[load].draw());
    int cost = graph::cost(line.op);
    if (loads || line.op == Op::constant || line.op == Op::reduce) cost = apart ? dear_operations : 0;
    if (line.op != Op::reduce) {
      each_argument(body, line, [&](std::size_t arg) { cost = std::min(cost + costs[arg], 1 << 20); });
    }
    costs.push_back(cost);
  }
  return costs;
}

/// Of the elements of a row in registers, which have four bytes at least.
std::int64_t bytes_of_row(const graph::Node& fold) {
  return fold.inputs[0]->shape.back() * static_cast<std::int64_t>(std::max<std::size_t>(size_of(fold_type(fold)), 4));
}

/// Whether elements are taken at positions that follow from reductions of their rows.
bool takes_by_folds(const Body& body) {
  std::vector<bool> folded;
  for (const Line& line : body.lines) {
    bool any = line.op == Op::reduce;
    if (!any) each_argument(body, line, [&](std::size_t arg) { any = any || folded[arg]; });
    const bool loads = line.op == Op::leaf || line.op == Op::iota;
    if (loads && line.args[1] >= 0 && folded[static_cast<std::size_t>(line.args[1])]) return true;
    folded.push_back(any);
  }
  return false;
}

/// Whether a CPU takes as many rows at once as a vector has elements: rows so short that a vector of each would be
/// partly empty, and would have to be taken apart for each result. It follows from what a row is, and not from how many
/// there are, since it decides the order of sums.
bool takes_rows_together(const Body& body, const RowWalk& walk) {
  const std::int64_t count = body.domain.back();
  if (!walk.cpu || walk.width == 1 || count > longest_together || count % walk.width == 0) return false;
  if (walk.kept.shape.size() != 1 || !walk.kept_seams.empty() || !walk.along_seams.empty()) return false;
  const auto in_lanes = [](const RowFold& fold) {
    const graph::ReduceInfo& reduction = fold.node->get<Op::reduce>();
    return !reduction.custom && graph::info(reduction.kind).state != State::exponentials;
  };
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    // What is taken for each lane is taken from the same elements.
    if (body.loads[k].draw() || (body.loads[k].take && walk.kept.step(k) != 0)) return false;
  }
  return std::all_of(body.folds.begin(), body.folds.end(), in_lanes) && !takes_by_folds(body);
}

bool fits_registers(const graph::Node& fold) { return bytes_of_row(fold) <= rows_group * room_bytes; }
bool on_cpu(const graph::Node& node) { return node.place.traits == nullptr || node.place.traits->cpu_loops(); }

}  // namespace

bool folds_rows(const graph::Node& node) {
  if (node.op != Op::reduce || node.inputs.empty() || is_complex(node.inputs[0]->dtype)) return false;
  const graph::ReduceInfo& reduction = node.get<Op::reduce>();
  const Shape& shape = node.inputs[0]->shape;
  if (reduction.axes.size() != 1 || reduction.axes[0] + 1 != shape.size()) return false;
  // By the tree that is the same on every device a reduction has a kernel of its own.
  if (has_fixed_order(node)) return false;
  if (fits_registers(node)) return shape.back() >= 2;
  const std::int64_t units = node.place.traits ? node.place.traits->compute_units : 1;
  return bytes_of_row(node) <= (on_cpu(node) ? longest_row_bytes_of_cpu : longest_row_bytes) &&
         shape.elements() / shape.back() >= enough_long_rows * units;
}

bool has_row_at_hand(const graph::Node& node) {
  return on_cpu(node) ? bytes_of_row(node) <= second_cache_bytes : fits_registers(node);
}

DType fold_type(const graph::Node& node) {
  if (const graph::CustomRef& custom = node.get<Op::reduce>().custom) return custom->outputs[0];
  const bool position = graph::info(node.get<Op::reduce>().kind).state == State::position;
  return graph::accumulation_type(position ? node.inputs[0]->dtype : node.dtype);
}

int fold_phases(const graph::Node& node) {
  const State state = graph::info(node.get<Op::reduce>().kind).state;
  return state == State::value ? 1 : 2;
}

RowsWalk make_rows_walk(const Body& body, const DeviceTraits& traits) {
  const std::size_t axis = body.domain.size() - 1;
  const std::int64_t count = body.domain[axis], elements = body.domain.elements();
  std::vector<Shape> outputs;
  for (const Output& output : body.outputs) {
    outputs.push_back(strides_with(body.domain, axis, body.of_row(output) ? 1 : count));
  }
  RowsWalk walk{make_row_walk(body, axis, outputs, false, traits)};
  if (takes_rows_together(body, walk)) {
    walk = {make_row_walk(body, axis, outputs, true, traits)};
    walk.together = true;
  }
  walk.count = static_cast<std::uint64_t>(count);
  walk.rows = static_cast<std::uint64_t>(elements / count);
  // Powers of two, so that rows of many lengths share a program.
  const auto size = static_cast<std::int64_t>(std::bit_ceil(walk.count));
  if (walk.cpu) {
    walk.room = static_cast<int>(walk.together ? longest_together : std::max(size, least_room));
    walk.whole = count % walk.width == 0;
    if (count > longest_chain * walk.width) walk.chain = longest_chain * walk.width;
    const std::uint64_t share = walk.rows / (std::uint64_t{traits.tuning.items_per_core} * traits.compute_units);
    walk.rows_per_item =
        std::max<std::uint64_t>({traits.tuning.rows_elements_per_item / static_cast<std::uint64_t>(size), share, 1});
    if (walk.together) {
      walk.rows_per_item = base::round_up(walk.rows_per_item, static_cast<std::uint64_t>(walk.width));
    }
  } else {
    walk.width = gpu_width(body, walk, traits);
    walk.aligned = walk.width > 1;
    // A few vectors for each work-item before a row takes more than a sub-group, whose number of work-items costs
    // least; more only where rows are few, and as many as fit into registers.
    const std::int64_t vectors = size / walk.width, most = std::min<std::int64_t>(vectors, rows_group);
    const bool folds = std::all_of(body.outputs.begin(), body.outputs.end(),
                                   [&](const Output& output) { return body.of_row(output); });
    const std::int64_t each = folds ? vectors_of_folding_neighbour : vectors_of_neighbour;
    std::int64_t lanes = std::clamp<std::int64_t>(vectors / each, 1, few_lanes);
    const auto enough = static_cast<std::uint64_t>(traits.compute_units) * enough_items;
    while (lanes < most && (size / lanes > most_room || walk.rows * static_cast<std::uint64_t>(lanes) < enough))
      lanes *= 2;
    walk.lanes = static_cast<int>(lanes);
    walk.again =
        std::any_of(body.folds.begin(), body.folds.end(), [](const RowFold& f) { return !fits_registers(*f.node); });
    walk.room = walk.again ? room_again : static_cast<int>(size / lanes);
    walk.whole = walk.again ? count % (room_again * lanes) == 0 : size == count;
  }
  return walk;
}

Phases phases_of(const Body& body, const RowsWalk& walk) {
  Phases result;
  const std::size_t count = body.lines.size();
  result.phase.assign(count, 0);
  std::vector<Access> along = walk.access;
  for (std::size_t k = 0; k < along.size() && walk.together; ++k) {
    along[k] = walk.along[k] == 0 ? Access::uniform : Access::strided;
  }
  result.of_row = same_along_rows(body, along);
  result.kept.assign(count, false);
  for (std::size_t k = 0; k < count; ++k) {
    const Line& line = body.lines[k];
    int& phase = result.phase[k];
    each_argument(body, line, [&](std::size_t arg) { phase = std::max(phase, result.phase[arg]); });
    if (line.op != Op::reduce) continue;
    phase += fold_phases(*body.folds[static_cast<std::size_t>(line.args[2])].node);
    result.count = std::max(result.count, phase);
  }
  for (const Output& output : body.outputs) {
    const int phase = result.phase[static_cast<std::size_t>(output.line)];
    result.count = std::max(result.count, body.of_row(output) ? phase : phase + 1);
  }

  // From the last phase to the first: what each needs of those before.
  const std::vector<int> costs = costs_of(body, walk);
  std::vector<std::vector<bool>> needed(static_cast<std::size_t>(result.count), std::vector<bool>(count, false));
  const auto need = [&](int phase, std::int32_t line) {
    if (!result.of_row[static_cast<std::size_t>(line)]) {
      needed[static_cast<std::size_t>(phase)][static_cast<std::size_t>(line)] = true;
    }
  };
  for (const Output& output : body.outputs) {
    if (!body.of_row(output)) need(result.count - 1, output.line);
  }
  for (const RowFold& fold : body.folds) {
    const std::int32_t value = body.lines[static_cast<std::size_t>(fold.line)].args[0];
    const int first = result.phase[static_cast<std::size_t>(value)];
    for (int p = first; p < first + fold_phases(*fold.node); ++p) need(p, value);
  }
  std::int64_t kept_bytes = 0;
  for (int p = result.count; p-- > 0;) {
    for (std::size_t k = count; k-- > 0;) {
      if (!needed[static_cast<std::size_t>(p)][k]) continue;
      const Line& line = body.lines[k];
      if (result.phase[k] < p && !result.kept[k]) {
        const auto bytes = walk.room * (walk.together ? walk.width : 1) *
                           static_cast<std::int64_t>(std::max<std::size_t>(size_of(line.type), 4));
        const bool worth = walk.cpu ? costs[k] >= dear_operations : !walk.again;
        if (worth && kept_bytes + bytes <= (walk.cpu ? second_cache_bytes : most_kept_bytes)) {
          result.kept[k] = true;
          kept_bytes += bytes;
          needed[static_cast<std::size_t>(result.phase[k])][k] = true;
        }
      }
      if (result.phase[k] < p && result.kept[k]) continue;
      each_argument(body, line, [&](std::size_t arg) { need(p, static_cast<std::int32_t>(arg)); });
    }
  }
  return result;
}

std::size_t values_of_row(const Body& body, const DeviceTraits& traits) {
  const RowsWalk walk = make_rows_walk(body, traits);
  return walk.together ? 1 : static_cast<std::size_t>(walk.width);
}

ParamBlock parameters_of(const Body& body, const RowsWalk& walk) {
  ParamBlock block;
  block.add("count", walk.count);
  block.add("rows", walk.rows);
  block.add("rows_per_item", walk.rows_per_item);
  add_bounds(block, walk);
  add_values(block, body);
  for (std::size_t f = 0; f < body.folds.size(); ++f) {
    const graph::Node& node = *body.folds[f].node;
    const graph::ReduceInfo& reduction = node.get<Op::reduce>();
    if (!graph::info(reduction.kind).has_constants()) continue;
    const DType type = graph::accumulation_type(node.dtype);
    block.add_real({"divisor", f}, type, reduction.divisor);
    block.add_real({"scale", f}, type, reduction.scale);
  }
  return block;
}

}  // namespace koine::codegen
