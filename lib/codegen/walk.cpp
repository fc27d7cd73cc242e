// SPDX-License-Identifier: Apache-2.0
// Choosing how a kernel walks its operands.
#include "codegen/walk.hpp"

#include "base/hash.hpp"
#include "codegen/index_table.hpp"
#include "codegen/print_custom.hpp"
#include "graph/ops.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace koine::codegen {

// Of elements that a CPU takes at once. Of 16 in vectors that are longer than a register compilers make several times
// as many instructions.
constexpr int most_positions = 8;

static bool computes_complex(const Body& body) {
  return std::any_of(body.lines.begin(), body.lines.end(), [](const Line& line) { return is_complex(line.type); });
}

/// Elements of a vector of so many bytes, for a kernel that loads, and perhaps stores, a body's types.
static int vector_of(std::size_t bytes, const Body& body, bool stores) {
  std::size_t widest = 1;
  for (const Load& load : body.loads) widest = std::max(widest, load.iota && !load.draw() ? 1 : size_of(load.dtype));
  if (stores) {
    for (const Output& output : body.outputs) widest = std::max(widest, size_of(body.type_of(output)));
  }
  if (computes_complex(body)) return 1;  // a complex number is a vector already
  return static_cast<int>(std::clamp<std::size_t>(bytes / widest, 1, 16));
}

int pairs_at_once(const DeviceTraits& traits, std::size_t widest) {
  constexpr std::size_t fewest = 4;
  const std::size_t width = traits.tuning.elementwise_vector_bytes / widest;
  return traits.cpu_loops() && width >= fewest ? static_cast<int>(width) : 1;
}

/// Elements of a vector of a body that computes with complex numbers: one unless each line and each operand has a form
/// for vectors of their parts (common/complex_pairs). Where elements lie apart only functions gain by these: compilers
/// make vectors of sums and products by themselves, and gather their operands in less time.
static int pairs_of(const Body& body, const DeviceTraits& traits, const Walk& walk) {
  if (!body.loops.empty() || !body.folds.empty() || !body.calls.empty()) return 1;
  std::size_t widest = 1;
  bool gains = std::all_of(walk.access.begin(), walk.access.end(),
                           [](Access access) { return access == Access::contiguous || access == Access::uniform; });
  for (const Line& line : body.lines) {
    widest = std::max(widest, size_of(line.type));
    if (!is_complex(line.in_type) || !graph::in_table(line.op)) continue;
    const graph::OpInfo& row = graph::info(line.op);
    if (!row.expressions.pairs) return 1;
    gains = gains || row.cost > 1;
  }
  const bool takes = std::any_of(body.loads.begin(), body.loads.end(), [](const Load& load) { return load.take; });
  const bool puts =
      std::any_of(body.outputs.begin(), body.outputs.end(), [](const Output& out) { return out.at >= 0; });
  const int width = pairs_at_once(traits, widest);
  return !gains || takes || puts || walk.inner() < width ? 1 : width;
}

/// Whether a body computes functions of float64 that take many operations, and so many constants.
static bool computes_long_functions(const Body& body) {
  constexpr int shortest = 10;  // by the op table's cost
  return std::any_of(body.lines.begin(), body.lines.end(), [](const Line& line) {
    return line.in_type == DType::float64 && graph::in_table(line.op) && graph::info(line.op).cost >= shortest;
  });
}

int fold_width(const Body& body, const DeviceTraits& traits, bool stores) {
  // No row of tuning, for what each lane adds up follows from it. 64 bytes are a register of the widest CPUs; narrower
  // ones get several, which hides latency.
  return vector_of(traits.cpu_loops() ? 64 : 16, body, stores);
}

bool starts_aligned(const graph::Collapsed& walked, std::size_t k, std::size_t axes, int width) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (walked.stride(k, axis) % width != 0) return false;
  }
  return true;
}

/// The memory that a load reads; null of one that reads none.
static const void* memory_of(const Load& load) {
  if (load.iota) return nullptr;
  return load.source->storage ? static_cast<const void*>(load.source->storage.get()) : load.source;
}

/// Finds the leaders, and leaves the seams of them alone. Loads of one array that lie equally far from their offsets
/// everywhere but along the innermost axis do so in any size of it. (That those of two arrays do is chance, and would
/// ask for another program where they do not.)
static void find_leaders(const Body& body, Walk& walk) {
  const auto& loads = body.loads;
  const std::size_t outer = walk.outer_axes();
  const auto hash = [&](std::size_t k) {
    std::uint64_t strides = reinterpret_cast<std::uintptr_t>(memory_of(loads[k]));
    for (std::size_t axis = 0; axis < outer; ++axis) {
      strides = base::hash_combine(strides, static_cast<std::uint64_t>(walk.axes.stride(k, axis)));
    }
    return strides;
  };
  const auto move_alike = [&](std::size_t a, std::size_t b) {
    if (memory_of(loads[a]) != memory_of(loads[b]) || loads[a].seams != loads[b].seams) return false;
    std::size_t axis = 0;
    while (axis < outer && walk.axes.stride(a, axis) == walk.axes.stride(b, axis)) ++axis;
    return axis == outer;
  };
  auto& leaders = walk.leaders;
  IndexTable found;  // in `leaders`
  walk.leader.clear();
  leaders.clear();
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    const bool follows = k < loads.size() && memory_of(loads[k]) != nullptr;
    const std::int32_t alike = !follows ? -1
                                        : found.find(
                                              leaders.size(), [&] { return hash(k); },
                                              [&](std::size_t number) { return move_alike(leaders[number], k); });
    walk.leader.push_back(alike < 0 ? k : leaders[static_cast<std::size_t>(alike)]);
    if (!follows || alike >= 0) continue;
    leaders.push_back(k);
    found.added(leaders.size(), [&](std::size_t number) { return hash(leaders[number]); });
  }
  std::erase_if(walk.seams, [&](const WalkSeam& seam) { return walk.leader[seam.operand] != seam.operand; });
}

namespace {

/// How a card's vectors meet an operand.
struct Meeting {
  bool aligned = true;     // each vector is contiguous, in one piece, and begins where one may
  bool near = true;        // elements of a vector are neighbours in memory, or the same
  bool straddles = false;  // a vector may lie in two pieces, or in two rows that do not follow each other
};

Meeting meeting_of(const Walk& walk, std::size_t k) {
  const std::size_t outer = walk.outer_axes();
  const std::int64_t first = walk.axes.step(k);
  std::int64_t step = first, behind = walk.inner();
  bool seamless = true, continues = true;
  Meeting result{first == 1, std::abs(first) <= 1};
  for (const WalkSeam& seam : walk.seams) {
    if (seam.operand != walk.leader[k]) continue;
    seamless = false;
    result.aligned = result.aligned && seam.jump % walk.width == 0 && seam.turn == 0;
    if (seam.axis != outer) continue;
    step += seam.turn;
    result.near = result.near && std::abs(step) <= 1;
    result.straddles = result.straddles || seam.at % walk.width != 0;
  }
  for (std::size_t axis = outer; axis-- > 0; behind *= walk.axes.shape[axis]) {
    continues = continues && walk.axes.stride(k, axis) == first * behind;
  }
  const bool in_one_run = continues && seamless;
  result.straddles = result.straddles || (walk.across && !in_one_run);
  result.aligned = result.aligned && !result.straddles && walk.offsets[k] % walk.width == 0 &&
                   (walk.across || starts_aligned(walk.axes, k, outer, walk.width));
  return result;
}

/// Whether a card's work-items take vectors, which takes aligned stores; then finds how each load meets them. Loads
/// that are not aligned are taken by words or else lane by lane: neighbouring lanes still read neighbouring memory, but
/// each load of a lane keeps the first cache busy for as long as a whole vector.
bool keeps_vectors(const Body& body, const DeviceTraits& traits, Walk& walk) {
  // Of shorter rows too many vectors would lie in two.
  constexpr std::int64_t shortest_row = 16;  // in vectors
  const std::size_t loads = body.loads.size();
  if (walk.width == 1) return false;
  walk.across = walk.outer_axes() > 0 && walk.inner() % walk.width != 0 && walk.inner() >= shortest_row * walk.width &&
                std::all_of(body.outputs.begin(), body.outputs.end(), [](const Output& output) {
                  return !output.destination || graph::is_row_major(output.destination->layout);
                });
  bool keeps = true;
  std::uint32_t unaligned = 0;
  for (std::size_t k = 0; keeps && k < walk.access.size(); ++k) {
    const Meeting meeting = meeting_of(walk, k);
    if (k >= loads) {
      keeps = meeting.aligned;
      continue;
    }
    const Load& load = body.loads[k];
    walk.straddles[k] = meeting.straddles;
    keeps = !meeting.straddles || (load.loop < 0 && !load.take);
    // What is made of positions is read from nowhere, and a repeated value once for each row.
    if (load.iota || walk.access[k] == Access::uniform) continue;
    if (meeting.aligned && loops_aligned(load, walk.width)) continue;
    const bool by_words = walk.access[k] == Access::contiguous && read_by_words(load, walk.width);
    keeps = keeps && meeting.near && (by_words || ++unaligned <= traits.tuning.elementwise_unaligned_loads);
    if (walk.access[k] == Access::contiguous) walk.access[k] = Access::unaligned;
  }
  if (keeps) return true;
  walk.across = false;
  walk.straddles.assign(walk.access.size(), 0);
  std::replace(walk.access.begin(), walk.access.end(), Access::unaligned, Access::contiguous);
  return false;
}

/// Whether a body takes whole rows by their positions, which vectors of `width` elements meet aligned.
bool takes_rows(const Body& body, const Walk& walk, int width) {
  if (walk.inner() % width != 0) return false;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    if (!load.take || walk.access[k] != Access::contiguous || load.take_stride % width != 0) continue;
    const std::int32_t positions = body.lines[static_cast<std::size_t>(load.line)].args[1];
    if (same_along_rows(body, walk.access)[static_cast<std::size_t>(positions)]) return true;
  }
  return false;
}

/// Whether groups take rows by their parts. Rows that are taken several times are then read from the second cache,
/// which holds a part of each where it could not hold them whole: 8192 of 1000 rows of 8192 float32 on an H200 in 0.72
/// of the time.
bool goes_by_parts(const Body& body, const Walk& walk) {
  constexpr std::int64_t group = 256, many_groups = 8;
  const std::int64_t vectors = walk.inner() / walk.width;
  const bool fills_groups = vectors % group == 0 ? vectors > group : vectors > many_groups * group;
  return walk.width > 1 && walk.outer_axes() > 0 && fills_groups && takes_rows(body, walk, walk.width);
}

/// The same for vectors twice as long, where shorter rows are taken by their positions: a work-item waits for a
/// position first, and then has twice the bytes under way.
bool keeps_twice_the_vectors(const Body& body, const DeviceTraits& traits, Walk& walk) {
  constexpr int widest = 16;
  if (walk.width == 1 || 2 * walk.width > widest || !takes_rows(body, walk, 2 * walk.width)) return false;
  walk.width *= 2;
  if (keeps_vectors(body, traits, walk)) return true;
  walk.width /= 2;
  return false;
}

/// The same for shorter vectors, of which rows that are shorter than a vector, or little longer, are a whole number: as
/// the two equal elements that each of a repeated axis becomes.
bool keeps_short_vectors(const Body& body, const DeviceTraits& traits, Walk& walk) {
  constexpr std::int64_t longest_row = 64;
  const int widest = walk.width;
  if (walk.inner() > longest_row || !walk.seams.empty()) return false;
  for (walk.width = widest / 2; walk.width > 1; walk.width /= 2) {
    if (walk.inner() % walk.width == 0 && keeps_vectors(body, traits, walk)) return true;
  }
  walk.width = widest;
  return false;
}

/// The width of vectors that leaves room for other work-items: an element takes a register once it is computed with,
/// however small it is in memory. Nine operands of sixteen bytes each took 159 registers on an H100, and the kernel 1.4
/// times as long as with eight bytes each.
int fewer_in_registers(const Body& body, int width) {
  constexpr std::ptrdiff_t most_elements = 96;
  constexpr int least_width = 4;
  const std::ptrdiff_t loads =
      std::count_if(body.loads.begin(), body.loads.end(), [](const Load& load) { return !load.iota; });
  while (width > least_width && loads * width > most_elements) width /= 2;
  return width;
}

/// Finds the loads that a work-item of a stacked walk makes once for all its rows.
void find_steady(const Body& body, Walk& walk) {
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    const bool seamless = std::none_of(walk.seams.begin(), walk.seams.end(),
                                       [&](const WalkSeam& seam) { return seam.operand == walk.leader[k]; });
    bool same = seamless && !load.iota && !load.take && walk.access[k] != Access::uniform;
    if (load.loop >= 0) same = same && body.loops[static_cast<std::size_t>(load.loop)].unrolled();
    for (std::size_t axis = 0; axis < walk.outer_axes(); ++axis) same = same && walk.axes.stride(k, axis) == 0;
    walk.steady[k] = same;
  }
}

/// The farthest that operand k's offset, or what has been added up of it, comes from zero.
double reach_of(const Walk& walk, std::size_t k) {
  double reach = std::abs(double(walk.offsets[k]));
  for (std::size_t axis = 0; axis < walk.axes.shape.size(); ++axis) {
    reach += std::abs(double(walk.axes.stride(k, axis))) * double(walk.axes.shape[axis]);
  }
  for (const WalkSeam& seam : walk.seams) {
    if (seam.operand != k) continue;
    reach += std::abs(double(seam.jump)) + std::abs(double(seam.turn)) * double(walk.axes.shape[seam.axis]);
  }
  return reach;
}

/// Whether offsets are computed in 64 bits: where an operand reaches too far for 32, and of a single row, for which
/// there is next to nothing to add up: long chains of drawn numbers took 1.5 times as long in 32 bits on an H200.
bool reaches_far(const Walk& walk) {
  if (walk.cpu || (walk.outer_axes() == 0 && walk.seams.empty())) return true;
  for (std::size_t k = 0; k < walk.offsets.size(); ++k) {
    if (reach_of(walk, k) > std::numeric_limits<std::int32_t>::max() / 2) return true;
  }
  return false;
}

/// Finds the part of the domain in which no operand comes to a seam.
void find_inside(const Body& body, Walk& walk) {
  const std::size_t axes = walk.axes.shape.size(), operands = walk.access.size();
  Walk::Inside& inside = walk.inside;
  inside.offsets = walk.offsets;
  inside.strides = walk.axes.strides;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t size = walk.axes.shape[axis];
    std::vector<std::int64_t> ends{0, size};
    for (const WalkSeam& seam : walk.seams) {
      if (seam.axis == axis) ends.push_back(std::clamp<std::int64_t>(seam.at, 0, size));
    }
    std::sort(ends.begin(), ends.end());
    std::int64_t from = 0, longest = 0;
    for (std::size_t k = 1; k < ends.size(); ++k) {
      if (ends[k] - ends[k - 1] <= longest) continue;
      from = ends[k - 1];
      longest = ends[k] - from;
    }
    inside.from.push_back(from);
    inside.sizes.push_back(longest);
    for (const WalkSeam& seam : walk.seams) {
      if (seam.axis != axis || seam.at > from) continue;
      for (std::size_t k = 0; k < operands; ++k) {
        if (walk.leader[k] != seam.operand) continue;
        inside.offsets[k] += seam.jump;
        inside.strides[axis * operands + k] += seam.turn;
      }
    }
  }
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    bool told = body.loads[k].iota && !body.loads[k].draw() && walk.access[k] == Access::uniform &&
                body.loads[k].loop < 0 && (inside.offsets[k] == 0 || inside.offsets[k] == 1);
    for (std::size_t axis = 0; axis < axes; ++axis) told = told && inside.strides[axis * operands + k] == 0;
    inside.told.push_back(told ? static_cast<std::uint8_t>(inside.offsets[k]) : 2);
  }
  const auto known = [](std::uint8_t value) { return value < 2; };
  if (std::none_of(inside.told.begin(), inside.told.end(), known)) inside.told.clear();
}

}  // namespace

void make_walk(const Body& body, const DeviceTraits& traits, Walk& walk) {
  const std::size_t loads = body.loads.size(), operands = loads + body.outputs.size();
  const graph::Layout plain = graph::row_major(body.domain);
  std::vector<graph::Layout> split;  // of results that lie elsewhere, where the domain's axes are
  const auto layout = [&](std::size_t k) -> const graph::Layout& {
    if (k < loads) return body.loads[k].layout;
    const graph::Destination* own = body.outputs[k - loads].destination;
    return !own ? plain : own->layout.shape == body.domain ? own->layout : split[k - loads];
  };
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    const graph::Destination* own = body.outputs[k].destination;
    if (!own || own->layout.shape == body.domain) continue;
    split.resize(body.outputs.size());
    split[k] = graph::split({own->layout, {}}, body.domain)->layout;
  }
  const auto seams = [&](std::size_t k) -> const std::vector<graph::Seam>& { return body.loads[k].seams; };
  const auto apart = [&](std::size_t axis) { return begins_apart(body.domain, axis, loads, seams); };
  graph::collapse(
      body.domain, operands, [&](std::size_t k) -> const Shape& { return layout(k).strides; }, walk.axes, apart);
  merge_seams(body.domain, walk.axes, loads, seams, walk.seams);
  if (walk.axes.shape.empty()) walk.axes.add_axis(1, 1);  // one element is contiguous
  walk.cpu = traits.cpu_loops();
  // A work-item's elements share a function's constants: on an H200 vectors of twice the bytes take erf and sinh 0.79
  // of the time, tanh, tan and atan2 0.89 to 0.94, but products, 1 / sqrt and remainders 1.05 to 1.1.
  const bool wider = traits.quirks.long_doubles && computes_long_functions(body);
  walk.width = vector_of(traits.tuning.elementwise_vector_bytes * (wider ? 2 : 1), body, true);
  if (!walk.cpu) walk.width = fewer_in_registers(body, walk.width);
  const bool takes = std::any_of(body.loads.begin(), body.loads.end(), [](const Load& load) { return load.take; });
  if (walk.cpu && takes) walk.width = std::min(walk.width, most_positions);
  walk.offsets.clear();
  walk.access.clear();
  for (std::size_t k = 0; k < operands; ++k) {
    walk.offsets.push_back(layout(k).offset);
    const std::int64_t step = walk.axes.step(k);
    const bool turns = std::any_of(walk.seams.begin(), walk.seams.end(), [&](const WalkSeam& seam) {
      return seam.operand == k && seam.axis == walk.outer_axes() && seam.turn != 0;
    });
    walk.access.push_back(turns       ? Access::turning
                          : step == 1 ? Access::contiguous
                          : step == 0 ? Access::uniform
                                      : Access::strided);
    const bool shuffles = walk.cpu && walk.width > 1 && k < loads && !body.loads[k].iota && !turns;
    if (shuffles && step == -1) walk.access.back() = Access::reversed;
    if (shuffles && step == 2) walk.access.back() = Access::alternate;
  }
  walk.wide = walk.axes.shape.elements() > std::numeric_limits<std::int32_t>::max();
  walk.far = reaches_far(walk);
  walk.across = false;
  walk.straddles.assign(operands, 0);
  walk.stacked = false;
  walk.by_parts = false;
  walk.steady.assign(operands, 0);
  walk.any_axes = false;
  walk.inside = {};
  choose_blocks(body, walk);
  choose_tiles(body, walk);
  find_leaders(body, walk);
  if (walk.depth > 0) return;
  // Neither blocks nor tiles are made of pairs.
  if (computes_complex(body)) walk.width = pairs_of(body, traits, walk);
  walk.any_axes =
      walk.cpu && walk.seams.empty() && walk.outer_axes() <= Walk::most_any_axes && operands <= Walk::most_any_operands;
  if (!walk.cpu) {
    walk.by_parts = goes_by_parts(body, walk) && keeps_vectors(body, traits, walk);
    if (!walk.by_parts && !keeps_twice_the_vectors(body, traits, walk) && !keeps_vectors(body, traits, walk) &&
        !keeps_short_vectors(body, traits, walk)) {
      walk.width = 1;
    }
  }
  // Rows so long that most groups are in one of them: neighbours stay neighbours.
  constexpr std::int64_t shortest_stacked_row = 256;
  walk.stacked = !walk.cpu && walk.width == 1 && walk.outer_axes() > 0 && walk.inner() >= shortest_stacked_row;
  walk.aligned = !walk.cpu && walk.width > 1;
  if (walk.stacked) find_steady(body, walk);
  if (!walk.far && walk.width == 1 && !walk.seams.empty()) find_inside(body, walk);
}

void append_key(std::string& key, const Body& body) {
  // One growth and plain stores: this runs before every launch.
  const std::size_t start = key.size(), looped = body.loops.empty() ? 0 : 1;
  const auto is_shared = [](const auto& operand) { return operand.same_as >= 0; };
  const bool shared = std::any_of(body.loads.begin(), body.loads.end(), is_shared) ||
                      std::any_of(body.outputs.begin(), body.outputs.end(), is_shared);
  key.resize(start + 9 + (1 + looped) * body.loads.size() +
             (shared ? 2 * (body.loads.size() + body.outputs.size()) : 0) + body.constants.size() +
             3 * body.loops.size() + 2 * body.folds.size() + (9 + looped) * body.lines.size() +
             4 * body.outputs.size());
  char* at = key.data() + start;
  const auto byte = [&](auto value) { *at++ = static_cast<char>(value); };
  const auto number = [&](std::size_t value) {
    byte(value & 0xff);
    byte(value >> 8 & 0xff);
  };
  byte(body.loops.size());
  for (const InnerLoop& loop : body.loops) {
    byte(loop.node->get<graph::Op::reduce>().kind);
    byte(loop.node->dtype);
    byte(loop.unrolled() ? loop.count : 0);
  }
  byte(body.folds.size());
  for (const RowFold& fold : body.folds) {
    byte(fold.node->get<graph::Op::reduce>().kind);
    byte(fold.node->dtype);
  }
  number(body.loads.size());
  for (const Load& load : body.loads) {
    const graph::RandomInfo* draw = load.draw();
    byte(draw ? 0x81 + static_cast<int>(draw->kind) : load.iota ? 0x80 : static_cast<int>(load.dtype));
    if (looped) byte(load.loop);
  }
  number(body.constants.size());
  for (const graph::Node* constant : body.constants) byte(constant->dtype);
  number(body.lines.size());
  for (const Line& line : body.lines) {
    byte(line.op);
    byte(line.type);
    byte(static_cast<int>(line.in_type) | (line.portable ? 0x80 : 0));
    for (std::int32_t arg : line.args) number(static_cast<std::size_t>(arg));
    if (looped) byte(line.loop);
  }
  for (const Output& output : body.outputs) {
    number(static_cast<std::size_t>(output.line));
    number(static_cast<std::size_t>(output.at));
  }
  byte(shared);
  if (shared) {
    for (const Load& load : body.loads) number(static_cast<std::size_t>(load.same_as));
    for (const Output& output : body.outputs) number(static_cast<std::size_t>(output.same_as));
  }
  detail::SpecKey custom(key);
  const auto fold = [&](const graph::Node& reduction) {
    if (const auto& code = reduction.get<graph::Op::reduce>().custom) visit_digest(custom, *code);
  };
  for (const InnerLoop& loop : body.loops) fold(*loop.node);
  for (const RowFold& each : body.folds) fold(*each.node);
  for (const Call& call : body.calls) {
    const graph::CustomInfo& info = call.node->get<graph::Op::custom>();
    visit_digest(custom, *info.code);
    custom.shape("output", info.output);
    custom.shape("arguments", call.args.size());
    custom.shape("arguments", call.args);
  }
}

bool read_by_words(const Load& load, int width) {
  const std::size_t size = size_of(load.dtype);
  return (is_integer(load.dtype) || is_bool(load.dtype)) && size <= 2 && static_cast<std::size_t>(width) * size >= 4 &&
         !load.iota;
}

bool loops_aligned(const Load& load, int width) {
  return (load.loop < 0 || load.loop_stride % width == 0) && (!load.take || load.take_stride % width == 0);
}

std::vector<bool> same_along_rows(const Body& body, const std::vector<Access>& access) {
  std::vector<bool> same;
  for (const Line& line : body.lines) {
    const bool loads = line.op == graph::Op::leaf || line.op == graph::Op::iota;
    bool value = !loads || access[static_cast<std::size_t>(line.args[0])] == Access::uniform;
    const bool of_row = line.op == graph::Op::reduce && line.args[2] >= 0;
    if (!of_row) each_argument(body, line, [&](std::size_t arg) { value = value && same[arg]; });
    same.push_back(value);
  }
  return same;
}

}  // namespace koine::codegen
