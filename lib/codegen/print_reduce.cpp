// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/reduce_rows.cl and kernels/reduce_columns.cl.
#include "codegen/reduce.hpp"

#include "codegen/combine.hpp"
#include "codegen/names.hpp"
#include "codegen/print_walk.hpp"
#include "graph/infer.hpp"

#include <algorithm>

namespace koine::codegen {

using graph::ReduceKind;

namespace {

std::string number(std::size_t n) { return std::to_string(n); }

/// The strides along the innermost axis under the name the lines use.
std::string inner_strides(const ReduceWalk& walk) {
  const std::string list = walk.columns ? "kept" : "reduced";
  const std::size_t axis = (walk.columns ? walk.kept : walk.reduced).shape.size() - 1;
  const std::string first = number(axis * walk.offsets.size());
  return "#define KN_STRIDE(k) d." + list + "_stride[" + first + " + (k)]\n";
}

/// The line of what is reduced; of positions found by a pass before, that of the values.
std::size_t value_line(const ReducePass& pass) {
  if (pass.partial && graph::info(pass.kind).state == graph::State::position) return 1;
  return static_cast<std::size_t>(pass.body->outputs[0].line);
}

DType value_type(const ReducePass& pass) { return pass.body->lines[value_line(pass)].type; }

/// "kn_put_float32(value, at)", or kn_store, which takes a vector and how many of its elements exist.
std::string put(bool vector, DType type, const std::string& value, const std::string& at) {
  // Storing a bfloat16 takes its bits as they are; a float16 is rounded on the way.
  std::string rounded = value;
  if (type == DType::bfloat16) rounded = (vector ? "kn_round_bfloat16(" : "kn_round_one_bfloat16(") + value + ")";
  return (vector ? "kn_store_" : "kn_put_") + std::string(name(type)) + "(" + rounded + ", " + at +
         (vector ? ", left); " : "); ");
}

/// The names of the results of several reductions, and of their values where each has one as its state.
constexpr std::string_view several_names[most_reduced_values] = {"a0", "a1", "a2", "a3"};

/// The arrays that a pass writes, in the order of the kernel's parameters.
std::vector<Component> outputs_of(const ReducePass& pass) {
  if (!pass.last) return components(pass);
  if (const Body* finish = finish_body(pass)) return {{"", finish->outputs[0].node->dtype}};
  if (pass.several.empty()) return {{"", pass.result}};
  std::vector<Component> outputs;
  for (const ReducedValue& value : pass.several) outputs.push_back({several_names[outputs.size()], value.result});
  return outputs;
}

/// `finish` with the constants of reduction `number`.
std::string numbered(std::string_view finish, std::size_t k) {
  std::string text(finish);
  for (const std::string_view name : {"divisor", "scale"}) {
    if (const std::size_t at = text.find(name); at != std::string::npos) text.insert(at + name.size(), number(k));
  }
  return text;
}

/// The type of a component in registers. Places among fewer than 2^31 elements take half of what they take in memory,
/// where those that passes before found are among all of theirs.
DType held_type(const ReducePass& pass, const ReduceWalk& walk, const Component& component) {
  return component.name == "place" && !walk.wide && !pass.partial ? DType::int32 : component.type;
}

std::string output_name(const Component& output) {
  return "out" + (output.name.empty() ? "" : "_" + std::string(output.name));
}

/// What a last pass makes of reduction `k`'s state.
std::string finished(const ReducePass& pass, std::size_t k) {
  if (pass.several.empty()) return applied(finish_of(pass.kind, pass.custom), "state");
  const std::string state = shares_state(pass) ? "state" : "(state)." + std::string(several_names[k]);
  return applied(numbered(graph::info(pass.several[k].kind).finish, k), state);
}

/// KN_PUT, or KN_PUT_ALL, of a pass with a finish. The lines are those of vectors: of a single value, which each lane
/// has, the first lane is stored.
std::string finish_hook(const ReducePass& pass, const ReduceWalk& walk, const Body& finish, const Printer& printer) {
  const bool vector = walk.columns || walk.together;
  std::string text = "{\n";
  for (std::size_t k = 0; k < finish.constants.size(); ++k) {
    const std::string type = printer.vector_type(finish.constants[k]->dtype), n = number(k);
    text += "const " + type + " k" + n + " = (" + type + ")(d.finish_c" + n + ");\n";
  }
  const std::size_t results = finish.loads.size() - loads_beside(pass).size();
  for (std::size_t k = 0; k < finish.loads.size(); ++k) {
    const std::string type = printer.vector_type(finish.loads[k].dtype), of_type(name(finish.loads[k].dtype));
    std::string value;
    if (k < results) {
      value = finished(pass, k);
    } else {
      const std::string n = number(k - results), at = "(q" + n + " + d.beside" + n + " + (at)";
      value = vector ? "kn_gather_" + of_type + at + ", 1, left)" : "kn_one_" + of_type + at + ")";
    }
    text += "const " + type + " x" + number(k) + " = (" + type + ")(" + value + ");\n";
  }
  const Output& output = finish.outputs[0];
  const DType type = output.node->dtype;
  std::string value = "v" + number(static_cast<std::size_t>(output.line));
  if (!vector && walk.width > 1) value = "KN_LANE(" + std::string(register_type(type)) + ", " + value + ", 0)";
  text += printer.lines(std::vector<Access>(finish.loads.size(), Access::taken)) +
          put(vector, type, value, "out + (at)") + "\n}\n";
  return define(vector ? "KN_PUT_ALL(state, at, left)" : "KN_PUT(state, at)", text);
}

/// KN_PUT, or KN_PUT_ALL, of a state: its components, or what it finishes as. Of a finish print_reduce adds it.
std::string put_hook(const ReducePass& pass, const ReduceWalk& walk) {
  if (finish_body(pass)) return "";
  const bool vector = walk.columns || walk.together, position = graph::info(pass.kind).state == graph::State::position;
  std::string text;
  std::size_t k = 0;
  for (const Component& output : outputs_of(pass)) {
    const std::string part = output.name.empty() ? "" : "." + std::string(output.name);
    std::string value = pass.last ? finished(pass, k++) : "(state)" + part;
    if (position && output.type == DType::int64 && vector && walk.width > 1 && part != ".value") {
      value = "convert_long" + number(static_cast<std::size_t>(walk.width)) + "(" + value + ")";
    }
    text += put(vector, output.type, value, output_name(output) + " + (at)");
  }
  return define(vector ? "KN_PUT_ALL(state, at, left)" : "KN_PUT(state, at)", text);
}

/// A struct of a state's components, or of vectors of them. Rusticl of Mesa 22.3 copies but the first byte of a struct
/// that begins with one.
std::string state_type(const ReducePass& pass, const ReduceWalk& walk, const std::string& type_name, int width) {
  const std::string lanes = width > 1 ? number(static_cast<std::size_t>(width)) : "";
  std::string fields, parameters, assignments;
  for (const Component& component : components(pass)) {
    const std::string type = std::string(register_type(held_type(pass, walk, component))) + lanes;
    const std::string field(component.name);
    fields += "  " + type + " " + field + ";\n";
    parameters += (parameters.empty() ? "" : ", ") + type + " " + field;
    assignments += "  s." + field + " = " + field + ";\n";
  }
  return "typedef struct {\n" + fields + "} " + type_name + ";\nstatic inline " + type_name + " " + type_name + "_of(" +
         parameters + ") {\n  " + type_name + " s;\n" + assignments + "  return s;\n}\n";
}

/// kn_fold: the state of all elements of `many`, vectors, by halves; kn_pair: of neighbouring elements of two, side by
/// side.
std::string state_folds(const ReducePass& pass, const ReduceWalk& walk, const std::string& one,
                        const std::string& many) {
  std::string taken_out, even, odd;
  for (const Component& component : components(pass)) {
    const std::string type(register_type(held_type(pass, walk, component))), field = "." + std::string(component.name);
    const std::string vector = type + number(static_cast<std::size_t>(walk.width));
    taken_out += "    lanes[l]" + field + " = KN_LANE(" + type + ", s" + field + ", l);\n";
    for (std::string* side : {&even, &odd}) {
      const std::string which = side == &even ? ".even" : ".odd";
      *side += (side->empty() ? "" : ", ") + ("(" + vector + ")(a" + field + which) + ", b" + field + which + ")";
    }
  }
  return "static inline " + one + " kn_fold(" + many + " s) {\n  " + one +
         " lanes[KN_W];\n  for (int l = 0; l < KN_W; ++l) {\n" + taken_out +
         "  }\n  for (int half_lanes = KN_W / 2; half_lanes > 0; half_lanes /= 2)\n    for (int l = 0; l < half_lanes; "
         "++l) lanes[l] = " +
         one + "_combined(lanes[l], lanes[l + half_lanes]);\n  return lanes[0];\n}\nstatic inline " + many +
         " kn_pair(" + many + " a, " + many + " b) {\n  return " + many + "_combined(" + many + "_of(" + even + "), " +
         many + "_of(" + odd + "));\n}\n";
}

/// The hooks of states that are structs: `many` of vectors, `one` of single values.
std::string struct_hooks(const ReducePass& pass, const ReduceWalk& walk, const std::string& one,
                         const std::string& many) {
  const bool single = walk.width == 1 || walk.columns;
  const std::string part = single ? many : one;
  std::string text = "#define KN_STATE " + many + "\n#define KN_ONE " + part + "\n";
  text += "#define KN_COMBINE(a, b) " + part + "_combined(a, b)\n";
  if (!single) text += state_folds(pass, walk, one, many) + "#define KN_PAIR(a, b) kn_pair(a, b)\n";
  text += single ? "#define KN_FOLD(acc) (acc)\n" : "#define KN_FOLD(acc) kn_fold(acc)\n";
  return text + put_hook(pass, walk);
}

/// Positions: pairs of a value and its place, the first of equal values wins, a NaN beats all.
std::string position_type(const ReducePass& pass, const ReduceWalk& walk, const std::string& type_name, int width) {
  const DType type = value_type(pass);
  const std::string place(register_type(held_type(pass, walk, components(pass)[0])));
  const std::string lanes = width > 1 ? number(static_cast<std::size_t>(width)) : "";
  // Conditions on vectors are as wide as what they choose from.
  const auto wide = [&](const std::string& condition) {
    return width == 1 || place == mask_type(type) ? condition : "convert_" + place + lanes + "(" + condition + ")";
  };
  const std::string narrow =
      width == 1 || place == mask_type(type) ? "keeps" : "convert_" + std::string(mask_type(type)) + lanes + "(keeps)";
  const bool floating = is_real_floating(type);
  const std::string before =
      floating ? "(KN_BEFORE(a.value, b.value) | (isnan(a.value) & !isnan(b.value)))" : "KN_BEFORE(a.value, b.value)";
  const std::string same =
      floating ? "((a.value == b.value) | (isnan(a.value) & isnan(b.value)))" : "(a.value == b.value)";
  const std::string begin =
      "(" + type_name + " a, " + type_name + " b) {\n  const " + (width == 1 ? "int" : place + lanes) + " keeps = ";
  const std::string end =
      ";\n  return " + type_name + "_of(keeps ? a.place : b.place, " + narrow + " ? a.value : b.value);\n}\n";
  // Of a value behind those so far, which exists, the place need not be looked at.
  const std::string better =
      "(KN_BEFORE(a.value, b.value) | (a.value == b.value)" + std::string(floating ? " | (a.value != a.value))" : ")");
  return state_type(pass, walk, type_name, width) + "static inline " + type_name + " " + type_name + "_combined" +
         begin + "(b.place < 0) | ((a.place >= 0) & (" + wide(before) + " | (" + wide(same) +
         " & (a.place < b.place))))" + end + "static inline " + type_name + " " + type_name + "_next" + begin +
         "(a.place >= 0) & " + wide(better) + end;
}

std::string position_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const std::string value = "v" + number(value_line(pass));
  const std::string positions = printer.vector_type(held_type(pass, walk, components(pass)[0]));
  const std::string numbers = walk.width == 1 ? "0" : "convert_" + positions + "(KN_POSITIONS)";
  const std::string found = pass.partial   ? "v0"
                            : walk.columns ? "(" + positions + ")(row)"
                                           : "(" + positions + ")((long)row * (long)d.inner + (long)i) + " + numbers;
  std::string text = "#define KN_BEFORE(a, b) (" + combine_of(pass.kind, value_type(pass)).text + ")\n";
  text += position_type(pass, walk, "kn_positions", walk.width);
  if (walk.width > 1 && !walk.columns) text += position_type(pass, walk, "kn_position", 1);
  text += struct_hooks(pass, walk, "kn_position", "kn_positions");
  text += "#define KN_IDENTITY kn_positions_of((" + positions + ")(-1), 0)\n";
  const std::string lines = lines_in_pieces(*pass.body, walk.access, walk.inner_seams(), printer);
  if (walk.skims) {
    const DType type = value_type(pass);
    text += define("KN_VALUE", printer.vector_type(type)) +
            define("KN_MASK", std::string(mask_type(type)) + number(static_cast<std::size_t>(walk.width))) +
            define("KN_LOOK", lines + "const KN_VALUE looked = " + value + ";\n");
  }
  const auto taken_by = [&](const std::string& function) {
    return "acc = kn_positions_" + function + "(acc, kn_positions_of(found, " + value + "));\n";
  };
  const std::string only = walk.width == 1 || walk.columns
                               ? ""
                               : "if (KN_EXIST < KN_W) {\nfound = " + numbers + " < (" + positions +
                                     ")((int)KN_EXIST) ? found : (" + positions + ")(-1);\n" + taken_by("combined") +
                                     "} else ";
  return text + define("KN_BODY", lines + positions + " found = " + found + ";\n" + only + taken_by("next"));
}

/// The body's value in the type that is combined, as `taken`.
std::string taken(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = combined_type(pass);
  const std::string vector = printer.vector_type(type);
  std::string value = printer.value_as(value_line(pass), type);
  const graph::ReductionInfo& row = graph::info(pass.kind);
  if (row.maps() && !pass.partial) value = applied(row.map, value);
  return lines_in_pieces(*pass.body, walk.access, walk.inner_seams(), printer) + vector + " taken = " + value + ";\n";
}

/// A state's struct and the functions on it, which the macro `functions` of kernels/common makes, of vectors and, where
/// these are taken apart, of single values.
std::string common_state(const ReducePass& pass, const ReduceWalk& walk, const std::string& functions,
                         const std::string& one, const std::string& many) {
  const std::string element(register_type(combined_type(pass)));
  const auto instance = [&](const std::string& type_name, int width) {
    const std::string lanes = width > 1 ? number(static_cast<std::size_t>(width)) : "";
    return state_type(pass, walk, type_name, width) + functions + "(" + type_name + ", " + element + lanes + ")\n";
  };
  std::string text = instance(many, walk.width);
  if (walk.width > 1 && !walk.columns) text += instance(one, 1);
  return text + struct_hooks(pass, walk, one, many);
}

/// The largest exponent and the sum beside it; an element is a sum of one.
std::string exponential_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = combined_type(pass);
  const std::string vector = printer.vector_type(type);
  std::string text = common_state(pass, walk, "KN_EXPONENTIALS", "kn_exponential", "kn_exponentials");
  text += "#define KN_IDENTITY kn_exponentials_of((" + vector + ")(-INFINITY), 0)\n";
  // What does not exist is -infinity here, whose exponential adds nothing.
  std::string only;
  if (walk.width > 1 && !walk.columns) {
    text += only_function(walk.width, type, "-INFINITY") + only_function(walk.width, type, "0", "kn_only_sum");
    only = "if (KN_EXIST < KN_W) {\ntaken = kn_only(taken, KN_EXIST);\nsum = kn_only_sum(sum, KN_EXIST);\n}\n";
  }
  const std::string sum = vector + " sum = " + (pass.partial ? "v1" : "1") + ";\n";
  return text + define("KN_BODY", taken(pass, walk, printer) + sum + only +
                                      "acc = kn_exponentials_combined(acc, kn_exponentials_of(taken, sum));\n");
}

/// Moments: of elements a chunk's at once, by two passes over its registers; states of passes before one by one.
std::string moment_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = combined_type(pass);
  std::string text = common_state(pass, walk, "KN_MOMENTS", "kn_moment", "kn_moments");
  text += "#define KN_IDENTITY kn_moments_of(0, 0, 0, 0)\n";
  text += only_function(walk.width, type, "0");
  if (pass.partial) {
    std::string states;
    for (const char* component : {"v0", "v1", "v2", "v3"}) {
      states += states.empty() ? "" : ", ";
      states += walk.columns ? component : "kn_only(" + std::string(component) + ", KN_EXIST)";
    }
    return text + define("KN_BODY", lines_in_pieces(*pass.body, walk.access, walk.inner_seams(), printer) +
                                        "acc = kn_moments_combined(acc, kn_moments_of(" + states + "));\n");
  }
  text += define("KN_VALUE", printer.vector_type(type));
  return text + define("KN_BODY", taken(pass, walk, printer));
}

/// Several reductions, each with a value of its own in the state.
std::string several_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const std::vector<ReducePass> singles = single_passes(pass);
  const std::vector<Component> parts = components(pass);
  std::string text, joined, identity, values,
      body = lines_in_pieces(*pass.body, walk.access, walk.inner_seams(), printer);
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const std::string n = number(k), field = "." + std::string(parts[k].name), comma = k > 0 ? ", " : "";
    const DType type = parts[k].type;
    const std::string vector = printer.vector_type(type);
    const Combine op = combine_of(singles[k].kind, type);
    text += "#define KN_JOIN" + n + "(a, b) (" + op.text + ")\n";
    joined += comma + "KN_JOIN" + n + "(a" + field + ", b" + field + ")";
    identity += comma + "(" + vector + ")(" + op.identity + ")";
    values += comma + "taken" + n;
    const auto line =
        static_cast<std::size_t>(pass.partial ? static_cast<std::int32_t>(k) : pass.body->outputs[k].line);
    std::string value = printer.value_as(line, type);
    const graph::ReductionInfo& row = graph::info(singles[k].kind);
    if (row.maps() && !pass.partial) value = applied(row.map, value);
    body += vector + " taken" + n + " = " + value + ";\n";
    if (walk.width > 1 && !walk.columns) {
      text += only_function(walk.width, type, op.identity, "kn_only" + n);
      body += "if (KN_EXIST < KN_W) taken" + n + " = kn_only" + n + "(taken" + n + ", KN_EXIST);\n";
    }
  }
  const auto instance = [&](const std::string& type_name, int width) {
    return state_type(pass, walk, type_name, width) + "static inline " + type_name + " " + type_name + "_combined(" +
           type_name + " a, " + type_name + " b) {\n  return " + type_name + "_of(" + joined + ");\n}\n";
  };
  text += instance("kn_several_values", walk.width);
  if (walk.width > 1 && !walk.columns) text += instance("kn_several", 1);
  text += struct_hooks(pass, walk, "kn_several", "kn_several_values");
  text += "#define KN_IDENTITY kn_several_values_of(" + identity + ")\n";
  return text +
         define("KN_BODY", body + "acc = kn_several_values_combined(acc, kn_several_values_of(" + values + "));\n");
}

std::string value_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = combined_type(pass);
  const Combine op = combine_of(pass.kind, type, pass.custom);
  const std::string element(register_type(type)), vector = printer.vector_type(type);
  // Where only some of the vector's elements exist, the others must not count. The accumulator itself is never taken
  // apart for it: that would keep it out of the registers.
  const std::string only = walk.width == 1 ? "" : "if (KN_EXIST < KN_W) taken = kn_only(taken, KN_EXIST);\n";
  std::string text = "#define KN_COMBINE(a, b) " + op.text + "\n";
  text += define("KN_STATE", vector) + define("KN_ONE", element);
  text += define("KN_IDENTITY", "((" + vector + ")(" + op.identity + "))");
  if (walk.width > 1) text += only_function(walk.width, type, op.identity);
  if (walk.width == 1) {
    text += "#define KN_FOLD(acc) (acc)\n";
  } else if (walk.fixed) {
    text += halves_function("kn_fold", element, walk.width, "KN_COMBINE") + "#define KN_FOLD(acc) kn_fold(acc)\n";
  } else {
    text += "static inline " + element + " kn_fold(" + vector + " acc) {\n  " + element + " one = KN_LANE(" + element +
            ", acc, 0);\n  for (int l = 1; l < KN_W; ++l) one = KN_COMBINE(one, KN_LANE(" + element +
            ", acc, l));\n  return one;\n}\n#define KN_FOLD(acc) kn_fold(acc)\n";
  }
  if (walk.together) {
    text += "#define KN_PAIR(a, b) KN_COMBINE(((" + vector + ")((a).even, (b).even)), ((" + vector +
            ")((a).odd, (b).odd)))\n";
  }
  text += put_hook(pass, walk);
  return text + define("KN_BODY", taken(pass, walk, printer) + only + "acc = KN_COMBINE(acc, taken);\n");
}

std::string state_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  if (!pass.several.empty() && !shares_state(pass)) return several_hooks(pass, walk, printer);
  switch (graph::info(pass.kind).state) {
    case graph::State::value: break;
    case graph::State::position: return position_hooks(pass, walk, printer);
    case graph::State::moments: return moment_hooks(pass, walk, printer);
    case graph::State::exponentials: return exponential_hooks(pass, walk, printer);
  }
  return value_hooks(pass, walk, printer);
}

}  // namespace

bool has_fixed_order(const graph::Node& node) {
  const bool whole = is_integer(node.dtype) || is_bool(node.dtype);
  return node.place.reproducible && (!whole || node.get<graph::Op::reduce>().custom);
}

DType combined_type(const ReducePass& pass) {
  if (pass.custom) return pass.custom->outputs[0];
  return graph::info(pass.kind).state == graph::State::position ? value_type(pass)
                                                                : graph::accumulation_type(pass.result);
}

bool shares_state(const ReducePass& pass) {
  return !pass.several.empty() && graph::info(pass.kind).state == graph::State::moments;
}

std::vector<ReducePass> single_passes(const ReducePass& pass) {
  if (pass.several.empty()) return {pass};
  std::vector<ReducePass> result;
  for (const ReducedValue& value : pass.several) {
    result.push_back({value.kind, pass.body, pass.partial, pass.last, value.result, pass.fixed});
  }
  return result;
}

std::vector<Component> components(const ReducePass& pass) {
  if (!pass.several.empty() && !shares_state(pass)) {
    std::vector<Component> result;
    for (const ReducedValue& value : pass.several)
      result.push_back({several_names[result.size()], graph::accumulation_type(value.result)});
    return result;
  }
  const DType type = combined_type(pass);
  switch (graph::info(pass.kind).state) {
    case graph::State::value: break;
    case graph::State::position: return {{"place", DType::int64}, {"value", type}};  // in this order: see state_type
    case graph::State::exponentials: return {{"high", type}, {"sum", type}};
    case graph::State::moments: return {{"count", type}, {"mean", type}, {"rest", type}, {"squares", type}};
  }
  return {{"", type}};
}

bool leaves_states(const ReducePass& pass) {
  return !pass.last &&
         (!pass.several.empty() || (pass.custom ? pass.custom->finishes : graph::info(pass.kind).finishes()) ||
          combined_type(pass) != pass.result);
}

bool takes_states(const ReducePass& pass) {
  const graph::ReductionInfo& row = graph::info(pass.kind);
  return pass.partial && (!pass.several.empty() || row.state != graph::State::value || row.maps());
}

std::span<const Load> loads_beside(const ReducePass& pass) {
  const Body* finish = finish_body(pass);
  if (!finish) return {};
  return std::span(finish->loads).subspan(std::max<std::size_t>(pass.several.size(), 1));
}

std::size_t buffers_of(const ReducePass& pass) {
  return buffers_read(*pass.body) + loads_beside(pass).size() + outputs_of(pass).size();
}

bool takes_constants(const ReducePass& pass) { return pass.last && graph::info(pass.kind).has_constants(); }

KernelText print_reduce(const ReducePass& pass, const ReduceWalk& walk, const ParamBlock& block,
                        const DeviceTraits& traits) {
  const Body& body = *pass.body;
  const Printer printer(body, traits, walk.width);
  const graph::State state = graph::info(pass.kind).state;
  std::string parameters = printer.load_parameters(), constants = printer.constants();
  std::vector<DType> stored;
  for (const Component& output : outputs_of(pass)) {
    parameters += "__global " + std::string(memory_type(output.type)) + "* " + output_name(output) + ", ";
    stored.push_back(output.type);
  }
  const std::span<const Load> beside = loads_beside(pass);
  for (std::size_t k = 0; k < beside.size(); ++k) {
    parameters += "__global const " + std::string(memory_type(beside[k].dtype)) + "* q" + number(k) + ", ";
    stored.push_back(beside[k].dtype);
  }
  std::size_t k = 0;
  for (const ReducePass& single : single_passes(pass)) {
    const std::string n = pass.several.empty() ? "" : number(k++);
    if (!takes_constants(single)) continue;
    const std::string type(register_type(graph::real_part(combined_type(single))));
    for (const char* name : {"divisor", "scale"})
      constants += "const " + type + " " + name + n + " = d." + name + n + ";\n";
  }
  const ReduceSpec spec{walk, pass};
  KernelText text;
  text.entry = kernel_name(pass);
  text.settings = settings(spec, traits) + "#define KN_GROUP " + std::to_string(reduce_group) + "\n";
  text.settings += printer.draw_settings();
  text.modules = printer.modules(stored);
  if (const Body* finish = finish_body(pass)) {
    for (const std::string_view module : Printer(*finish, traits, walk.width).modules(stored)) {
      if (std::find(text.modules.begin(), text.modules.end(), module) == text.modules.end()) {
        text.modules.push_back(module);
      }
    }
  }
  if (state == graph::State::moments) text.modules.push_back("common/moments");
  if (state == graph::State::exponentials) text.modules.push_back("common/exponentials");
  if (pass.kind == ReduceKind::prod && is_complex(pass.result)) text.modules.push_back("common/complex");
  text.kernel = walk.columns ? "reduce_columns" : "reduce_rows";
  text.about = std::string(text.kernel) + line_of(spec);
  text.custom = custom_functions(body, walk.width, walk.cpu, pass.custom);
  text.definitions =
      printer.memory_instances(stored) + block_type(block, walk.spilled) + inner_strides(walk) +
      define("KN_PARAMETERS", parameters + block_parameter(walk.spilled)) + define("KN_CONSTANTS", constants) +
      define("KN_KEPT", part_offsets(walk.kept, walk.columns, "d.offset", "b", "kept", "kept", walk.kept_seams)) +
      define("KN_ROW", part_offsets(walk.reduced, !walk.columns, "b", "o", "row", "reduced", walk.reduced_seams) +
                           printer.uniform_loads(walk.access)) +
      state_hooks(pass, walk, printer);
  if (const Body* finish = finish_body(pass)) {
    text.definitions += finish_hook(pass, walk, *finish, Printer(*finish, traits, walk.width));
  }
  return text;
}

}  // namespace koine::codegen
