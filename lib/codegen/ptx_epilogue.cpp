// SPDX-License-Identifier: Apache-2.0
// The operations of epilogues in PTX, with the bits of their expressions in ops.def.
#include "codegen/ptx_epilogue.hpp"

#include "base/dtypes.hpp"
#include "base/hash.hpp"
#include "codegen/constant.hpp"
#include "codegen/names.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace koine::codegen {
namespace {

using graph::Op;

constexpr std::size_t most_loads = 4, most_lines = 24;
// Of each load the block has an offset and the distance of rows, in bytes.
constexpr std::size_t load_bytes = 16, constant_bytes = 4;

bool in_float(DType type) { return type == DType::float32 || base::is_half(type); }

std::string number(std::size_t n) { return std::to_string(n); }

/// A comparison's suffix; null of another operation. Nothing is below, above or equal to NaN.
const char* comparison(Op op) {
  switch (op) {
    case Op::greater: return "gt";
    case Op::greater_equal: return "ge";
    case Op::less: return "lt";
    case Op::less_equal: return "le";
    case Op::equal: return "eq";
    case Op::not_equal: return "neu";
    default: return nullptr;
  }
}

/// An operation on floats whose text is an instruction; null of another.
const char* instruction(Op op) {
  switch (op) {
    case Op::add: return "add.rn.f32";
    case Op::subtract: return "sub.rn.f32";
    case Op::multiply: return "mul.rn.f32";
    case Op::divide: return "div.rn.f32";
    case Op::sqrt: return "sqrt.rn.f32";
    case Op::reciprocal: return "rcp.rn.f32";
    case Op::negative: return "neg.f32";
    case Op::abs: return "abs.f32";
    default: return nullptr;
  }
}

bool supported(const Line& line) {
  switch (line.op) {
    case Op::leaf: return in_float(line.type) || is_bool(line.type);
    case Op::constant: return in_float(line.type);
    case Op::cast:
      return (in_float(line.in_type) || is_bool(line.in_type)) && (in_float(line.type) || is_bool(line.type));
    case Op::where: return in_float(line.type);
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return is_bool(line.in_type);
    case Op::maximum:
    case Op::minimum:
    case Op::square:
    case Op::positive: return in_float(line.type);
    default: return in_float(line.in_type) && (comparison(line.op) || instruction(line.op));
  }
}

/// Rounds v<k> to a type of 16 bits.
std::string rounded(DType type, const std::string& v) {
  if (type == DType::float16) return "cvt.rn.f16.f32 h, " + v + "; cvt.f32.f16 " + v + ", h; ";
  if (type != DType::bfloat16) return "";
  return "cvt.rn.bf16.f32 h, " + v + "; cvt.u32.u16 b, h; shl.b32 b, b, 16; mov.b32 " + v + ", b; ";
}

}  // namespace

std::optional<PtxEpilogue> PtxEpilogue::of(const Body& body, const EpilogueWalk& walk, std::int64_t columns) {
  PtxEpilogue result;
  result.lines_ = body.lines;
  result.result_ = static_cast<std::size_t>(body.outputs[0].line);
  result.product_ = body.loads[0].dtype;
  result.type_ = body.outputs[0].node->dtype;
  const bool suits = in_float(result.product_) && (result.type_ == result.product_ || result.type_ == DType::float32) &&
                     body.loads.size() <= 1 + most_loads && body.lines.size() <= most_lines && body.calls.empty() &&
                     std::all_of(body.lines.begin(), body.lines.end(), supported);
  if (!suits) return std::nullopt;
  const auto add = [&](const auto& value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    result.block_.insert(result.block_.end(), bytes, bytes + sizeof value);
  };
  const std::int64_t rows = body.domain.elements() / columns;
  for (std::size_t k = 1; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    if (load.iota) return std::nullopt;
    const auto size = static_cast<std::int64_t>(size_of(load.dtype));
    std::int64_t row = columns, column = 1;
    if (walk.number[k] >= 0) {
      const auto number = static_cast<std::size_t>(walk.number[k]);
      const Shape& axes = walk.axes.shape;
      row = column = 0;
      if (axes.size() == 1 && axes[0] == rows * columns) {
        column = walk.axes.stride(number, 0);
        row = columns * column;
      } else if (axes.size() == 2 && axes[1] == columns) {
        row = walk.axes.stride(number, 0);
        column = walk.axes.stride(number, 1);
      } else if (!axes.empty()) {
        return std::nullopt;
      }
    }
    if (column != 0 && column != 1) return std::nullopt;
    result.beside_.push_back({load.dtype, row != 0, column != 0});
    add(load.layout.offset * size);
    add(row * size);
  }
  for (const graph::Node* constant : body.constants) {
    std::array<std::byte, 16> value{};
    write_constant(*constant, value);
    float bits = 0;
    std::memcpy(&bits, value.data(), sizeof bits);
    add(bits);
  }
  if (result.block_.empty()) add(std::int64_t{0});
  result.name_ = kernel_name_of_product(body);
  std::string code(1, static_cast<char>(result.type_));
  for (const Beside& each : result.beside_) {
    code += {static_cast<char>(each.type), static_cast<char>(each.by_row), static_cast<char>(each.by_column)};
  }
  for (const Line& line : result.lines_) {  // fewer than a byte counts
    code += {static_cast<char>(line.op), static_cast<char>(line.type), static_cast<char>(line.in_type)};
    for (const std::int32_t argument : line.args) code += static_cast<char>(argument);
  }
  code += static_cast<char>(result.result_);
  result.signature_ = "epilogue " + result.name_ + " " + base::hash128_hex(code);
  return result;
}

void PtxEpilogue::print_parameters(PtxText& out) const {
  for (std::size_t k = 0; k < beside_.size(); ++k) out.line(", .param .u64 .ptr .global .align 1 p_beside", k);
  out.line(", .param .align 8 .b8 p_epilogue[", block_.size(), "]");
}

void PtxEpilogue::print_registers(PtxText& out, int rows) const {
  out.line(".reg .b64 %e_row<", std::max<std::size_t>(1, beside_.size() * static_cast<std::size_t>(rows)),
           ">, %e_at, %e_apart; .reg .pred %e_in<", rows, ">, %e_there; .reg .b32 %e_r<", rows, ">, %e_c;");
}

void PtxEpilogue::print_row(PtxText& out, int slot, const char* row, const char* column) const {
  for (std::size_t k = 0; k < beside_.size(); ++k) {
    const std::string at = "%e_row" + number(static_cast<std::size_t>(slot) * beside_.size() + k);
    out.line("ld.param.u64 ", at, ", [p_beside", k, "]; ld.param.u64 %e_at, [p_epilogue+", k * load_bytes,
             "]; add.u64 ", at, ", ", at, ", %e_at;");
    if (beside_[k].by_row) {
      out.line("mul.wide.u32 %e_at, %matrix, %m; cvt.u64.u32 %e_apart, ", row,
               "; add.u64 %e_at, %e_at, %e_apart; ld.param.u64 %e_apart, [p_epilogue+", k * load_bytes + 8,
               "]; mad.lo.u64 ", at, ", %e_at, %e_apart, ", at, ";");
    }
    if (beside_[k].by_column) {
      out.line("mul.wide.u32 %e_at, ", column, ", ", size_of(beside_[k].type), "; add.u64 ", at, ", ", at, ", %e_at;");
    }
  }
}

/// The text of a line of float registers v0, v1, ... and predicates c0, c1, ...; not of a leaf.
std::string PtxEpilogue::line_text(std::size_t index) const {
  const Line& line = lines_[index];
  const std::string to = number(index);
  const auto arg = [&](int k) { return number(static_cast<std::size_t>(line.args[k])); };
  if (const char* compared = comparison(line.op)) {
    return "setp." + std::string(compared) + ".f32 c" + to + ", v" + arg(0) + ", v" + arg(1) + "; ";
  }
  const std::string round = rounded(line.type, "v" + to);
  switch (line.op) {
    case Op::leaf: return "";
    case Op::constant: {
      const std::size_t at = beside_.size() * load_bytes + static_cast<std::size_t>(line.args[0]) * constant_bytes;
      return "ld.param.f32 v" + to + ", [p_epilogue+" + number(at) + "]; ";
    }
    case Op::cast:
      if (is_bool(line.in_type)) {
        return is_bool(line.type) ? "mov.pred c" + to + ", c" + arg(0) + "; "
                                  : "selp.f32 v" + to + ", 0f3F800000, 0f00000000, c" + arg(0) + "; ";
      }
      if (is_bool(line.type)) return "setp.neu.f32 c" + to + ", v" + arg(0) + ", 0f00000000; ";
      return "mov.f32 v" + to + ", v" + arg(0) + "; " + (line.in_type == line.type ? "" : round);
    case Op::where: return "selp.f32 v" + to + ", v" + arg(1) + ", v" + arg(2) + ", c" + arg(0) + "; ";
    case Op::logical_and: return "and.pred c" + to + ", c" + arg(0) + ", c" + arg(1) + "; ";
    case Op::logical_or: return "or.pred c" + to + ", c" + arg(0) + ", c" + arg(1) + "; ";
    case Op::logical_not: return "not.pred c" + to + ", c" + arg(0) + "; ";
    case Op::positive: return "mov.f32 v" + to + ", v" + arg(0) + "; ";
    case Op::square: return "mul.rn.f32 v" + to + ", v" + arg(0) + ", v" + arg(0) + "; " + round;
    case Op::maximum:
    case Op::minimum:
      // The first one where it is NaN, too.
      return "setp.nan.f32 c" + to + ", v" + arg(0) + ", v" + arg(0) + "; setp." +
             (line.op == Op::maximum ? "gt" : "lt") + ".or.f32 c" + to + ", v" + arg(0) + ", v" + arg(1) + ", c" + to +
             "; selp.f32 v" + to + ", v" + arg(0) + ", v" + arg(1) + ", c" + to + "; ";
    default: break;
  }
  std::string text = std::string(instruction(line.op)) + " v" + to + ", v" + arg(0);
  if (line.args[1] >= 0) text += ", v" + arg(1);
  return text + "; " + round;
}

void PtxEpilogue::print_element(PtxText& out, const std::string& sum, int slot, int column, const char* there) const {
  std::string text = "{ .reg .f32 v<" + number(lines_.size()) + ">; .reg .pred c<" + number(lines_.size()) +
                     ">; .reg .b16 h; .reg .b32 b; ";
  const std::string load = "@" + std::string(there) + " ld.global.";
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (lines_[k].op != Op::leaf) {
      text += line_text(k);
      continue;
    }
    const std::string v = "v" + number(k);
    if (lines_[k].args[0] == 0) {
      text += "mov.f32 " + v + ", " + sum + "; " + rounded(product_, v);
      continue;
    }
    const auto number_of = static_cast<std::size_t>(lines_[k].args[0] - 1);
    const Beside& beside = beside_[number_of];
    const std::size_t bytes = beside.by_column ? static_cast<std::size_t>(column) * size_of(beside.type) : 0;
    const std::string at =
        "[%e_row" + number(static_cast<std::size_t>(slot) * beside_.size() + number_of) + "+" + number(bytes) + "]; ";
    switch (beside.type) {
      case DType::float32: text += load + "f32 " + v + ", " + at; break;
      case DType::float16: text += load + "b16 h, " + at + "cvt.f32.f16 " + v + ", h; "; break;
      case DType::bfloat16:
        text += load + "b16 h, " + at + "cvt.u32.u16 b, h; shl.b32 b, b, 16; mov.b32 " + v + ", b; ";
        break;
      default: text += load + "u8 h, " + at + "setp.ne.u16 c" + number(k) + ", h, 0; "; break;
    }
  }
  out.line(text, "mov.f32 ", sum, ", v", result_, "; }");
}

}  // namespace koine::codegen
