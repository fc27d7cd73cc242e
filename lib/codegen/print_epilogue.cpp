// SPDX-License-Identifier: Apache-2.0
// The code of epilogues and leads: one element at a time, in a function that stands before the kernel, so that no name
// of the one is in the other's way.
#include "base/dtypes.hpp"
#include "codegen/epilogue.hpp"
#include "codegen/names.hpp"
#include "codegen/print.hpp"
#include "codegen/print_custom.hpp"

#include <algorithm>
#include <limits>

namespace koine::codegen {
namespace {

std::string number(std::size_t n) { return std::to_string(n); }

/// Where the element of a load lies that belongs to the result at hand.
std::string place_text(const EpilogueWalk& walk, std::size_t load) {
  const std::string n = number(load);
  std::string text = "d.offset" + n;
  if (walk.number[load] < 0) return text + " + at";
  for (std::size_t axis = 0; axis < walk.axes.shape.size(); ++axis) {
    if (!walk.stays(load, axis)) text += " + (long)i" + number(axis) + " * d.stride" + n + "[" + number(axis) + "]";
  }
  return text;
}

/// i0, i1, ...: the coordinates of the result at `at`.
std::string coordinates_text(const EpilogueWalk& walk) {
  const std::size_t axes = walk.axes.shape.size();
  const std::string type = walk.wide ? "ulong" : "uint";
  std::string text, rest = "(" + type + ")at";
  for (std::size_t axis = axes; axis-- > 0;) {
    const std::string n = number(axis), size = "(" + type + ")d.sizes[" + n + "]";
    text += "const " + type + " r" + n + " = " + rest + ";\n";
    text += "const " + type + " i" + n + " = r" + n + (axis > 0 ? " % " + size : "") + ";\n";
    rest = "r" + n + " / " + size;
  }
  return text;
}

/// A function that gives the body's result at a position, and the other parameters that it takes: as they are declared
/// and as they are passed on, under names that begin with a prefix, each behind a comma.
struct Function {
  std::string text, taken, given;
};

Function function_of(const Body& body, const EpilogueWalk& walk, const ParamBlock& block, const Printer& printer,
                     const std::string& name, const std::string& prefix) {
  Function result;
  std::string parameters, loads;
  for (std::size_t k = 0; k < walk.given; ++k) {
    const DType given = body.loads[k].dtype;
    const std::string n = number(k), made(register_type(given));
    parameters += "const " + made + " value" + n + ", ";
    // A result is rounded to its type as if it had been stored.
    const bool half = base::is_half(given);
    const std::string rounded = half ? "kn_round_" + std::string(koine::name(given)) + "(value" + n + ")" : "value" + n;
    loads += "const " + made + " x" + n + " = " + rounded + ";\n";
  }
  parameters += "const long at";
  const auto add = [&](const std::string& type, const std::string& each) {
    parameters += ", " + type + each;
    result.taken += ", " + type + prefix + each;
    result.given += ", " + prefix + each;
  };
  for (std::size_t k = walk.given; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    const std::string n = number(k);
    std::string value = place_text(walk, k);
    if (!load.iota) {
      add("__global const " + std::string(memory_type(load.dtype)) + "* ", "p" + n);
      value = "kn_one_" + std::string(koine::name(load.dtype)) + "(p" + n + " + " + value + ")";
    }
    loads += "const " + std::string(register_type(load.dtype)) + " x" + n + " = " + value + ";\n";
  }
  add("const " + name + "_bounds ", "d");
  const Output& output = body.outputs[0];
  const DType type = output.node->dtype;
  result.text = block.type(name + "_bounds") + "static inline " + std::string(register_type(type)) + " " + name + "(" +
                parameters + ") {\n" + coordinates_text(walk) + printer.constants() + loads +
                printer.lines(std::vector<Access>(body.loads.size(), Access::taken)) + "return " +
                printer.value_as(static_cast<std::size_t>(output.line), type) + ";\n}\n";
  return result;
}

/// Takes back names that the kernel's file has for something else.
std::string without_names() {
  std::string text;
  for (const char* name : {"KN_VLOAD", "KN_VSTORE", "KN_PARTS", "KN_REAL", "KN_STORED", "KN_PASTE", "KN_PASTE_"}) {
    text += "#undef " + std::string(name) + "\n";
  }
  return text;
}

}  // namespace

std::optional<EpilogueWalk> make_epilogue_walk(const Body& body, std::size_t given) {
  constexpr std::size_t most_axes = 4;
  EpilogueWalk walk;
  walk.given = given;
  std::vector<const graph::Layout*> layouts;
  for (const Load& load : body.loads) {
    if (!load.seams.empty() || load.loop >= 0 || load.take || load.draw()) return std::nullopt;
    const bool in_order = load.in_order();
    walk.number.push_back(in_order ? -1 : static_cast<std::int32_t>(layouts.size()));
    if (!in_order) layouts.push_back(&load.layout);
  }
  if (!body.loops.empty() || !body.folds.empty()) return std::nullopt;
  if (given > 0 && body.loads[0].layout.offset != 0) return std::nullopt;
  if (!layouts.empty()) {
    graph::collapse(
        body.domain, layouts.size(), [&](std::size_t k) -> const Shape& { return layouts[k]->strides; }, walk.axes);
  }
  if (walk.axes.shape.size() > most_axes) return std::nullopt;
  walk.wide = body.domain.elements() > std::numeric_limits<std::int32_t>::max();
  return walk;
}

ParamBlock parameters_of(const Body& body, const EpilogueWalk& walk) {
  ParamBlock block;
  const std::size_t axes = walk.axes.shape.size();
  block.add("sizes", std::span<const std::int64_t>(walk.axes.shape.begin(), axes));
  for (std::size_t k = walk.given; k < body.loads.size(); ++k) {
    block.add({"offset", k}, body.loads[k].layout.offset);
    if (walk.number[k] < 0) continue;
    std::vector<std::int64_t> strides(axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      strides[axis] = walk.axes.stride(static_cast<std::size_t>(walk.number[k]), axis);
    }
    block.add({"stride", k}, std::span<const std::int64_t>(strides));
  }
  add_values(block, body);
  if (block.bytes().empty()) block.add("none", std::int64_t{0});  // C has no empty structs
  return block;
}

EpilogueText print_epilogue(const Body& body, const EpilogueWalk& walk, const ParamBlock& block,
                            const DeviceTraits& traits) {
  const Printer printer(body, traits, 1);
  const DType type = body.outputs[0].node->dtype;
  const Function function = function_of(body, walk, block, printer, "kn_epilogue", "");
  EpilogueText text;
  text.settings = settings(walk, traits);
  text.modules = printer.modules({body.loads[0].dtype, type});
  text.custom = custom_functions(body, 1, false);
  text.definitions = printer.memory_instances({type}) + function.text + without_names();
  text.definitions += "#define KN_OUT " + std::string(memory_type(type)) + "\n";
  text.definitions += "#define KN_BESIDE " + function.taken + "\n";
  text.definitions += "#define KN_MADE(at, value) kn_epilogue(value, at" + function.given + ")\n";
  text.definitions +=
      "#define KN_PUT(at, value) kn_put_" + std::string(name(type)) + "(KN_MADE(at, value), out + (at))\n";
  text.name = kernel_name_of_product(body);
  return text;
}

EpilogueText print_around_transform(const CodeOfTransform& lead, const CodeOfTransform& finish,
                                    std::string_view transform, DType result, const DeviceTraits& traits) {
  EpilogueText text;
  std::string functions, hooks;
  const auto add_module = [&](std::string_view module) {
    if (std::find(text.modules.begin(), text.modules.end(), module) == text.modules.end())
      text.modules.push_back(module);
  };
  // Instances that both need stand there once.
  const auto add_instances = [&](const std::string& lines) {
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = lines.find('\n', begin) + 1;
      const std::string line = lines.substr(begin, end - begin);
      if (text.definitions.find(line) == std::string::npos) text.definitions += line;
      begin = end;
    }
  };
  const auto add = [&](const CodeOfTransform& code, const std::string& function, const std::string& prefix,
                       const std::vector<DType>& stored) {
    const Printer printer(*code.body, traits, 1);
    text.settings = settings(*code.walk, traits);
    for (const std::string_view module : printer.modules(stored)) add_module(module);
    add_instances(printer.memory_instances(stored));
    Function made = function_of(*code.body, *code.walk, *code.block, printer, function, prefix);
    functions += made.text;
    return made;
  };
  if (lead.body) {
    const Function made = add(lead, "kn_lead", "lead_", {});
    hooks += "#define KN_LEAD_TAKEN " + made.taken + "\n#define KN_LEAD_GIVEN " + made.given + "\n";
    hooks += "#define KN_LEAD(first, at) kn_lead((long)((first) + (at))" + made.given + ")\n";
  }
  if (finish.body) {
    const Function made = add(finish, "kn_finish", "finish_", {result});
    hooks += "#define KN_PUT_TAKEN " + made.taken + "\n#define KN_PUT_GIVEN " + made.given + "\n";
    hooks += "#define KN_OUT " + std::string(memory_type(result)) + "\n";
    hooks += "#define KN_PUT(first, at, value) kn_put_" + std::string(name(result)) +
             "(kn_finish(value, (long)((first) + (at))" + made.given + "), out + ((first) + (at)))\n";
  }
  text.definitions += functions + without_names() + hooks;
  text.name = kernel_name_of_transform(transform, lead.body, finish.body, result);
  return text;
}

}  // namespace koine::codegen
