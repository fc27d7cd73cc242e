// SPDX-License-Identifier: Apache-2.0
// Printing straight-line code as OpenCL C.
#include "codegen/print.hpp"

#include "base/dtypes.hpp"
#include "codegen/combine.hpp"
#include "codegen/print_custom.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace koine::codegen {

using graph::Op;

namespace {

std::string unsigned_type(DType type) {
  const std::string name(register_type(type));
  return is_signed_integer(type) ? "u" + name : name;
}

std::string number(std::size_t n) { return std::to_string(n); }

}  // namespace

std::string_view register_type(DType type) { return base::row_of(type).registers; }

std::string_view mask_type(DType type) {
  constexpr std::array<std::string_view, 9> by_size = {"", "char", "short", "", "int", "", "", "", "long"};
  return base::is_half(type) ? "int" : by_size[size_of(type)];
}

std::string_view memory_type(DType type) { return base::row_of(type).memory; }

std::string define(std::string_view name, std::string_view text) {
  std::string result = "#define " + std::string(name) + " ";
  for (char c : text) {
    if (c == '\n') result += " \\";
    result += c;
  }
  while (result.ends_with(" \\\n")) result.resize(result.size() - 3);
  return result + "\n";
}

std::string only_function(int width, DType type, const std::string& identity, const std::string& name) {
  const std::string element(register_type(type)), lanes = width > 1 ? std::to_string(width) : "";
  const std::string vector = element + lanes, mask(mask_type(type));
  std::string condition = "left > 0";
  if (width > 1) {
    std::string numbers = "0";
    for (int l = 1; l < width; ++l) numbers += ", " + std::to_string(l);
    condition =
        "(" + mask + lanes + ")(" + numbers + ") < (" + mask + lanes + ")((" + mask + ")min(left, (ulong)KN_W))";
  }
  return "static inline " + vector + " " + name + "(" + vector + " v, ulong left) {\n  return " + condition +
         " ? v : (" + vector + ")(" + identity + ");\n}\n";
}

std::string halves_function(const std::string& name, const std::string& element, int width, const std::string& join) {
  std::string text = "static inline " + element + " " + name + "(" + element + std::to_string(width) + " v) {\n",
              from = "v";
  for (int half = width / 2; half > 0; half /= 2) {
    const std::string size = half > 1 ? std::to_string(half) : "", to = "half" + std::to_string(half);
    text += "  const " + element + size + " " + to + " = " + join + "(" + from + ".lo, " + from + ".hi);\n";
    from = to;
  }
  return text + "  return " + from + ";\n}\n";
}

std::string Printer::vector_type(DType type) const {
  std::string result(register_type(type));
  if (width_ > 1) result += is_complex(type) ? "s" : std::to_string(width_);  // common/complex_pairs
  return result;
}

std::string Printer::repeated(DType type, const std::string& element) const {
  if (width_ > 1 && is_complex(type)) return "kn_repeated_" + vector_type(type) + "(" + element + ")";
  return "(" + vector_type(type) + ")(" + element + ")";
}

std::string Printer::value_as(std::size_t index, DType type) const {
  const std::string value = "v" + number(index);
  const bool same = register_type(body_.lines[index].type) == register_type(type);
  return same ? value : "convert_" + vector_type(type) + "(" + value + ")";
}

std::string Printer::constants() const {
  std::string text;
  for (std::size_t k = 0; k < body_.constants.size(); ++k) {
    const std::string type = vector_type(body_.constants[k]->dtype);
    text += "const " + type + " k" + number(k) + " = " + repeated(body_.constants[k]->dtype, "d.c" + number(k)) + ";\n";
  }
  for (std::size_t k = 0; k < body_.loads.size(); ++k) {
    if (!body_.loads[k].draw() || !traits_.cpu_loops()) continue;
    const std::string n = number(k);
    text += "float drawn" + n + "[KN_AHEAD];\nulong from" + n + " = KN_NOTHING_DRAWN(d.first" + n + ");\n";
  }
  return text;
}

std::string Printer::load_parameters() const {
  std::string text;
  for (std::size_t k = 0; k < body_.loads.size(); ++k) {
    if (body_.loads[k].iota || body_.loads[k].same_as >= 0) continue;
    text += "__global const " + std::string(memory_type(body_.loads[k].dtype)) + "* p" + number(k) + ", ";
  }
  for (std::size_t k = 0; k < body_.loads.size(); ++k) {
    if (body_.loads[k].take) text += "__global kn_fault* f" + number(k) + ", ";
  }
  return text;
}

std::string Printer::uniform_loads(const std::vector<Access>& access, const std::vector<bool>& only) const {
  std::string text;
  for (std::size_t k = 0; k < body_.loads.size(); ++k) {
    const Load& load = body_.loads[k];
    if (access[k] != Access::uniform || load.loop >= 0 || load.take || !(only.empty() || only[k])) continue;
    const std::string type = vector_type(load.dtype), n = number(k);
    text += "const " + type + " u" + n + " = " + repeated(load.dtype, element_text(k, access[k])) + ";\n";
  }
  return text;
}

std::string Printer::load_text(std::size_t k, Access access) const {
  const Load& load = body_.loads[k];
  const std::string n = number(k), stride = "KN_STRIDE(" + n + ")", type(name(load.dtype));
  const bool looped = load.loop >= 0;
  if (access == Access::taken)
    return "x" + n + (looped ? "[l" + number(static_cast<std::size_t>(load.loop)) + "]" : "");
  if (load.draw() && access != Access::uniform) {
    const std::string at = "o" + n + " + (long)i";
    return access == Access::contiguous ? draw_text(k, "kn_draw", at)
                                        : draw_text(k, "kn_draw_apart", at + " * " + stride, stride + ", ");
  }
  const std::string offset = offset_text(k) + (load.take ? " + w" + n + " * d.take_stride" + n : "");
  if (access == Access::uniform) {
    if (!looped && !load.take) return "u" + n;
    const std::string one = load.iota ? offset : "kn_one_" + type + "(" + memory_of(body_, k) + " + " + offset + ")";
    return repeated(load.dtype, one);
  }
  if (load.iota) {
    const std::string step = access == Access::contiguous ? "1" : access == Access::turning ? "s" + n : stride;
    return "(" + vector_type(load.dtype) + ")(" + offset + " + (long)i * " + step + ") + KN_POSITIONS * " + step;
  }
  const std::string at = memory_of(body_, k) + " + " + offset + " + ";
  if (access == Access::turning) {
    const std::string apart = "kn_gather_" + type + "(" + at + "(long)i * s" + n + ", s" + n + ", left)";
    if (width_ == 1 || !traits_.cpu_loops()) return apart;
    return "(s" + n + " == 1 ? kn_load_" + type + "(" + at + "(long)i, left) : " + apart + ")";
  }
  if (access == Access::contiguous) return "kn_load_" + type + "(" + at + "(long)i, left)";
  if (access == Access::unaligned) {
    if (read_by_words(load, width_)) return "kn_load_anywhere_" + type + "(" + at + "(long)i, left)";
    return "kn_gather_" + type + "(" + at + "(long)i, 1, left)";
  }
  if (access == Access::reversed)
    return "kn_load_reversed_" + type + "(" + at.substr(0, at.size() - 2) + "- (long)i, left)";
  if (access == Access::alternate) return "kn_load_alternate_" + type + "(" + at + "2 * (long)i, left)";
  return "kn_gather_" + type + "(" + at + "(long)i * " + stride + ", " + stride + ", left)";
}

/// Where a row of a load begins, in the round of its loop if it is read in one.
std::string Printer::offset_text(std::size_t k) const {
  const std::int32_t loop = body_.loads[k].loop;
  const std::string n = number(k);
  return loop < 0 ? "o" + n : "o" + n + " + l" + number(static_cast<std::size_t>(loop)) + " * d.t" + n;
}

/// A line of elements that are taken by the positions of another line: each by its own, or, where that is the same all
/// along a row, whole vectors.
std::string Printer::take_text(std::size_t index, const std::vector<Access>& access) const {
  const Line& line = body_.lines[index];
  const auto k = static_cast<std::size_t>(line.args[0]);
  const Load& load = body_.loads[k];
  const std::string n = number(k), type = vector_type(line.type), at = value(line.args[1]), w = "w" + n;
  const std::string declared = type + " " + value(static_cast<std::int32_t>(index)) + " = ";
  const std::string size = "d.take_size" + n, stride = "d.take_stride" + n;
  if (!same_along_rows(body_, access)[static_cast<std::size_t>(line.args[1])]) {
    if (load.iota) return declared + "kn_find(" + at + ", " + size + ", left, f" + n + ");\n";
    return declared + "kn_take_" + std::string(name(load.dtype)) + "(" + memory_of(body_, k) + " + " + offset_text(k) +
           ", " + at + ", " + size + ", " + stride + ", left, f" + n + ");\n";
  }
  const std::string one = width_ > 1 ? "KN_LANE(long, " + at + ", 0)" : at;
  const std::string found = "const long " + w + " = kn_find_one(" + one + ", " + size + ", f" + n + ");\n" + declared;
  if (load.iota) return found + "(" + type + ")(" + w + ");\n";
  return found + w + " < 0 ? (" + type + ")(-1) : " + load_text(k, access[k]) + ";\n";
}

/// A call of common/draw.clh for the numbers from position `at` on.
std::string Printer::draw_text(std::size_t k, const std::string& function, const std::string& at,
                               const std::string& stride) const {
  const std::string n = number(k), ahead = traits_.cpu_loops() ? "drawn" + n + ", &from" + n + ", " : "";
  return function + "(" + ahead + "d.first" + n + " + (ulong)(" + at + "), " + stride + "d.seed" + n +
         ", d.draw_start" + n + ", d.draw_scale" + n + ", d.draw_last" + n + ")";
}

std::string Printer::element_text(std::size_t k, Access access) const {
  const Load& load = body_.loads[k];
  const std::string n = number(k);
  const std::string step = access == Access::uniform     ? ""
                           : access == Access::strided   ? " + (long)i * KN_STRIDE(" + n + ")"
                           : access == Access::turning   ? " + (long)i * s" + n
                           : access == Access::reversed  ? " - (long)i"
                           : access == Access::alternate ? " + 2 * (long)i"
                                                         : " + (long)i";
  const std::string at = "o" + n + step;
  if (load.draw()) return draw_text(k, "kn_draw_one", at);
  return load.iota ? at : "kn_one_" + std::string(name(load.dtype)) + "(" + memory_of(body_, k) + " + " + at + ")";
}

std::string Printer::draw_settings() const {
  constexpr std::ptrdiff_t often = 5;
  const auto draws =
      std::count_if(body_.loads.begin(), body_.loads.end(), [](const Load& load) { return load.draw(); });
  for (const Load& load : body_.loads) {
    const graph::RandomInfo* draw = load.draw();
    if (!draw) continue;
    return std::string(draws >= often && !traits_.cpu_loops() ? "#define KN_DRAWS_OFTEN\n" : "") + "#define KN_KIND " +
           std::to_string(static_cast<int>(draw->kind)) + "\n#define KN_ELEMENT KN_F32\n#define KN_BLOCKS " +
           std::to_string(traits_.cpu_loops() ? 8 : std::max(width_ / 4, 1)) + "\n#define KN_EXACT_SQRT " +
           (traits_.exact_divide ? "1" : "0") + "\n";
  }
  return "";
}

std::string Printer::cast_text(const Line& line) const {
  const std::string x = value(line.args[0]);
  const DType from = line.in_type, to = line.type;
  const std::string_view source = register_type(from), target = register_type(to);
  if (is_bool(to)) {
    if (is_complex(from) && width_ > 1) return "KN_BOOL((" + x + ".x != 0) | (" + x + ".y != 0))";
    if (is_complex(from)) return "(uchar)(" + x + ".x != 0 || " + x + ".y != 0)";
    return is_bool(from) ? x : "KN_BOOL(" + x + " != (" + vector_type(from) + ")(0))";
  }
  if (is_complex(to)) {
    const std::string part = to == DType::complex64 ? "float" : "double";
    if (width_ > 1) {
      const std::string converted = "convert_" + part + number(static_cast<std::size_t>(width_)) + "(" + x;
      const std::string imag =
          is_complex(from) ? converted + ".y)" : "(" + part + number(static_cast<std::size_t>(width_)) + ")(0)";
      return "kn_" + vector_type(to) + "(" + converted + (is_complex(from) ? ".x" : "") + "), " + imag + ")";
    }
    if (is_complex(from)) return "convert_" + part + "2(" + x + ")";
    return "(" + part + "2)((" + part + ")" + x + ", 0)";
  }
  if (from == DType::float64 && base::is_half(to)) return "kn_odd_float(" + x + ")";
  if (is_bool(from) && is_integer(to) && has_mask(line.args[0], to)) {
    return "as_" + vector_type(to) + "(-" + mask_for(line.args[0], to) + ")";
  }
  if (source == target) return x;
  if (!is_integer(from) && !is_bool(from) && is_integer(to)) {
    // Not every driver takes NaN to 0 by itself.
    const std::string zero = "(" + vector_type(from) + ")(0)";
    return "convert_" + vector_type(to) + "_sat(" + x + " == " + x + " ? " + x + " : " + zero + ")";
  }
  if (is_bool(from) && target == "float") {
    // The bits of 1 or of 0: cards convert integers at a fraction of the speed at which they choose.
    return "as_" + vector_type(to) + "(" + mask_for(line.args[0], to) + " & 0x3f800000)";
  }
  return "convert_" + vector_type(to) + "(" + x + ")";
}

const graph::OwnExpression* Printer::own_expression(const Line& line) const {
  const graph::OpInfo& row = graph::info(line.op);
  const bool faster = row.expressions.fast_double && traits_.quirks.long_doubles && line.in_type == DType::float64;
  // Integers are the same either way.
  const bool promised = line.portable && !is_integer(line.in_type);
  const graph::OwnExpression& own = graph::own_expression(row, line.in_type);
  return own.text && (promised || faster || traits_.quirks.own_functions) ? &own : nullptr;
}

const char* Printer::expression_of(const Line& line) const {
  if (const graph::OwnExpression* own = own_expression(line)) return own->text;
  if (width_ > 1 && is_complex(line.in_type)) return graph::info(line.op).expressions.pairs;
  if (line.op == Op::lgamma && traits_.quirks.lgamma_of_infinity_wrong) {
    return "!(fabs($0) < ($V)(1e-16f) ? -log(fabs($0)) : kn_lgamma_$T(isinf($0) ? fabs($0) : $0))";
  }
  return expression(graph::info(line.op), line.in_type);
}

std::string Printer::table_text(std::size_t index) const {
  const Line& line = body_.lines[index];
  const char* text = expression_of(line);
  const bool element = width_ > 1 && text[0] == '!';
  const auto typed = [&](DType type) { return element ? std::string(register_type(type)) : vector_type(type); };
  std::string result;
  for (const char* c = text[0] == '!' ? text + 1 : text; *c; ++c) {
    if (*c != '$') {
      result += *c;
      continue;
    }
    switch (*++c) {
      case 'T': result += is_complex(line.in_type) ? vector_type(line.in_type) : register_type(line.in_type); break;
      case 'D': result += name(line.in_type); break;
      case 'P': result += line.in_type == DType::complex64 ? "float" : "double"; break;
      case 'V': result += typed(line.in_type); break;
      case 'R': result += typed(line.type); break;
      case 'U': result += unsigned_type(line.in_type) + (element || width_ == 1 ? "" : std::to_string(width_)); break;
      default: {
        const std::string v = value(line.args[*c - '0']);
        result += element ? "KN_LANE(" + std::string(register_type(line.in_type)) + ", " + v + ", l)" : v;
      }
    }
  }
  if (!element) return result;
  return "\nfor (int l = 0; l < KN_W; ++l) KN_LANE(" + std::string(register_type(line.type)) + ", " +
         value(static_cast<std::int32_t>(index)) + ", l) = " + result;
}

std::string Printer::line_text(std::size_t index) const {
  const Line& line = body_.lines[index];
  const std::string v = value(static_cast<std::int32_t>(index)), type = vector_type(line.type);
  const std::string rounding =
      base::is_half(line.type) ? v + " = kn_round_" + std::string(name(line.type)) + "(" + v + ");\n" : "";
  const auto assigned = [&](const std::string& text) { return type + " " + v + " = " + text + ";\n"; };
  switch (line.op) {
    case Op::constant: return assigned("k" + number(static_cast<std::size_t>(line.args[0])));
    case Op::cast: return assigned(cast_text(line)) + (line.in_type == line.type ? "" : rounding);
    case Op::where: {
      const std::string c = value(line.args[0]), a = value(line.args[1]), b = value(line.args[2]);
      if (width_ == 1) return assigned(c + " ? " + a + " : " + b);
      if (is_complex(line.type)) {
        const std::string mask = mask_for(line.args[0], graph::real_part(line.type));
        return assigned("kn_chosen_" + type + "(" + b + ", " + a + ", " + mask + ")");
      }
      return assigned("select(" + b + ", " + a + ", " + mask_for(line.args[0], line.type) + ")");
    }
    case Op::custom: return call_text(index) + result_text(index, index);
    default: break;
  }
  const std::string text = table_text(index);
  if (text[0] == '\n') return type + " " + v + ";" + text + ";\n" + rounding;
  if (!masks_.empty() && !is_bool(masks_[index])) return mask_text(index, text) + assigned(boolean_text(index, text));
  return assigned(text) + rounding;
}

std::string Printer::call_text(std::size_t index) const {
  const Call& call = body_.call_of(body_.lines[index]);
  const graph::CustomCode& code = *call.node->get<Op::custom>().code;
  const auto element = [&](DType type, const std::string& v) {
    return width_ == 1 ? v : "KN_LANE(" + std::string(register_type(type)) + ", " + v + ", l)";
  };
  std::string text, given;
  for (const std::int32_t arg : call.args) {
    if (arg >= 0) given += element(body_.lines[static_cast<std::size_t>(arg)].type, value(arg)) + ", ";
  }
  for (std::size_t k = 0; k < code.outputs.size(); ++k) {
    const std::string result = "v" + number(index) + "_" + number(k);
    text += vector_type(code.outputs[k]) + " " + result + ";\n";
    given += (k > 0 ? ", &" : "&") + element(code.outputs[k], result);
  }
  const std::string all = width_ == 1 ? "" : loop_over_lanes(width_, traits_.cpu_loops());
  return text + all + code.function + "(" + given + ");\n";
}

std::string Printer::result_text(std::size_t index, std::size_t call) const {
  const Line& line = body_.lines[index];
  const std::string v = "v" + number(index), result = number(body_.call_of(line).node->get<Op::custom>().output);
  return vector_type(line.type) + " " + v + " = v" + number(call) + "_" + result + ";\n" +
         (base::is_half(line.type) ? v + " = kn_round_" + std::string(name(line.type)) + "(" + v + ");\n" : "");
}

std::string Printer::lines(const std::vector<Access>& access) const { return lines_of(-1, access); }

/// The lines of a loop, or those outside of all.
std::string Printer::lines_of(std::int32_t loop, const std::vector<Access>& access) const {
  std::string text;
  for (std::size_t k = 0; k < body_.lines.size(); ++k) {
    const Line& line = body_.lines[k];
    if (line.loop != loop) continue;
    const auto call = line.op == Op::custom ? shared_call(body_, k) : std::nullopt;
    text += call ? result_text(k, *call) : this->line(k, access);
  }
  return text;
}

std::string Printer::line(std::size_t index, const std::vector<Access>& access) const {
  const Line& line = body_.lines[index];
  if (line.op == Op::reduce) return loop_text(index, access);
  if (line.op != Op::leaf && line.op != Op::iota) return line_text(index);
  const auto load = static_cast<std::size_t>(line.args[0]);
  if (body_.loads[load].take) return take_text(index, access);
  return vector_type(line.type) + " " + value(static_cast<std::int32_t>(index)) + " = " +
         load_text(load, access[load]) + ";\n";
}

/// A reduction as a loop over its lines.
std::string Printer::loop_text(std::size_t index, const std::vector<Access>& access) const {
  const Line& line = body_.lines[index];
  const InnerLoop& loop = body_.loops[static_cast<std::size_t>(line.args[1])];
  const std::string n = number(static_cast<std::size_t>(line.args[1])), sum = "a" + n;
  const DType type = graph::accumulation_type(line.type);
  const graph::ReduceInfo& reduction = loop.node->get<Op::reduce>();
  const graph::ReduceKind kind = reduction.kind;
  const Combine combine = combine_of(kind, type, reduction.custom.get());
  const std::string vector = vector_type(type), v = value(static_cast<std::int32_t>(index));
  std::string taken = value(line.args[0]);
  if (register_type(line.in_type) != register_type(type)) taken = "convert_" + vector + "(" + taken + ")";
  if (graph::info(kind).maps()) taken = applied(graph::info(kind).map, taken);
  std::string text = vector + " " + sum + " = (" + vector + ")(" + combine.identity + ");\n";
  const std::string rounds = loop.unrolled() ? std::to_string(loop.count) : "d.n" + n;
  text += "for (long l" + n + " = 0; l" + n + " < " + rounds + "; ++l" + n + ") {\n" + lines_of(line.args[1], access);
  text += "const " + vector + " a = " + sum + ", b = " + taken + ";\n" + sum + " = " + combine.text + ";\n}\n";
  text += vector_type(line.type) + " " + v + " = " + sum + ";\n";
  if (base::is_half(line.type)) text += v + " = kn_round_" + std::string(name(line.type)) + "(" + v + ");\n";
  return text;
}

std::string Printer::memory_instances(const std::vector<DType>& stored) const {
  std::set<DType> types(stored.begin(), stored.end());
  for (const Load& load : body_.loads) {
    if (!load.iota) types.insert(load.dtype);
  }
  std::string text;
  for (DType type : types) {
    const std::string type_name(name(type));
    text += base::is_half(type) ? "KN_MEMORY_" + type_name + "\n"
                                : (is_complex(type) ? "KN_MEMORY_COMPLEX(" : "KN_MEMORY(") + type_name + ", " +
                                      std::string(register_type(type)) + ")\n";
  }
  types.clear();
  for (const Load& load : body_.loads) {
    if (load.take && !load.iota) types.insert(load.dtype);
  }
  for (DType type : types) {
    text += "KN_TAKE(" + std::string(name(type)) + ", " + std::string(memory_type(type)) + ", " +
            std::string(register_type(type)) + ")\n";
  }
  return text;
}

std::vector<std::string_view> Printer::modules(const std::vector<DType>& stored) const {
  bool half = std::any_of(stored.begin(), stored.end(), base::is_half), integer = false, real = false;
  std::set<std::string_view> own;
  for (const Line& line : body_.lines) {
    half = half || base::is_half(line.type);
    if (!graph::in_table(line.op)) continue;
    if (const graph::OwnExpression* function = own_expression(line)) {
      own.insert(function->file);
    } else if (std::string_view(expression_of(line)).find("kn_") == std::string_view::npos) {
      continue;
    } else if (is_complex(line.in_type)) {
      const char* const file = graph::info(line.op).expressions.c_file;
      if (*file) own.insert(file);
    } else {
      (is_integer(line.in_type) ? integer : real) = true;
    }
  }
  std::vector<std::string_view> result = {"common/vector", "common/memory"};
  const auto complex = [](const Line& line) { return is_complex(line.type); };
  if (width_ > 1 && std::any_of(body_.lines.begin(), body_.lines.end(), complex)) {
    result.emplace_back("common/complex_pairs");
  }
  if (half) result.push_back("common/half");
  if (integer) result.push_back("common/integer");
  if (real) result.push_back("common/real");
  result.insert(result.end(), own.begin(), own.end());
  const bool takes = std::any_of(body_.loads.begin(), body_.loads.end(), [](const Load& load) { return load.take; });
  if (takes) result.insert(result.end(), {"common/fault", "common/take"});
  if (!draw_settings().empty()) result.insert(result.end(), {"common/random", "common/draw"});
  return result;
}

}  // namespace koine::codegen
