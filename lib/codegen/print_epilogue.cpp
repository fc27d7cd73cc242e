// SPDX-License-Identifier: Apache-2.0
// The code of epilogues: one element at a time, in a function that stands before a product's kernel, so that no name of
// the one is in the other's way.
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
  std::string text, rest = "(KN_PLACE)at";
  for (std::size_t axis = axes; axis-- > 0;) {
    const std::string n = number(axis), size = "(KN_PLACE)d.sizes[" + n + "]";
    text += "const KN_PLACE r" + n + " = " + rest + ";\n";
    text += "const KN_PLACE i" + n + " = r" + n + (axis > 0 ? " % " + size : "") + ";\n";
    rest = "r" + n + " / " + size;
  }
  return text;
}

}  // namespace

std::optional<EpilogueWalk> make_epilogue_walk(const Body& body) {
  constexpr std::size_t most_axes = 4;
  EpilogueWalk walk;
  std::vector<const graph::Layout*> layouts;
  for (const Load& load : body.loads) {
    if (!load.seams.empty() || load.loop >= 0 || load.take || load.draw()) return std::nullopt;
    const bool in_order = load.in_order();
    walk.number.push_back(in_order ? -1 : static_cast<std::int32_t>(layouts.size()));
    if (!in_order) layouts.push_back(&load.layout);
  }
  if (!body.loops.empty() || !body.folds.empty() || body.loads[0].layout.offset != 0) return std::nullopt;
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
  for (std::size_t k = 1; k < body.loads.size(); ++k) {
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
  const Output& output = body.outputs[0];
  const DType product = body.loads[0].dtype, type = output.node->dtype;
  const std::string made(register_type(type)), given(register_type(product)), of_type(name(type));
  std::string parameters, arguments, loads;
  for (std::size_t k = 1; k < body.loads.size(); ++k) {
    const Load& load = body.loads[k];
    const std::string n = number(k), of_load(name(load.dtype));
    std::string value = place_text(walk, k);
    if (!load.iota) {
      parameters += ", __global const " + std::string(memory_type(load.dtype)) + "* p" + n;
      arguments += ", p" + n;
      value = "kn_one_" + of_load + "(p" + n + " + " + value + ")";
    }
    loads += "const " + std::string(register_type(load.dtype)) + " x" + n + " = " + value + ";\n";
  }
  parameters += ", const kn_bounds d";
  arguments += ", d";
  // A result is rounded to its type as if it had been stored.
  const std::string rounded = size_of(product) == 2 ? "kn_round_" + std::string(name(product)) + "(value)" : "value";

  EpilogueText text;
  text.settings = settings(walk, traits);
  text.modules = printer.modules({product, type});
  text.custom = custom_functions(body, 1, false);
  text.definitions = printer.memory_instances({type}) + block.type();
  text.definitions += "static inline " + made + " kn_epilogue(const " + given + " value, const long at" + parameters +
                      ") {\nconst " + given + " x0 = " + rounded + ";\n" + coordinates_text(walk) +
                      printer.constants() + loads +
                      printer.lines(std::vector<Access>(body.loads.size(), Access::taken)) + "return " +
                      printer.value_as(static_cast<std::size_t>(output.line), type) + ";\n}\n";
  // Names that the kernel's file has for something else.
  for (const char* name : {"KN_VLOAD", "KN_VSTORE", "KN_PARTS", "KN_REAL", "KN_STORED", "KN_PASTE", "KN_PASTE_"}) {
    text.definitions += "#undef " + std::string(name) + "\n";
  }
  text.definitions += "#define KN_OUT " + std::string(memory_type(type)) + "\n";
  text.definitions += "#define KN_BESIDE " + parameters + "\n";
  text.definitions += "#define KN_MADE(at, value) kn_epilogue(value, at" + arguments + ")\n";
  text.definitions += "#define KN_PUT(at, value) kn_put_" + of_type + "(KN_MADE(at, value), out + (at))\n";
  text.name = kernel_name_of_product(body);
  return text;
}

}  // namespace koine::codegen
