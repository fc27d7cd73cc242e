// SPDX-License-Identifier: Apache-2.0
// The bounds of a walk, as text and as bytes.
#include "codegen/print_walk.hpp"

#include <algorithm>

namespace koine::codegen {
namespace {

std::string number(std::size_t n) { return std::to_string(n); }

bool any_strided(const Walk& walk) {
  for (Access access : walk.access) {
    if (access == Access::strided) return true;
  }
  return false;
}

}  // namespace

std::string settings(const Loop& loop, const DeviceTraits& traits) {
  std::string text = traits.fp64 ? "#define KN_FP64 1\n" : "";
  text += "#define KN_W " + std::to_string(loop.width) + "\n";
  if (loop.cpu) text += "#define KN_CPU\n";
  if (loop.aligned) text += "#define KN_ALIGNED\n";
  if (loop.rows) text += "#define KN_ROWS\n";
  return text + "#define KN_INDEX " + (loop.wide ? "ulong" : "uint") + "\n";
}

std::string bounds_type(const Walk& walk) {
  const std::size_t operands = walk.access.size(), outer = walk.outer_axes();
  std::string text = "typedef struct {\n  ulong inner, row_segments, segments, per_item, segment;\n";
  if (!walk.seams.empty()) text += "  long seam[" + number(2 * walk.seams.size()) + "];\n";
  text += "  long offset[" + number(operands) + "];\n";
  if (any_strided(walk)) text += "  long inner_stride[" + number(operands) + "];\n";
  if (outer) text += "  ulong size[" + number(outer) + "];\n  long stride[" + number(outer * operands) + "];\n";
  return text + "} kn_bounds;\n#define KN_STRIDE(k) d.inner_stride[k]\n";
}

/// How far a leader has moved past its seam number `s`, along the axis that `at` counts along.
static std::string past_seam(const Walk& walk, std::size_t s, const std::string& at) {
  return "if (" + at + " >= d.seam[" + number(2 * s) + "]) m" + number(walk.seams[s].operand) + " += d.seam[" +
         number(2 * s + 1) + "];\n";
}

/// Whether an operand is in pieces along the innermost axis.
static bool in_pieces(const Walk& walk, std::size_t operand) {
  return std::any_of(walk.seams.begin(), walk.seams.end(), [&](const Walk::WalkSeam& seam) {
    return seam.axis == walk.outer_axes() && seam.operand == walk.leader[operand];
  });
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
    } else {
      text += "const long o" + n + " = d.offset[" + n + "] + " + moved(k) + ";\n";
    }
  }
  return text;
}

std::string piece_offsets(const Walk& walk) {
  std::string text;
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    if (walk.leader[k] == k && in_pieces(walk, k)) text += "m" + number(k) + " = 0;\n";
  }
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    if (walk.seams[s].axis == walk.outer_axes()) text += past_seam(walk, s, "(long)i");
  }
  for (std::size_t k = 0; k < walk.access.size(); ++k) {
    const std::string n = number(k);
    if (in_pieces(walk, k)) text += "o" + n + " = r" + n + " + m" + number(walk.leader[k]) + ";\n";
  }
  return text;
}

std::string piece_ends(const Walk& walk) {
  std::string text;
  for (std::size_t s = 0; s < walk.seams.size(); ++s) {
    if (walk.seams[s].axis != walk.outer_axes()) continue;
    const std::string at = "(ulong)d.seam[" + number(2 * s) + "]";
    text += "if (" + at + " > i) stop = min(stop, " + at + ");\n";
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

void write_bounds(const Walk& walk, const Segments& segments, std::vector<std::int64_t>& words) {
  const std::size_t operands = walk.access.size(), outer = walk.outer_axes();
  const auto& strides = walk.axes.strides;
  const auto inner_strides = strides.end() - static_cast<std::ptrdiff_t>(operands);
  words.clear();
  words.push_back(walk.inner());
  for (std::uint64_t s : {segments.row_segments, segments.segments, segments.per_item, segments.segment}) {
    words.push_back(static_cast<std::int64_t>(s));
  }
  for (const Walk::WalkSeam& seam : walk.seams) words.insert(words.end(), {seam.at, seam.jump});
  words.insert(words.end(), walk.offsets.begin(), walk.offsets.end());
  if (any_strided(walk)) words.insert(words.end(), inner_strides, strides.end());
  words.insert(words.end(), walk.axes.shape.begin(), walk.axes.shape.begin() + outer);
  words.insert(words.end(), strides.begin(), inner_strides);
}

void append_key(std::string& key, const Walk& walk) {
  key.push_back(static_cast<char>(walk.width));
  key.push_back(static_cast<char>((walk.cpu ? 1 : 0) | (walk.wide ? 2 : 0) | (walk.aligned ? 4 : 0)));
  key.push_back(static_cast<char>(walk.outer_axes()));
  for (Access access : walk.access) key.push_back(static_cast<char>(access));
  for (std::size_t leader : walk.leader) {
    key.push_back(static_cast<char>(leader));
    key.push_back(static_cast<char>(leader >> 8));
  }
  key.push_back(static_cast<char>(walk.seams.size()));
  for (const Walk::WalkSeam& seam : walk.seams) {
    key.push_back(static_cast<char>(seam.operand));
    key.push_back(static_cast<char>(seam.operand >> 8));
    key.push_back(static_cast<char>(seam.axis));
  }
}

}  // namespace koine::codegen
