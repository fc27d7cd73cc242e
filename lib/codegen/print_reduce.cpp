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

std::size_t value_line(const ReducePass& pass) { return static_cast<std::size_t>(pass.body->outputs[0].line); }

DType value_type(const ReducePass& pass) { return pass.body->lines[value_line(pass)].type; }

/// "kn_put_float32(value, at)", or kn_store, which takes a vector and how many of its elements exist.
std::string put(bool vector, DType type, const std::string& value, const std::string& at) {
  // Storing a bfloat16 takes its bits as they are; a float16 is rounded on the way.
  std::string rounded = value;
  if (type == DType::bfloat16) rounded = (vector ? "kn_round_bfloat16(" : "kn_round_one_bfloat16(") + value + ")";
  return (vector ? "kn_store_" : "kn_put_") + std::string(name(type)) + "(" + rounded + ", " + at +
         (vector ? ", left); " : "); ");
}

/// The arrays that a pass writes, in the order of the kernel's parameters.
std::vector<Component> outputs_of(const ReducePass& pass) {
  return pass.last ? std::vector<Component>{{"", pass.result}} : components(pass);
}

std::string output_name(const Component& output) {
  return "out" + (output.name.empty() ? "" : "_" + std::string(output.name));
}

/// KN_PUT, or KN_PUT_ALL, of a state: its components, or what it finishes as.
std::string put_hook(const ReducePass& pass, bool vector) {
  std::string text;
  for (const Component& output : outputs_of(pass)) {
    const std::string part = output.name.empty() ? "" : "." + std::string(output.name);
    const std::string value = pass.last ? applied(graph::info(pass.kind).finish, "state") : "(state)" + part;
    text += put(vector, output.type, value, output_name(output) + " + (at)");
  }
  return define(vector ? "KN_PUT_ALL(state, at, left)" : "KN_PUT(state, at)", text);
}

/// Positions: pairs of a value and its place, the first of equal values wins, a NaN beats all.
std::string position_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = value_type(pass);
  const std::string element(register_type(type)), value = "v" + number(value_line(pass));
  const std::string place = pass.partial ? "v1" : walk.columns ? "(long)row" : "(long)row * (long)d.inner + (long)i";
  const bool floating = is_real_floating(type);
  const std::string better =
      floating ? "(KN_BEFORE(a.value, b.value) || (isnan(a.value) && !isnan(b.value)))" : "KN_BEFORE(a.value, b.value)";
  const std::string same =
      floating ? "(a.value == b.value || (isnan(a.value) && isnan(b.value)))" : "(a.value == b.value)";
  // The place comes first: rusticl of Mesa 22.3 copies but the first byte of a struct that begins with one.
  std::string text = "#define KN_BEFORE(a, b) (" + combine_of(pass.kind, type).text + ")\n";
  text += "typedef struct {\n  long place;\n  " + element +
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
  text += put_hook(pass, false) + "#define KN_PUT_ALL(state, at, left) KN_PUT(state, at)\n";
  return text + define("KN_BODY", printer.lines(walk.access) + "acc = kn_better(acc, kn_position_of(" + value + ", " +
                                      place + "));\n");
}

/// kn_only(v, left): v where elements exist, else what changes nothing.
std::string only_function(const ReduceWalk& walk, const std::string& element, const std::string& identity) {
  const std::string vector = element + (walk.width > 1 ? std::to_string(walk.width) : "");
  return "static inline " + vector + " kn_only(" + vector + " v, ulong left) {\n  for (int l = 0; l < KN_W; ++l)\n" +
         "    if ((ulong)l >= left) KN_LANE(" + element + ", v, l) = " + identity + ";\n  return v;\n}\n";
}

/// The body's value in the type that is combined, as `taken`.
std::string taken(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType in = value_type(pass), type = combined_type(pass);
  const std::string vector = printer.vector_type(type);
  std::string value = "v" + number(value_line(pass));
  if (register_type(in) != register_type(type)) value = "convert_" + vector + "(" + value + ")";
  const graph::ReductionInfo& row = graph::info(pass.kind);
  if (row.maps() && !pass.partial) value = applied(row.map, value);
  return printer.lines(walk.access) + vector + " taken = " + value + ";\n";
}

/// Moments: of elements a chunk's at once, by two passes over its registers; states of passes before one by one.
std::string moment_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = combined_type(pass);
  const std::string element(register_type(type)), vector = printer.vector_type(type);
  const bool one = walk.width == 1 || walk.columns;
  std::string text = "KN_MOMENTS(kn_moments, " + vector + ")\n";
  if (!one) text += "KN_MOMENTS(kn_moment, " + element + ")\nKN_MOMENTS_FOLD(kn_moments, kn_moment, " + element + ")\n";
  text += std::string("#define KN_STATE kn_moments\n#define KN_ONE ") + (one ? "kn_moments" : "kn_moment") + "\n";
  text += std::string("#define KN_FOLD(acc) ") + (one ? "(acc)" : "kn_moments_fold(acc)") + "\n";
  text += std::string("#define KN_COMBINE(a, b) ") + (one ? "kn_moments" : "kn_moment") + "_combined(a, b)\n";
  text += "#define KN_IDENTITY kn_moments_of(0, 0, 0, 0)\n";
  text += put_hook(pass, walk.columns);
  if (pass.partial) {
    return text + define("KN_BODY", printer.lines(walk.access) +
                                        "acc = kn_moments_combined(acc, kn_moments_of(v0, v1, v2, v3));\n");
  }
  text += define("KN_VALUE", vector) + only_function(walk, element, "0");
  return text + define("KN_BODY", taken(pass, walk, printer));
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
  const DType type = combined_type(pass);
  const Combine op = combine_of(pass.kind, type);
  const std::string element(register_type(type)), vector = printer.vector_type(type);
  // Where only some of the vector's elements exist, the others must not count. The accumulator itself is never taken
  // apart for it: that would keep it out of the registers.
  const std::string only = walk.width == 1 ? "" : "if (left < KN_W) taken = kn_only(taken, left);\n";
  std::string text = "#define KN_COMBINE(a, b) " + op.text + "\n";
  text += define("KN_STATE", vector) + define("KN_ONE", element);
  text += define("KN_IDENTITY", "((" + vector + ")(" + op.identity + "))");
  if (walk.width > 1) text += only_function(walk, element, op.identity);
  if (walk.width == 1) {
    text += "#define KN_FOLD(acc) (acc)\n";
  } else if (walk.fixed) {
    text += fold_by_halves(element, walk.width);
  } else {
    text += "static inline " + element + " kn_fold(" + vector + " acc) {\n  " + element + " one = KN_LANE(" + element +
            ", acc, 0);\n  for (int l = 1; l < KN_W; ++l) one = KN_COMBINE(one, KN_LANE(" + element +
            ", acc, l));\n  return one;\n}\n#define KN_FOLD(acc) kn_fold(acc)\n";
  }
  text += put_hook(pass, walk.columns);
  return text + define("KN_BODY", taken(pass, walk, printer) + only + "acc = KN_COMBINE(acc, taken);\n");
}

std::string state_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  switch (graph::info(pass.kind).state) {
    case graph::State::value: break;
    case graph::State::position: return position_hooks(pass, walk, printer);
    case graph::State::moments: return moment_hooks(pass, walk, printer);
  }
  return value_hooks(pass, walk, printer);
}

}  // namespace

DType combined_type(const ReducePass& pass) {
  return graph::info(pass.kind).state == graph::State::position ? value_type(pass)
                                                                : graph::accumulation_type(pass.result);
}

std::vector<Component> components(const ReducePass& pass) {
  const DType type = combined_type(pass);
  switch (graph::info(pass.kind).state) {
    case graph::State::value: break;
    case graph::State::position: return {{"value", type}, {"place", DType::int64}};
    case graph::State::moments: return {{"count", type}, {"mean", type}, {"rest", type}, {"squares", type}};
  }
  return {{"", type}};
}

bool takes_constants(const ReducePass& pass) { return pass.last && graph::info(pass.kind).has_constants(); }

KernelText print_reduce(const ReducePass& pass, const ReduceWalk& walk, const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Printer printer(body, traits, walk.width);
  const bool moments = graph::info(pass.kind).state == graph::State::moments;
  std::string parameters = printer.load_parameters();
  std::vector<DType> stored;
  for (const Component& output : outputs_of(pass)) {
    parameters += "__global " + std::string(memory_type(output.type)) + "* " + output_name(output) + ", ";
    stored.push_back(output.type);
  }
  parameters += printer.constant_parameters();
  if (takes_constants(pass)) {
    const std::string type(register_type(graph::real_part(combined_type(pass))));
    parameters += "const " + type + " divisor, const " + type + " scale, ";
  }
  KernelText text;
  text.settings = settings({walk.cpu, walk.wide, walk.aligned, walk.reduced.shape.size() > 1, walk.width}, traits);
  if (walk.fixed) text.settings += "#define KN_FIXED\n";
  if (walk.ragged) text.settings += "#define KN_RAGGED\n";
  if (walk.chunk > 0) text.settings += "#define KN_CHUNK " + std::to_string(walk.chunk) + "\n";
  text.settings += "#define KN_LANES " + std::to_string(walk.lanes) + "\n#define KN_GROUP " +
                   std::to_string(reduce_group) + "\n#define KN_TILE " + std::to_string(walk.tile) + "\n";
  text.modules = printer.modules(stored);
  if (moments) text.modules.push_back("common/moments");
  if (pass.kind == ReduceKind::prod && is_complex(pass.result)) text.modules.push_back("common/complex");
  text.kernel = walk.columns ? "reduce_columns" : "reduce_rows";
  text.definitions = printer.memory_instances(stored) + bounds_type(walk) + inner_strides(walk) +
                     define("KN_PARAMETERS", parameters + "const kn_bounds d") +
                     define("KN_CONSTANTS", printer.constants()) +
                     define("KN_KEPT", part_offsets(walk.kept, walk.columns, "d.offset", "b", "kept", "kept")) +
                     define("KN_ROW", part_offsets(walk.reduced, !walk.columns, "b", "o", "row", "reduced") +
                                          printer.uniform_loads(walk.access)) +
                     state_hooks(pass, walk, printer);
  return text;
}

}  // namespace koine::codegen
