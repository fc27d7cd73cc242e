// SPDX-License-Identifier: Apache-2.0
// What bodies only move.
#include "codegen/body.hpp"

#include <algorithm>

namespace koine::codegen {
namespace {

/// Brings a value on as it is.
bool passes_on(const Line& line) { return line.op == graph::Op::cast && line.in_type == line.type; }

/// The lines from the one that a result stores back to a load, last ones first; none if anything is computed, or
/// another line or a position needs one of them.
std::vector<std::size_t> lines_of_move(const Body& body, const Output& output) {
  std::vector<std::size_t> moves = {static_cast<std::size_t>(output.line)};
  while (passes_on(body.lines[moves.back()]))
    moves.push_back(static_cast<std::size_t>(body.lines[moves.back()].args[0]));
  if (body.lines[moves.back()].op != graph::Op::leaf) return {};
  const auto moved = [&](std::size_t line) { return std::find(moves.begin(), moves.end(), line) != moves.end(); };
  bool alone = std::none_of(body.outputs.begin(), body.outputs.end(), [&](const Output& each) {
    return each.at >= 0 && moved(static_cast<std::size_t>(each.at));
  });
  for (std::size_t k = 0; k < body.lines.size(); ++k) {
    if (!moved(k)) each_argument(body, body.lines[k], [&](std::size_t arg) { alone = alone && !moved(arg); });
  }
  return alone ? moves : std::vector<std::size_t>{};
}

}  // namespace

DType bits_of(DType type) {
  switch (size_of(type)) {
    case 1: return DType::uint8;
    case 2: return DType::uint16;
    case 4: return DType::uint32;
    case 8: return DType::uint64;
    default: return type;
  }
}

void move_bits(Body& body) {
  for (const Output& output : body.outputs) {
    const Line& stored = body.lines[static_cast<std::size_t>(output.line)];
    if (stored.op != graph::Op::leaf && !passes_on(stored)) continue;
    for (const std::size_t k : lines_of_move(body, output)) {
      Line& line = body.lines[k];
      line.type = line.in_type = bits_of(line.type);
      if (line.op == graph::Op::leaf) body.loads[static_cast<std::size_t>(line.args[0])].dtype = line.type;
    }
  }
}

}  // namespace koine::codegen
