// SPDX-License-Identifier: Apache-2.0
// The walk of softmax, and the hooks of kernels/softmax_rows.cl.
#include "codegen/softmax.hpp"

#include "codegen/print_walk.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <bit>

namespace koine::codegen {
namespace {

constexpr std::int64_t room_bytes = 128;        // of a GPU's work-item: 32 of its registers
constexpr std::int64_t fewest_elements = 8192;  // of a CPU work-item

std::int64_t most_room(DType type) { return room_bytes / static_cast<std::int64_t>(size_of(type)); }

}  // namespace

std::int64_t longest_softmax_row(DType type) { return softmax_group * most_room(type); }

SoftmaxWalk make_softmax_walk(const SoftmaxPass& pass, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const std::size_t axis = body.domain.size() - 1;
  const std::int64_t count = body.domain[axis];
  SoftmaxWalk walk{
      make_row_walk(body, axis, {strides_with(body.domain, axis, pass.logarithm ? 1 : count)}, false, traits)};
  walk.count = static_cast<std::uint64_t>(count);
  walk.rows = static_cast<std::uint64_t>(body.domain.elements() / count);
  // Powers of two, so that rows of many lengths share a program.
  const auto size = static_cast<std::int64_t>(std::bit_ceil(walk.count));
  if (walk.cpu) {
    walk.room = static_cast<int>(std::max<std::int64_t>(size, walk.width));
    const std::uint64_t share = walk.rows / (8 * std::uint64_t{traits.compute_units});
    walk.rows_per_item = std::max<std::uint64_t>({static_cast<std::uint64_t>(fewest_elements / size), share, 1});
  } else {
    // Neighbours have a few elements each before a row takes another work-item.
    const std::int64_t room = std::min<std::int64_t>(4, most_room(pass.body->lines.back().type));
    walk.lanes = static_cast<int>(std::clamp<std::int64_t>(size / room, 1, softmax_group));
    walk.room = static_cast<int>(std::max<std::int64_t>(size / walk.lanes, 1));
  }
  return walk;
}

std::vector<std::int64_t> bounds(const SoftmaxWalk& walk) {
  std::vector<std::int64_t> words;
  for (std::uint64_t w : {walk.count, walk.rows, walk.rows_per_item}) words.push_back(static_cast<std::int64_t>(w));
  append_bounds(words, walk);
  return words;
}

void append_key(std::string& key, const SoftmaxWalk& walk, const SoftmaxPass& pass) {
  const auto byte = [&](auto value) { key.push_back(static_cast<char>(value)); };
  byte(pass.logarithm);
  byte(pass.result);
  byte(std::countr_zero(static_cast<unsigned>(walk.room)));
  byte(std::countr_zero(static_cast<unsigned>(walk.lanes)));
  append_key(key, static_cast<const RowWalk&>(walk));
  append_key(key, *pass.body);
}

KernelText print_softmax(const SoftmaxPass& pass, const SoftmaxWalk& walk, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Printer printer(body, traits, walk.width);
  const auto line = static_cast<std::size_t>(body.outputs[0].line);
  const std::string stored(name(pass.result)), out = std::to_string(body.loads.size());
  KernelText text;
  text.settings = settings({walk.cpu, walk.wide, walk.aligned, false, walk.width}, traits);
  text.settings += "#define KN_ROOM " + std::to_string(walk.room) + "\n#define KN_LANES " + std::to_string(walk.lanes) +
                   "\n#define KN_GROUP " + std::to_string(softmax_group) + "\n";
  text.modules = printer.modules({pass.result});
  text.kernel = "softmax_rows";
  const std::string parameters = printer.load_parameters() + "__global " + std::string(memory_type(pass.result)) +
                                 "* out, " + printer.constant_parameters() + "const kn_bounds d";
  const std::string rounded = pass.result == DType::bfloat16 ? "kn_round_bfloat16(v)" : "v";
  std::string put;
  if (pass.logarithm) {
    put = define("KN_PUT_LOGARITHM(v)", "kn_scatter_" + stored + "(" + rounded + ", out + o" + out + ", 1, 1);\n");
  } else {
    put = define("KN_PUT(v)", "kn_store_" + stored + "(" + rounded + ", out + o" + out + " + (long)i, left);\n");
  }
  const DType type = body.lines[line].type;
  text.definitions = printer.memory_instances({pass.result}) + row_bounds_type(walk, "count, rows, rows_per_item") +
                     define("KN_PARAMETERS", parameters) + define("KN_CONSTANTS", printer.constants()) +
                     define("KN_KEPT", part_offsets(walk.kept, false, "d.offset", "o", "kept", "kept") +
                                           printer.uniform_loads(walk.access)) +
                     define("KN_STATE", printer.vector_type(type)) + define("KN_ONE", register_type(type)) +
                     define("KN_BODY", printer.lines(walk.access) + "taken = v" + std::to_string(line) + ";\n") + put;
  return text;
}

}  // namespace koine::codegen
