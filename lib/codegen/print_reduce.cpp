// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/reduce_rows.cl and kernels/reduce_columns.cl.
#include "codegen/reduce.hpp"

#include "codegen/combine.hpp"
#include "codegen/print_walk.hpp"
#include "graph/infer.hpp"

namespace koine::codegen {

using graph::ReduceKind;

namespace {

std::string number(std::size_t n) { return std::to_string(n); }

std::string bounds_type(const ReduceWalk& walk) {
  const std::size_t operands = std::max<std::size_t>(walk.offsets.size(), 1);
  const auto list = [&](const std::string& name, const graph::Collapsed& axes) {
    return "  long " + name + "_size[" + number(axes.shape.size()) + "];\n  long " + name + "_stride[" +
           number(axes.shape.size() * operands) + "];\n";
  };
  return "typedef struct {\n  ulong inner, row_segments, segments, segment, blocks, per_block, units, units_per_item;\n"
         "  long offset[" +
         number(operands) + "];\n" + list("kept", walk.kept) + list("reduced", walk.reduced) + "} kn_bounds;\n";
}

/// The strides along the innermost axis under the name the lines use.
std::string inner_strides(const ReduceWalk& walk) {
  const std::string list = walk.columns ? "kept" : "reduced";
  const std::size_t axis = (walk.columns ? walk.kept : walk.reduced).shape.size() - 1;
  const std::string first = number(axis * std::max<std::size_t>(walk.offsets.size(), 1));
  return "#define KN_STRIDE(k) d." + list + "_stride[" + first + " + (k)]\n";
}

/// Positions: pairs of a value and its place, the first of equal values wins, a NaN beats all.
std::string position_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const Body& body = *pass.body;
  const DType type = body.lines[static_cast<std::size_t>(body.outputs[0].line)].type;
  const std::string element(register_type(type)), value = "v" + number(static_cast<std::size_t>(body.outputs[0].line));
  const std::string beats = pass.kind == ReduceKind::argmax ? ">" : "<";
  const std::string place = pass.position >= 0 ? "v" + std::to_string(pass.position)
                            : walk.columns     ? "(long)row"
                                               : "(long)row * (long)d.inner + (long)i";
  const bool floating = is_real_floating(type);
  const std::string better = floating ? "(a.value " + beats + " b.value || (isnan(a.value) && !isnan(b.value)))"
                                      : "(a.value " + beats + " b.value)";
  const std::string same =
      floating ? "(a.value == b.value || (isnan(a.value) && isnan(b.value)))" : "(a.value == b.value)";
  // The place comes first: rusticl of Mesa 22.3 copies but the first byte of a struct that begins with one.
  std::string text = "typedef struct {\n  long place;\n  " + element +
                     " value;\n} kn_position;\n"
                     "static inline kn_position kn_better(kn_position a, kn_position b) {\n"
                     "  if (a.place < 0) return b;\n  if (b.place < 0) return a;\n"
                     "  if (" +
                     better +
                     ") return a;\n"
                     "  if (" +
                     same +
                     ") return a.place < b.place ? a : b;\n  return b;\n}\n"
                     "static inline kn_position kn_position_of(" +
                     element +
                     " value, long place) {\n"
                     "  kn_position p;\n  p.value = value;\n  p.place = place;\n  return p;\n}\n";
  text += define("KN_STATE", "kn_position") + define("KN_ONE", "kn_position");
  text += define("KN_IDENTITY", "kn_position_of(0, -1)");
  text += "#define KN_FOLD(acc) (acc)\n#define KN_COMBINE(a, b) kn_better(a, b)\n";
  const std::string put =
      pass.last ? "kn_put_int64((one).place, out + (at));"
                : "kn_put_" + std::string(name(type)) + "((one).value, values + (at)); places[at] = (one).place;";
  text += "#define KN_PUT(one, at) " + put + "\n#define KN_PUT_ALL(one, at, left) KN_PUT(one, at)\n";
  return text + define("KN_BODY", printer.lines(walk.access) + "acc = kn_better(acc, kn_position_of(" + value + ", " +
                                      place + "));\n");
}

/// KN_FOLD as the fixed tree has it.
std::string fold_by_halves(const std::string& element, int width) {
  std::string text = "static inline " + element + " kn_fold(" + element + std::to_string(width) + " acc) {\n",
              from = "acc";
  for (int half = width / 2; half > 0; half /= 2) {
    const std::string size = half > 1 ? std::to_string(half) : "", to = "half" + std::to_string(half);
    text += "  const " + element + size + " " + to + " = KN_COMBINE(" + from + ".lo, " + from + ".hi);\n";
    from = to;
  }
  return text + "  return " + from + ";\n}\n#define KN_FOLD(acc) kn_fold(acc)\n";
}

std::string value_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const Body& body = *pass.body;
  const DType in = body.lines[static_cast<std::size_t>(body.outputs[0].line)].type, type = partial_type(pass);
  const Combine op = combine_of(pass.kind, type);
  const std::string element(register_type(type)), vector = printer.vector_type(type);
  std::string value = "v" + number(static_cast<std::size_t>(body.outputs[0].line));
  if (register_type(in) != register_type(type)) value = "convert_" + vector + "(" + value + ")";
  // Where only some of the vector's elements exist, the others must not count. The accumulator itself is never taken
  // apart for it: that would keep it out of the registers.
  const std::string only = walk.width == 1 ? "" : "if (left < KN_W) taken = kn_only(taken, left);\n";
  const std::string body_text =
      printer.lines(walk.access) + vector + " taken = " + value + ";\n" + only + "acc = KN_COMBINE(acc, taken);\n";
  const DType stored = pass.last ? pass.result : type;
  std::string text = "#define KN_COMBINE(a, b) " + op.text + "\n";
  text += define("KN_STATE", vector) + define("KN_ONE", element);
  text += define("KN_IDENTITY", "((" + vector + ")(" + op.identity + "))");
  if (walk.width > 1) {
    text += "static inline " + vector + " kn_only(" + vector + " v, ulong left) {\n  for (int l = 0; l < KN_W; ++l)\n" +
            "    if ((ulong)l >= left) KN_LANE(" + element + ", v, l) = " + op.identity + ";\n  return v;\n}\n";
  }
  if (walk.width == 1) {
    text += "#define KN_FOLD(acc) (acc)\n";
  } else if (walk.fixed) {
    text += fold_by_halves(element, walk.width);
  } else {
    text += "static inline " + element + " kn_fold(" + vector + " acc) {\n  " + element + " one = KN_LANE(" + element +
            ", acc, 0);\n  for (int l = 1; l < KN_W; ++l) one = KN_COMBINE(one, KN_LANE(" + element +
            ", acc, l));\n  return one;\n}\n#define KN_FOLD(acc) kn_fold(acc)\n";
  }
  // Storing a bfloat16 takes its bits as they are; a float16 is rounded on the way.
  const bool round = stored == DType::bfloat16;
  text += "#define KN_PUT(one, at) kn_put_" + std::string(name(stored)) +
          (round ? "(kn_round_one_bfloat16(one)" : "(one") + ", out + (at));\n";
  text += "#define KN_PUT_ALL(acc, at, left) kn_store_" + std::string(name(stored)) +
          (round ? "(kn_round_bfloat16(acc)" : "(acc") + ", out + (at), left);\n";
  return text + define("KN_BODY", body_text);
}

}  // namespace

bool is_position(ReduceKind kind) { return kind == ReduceKind::argmax || kind == ReduceKind::argmin; }

DType partial_type(const ReducePass& pass) {
  if (is_position(pass.kind)) return pass.body->lines[static_cast<std::size_t>(pass.body->outputs[0].line)].type;
  return graph::accumulation_type(pass.result);
}

KernelText print_reduce(const ReducePass& pass, const ReduceWalk& walk, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Printer printer(body, traits, walk.width);
  const bool partial_position = is_position(pass.kind) && !pass.last;
  const DType stored = pass.last ? pass.result : partial_type(pass);
  std::string outputs = "__global " + std::string(memory_type(stored)) + "* out, ";
  if (partial_position) outputs = "__global " + std::string(memory_type(stored)) + "* values, __global long* places, ";
  KernelText text;
  text.settings = settings({walk.cpu, walk.wide, walk.aligned, walk.reduced.shape.size() > 1, walk.width}, traits);
  if (walk.fixed) text.settings += "#define KN_FIXED\n";
  if (walk.ragged) text.settings += "#define KN_RAGGED\n";
  text.settings += "#define KN_LANES " + std::to_string(walk.lanes) + "\n#define KN_GROUP " +
                   std::to_string(reduce_group) + "\n#define KN_TILE " + std::to_string(walk.tile) + "\n";
  text.modules = printer.modules({stored});
  if (pass.kind == ReduceKind::prod && is_complex(stored)) text.modules.push_back("common/complex");
  text.kernel = walk.columns ? "reduce_columns" : "reduce_rows";
  text.definitions = printer.memory_instances({stored}) + bounds_type(walk) + inner_strides(walk) +
                     define("KN_PARAMETERS",
                            printer.load_parameters() + outputs + printer.constant_parameters() + "const kn_bounds d") +
                     define("KN_CONSTANTS", printer.constants()) +
                     define("KN_KEPT", part_offsets(walk.kept, walk.columns, "d.offset", "b", "kept", "kept")) +
                     define("KN_ROW", part_offsets(walk.reduced, !walk.columns, "b", "o", "row", "reduced") +
                                          printer.uniform_loads(walk.access)) +
                     (is_position(pass.kind) ? position_hooks(pass, walk, printer) : value_hooks(pass, walk, printer));
  return text;
}

}  // namespace koine::codegen
