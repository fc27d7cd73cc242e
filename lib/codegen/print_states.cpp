// SPDX-License-Identifier: Apache-2.0
// The hooks of a reduction's states: what they are, how two are combined, what becomes of the last.
#include "codegen/print_states.hpp"

#include "codegen/combine.hpp"
#include "codegen/print_walk.hpp"
#include "graph/infer.hpp"

#include <algorithm>

namespace koine::codegen {

using graph::ReduceKind;

namespace {

std::string number(std::size_t n) { return std::to_string(n); }

/// The lines of a vector of elements: what they load, but for steady loads, and what they make of it.
std::string lines_of(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  std::vector<Access> access = walk.access;
  for (std::size_t k = 0; k < walk.steady.size(); ++k) {
    if (walk.steady[k] != Steady::no) access[k] = Access::taken;
  }
  return (walk.columns ? "" : steady_vectors(pass, walk, printer)) +
         lines_in_pieces(*pass.body, access, walk.inner_seams(), printer);
}

/// "kn_put_float32(value, at)", or kn_store, which takes a vector and how many of its elements exist.
std::string put(bool vector, DType type, const std::string& value, const std::string& at) {
  // Storing a bfloat16 takes its bits as they are; a float16 is rounded on the way.
  std::string rounded = value;
  if (type == DType::bfloat16) rounded = (vector ? "kn_round_bfloat16(" : "kn_round_one_bfloat16(") + value + ")";
  return (vector ? "kn_store_" : "kn_put_") + std::string(name(type)) + "(" + rounded + ", " + at +
         (vector ? ", left); " : "); ");
}

/// The number of a state in names of its own; none where it is the only one.
std::string own_number(const std::vector<ReducePass>& states, std::size_t k) {
  return states.size() == 1 ? "" : number(k);
}

/// `finish` with the constants of reduction `number`.
std::string numbered(std::string_view finish, std::size_t k) {
  std::string text(finish);
  for (const std::string_view name : {"divisor", "scale"}) {
    if (const std::size_t at = text.find(name); at != std::string::npos) text.insert(at + name.size(), number(k));
  }
  return text;
}

bool is_position(const std::string& component) { return component.ends_with("position"); }

/// The type of a component in registers. Positions among fewer than 2^31 elements take half of what they take in
/// memory, where those that passes before found are among all of theirs.
DType held_type(const ReducePass& pass, const ReduceWalk& walk, const Component& component) {
  return is_position(component.name) && !walk.wide && !pass.partial ? DType::int32 : component.type;
}

/// What a last pass makes of reduction `k`'s state.
std::string finished(const ReducePass& pass, std::size_t k) {
  if (pass.several.empty()) return applied(finish_of(pass.kind, pass.custom), "state");
  const graph::ReductionInfo& row = graph::info(pass.several[k].kind);
  const std::size_t owner = pass.several[k].state;
  const bool value = row.state == graph::State::value;
  const bool beside_position = value && graph::info(state_kind(pass.several, k)).state == graph::State::position;
  const std::string finish = beside_position ? "$0.value" : numbered(row.finish, k);
  if (shares_state(pass)) return applied(finish, "state");
  std::size_t before = 0;  // states
  for (std::size_t i = 0; i < owner; ++i) before += pass.several[i].state == i ? 1 : 0;
  const std::string state = "(state).a" + number(before);
  if (value && !beside_position) return applied(finish, state);
  std::string text;
  for (std::size_t i = 0; i < finish.size(); ++i) {
    if (finish.compare(i, 3, "$0.") == 0) {
      text += state + "_";
      i += 2;
    } else {
      text += finish[i];
    }
  }
  return text;
}

/// A position as it lies in memory.
std::string long_position(const ReduceWalk& walk, const std::string& position) {
  const bool vector = (walk.columns || walk.together) && walk.width > 1;
  return vector ? "convert_long" + number(static_cast<std::size_t>(walk.width)) + "(" + position + ")" : position;
}

/// Reduction `k`'s result.
std::string result_of(const ReducePass& pass, const ReduceWalk& walk, std::size_t k) {
  const ReduceKind kind = pass.several.empty() ? pass.kind : pass.several[k].kind;
  const std::string value = finished(pass, k);
  return graph::info(kind).state == graph::State::position ? long_position(walk, value) : value;
}

/// KN_PUT, or KN_PUT_ALL, of a state: its components, or what it finishes as. Of a finish print_reduce adds it.
std::string put_hook(const ReducePass& pass, const ReduceWalk& walk) {
  if (finish_body(pass)) return "";
  const bool vector = walk.columns || walk.together;
  std::string text;
  std::size_t k = 0;
  for (const Component& output : outputs_of(pass)) {
    const std::string part = output.name.empty() ? "" : "." + output.name;
    std::string value = pass.last ? result_of(pass, walk, k) : "(state)" + part;
    if (!pass.last && is_position(output.name)) value = long_position(walk, value);
    text += put(vector, output.type, value, output_name(output) + " + (at)");
    ++k;
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
    const std::string& field = component.name;
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
    const std::string type(register_type(held_type(pass, walk, component))), field = "." + component.name;
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

/// The struct of a state of several components, of vectors, and the functions on it; of single values, too, where these
/// are taken apart. `instance(name, width)` gives one of them.
template <class Instance>
std::string state_types(const ReduceWalk& walk, const std::string& one, const std::string& many, Instance instance) {
  std::string text = instance(many, walk.width);
  if (walk.width > 1 && !walk.columns) text += instance(one, 1);
  return text;
}

/// Positions: pairs of a value and its position, the first of equal values wins, a NaN beats all. `before`: the macro
/// that says whether a value comes before another.
std::string position_type(const ReducePass& pass, const ReduceWalk& walk, const std::string& type_name, int width,
                          const std::string& before) {
  const DType type = combined_type(pass);
  const std::string integer(register_type(held_type(pass, walk, components(pass)[0])));
  const std::string lanes = width > 1 ? number(static_cast<std::size_t>(width)) : "";
  // Conditions on vectors are as wide as what they choose from.
  const auto wide = [&](const std::string& condition) {
    return width == 1 || integer == mask_type(type) ? condition : "convert_" + integer + lanes + "(" + condition + ")";
  };
  const std::string narrow = width == 1 || integer == mask_type(type)
                                 ? "keeps"
                                 : "convert_" + std::string(mask_type(type)) + lanes + "(keeps)";
  const bool floating = is_real_floating(type);
  const std::string first = before + "(a.value, b.value)";
  const std::string sooner = floating ? "(" + first + " | (isnan(a.value) & !isnan(b.value)))" : first;
  const std::string same =
      floating ? "((a.value == b.value) | (isnan(a.value) & isnan(b.value)))" : "(a.value == b.value)";
  const std::string begin =
      "(" + type_name + " a, " + type_name + " b) {\n  const " + (width == 1 ? "int" : integer + lanes) + " keeps = ";
  const std::string end =
      ";\n  return " + type_name + "_of(keeps ? a.position : b.position, " + narrow + " ? a.value : b.value);\n}\n";
  // Of a value behind those so far, which exists, the position need not be looked at.
  const std::string better =
      "(" + first + " | (a.value == b.value)" + std::string(floating ? " | (a.value != a.value))" : ")");
  return state_type(pass, walk, type_name, width) + "static inline " + type_name + " " + type_name + "_combined" +
         begin + "(b.position < 0) | ((a.position >= 0) & (" + wide(sooner) + " | (" + wide(same) +
         " & (a.position < b.position))))" + end + "static inline " + type_name + " " + type_name + "_next" + begin +
         "(a.position >= 0) & " + wide(better) + end;
}

/// A reduction whose state is a struct of its own: its type, of vectors and of single values, a state of nothing, and
/// what takes the body's value into the state `acc`. Names end with `n`.
struct Part {
  std::string many, one, functions, identity, take;
};

Part position_part(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer, const std::string& n) {
  const std::string many = "kn_positions" + n, one = "kn_position" + n, before = "KN_BEFORE" + n, found = "found" + n;
  const std::size_t line = value_line(pass);
  const std::string value = "v" + number(line);
  const std::string positions = printer.vector_type(held_type(pass, walk, components(pass)[0]));
  const std::string numbers = walk.width == 1 ? "0" : "convert_" + positions + "(KN_POSITIONS)";
  const std::string here = pass.partial   ? "v" + number(line - 1)
                           : walk.columns ? "(" + positions + ")(row)"
                                          : "(" + positions + ")((long)row * (long)d.inner + (long)i) + " + numbers;
  const std::string functions = "#define " + before + "(a, b) (" + combine_of(pass.kind, combined_type(pass)).text +
                                ")\n" + state_types(walk, one, many, [&](const std::string& type, int width) {
                                  return position_type(pass, walk, type, width, before);
                                });
  const auto taken_by = [&](const std::string& function) {
    return "acc" + n + " = " + many + "_" + function + "(acc" + n + ", " + many + "_of(" + found + ", " + value +
           "));\n";
  };
  const std::string only = walk.width == 1 || walk.columns
                               ? ""
                               : "if (KN_EXIST < KN_W) {\n" + found + " = " + numbers + " < (" + positions +
                                     ")((int)KN_EXIST) ? " + found + " : (" + positions + ")(-1);\n" +
                                     taken_by("combined") + "} else ";
  return {many, one, functions, "(" + positions + ")(-1), 0",
          positions + " " + found + " = " + here + ";\n" + only + taken_by("next")};
}

/// The body's value in the type that is combined, as `name`.
std::string taken(const ReducePass& pass, const Printer& printer, const std::string& name = "taken") {
  const DType type = combined_type(pass);
  std::string value = printer.value_as(value_line(pass), type);
  const graph::ReductionInfo& row = graph::info(pass.kind);
  if (row.maps() && !pass.partial) value = applied(row.map, value);
  return printer.vector_type(type) + " " + name + " = " + value + ";\n";
}

/// The functions on a state, which the macro `macro` of kernels/common makes of a struct and the type of its fields.
std::string common_functions(const ReducePass& pass, const ReduceWalk& walk, const std::string& macro,
                             const std::string& one, const std::string& many) {
  const std::string element(register_type(combined_type(pass)));
  return state_types(walk, one, many, [&](const std::string& type_name, int width) {
    const std::string lanes = width > 1 ? number(static_cast<std::size_t>(width)) : "";
    return state_type(pass, walk, type_name, width) + macro + "(" + type_name + ", " + element + lanes + ")\n";
  });
}

/// The largest exponent and the sum beside it; an element is a sum of one.
Part exponential_part(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer, const std::string& n) {
  const DType type = combined_type(pass);
  const std::string many = "kn_exponentials" + n, one = "kn_exponential" + n, value = "taken" + n, sum = "sum" + n;
  const std::string vector = printer.vector_type(type);
  std::string functions = common_functions(pass, walk, "KN_EXPONENTIALS", one, many);
  // What does not exist is -infinity here, whose exponential adds nothing.
  std::string only;
  if (walk.width > 1 && !walk.columns) {
    const std::string of_value = "kn_only" + n, of_sum = "kn_only_sum" + n;
    functions += only_function(walk.width, type, "-INFINITY", of_value) + only_function(walk.width, type, "0", of_sum);
    only = "if (KN_EXIST < KN_W) {\n" + value + " = " + of_value + "(" + value + ", KN_EXIST);\n" + sum + " = " +
           of_sum + "(" + sum + ", KN_EXIST);\n}\n";
  }
  const std::string first = pass.partial ? "v" + number(value_line(pass) + 1) : "1";
  return {many, one, functions, "(" + vector + ")(-INFINITY), 0",
          taken(pass, printer, value) + vector + " " + sum + " = " + first + ";\n" + only + "acc" + n + " = " + many +
              "_combined(acc" + n + ", " + many + "_of(" + value + ", " + sum + "));\n"};
}

/// Of positions of one expression's values: how the best values of many vectors are found before their positions are.
std::string skim_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer,
                       const std::string& lines) {
  const DType type = value_type(pass);
  std::string text = define("KN_VALUE", printer.vector_type(type)) +
                     define("KN_MASK", std::string(mask_type(type)) + number(static_cast<std::size_t>(walk.width))) +
                     define("KN_LOOK", lines + "const KN_VALUE looked = v" + number(value_line(pass)) + ";\n");
  std::string each;
  const std::vector<ReducePass> states = state_passes(pass);
  for (std::size_t k = 0; k < states.size(); ++k) {
    const std::string n = own_number(states, k);
    each += " f(" + number(k) + ", KN_BEFORE" + n + ", " + (n.empty() ? "" : "a" + n + "_") + "value)";
  }
  return text + "#define KN_EACH_POSITION(f)" + each + "\n";
}

/// The components of a state of several reductions, each behind `before` ("a.") and by its name there.
std::string listed(const ReducePass& pass, const std::string& before) {
  std::string text;
  for (const Component& component : components(pass)) text += (text.empty() ? "" : ", ") + before + component.name;
  return text;
}

/// The states of one or more reductions, each a struct of its own; of more in one struct.
std::string part_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const std::vector<ReducePass> singles = state_passes(pass);
  std::vector<Part> parts;
  std::string text, identity, from_state, take, to_state;
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const std::string n = own_number(singles, k), comma = k > 0 ? ", " : "";
    const bool position = graph::info(pass.kind).state == graph::State::position;
    parts.push_back(position ? position_part(singles[k], walk, printer, n)
                             : exponential_part(singles[k], walk, printer, n));
    const Part& part = parts.back();
    text += part.functions;
    identity += comma + part.identity;
    from_state += part.many + " acc" + n + " = " + part.many + "_of(" + listed(singles[k], "acc.a" + n + "_") + ");\n";
    take += part.take;
    to_state += comma + listed(singles[k], "acc" + n + ".");
  }
  std::string one = parts[0].one, many = parts[0].many;
  if (singles.size() > 1) {
    const std::string of_ones = "kn_several", of_many = "kn_several_values";
    text += state_types(walk, of_ones, of_many, [&](const std::string& type, int width) {
      std::string combined, all;
      for (std::size_t k = 0; k < singles.size(); ++k) {
        const std::string n = number(k), part = type == of_many ? parts[k].many : parts[k].one;
        const auto of = [&](const std::string& state) {
          return part + "_of(" + listed(singles[k], state + ".a" + n + "_") + ")";
        };
        combined += "  const " + part + " s" + n + " = " + part + "_combined(" + of("a") + ", " + of("b") + ");\n";
        all += (k > 0 ? ", " : "") + listed(singles[k], "s" + n + ".");
      }
      return state_type(pass, walk, type, width) + "static inline " + type + " " + type + "_combined(" + type + " a, " +
             type + " b) {\n" + combined + "  return " + type + "_of(" + all + ");\n}\n";
    });
    one = of_ones;
    many = of_many;
    take = from_state + take + "acc = " + many + "_of(" + to_state + ");\n";
  }
  text += struct_hooks(pass, walk, one, many) + "#define KN_IDENTITY " + many + "_of(" + identity + ")\n";
  const std::string lines = lines_of(pass, walk, printer);
  if (walk.skims) text += skim_hooks(pass, walk, printer, lines);
  return text + define("KN_BODY", lines + take);
}

/// Moments: of elements a chunk's at once, by two passes over its registers; states of passes before one by one.
std::string moment_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const DType type = combined_type(pass);
  std::string text = common_functions(pass, walk, "KN_MOMENTS", "kn_moment", "kn_moments");
  text += struct_hooks(pass, walk, "kn_moment", "kn_moments");
  text += "#define KN_IDENTITY kn_moments_of(0, 0, 0, 0)\n";
  text += only_function(walk.width, type, "0");
  const std::string lines = lines_of(pass, walk, printer);
  if (pass.partial) {
    std::string states;
    for (const char* component : {"v0", "v1", "v2", "v3"}) {
      states += states.empty() ? "" : ", ";
      states += walk.columns ? component : "kn_only(" + std::string(component) + ", KN_EXIST)";
    }
    return text + define("KN_BODY", lines + "acc = kn_moments_combined(acc, kn_moments_of(" + states + "));\n");
  }
  text += define("KN_VALUE", printer.vector_type(type));
  return text + define("KN_BODY", lines + taken(pass, printer));
}

/// Several reductions, each with a value of its own in the state.
std::string several_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  const std::vector<ReducePass> singles = single_passes(pass);
  std::string text, joined, identity, values, body = lines_of(pass, walk, printer);
  for (std::size_t k = 0; k < singles.size(); ++k) {
    const std::string n = number(k), field = ".a" + n, comma = k > 0 ? ", " : "";
    const DType type = combined_type(singles[k]);
    const Combine op = combine_of(singles[k].kind, type);
    text += "#define KN_JOIN" + n + "(a, b) (" + op.text + ")\n";
    joined += comma + "KN_JOIN" + n + "(a" + field + ", b" + field + ")";
    identity += comma + "(" + printer.vector_type(type) + ")(" + op.identity + ")";
    values += comma + "taken" + n;
    body += taken(singles[k], printer, "taken" + n);
    if (walk.width > 1 && !walk.columns) {
      text += only_function(walk.width, type, op.identity, "kn_only" + n);
      body += "if (KN_EXIST < KN_W) taken" + n + " = kn_only" + n + "(taken" + n + ", KN_EXIST);\n";
    }
  }
  text += state_types(walk, "kn_several", "kn_several_values", [&](const std::string& type, int width) {
    return state_type(pass, walk, type, width) + "static inline " + type + " " + type + "_combined(" + type + " a, " +
           type + " b) {\n  return " + type + "_of(" + joined + ");\n}\n";
  });
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
  return text + define("KN_BODY",
                       lines_of(pass, walk, printer) + taken(pass, printer) + only + "acc = KN_COMBINE(acc, taken);\n");
}

}  // namespace

std::vector<Component> outputs_of(const ReducePass& pass) {
  if (!pass.last) return components(pass);
  std::vector<DType> types = {pass.result};
  if (const Body* finish = finish_body(pass)) {
    types.clear();
    for (const Output& output : finish->outputs) types.push_back(output.node->dtype);
  } else if (!pass.several.empty()) {
    types.clear();
    for (const ReducedValue& value : pass.several) types.push_back(value.result);
  }
  if (types.size() == 1) return {{"", types[0]}};
  std::vector<Component> outputs;
  for (const DType type : types) outputs.push_back({"a" + number(outputs.size()), type});
  return outputs;
}

std::string output_name(const Component& output) { return "out" + (output.name.empty() ? "" : "_" + output.name); }

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
      value = result_of(pass, walk, k);
    } else {
      const std::string n = number(k - results), at = "(q" + n + " + d.beside" + n + " + (at)";
      value = vector ? "kn_gather_" + of_type + at + ", 1, left)" : "kn_one_" + of_type + at + ")";
    }
    text += "const " + type + " x" + number(k) + " = (" + type + ")(" + value + ");\n";
  }
  text += printer.lines(std::vector<Access>(finish.loads.size(), Access::taken));
  const std::vector<Component> outputs = outputs_of(pass);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const DType type = outputs[k].type;
    std::string value = "v" + number(static_cast<std::size_t>(finish.outputs[k].line));
    if (!vector && walk.width > 1) value = "KN_LANE(" + std::string(register_type(type)) + ", " + value + ", 0)";
    text += put(vector, type, value, output_name(outputs[k]) + " + (at)");
  }
  text += "\n}\n";
  return define(vector ? "KN_PUT_ALL(state, at, left)" : "KN_PUT(state, at)", text);
}

std::string steady_vectors(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  std::string text;
  for (std::size_t k = 0; k < walk.steady.size(); ++k) {
    if (walk.steady[k] != Steady::each) continue;
    const std::string n = number(k), at = walk.columns ? "row" : "i / KN_W";
    text += printer.vector_type(pass.body->loads[k].dtype) + " x" + n + " = s" + n + "[" + at + "];\n";
  }
  return text;
}

std::string state_hooks(const ReducePass& pass, const ReduceWalk& walk, const Printer& printer) {
  switch (graph::info(pass.kind).state) {
    case graph::State::value: break;
    case graph::State::position:
    case graph::State::exponentials: return part_hooks(pass, walk, printer);
    case graph::State::moments: return moment_hooks(pass, walk, printer);
  }
  return pass.several.empty() ? value_hooks(pass, walk, printer) : several_hooks(pass, walk, printer);
}

}  // namespace koine::codegen
