// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/reduce_rows.cl and kernels/reduce_columns.cl.
#include "codegen/reduce.hpp"

#include "codegen/names.hpp"
#include "codegen/print_states.hpp"
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

/// Reads x<k> of each steady load, one for each round where it is read in a loop, or s<k> of each vector of a row or
/// each row of columns.
std::string steady_loads(const Body& body, const ReduceWalk& walk, const Printer& printer) {
  std::string text;
  for (std::size_t k = 0; k < walk.steady.size(); ++k) {
    if (walk.steady[k] == Steady::no) continue;
    const Load& load = body.loads[k];
    const std::string n = number(k), type = printer.vector_type(load.dtype), most = std::to_string(most_steady);
    const std::string read = printer.load_text(k, walk.access[k]) + ";\n",
                      offset = "const long o" + n + " = d.offset[" + n + "]";
    const std::string begin = "{\nconst ulong i = 0, left = min(d.inner, (ulong)KN_W);\n";
    if (walk.columns) {
      text += type + " s" + n + "[" + most + "];\n" + begin + "for (ulong row = 0; row < d.segments; ++row) {\n" +
              offset + " + (long)row * d.reduced_stride[" + n + "];\ns" + n + "[row] = " + read + "}\n}\n";
    } else if (walk.steady[k] == Steady::each) {
      text += type + " s" + n + "[" + most + "];\nfor (ulong i = 0; i < d.inner; i += KN_W) {\n" +
              "const ulong left = d.inner - i;\n" + offset + ";\ns" + n + "[i / KN_W] = " + read + "}\n";
    } else if (load.loop < 0) {
      text += type + " x" + n + ";\n" + begin + offset + ";\nx" + n + " = " + read + "}\n";
    } else {
      const InnerLoop& loop = body.loops[static_cast<std::size_t>(load.loop)];
      const std::string l = number(static_cast<std::size_t>(load.loop));
      const std::string rounds = loop.unrolled() ? std::to_string(loop.count) : "d.n" + l;
      text += type + " x" + n + "[" + (loop.unrolled() ? rounds : most) + "];\n" + begin + offset + ";\nfor (long l" +
              l + " = 0; l" + l + " < " + rounds + "; ++l" + l + ") x" + n + "[l" + l + "] = " + read + "}\n";
    }
  }
  return text;
}

}  // namespace

bool has_fixed_order(const graph::Node& node) {
  const bool whole = is_integer(node.dtype) || is_bool(node.dtype);
  return node.place.reproducible && (!whole || node.get<graph::Op::reduce>().custom);
}

std::size_t value_line(const ReducePass& pass) {
  if (!pass.partial) return static_cast<std::size_t>(pass.body->outputs[pass.number].line);
  return pass.number + (graph::info(pass.kind).state == graph::State::position ? 1 : 0);
}

DType value_type(const ReducePass& pass) { return pass.body->lines[value_line(pass)].type; }

DType combined_type(const ReducePass& pass) {
  if (pass.custom) return pass.custom->outputs[0];
  return graph::info(pass.kind).state == graph::State::position ? value_type(pass)
                                                                : graph::accumulation_type(pass.result);
}

std::optional<ReduceKind> position_of(ReduceKind extreme) {
  if (extreme == ReduceKind::max) return ReduceKind::argmax;
  return extreme == ReduceKind::min ? std::optional(ReduceKind::argmin) : std::nullopt;
}

ReduceKind state_kind(std::span<const ReducedValue> all, std::size_t number) {
  const ReduceKind kind = all[number].kind;
  const bool positions = std::any_of(all.begin(), all.end(), [](const ReducedValue& each) {
    return graph::info(each.kind).state == graph::State::position;
  });
  return positions ? position_of(kind).value_or(kind) : kind;
}

std::vector<ReducedValue> reduced_values(std::span<const ReducedValue> each) {
  std::vector<ReducedValue> values(each.begin(), each.end());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const ReduceKind kind = state_kind(values, k);
    const graph::State state = graph::info(kind).state;
    // Moments, and positions, are of one expression.
    const bool first = state == graph::State::moments || state == graph::State::position;
    std::size_t& owner = values[k].state = first ? 0 : k;
    while (state == graph::State::position && state_kind(values, owner) != kind) ++owner;
  }
  return values;
}

std::vector<ReducePass> single_passes(const ReducePass& pass) {
  if (pass.several.empty()) return {pass};
  std::vector<ReducePass> result;
  for (const ReducedValue& value : pass.several) {
    result.push_back({.kind = value.kind,
                      .body = pass.body,
                      .number = result.size(),
                      .partial = pass.partial,
                      .last = pass.last,
                      .result = value.result,
                      .fixed = pass.fixed});
  }
  return result;
}

std::vector<ReducePass> state_passes(const ReducePass& pass) {
  std::vector<ReducePass> singles = single_passes(pass), result;
  if (pass.several.empty()) return singles;
  std::size_t states = 0;
  for (std::size_t k = 0; k < singles.size(); ++k) {
    if (pass.several[k].state != k) continue;
    singles[k].kind = state_kind(pass.several, k);
    if (pass.partial) singles[k].number = states;
    states += components(singles[k]).size();
    result.push_back(singles[k]);
  }
  return result;
}

bool shares_state(const ReducePass& pass) { return !pass.several.empty() && state_passes(pass).size() == 1; }

std::vector<Component> components(const ReducePass& pass) {
  if (const std::vector<ReducePass> states = state_passes(pass); states.size() > 1) {
    std::vector<Component> result;
    std::size_t k = 0;
    for (const ReducePass& single : states) {
      const std::string before = "a" + number(k++);
      for (const Component& part : components(single))
        result.push_back({before + (part.name.empty() ? "" : "_" + part.name), part.type});
    }
    return result;
  }
  const DType type = combined_type(pass);
  switch (graph::info(pass.kind).state) {
    case graph::State::value: break;
    case graph::State::position: return {{"position", DType::int64}, {"value", type}};  // in this order: see state_type
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
  constants += steady_loads(body, walk, printer);
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
                           printer.uniform_loads(walk.access) +
                           (walk.columns ? steady_vectors(pass, walk, printer) : "")) +
      state_hooks(pass, walk, printer);
  if (const Body* finish = finish_body(pass)) {
    text.definitions += finish_hook(pass, walk, *finish, Printer(*finish, traits, walk.width));
  }
  return text;
}

}  // namespace koine::codegen
