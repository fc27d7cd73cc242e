// SPDX-License-Identifier: Apache-2.0
// The bounds of a walk, as text and as bytes.
#include "codegen/print_walk.hpp"

#include <algorithm>

namespace koine::codegen {
namespace {

std::string number(std::size_t n) { return std::to_string(n); }

bool any_strided(const Walk& walk) {
  for (Access access : walk.access) {
    if (access == Access::strided || access == Access::turning) return true;
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
  if (walk.across) block.add("elements", static_cast<std::uint64_t>(walk.axes.shape.elements()));
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    block.add({"seam_at", s}, walk.seams[s].at);
    block.add({"seam_jump", s}, walk.seams[s].jump);
    if (walk.seams[s].turn != 0) block.add({"seam_turn", s}, walk.seams[s].turn);
  }
  block.add("offset", walk.offsets);
  if (any_strided(walk)) block.add("inner_stride", strides.last(operands));
  block.add("size", std::span(walk.axes.shape.begin(), outer));
  block.add("stride", strides.first(outer * operands));
}

/// Past seam number `s` along the axis that `at` counts along, its leader has moved by a jump, and by a change of its
/// stride. Along the innermost axis that is one of t<leader>.
static std::string past_seam(const Walk& walk, std::size_t s, const std::string& at) {
  const Walk::WalkSeam& seam = walk.seams[s];
  const std::string leader = number(seam.operand), jump = "d.seam_jump" + number(s), turn = "d.seam_turn" + number(s);
  const std::string text = "if ((KN_INDEX)(" + at + ") >= (KN_INDEX)d.seam_at" + number(s) + ") ";
  if (seam.turn == 0) return text + "m" + leader + " += " + jump + ";\n";
  if (seam.axis != walk.outer_axes()) return text + "m" + leader + " += " + jump + " + " + at + " * " + turn + ";\n";
  return text + "{\nm" + leader + " += " + jump + ";\nt" + leader + " += " + turn + ";\n}\n";
}

/// Whether an operand is in pieces along the innermost axis.
static bool in_pieces(const Walk& walk, std::size_t operand) {
  return std::any_of(walk.seams.begin(), walk.seams.end(), [&](const Walk::WalkSeam& seam) {
    return seam.axis == walk.outer_axes() && seam.operand == walk.leader[operand];
  });
}

/// Whether a leader's stride changes along the innermost axis: then that of all whom it leads does.
static bool turns(const Walk& walk, std::size_t leader) {
  return std::any_of(walk.seams.begin(), walk.seams.end(), [&](const Walk::WalkSeam& seam) {
    return seam.axis == walk.outer_axes() && seam.operand == leader && seam.turn != 0;
  });
}

std::vector<bool> in_pieces(const Walk& walk) {
  std::vector<bool> result;
  for (std::size_t k = 0; k < walk.access.size(); ++k) result.push_back(in_pieces(walk, k));
  return result;
}

std::string row_offsets(const Walk& walk) {
  const std::size_t operands = walk.access.size(), outer = walk.outer_axes();
  std::string text;
  // How far leaders have moved; everybody's offset is added at the end.
  const auto moved = [&](std::size_t k) { return "m" + number(walk.leader[k]); };
  for (std::size_t k = 0; k < operands; ++k) {
    if (walk.leader[k] == k) text += "long " + moved(k) + " = 0;\n";
  }
  if (outer > 0) text += "KN_INDEX left_rows = (KN_INDEX)row;\n";
  for (std::size_t axis = outer; axis-- > 0;) {
    const std::string size = "(KN_INDEX)d.size[" + number(axis) + "]", at = "c" + number(axis) + "_";
    if (axis > 0) {
      text += "const long " + at + " = left_rows % " + size + ";\nleft_rows /= " + size + ";\n";
    } else {
      text += "const long " + at + " = left_rows;\n";
    }
    for (std::size_t k = 0; k < operands; ++k) {
      if (walk.leader[k] != k) continue;
      text += moved(k) + " += " + at + " * d.stride[" + number(axis * operands + k) + "];\n";
    }
    for (std::size_t s = 0; s < walk.seams.size(); ++s) {
      if (walk.seams[s].axis == axis) text += past_seam(walk, s, at);
    }
  }
  for (std::size_t k = 0; k < operands; ++k) {
    const std::string n = number(k);
    if (in_pieces(walk, k)) {
      text += "const long r" + n + " = d.offset[" + n + "] + " + moved(k) + ";\nlong o" + n + " = r" + n + ";\n";
      if (turns(walk, walk.leader[k]) && walk.leader[k] == k) text += "long t" + n + " = 0;\n";
      if (walk.access[k] == Access::turning) text += "long s" + n + " = KN_STRIDE(" + n + ");\n";
    } else {
      text += "const long o" + n + " = d.offset[" + n + "] + " + moved(k) + ";\n";
    }
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
    if (walk.seams[s].axis == walk.outer_axes()) text += past_seam(walk, s, "(long)i");
  }
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    const std::string n = number(k);
    if (!in_pieces(walk, k)) continue;
    const std::string leader = number(walk.leader[k]);
    text += "o" + n + " = r" + n + " + m" + leader + ";\n";
    if (turns(walk, walk.leader[k])) text += "s" + n + " = KN_STRIDE(" + n + ") + t" + leader + ";\n";
  }
  return text;
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

std::string part_offsets(const graph::Collapsed& axes, bool without_last, std::string_view from, std::string_view to,
                         std::string_view index, std::string_view list) {
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
  }
  return text;
}

}  // namespace koine::codegen
