// SPDX-License-Identifier: Apache-2.0
// Masks that lines of booleans leave for lines that choose between vectors.
#include "codegen/print.hpp"

namespace koine::codegen {
namespace {

using graph::Op;

/// The text of an expression that a comparison of vectors gives, before it becomes a bool_; empty of other expressions.
std::string compared(const std::string& text) {
  constexpr std::string_view before = "KN_BOOL(";
  return text.starts_with(before) ? text.substr(before.size(), text.size() - before.size() - 1) : "";
}

}  // namespace

void Printer::find_masks() {
  masks_.assign(body_.lines.size(), DType::bool_);
  const auto mask_of = [&](std::int32_t line) { return masks_[static_cast<std::size_t>(line)]; };
  for (std::size_t k = 0; k < masks_.size(); ++k) {
    const Line& line = body_.lines[k];
    if (!is_bool(line.type)) continue;
    switch (line.op) {
      case Op::equal:
      case Op::greater:
      case Op::greater_equal:
      case Op::less:
      case Op::less_equal:
      case Op::not_equal:
        if (is_bool(line.in_type) || is_complex(line.in_type)) break;
        masks_[k] = line.in_type;
        break;
      case Op::bitwise_and:
      case Op::bitwise_or:
      case Op::bitwise_xor:
      case Op::logical_and:
      case Op::logical_or:
      case Op::logical_xor:
        if (!is_bool(mask_of(line.args[0])) && !is_bool(mask_of(line.args[1])) &&
            mask_type(mask_of(line.args[0])) == mask_type(mask_of(line.args[1]))) {
          masks_[k] = mask_of(line.args[0]);
        }
        break;
      case Op::logical_not: masks_[k] = mask_of(line.args[0]); break;
      default: break;
    }
  }
}

std::string Printer::mask_text(std::size_t index, const std::string& text) const {
  const Line& line = body_.lines[index];
  const auto mask = [&](int k) { return "is" + std::to_string(line.args[k]); };
  std::string value = compared(text);
  if (line.op == Op::logical_not) value = "~" + mask(0);
  if (line.op == Op::bitwise_and || line.op == Op::logical_and) value = mask(0) + " & " + mask(1);
  if (line.op == Op::bitwise_or || line.op == Op::logical_or) value = mask(0) + " | " + mask(1);
  if (line.op == Op::bitwise_xor || line.op == Op::logical_xor) value = mask(0) + " ^ " + mask(1);
  return "const " + std::string(mask_type(masks_[index])) + std::to_string(width_) + " is" + std::to_string(index) +
         " = " + value + ";\n";
}

std::string Printer::boolean_text(std::size_t index, const std::string& text) const {
  return compared(text).empty() ? text : "KN_BOOL(is" + std::to_string(index) + ")";
}

bool Printer::has_mask(std::int32_t line, DType chosen) const {
  const auto k = static_cast<std::size_t>(line);
  return !masks_.empty() && !is_bool(masks_[k]) && mask_type(masks_[k]) == mask_type(chosen);
}

std::string Printer::mask_for(std::int32_t line, DType chosen) const {
  if (has_mask(line, chosen)) return "is" + std::to_string(line);
  return "-convert_" + std::string(mask_type(chosen)) + (width_ > 1 ? std::to_string(width_) : "") + "(" + value(line) +
         ")";
}

}  // namespace koine::codegen
