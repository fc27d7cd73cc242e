// SPDX-License-Identifier: Apache-2.0
// The bounds of a walk, as text and as bytes.
#include "codegen/print_walk.hpp"

#include <algorithm>
#include <array>

namespace koine::codegen {
namespace {

std::string number(std::size_t n) { return std::to_string(n); }

bool any_strided(const Walk& walk) {
  for (Access access : walk.access) {
    if (access == Access::strided || access == Access::turning || access == Access::transposed) return true;
  }
  return false;
}

}  // namespace

void add_bounds(ParamBlock& block, const Walk& walk, const Segments& segments) {
  const std::span<const std::int64_t> strides(walk.axes.strides);
  const std::size_t operands = walk.access.size(), outer = walk.outer_axes();
  block.add("inner", static_cast<std::uint64_t>(walk.inner()));
  block.add("row_segments", segments.row_segments);
  block.add("segments", segments.segments);
  block.add("per_item", segments.per_item);
  block.add("segment", segments.segment);
  if (walk.depth > 0) {
    block.add("depth", static_cast<std::uint64_t>(walk.depth));
    block.add("deep_segments", segments.deep_segments);
    block.add("lanes", segments.lanes);
    block.add("deep_lanes", segments.deep_lanes);
    block.add("deep_stride", walk.deep_strides);
  }
  if (walk.by_parts) block.add("rows", static_cast<std::uint64_t>(walk.rows()));
  if (walk.across) block.add("elements", static_cast<std::uint64_t>(walk.axes.shape.elements()));
  if (walk.tiled) {
    block.add("elements", static_cast<std::uint64_t>(walk.tiled_elements));
    block.add("tile", walk.tile);
    block.add("tile_stride", walk.tile_strides);
  }
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    block.add({"seam_at", s}, walk.seams[s].at);
    block.add({"seam_jump", s}, walk.seams[s].jump);
    if (walk.seams[s].turn != 0) block.add({"seam_turn", s}, walk.seams[s].turn);
  }
  block.add("offset", walk.offsets);
  if (!walk.inside.from.empty()) {
    block.add("inside_from", walk.inside.from);
    block.add("inside_size", walk.inside.sizes);
    block.add("inside_offset", walk.inside.offsets);
    block.add("inside_stride", walk.inside.strides);
  }
  if (any_strided(walk)) block.add("inner_stride", strides.last(operands));
  const std::span<const std::int64_t> sizes(walk.axes.shape.begin(), outer);
  if (!walk.any_axes) {
    block.add("size", sizes);
    block.add("stride", strides.first(outer * operands));
    return;
  }
  std::array<std::int64_t, Walk::most_any_axes> all_sizes{};
  std::array<std::int64_t, Walk::most_any_axes * Walk::most_any_operands> all_strides{};
  std::copy(sizes.begin(), sizes.end(), all_sizes.begin());
  std::copy_n(strides.begin(), outer * operands, all_strides.begin());
  block.add("axes", static_cast<std::uint64_t>(outer));
  block.add("size", all_sizes);
  block.add("stride", std::span(all_strides).first(all_sizes.size() * operands));
}

/// Past seam number `s` along the axis that `at` counts along, its leader has moved by a jump, and by a change of its
/// stride. Along the innermost axis that is one of t<leader>.
static std::string past_seam(const Walk& walk, std::size_t s, const std::string& at) {
  const WalkSeam& seam = walk.seams[s];
  const std::string leader = number(seam.operand), jump = "(KN_OFFSET)d.seam_jump" + number(s);
  const std::string turn = "(KN_OFFSET)d.seam_turn" + number(s);
  const std::string text = "if ((KN_INDEX)(" + at + ") >= (KN_INDEX)d.seam_at" + number(s) + ") ";
  const std::string moves = "m" + leader + " += " + jump;
  if (seam.turn == 0) return text + moves + ";\n";
  if (seam.axis != walk.outer_axes()) return text + moves + " + " + at + " * " + turn + ";\n";
  return text + "{\n" + moves + ";\nt" + leader + " += " + turn + ";\n}\n";
}

/// Whether an operand is in pieces along the innermost axis.
static bool in_pieces(const Walk& walk, std::size_t operand) {
  return std::any_of(walk.seams.begin(), walk.seams.end(), [&](const WalkSeam& seam) {
    return seam.axis == walk.outer_axes() && seam.operand == walk.leader[operand];
  });
}

/// Whether a leader's stride changes along the innermost axis: then that of all whom it leads does.
static bool turns(const Walk& walk, std::size_t leader) {
  return std::any_of(walk.seams.begin(), walk.seams.end(), [&](const WalkSeam& seam) {
    return seam.axis == walk.outer_axes() && seam.operand == leader && seam.turn != 0;
  });
}

std::vector<bool> in_pieces(const Walk& walk) {
  std::vector<bool> result;
  for (std::size_t k = 0; k < walk.access.size(); ++k) result.push_back(in_pieces(walk, k));
  return result;
}

/// Where a row is along the outer axes, as c<axis>_, and what `each(axis)` says behind each.
template <class Each>
static std::string outer_positions(const Walk& walk, const Each& each) {
  const std::size_t printed = walk.any_axes ? Walk::most_any_axes : walk.outer_axes();
  std::string text;
  if (printed > 0) text += "KN_INDEX left_rows = (KN_INDEX)row;\n";
  for (std::size_t axis = printed; axis-- > 0;) {
    if (walk.any_axes && axis > 0) text += "if (d.axes > " + number(axis) + ") {\n";
    const std::string size = "(KN_INDEX)d.size[" + number(axis) + "]", at = "c" + number(axis) + "_";
    if (axis > 0) {
      text += "const KN_OFFSET " + at + " = left_rows % " + size + ";\nleft_rows /= " + size + ";\n";
    } else {
      text += "const KN_OFFSET " + at + " = left_rows;\n";
    }
    text += each(axis);
    if (walk.any_axes && axis > 0) text += "}\n";
  }
  return text;
}

/// How far leaders move along an outer axis; everybody's offset is added at the end.
static std::string moves_along(const Walk& walk, std::size_t axis) {
  const std::size_t operands = walk.access.size();
  const std::string at = "c" + number(axis) + "_";
  std::string text;
  for (std::size_t k = 0; k < operands; ++k) {
    if (walk.leader[k] != k) continue;
    text += "m" + number(k) + " += " + at + " * (KN_OFFSET)d.stride[" + number(axis * operands + k) + "];\n";
  }
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    if (walk.seams[s].axis == axis) text += past_seam(walk, s, at);
  }
  return text;
}

/// Whether element i of a row is in the part of the domain without seams.
static std::string is_inside(const Walk& walk) {
  std::string text;
  for (std::size_t axis = 0; axis <= walk.outer_axes(); ++axis) {
    const std::string n = number(axis), at = axis < walk.outer_axes() ? "c" + n + "_" : "(KN_OFFSET)i";
    text += (text.empty() ? "" : " && ") + ("(KN_INDEX)(" + at) + " - (KN_OFFSET)d.inside_from[" + n +
            "]) < (KN_INDEX)d.inside_size[" + n + "]";
  }
  return text;
}

std::string row_position(const Walk& walk) {
  const auto nothing = [](std::size_t) { return ""; };
  return outer_positions(walk, nothing) + "const bool inside = " + is_inside(walk) + ";\n";
}

/// "o<k> = ..." for each operand, and "s<k> = ..." of those that turn, where no operand comes to a seam; behind
/// `offset` and `stride`, which declare them or are empty.
static std::string set_inside(const Walk& walk, const std::string& offset, const std::string& stride) {
  const std::size_t operands = walk.access.size(), outer = walk.outer_axes();
  const std::string from = "(KN_OFFSET)d.inside_";
  std::string text;
  for (std::size_t k = 0; k < operands; ++k) {
    const std::string n = number(k);
    text += offset + "o" + n + " = " + from + "offset[" + n + "]";
    for (std::size_t axis = 0; axis < outer; ++axis) {
      text += " + c" + number(axis) + "_ * " + from + "stride[" + number(axis * operands + k) + "]";
    }
    text += ";\n";
    if (walk.access[k] != Access::turning) continue;
    text += stride + "s" + n + " = d.inside_stride[" + number(outer * operands + k) + "];\n";
  }
  return text;
}

std::string offsets_inside(const Walk& walk) { return set_inside(walk, "const KN_OFFSET ", "const long "); }

/// Offsets where there may be two ways to them.
static std::string row_offsets_inside(const Walk& walk) {
  const std::size_t operands = walk.access.size(), outer = walk.outer_axes();
  std::string text = row_position(walk);
  std::string across;
  for (std::size_t k = 0; k < operands; ++k) {
    const std::string n = number(k), m = "m" + number(walk.leader[k]);
    const bool leads = walk.leader[k] == k, pieces = in_pieces(walk, k), turning = walk.access[k] == Access::turning;
    if (leads) text += "KN_OFFSET " + m + " = 0;\n";
    text += "KN_OFFSET o" + n + (pieces ? ", r" + n + " = 0" : "") + ";\n";
    if (turning) text += "long s" + n + " = KN_STRIDE(" + n + ");\n";
    if (turns(walk, walk.leader[k]) && leads) text += "KN_OFFSET t" + n + " = 0;\n";
    across += (pieces ? "r" : "o") + n + " = (KN_OFFSET)d.offset[" + n + "] + " + m + ";\n";
  }
  std::string moves;
  for (std::size_t axis = outer; axis-- > 0;) moves += moves_along(walk, axis);
  return text + "if (inside) {\n" + set_inside(walk, "", "") + "} else {\n" + moves + across + "}\n";
}

std::string row_offsets(const Walk& walk) {
  if (!walk.inside.from.empty()) return row_offsets_inside(walk);
  const std::size_t operands = walk.access.size();
  std::string text;
  for (std::size_t k = 0; k < operands; ++k) {
    if (walk.leader[k] == k) text += "KN_OFFSET m" + number(k) + " = 0;\n";
  }
  text += outer_positions(walk, [&](std::size_t axis) { return moves_along(walk, axis); });
  for (std::size_t k = 0; k < operands; ++k) {
    const std::string n = number(k), offset = " = (KN_OFFSET)d.offset[" + n + "] + m" + number(walk.leader[k]) + ";\n";
    if (in_pieces(walk, k)) {
      text += "const KN_OFFSET r" + n + offset + "KN_OFFSET o" + n + " = r" + n + ";\n";
      if (turns(walk, walk.leader[k]) && walk.leader[k] == k) text += "KN_OFFSET t" + n + " = 0;\n";
      if (walk.access[k] == Access::turning) text += "long s" + n + " = KN_STRIDE(" + n + ");\n";
    } else {
      text += "const KN_OFFSET o" + n + offset;
    }
  }
  return text;
}

std::string deep_offsets(const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    const std::string n = number(k);
    text += "const long o" + n + " = d.offset[" + n + "] + m" + number(walk.leader[k]) +
            " + (long)(first + r) * d.deep_stride[" + n + "];\n";
  }
  return text;
}

std::string piece_offsets(const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    if (walk.leader[k] != k || !in_pieces(walk, k)) continue;
    text += "m" + number(k) + " = 0;\n";
    if (turns(walk, k)) text += "t" + number(k) + " = 0;\n";
  }
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    if (walk.seams[s].axis == walk.outer_axes()) text += past_seam(walk, s, "(KN_OFFSET)i");
  }
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    const std::string n = number(k);
    if (!in_pieces(walk, k)) continue;
    const std::string leader = number(walk.leader[k]);
    text += "o" + n + " = r" + n + " + m" + leader + ";\n";
    if (turns(walk, walk.leader[k])) text += "s" + n + " = KN_STRIDE(" + n + ") + t" + leader + ";\n";
  }
  return text.empty() || walk.inside.from.empty() ? text : "if (!inside) {\n" + text + "}\n";
}

std::string piece_ends(const Walk& walk) {
  std::string text;
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    if (walk.seams[s].axis != walk.outer_axes()) continue;
    const std::string at = "(ulong)d.seam_at" + number(s);
    text += "if (" + at + " > i) stop = min(stop, " + at + ");\n";
  }
  return text;
}

std::string in_one_piece(const Walk& walk) {
  std::string text = walk.across ? "i + KN_W <= d.inner" : "";
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    if (walk.seams[s].axis != walk.outer_axes() || !walk.straddles[walk.seams[s].operand]) continue;
    // Of seams that are passed, the difference wraps round to a large number.
    text += (text.empty() ? "" : " && ");
    text += "(KN_INDEX)(d.seam_at" + number(s) + " - (long)i - 1) >= KN_W - 1";
  }
  return text;
}

void add_seams(ParamBlock& block, ParamBlock::Name name, std::span<const WalkSeam> seams) {
  std::vector<std::int64_t> values;
  for (const WalkSeam& seam : seams) values.insert(values.end(), {seam.at, seam.jump, seam.turn});
  block.add(name, values);
}

std::string moved_past(const WalkSeam& seam, std::size_t s, std::string_view list, const std::string& at) {
  const auto value = [&](std::size_t k) { return "d." + std::string(list) + "_seams[" + number(3 * s + k) + "]"; };
  const std::string turned = seam.turn != 0 ? " + " + at + " * " + value(2) : "";
  return "(" + at + " >= " + value(0) + " ? " + value(1) + turned + " : 0)";
}

std::string part_offsets(const graph::Collapsed& axes, bool without_last, std::string_view from, std::string_view to,
                         std::string_view index, std::string_view list, std::span<const WalkSeam> seams) {
  const std::size_t operands = axes.layouts, count = axes.shape.size() - (without_last ? 1 : 0);
  const std::size_t stored = std::max<std::size_t>(operands, 1);
  std::string text;
  for (std::size_t k = 0; k < operands; ++k) {
    text += "long " + std::string(to) + number(k) + " = " + std::string(from) +
            (from == "d.offset" ? "[" + number(k) + "]" : number(k)) + ";\n";
  }
  if (count == 0) return text;
  const std::string rest = std::string(list) + "_rest", l(list);
  text += "KN_INDEX " + rest + " = (KN_INDEX)" + std::string(index) + ";\n";
  for (std::size_t axis = count; axis-- > 0;) {
    const std::string at = l + number(axis) + "_", size = "(KN_INDEX)d." + l + "_size[" + number(axis) + "]";
    text += "const long " + at + " = " + (axis ? rest + " % " + size : rest) + ";\n";
    if (axis) text += rest + " /= " + size + ";\n";
    for (std::size_t k = 0; k < operands; ++k) {
      text += std::string(to) + number(k) + " += " + at + " * d." + l + "_stride[" + number(axis * stored + k) + "];\n";
    }
    for (std::size_t s = 0; s < seams.size(); ++s) {
      if (seams[s].axis != axis) continue;
      text += std::string(to) + number(seams[s].operand) + " += " + moved_past(seams[s], s, list, at) + ";\n";
    }
  }
  return text;
}

/// Reads x<k> of a load that is in pieces along the innermost axis: at once where the vector lies in one of them, else
/// each lane as an element of its own.
static std::string pieced_load(const Load& load, std::size_t k, Access access, const InnerSeams& seams,
                               const Printer& printer) {
  const std::string n = number(k), type = printer.vector_type(load.dtype);
  std::string moved, whole;
  for (std::size_t s = 0; s < seams.all.size(); ++s) {
    const WalkSeam& seam = seams.all[s];
    if (!seams.holds(seam, k)) continue;
    moved += " + " + moved_past(seam, s, seams.list, "(long)i");
    // Of a seam that is passed, the difference wraps round to a large number.
    const std::string seam_at = "d." + std::string(seams.list) + "_seams[" + number(3 * s) + "]";
    whole += (whole.empty() ? "" : " && ") +
             (seam.turn != 0 ? "false" : "(ulong)(" + seam_at + " - (long)i - 1) >= KN_W - 1");
  }
  const std::string offset = "const long o" + n + " = r" + n + moved + ";\n";
  const std::string declared = type + " x" + n + ";\n{\nconst long r" + n + " = o" + n + ";\n";
  if (printer.width() == 1) {
    return declared + "{\n" + offset + "x" + n + " = " + printer.element_text(k, access) + ";\n}\n}\n";
  }
  const std::string lane = "KN_LANE(" + std::string(register_type(load.dtype)) + ", y" + n + ", lane)";
  return declared + "if (" + whole + ") {\n" + offset + "x" + n + " = " + printer.load_text(k, access) +
         ";\n} else {\n" + type + " y" + n + ";\nfor (uint lane = 0; lane < KN_W; ++lane) {\n" +
         "const ulong next = i + min((ulong)lane, left - 1);\n{\nconst ulong i = next;\n" + offset + lane + " = " +
         printer.element_text(k, access) + ";\n}\n}\nx" + n + " = y" + n + ";\n}\n}\n";
}

std::string line_in_pieces(const Body& body, std::size_t k, std::vector<Access> access, const InnerSeams& seams,
                           const Printer& printer) {
  const Line& line = body.lines[k];
  const auto load = static_cast<std::size_t>(line.args[0]);
  const bool loads = line.op == graph::Op::leaf || line.op == graph::Op::iota;
  if (!loads || !seams.in_pieces(load)) return printer.line(k, access);
  const std::string text = pieced_load(body.loads[load], load, access[load], seams, printer);
  access[load] = Access::taken;
  return text + printer.line(k, access);
}

std::string lines_in_pieces(const Body& body, std::vector<Access> access, const InnerSeams& seams,
                            const Printer& printer) {
  std::string text;
  for (std::size_t k = 0; k < body.loads.size(); ++k) {
    if (!seams.in_pieces(k)) continue;
    text += pieced_load(body.loads[k], k, access[k], seams, printer);
    access[k] = Access::taken;
  }
  return text + printer.lines(access);
}

}  // namespace koine::codegen
