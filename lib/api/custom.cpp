// SPDX-License-Identifier: Apache-2.0
// ElementwiseKernel, ReductionKernel and ScanKernel: what arguments mean for a user's texts, and the nodes.
#include <koine/custom.hpp>

#include "api/build.hpp"
#include "api/custom_code.hpp"
#include "base/text.hpp"

#include <koine/error.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace koine {

using api::Declared;
using api::FoldTexts;
using api::Form;
using api::Parameter;
using api::Types;
using api::UserText;
using graph::NodeRef;
using graph::Op;

namespace {

/// Codes by the types that they were made for, so that a call makes none anew.
template <class Code>
class Made {
 public:
  template <class Make>
  Code of(const Types& types, Make make) const {
    std::string key;
    for (const auto& each : types) key.push_back(static_cast<char>(each.second));
    // Where another thread is at it, which a fork may have left locked for ever, it is made once more.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return make();
    if (const auto found = codes_.find(key); found != codes_.end()) return found->second;
    return codes_.emplace(key, make()).first->second;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::string, Code> codes_;
};

std::string listed(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const Parameter& each : parameters) text += (text.empty() ? "" : ", ") + each.type + " " + each.name;
  return text;
}

std::string named(const Parameter& parameter) { return "argument '" + parameter.name + "'"; }

/// What the arguments of a call come to.
struct Arguments {
  graph::Place place;
  Shape shape;  // that all broadcast to
  Types types;
  std::vector<NodeRef> nodes;
};

graph::Place place_of(std::span<const Operand> given, std::string_view function) {
  const Operand* first = nullptr;
  for (const Operand& each : given) {
    if (each.is_scalar()) continue;
    if (first) api::common_place(function, {first, &each});
    if (!first) first = &each;
  }
  return first ? api::common_place(function, {first}) : api::place_of(default_device());
}

/// The type of a variable: that of the arrays that are given for it, which agree, or else what its scalars have.
DType variable_type(const Declared& declared, const std::string& variable, std::span<const Operand> given) {
  const Parameter* first = nullptr;
  DType type = bool_;
  std::optional<DType> of_scalars;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Parameter& parameter = declared.inputs[k];
    if (parameter.type != variable) continue;
    if (given[k].is_scalar()) {
      const DType own = graph::default_type(given[k].scalar(), default_dtype());
      of_scalars = of_scalars ? graph::promote(*of_scalars, own, declared.name) : own;
      continue;
    }
    const DType own = given[k].array().dtype();
    if (first && own != type) {
      throw DTypeError(api::prefix(declared.name) + named(parameter) + " is of type " + std::string(name(own)) +
                       ", but '" + first->name + "', of the same type " + variable + ", is of " +
                       std::string(name(type)) + "; convert one with astype");
    }
    first = &parameter;
    type = own;
  }
  return first ? type : *of_scalars;
}

void require_argument(const Declared& declared, const Parameter& parameter, const Operand& given, DType type) {
  const std::string what = api::prefix(declared.name) + named(parameter) + " is ";
  const std::string wanted = parameter.fixed ? "" : ", as other arguments say,";
  if (given.is_scalar()) {
    if (graph::promote(type, given.scalar(), default_dtype(), declared.name) == type) return;
    const DType own = graph::default_type(given.scalar(), default_dtype());
    throw DTypeError(what + "a scalar of type " + std::string(name(own)) + ", which does not become " +
                     std::string(name(type)) + wanted + " by itself; convert it first");
  }
  const DType own = given.array().dtype();
  if (own == type) return;
  throw DTypeError(what + "declared as " + parameter.type + ", got an array of " + std::string(name(own)) +
                   "; convert it with astype");
}

Arguments arguments_of(const Declared& declared, std::span<const Operand> given) {
  if (given.size() != declared.inputs.size()) {
    throw ValueError(api::prefix(declared.name) + "takes " + std::to_string(declared.inputs.size()) + " argument" +
                     (declared.inputs.size() == 1 ? "" : "s") + " (" + listed(declared.inputs) + "), got " +
                     std::to_string(given.size()));
  }
  Arguments result;
  result.place = place_of(given, declared.name);
  for (const Parameter& parameter : declared.inputs) {
    const auto known = [&](const auto& each) { return each.first == parameter.type; };
    if (parameter.fixed || std::any_of(result.types.begin(), result.types.end(), known)) continue;
    result.types.emplace_back(parameter.type, variable_type(declared, parameter.type, given));
  }
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Parameter& parameter = declared.inputs[k];
    const DType type = api::type_of(parameter, result.types);
    require_argument(declared, parameter, given[k], type);
    api::require_type(result.place, type, declared.name);
    result.shape = graph::broadcast_shapes(result.shape, api::shape_of(given[k]), declared.name);
    result.nodes.push_back(api::to_node(given[k], type, result.place));
  }
  for (const Parameter& output : declared.outputs) {
    api::require_type(result.place, api::type_of(output, result.types), declared.name);
  }
  return result;
}

/// Adds what a text takes beside the declared inputs, in the order in which the code has it.
void add_places(Arguments& arguments, const Declared& declared, const UserText& text) {
  if (api::uses(text, "i", declared)) arguments.nodes.push_back(graph::make_iota(arguments.shape, arguments.place));
  if (api::uses(text, "n", declared)) {
    arguments.nodes.push_back(
        graph::make_constant(int64, graph::constant_value(Scalar(arguments.shape.elements()), int64), arguments.place));
  }
}

Array output_of(const graph::CustomRef& code, std::size_t number, const Arguments& arguments) {
  return api::pending(graph::make_node(Op::custom, code->outputs[number], arguments.shape, arguments.place,
                                       arguments.nodes, graph::make_attributes<Op::custom>({code, number})));
}

/// What reductions and scans have.
struct Folded {
  Declared declared;
  UserText map;
  FoldTexts texts;

  Folded(std::string_view name, std::string_view inputs, std::string_view output, std::string_view preamble,
         std::string_view map_text, std::string_view combine, std::string_view identity)
      : declared(name, inputs, output, preamble) {
    if (declared.outputs.size() != 1) {
      throw ValueError(api::prefix(name) + "has one output, got " + std::to_string(declared.outputs.size()) + " (" +
                       listed(declared.outputs) + ")");
    }
    const auto expression = [&](std::string_view text, std::string_view what) {
      return api::user_text(text, Form::expression, name, what);
    };
    map = expression(map_text, ".map");
    texts.combine = expression(combine, ".combine");
    texts.identity = expression(identity, ".identity");
    if (texts.combine.empty()) throw ValueError(api::prefix(name) + "needs a .combine, as in \"a + b\"");
    if (texts.identity.empty()) throw ValueError(api::prefix(name) + "needs an .identity, as in \"0\"");
    if (map.empty() && declared.inputs.size() != 1) {
      throw ValueError(api::prefix(name) + "needs a .map, which makes one value of the inputs " +
                       listed(declared.inputs));
    }
  }

  /// What is folded, in the type that values are combined in.
  Array values(Arguments& arguments, DType accumulator, const Made<graph::CustomRef>& maps) const {
    if (map.empty()) {
      const Array x(arguments.nodes[0]);
      if (is_complex(x.dtype()) && !is_complex(accumulator)) {
        throw DTypeError(api::prefix(declared.name) + "combines values of type " + std::string(name(accumulator)) +
                         ", which " + std::string(name(x.dtype())) + " does not become by itself; give it a .map");
      }
      return astype(x, accumulator);
    }
    add_places(arguments, declared, map);
    return output_of(maps.of(arguments.types, [&] { return map_code(declared, map, arguments.types, accumulator); }), 0,
                     arguments);
  }
};

/// "sqrt(a)" of "y = sqrt(a)", as some write it.
std::string_view without_assignment(std::string_view text, std::string_view output) {
  std::string_view rest = base::trim(text);
  if (!rest.starts_with(output)) return text;
  rest = base::trim(rest.substr(output.size()));
  return rest.starts_with('=') && !rest.starts_with("==") ? rest.substr(1) : text;
}

}  // namespace

namespace detail {

struct ElementwiseDefinition {
  ElementwiseDefinition(std::string_view name, std::string_view inputs, std::string_view outputs,
                        std::string_view statements, std::string_view preamble)
      : declared(name, inputs, outputs, preamble),
        operation(api::user_text(statements, Form::statements, name, "operation")) {
    if (operation.empty()) throw ValueError(api::prefix(name) + "needs an operation, as in \"z = x + y\"");
  }

  Declared declared;
  UserText operation;
  Made<graph::CustomRef> codes = {};
};

struct ReductionDefinition : Folded {
  struct Codes {
    graph::CustomRef fold, none;
  };

  ReductionDefinition(std::string_view name, std::string_view inputs, std::string_view output,
                      const ReductionTexts& given)
      : Folded(name, inputs, output, given.preamble, given.map, given.combine, given.identity),
        accumulator(declared.outputs[0]) {
    texts.finish =
        api::user_text(without_assignment(given.finish, declared.outputs[0].name), Form::expression, name, ".finish");
    if (given.accumulator.empty()) return;
    const std::string type(base::trim(given.accumulator));
    accumulator = {type, api::type_named(type, name, ".accumulator: "), "accumulator"};
    const auto same = [&](const Parameter& input) { return input.type == type; };
    if (!accumulator.fixed && std::none_of(declared.inputs.begin(), declared.inputs.end(), same)) {
      throw ValueError(api::prefix(name) + "no input says what the type " + type + " of .accumulator is");
    }
  }

  Parameter accumulator;
  Made<Codes> codes = {};
  Made<graph::CustomRef> maps = {};
};

struct ScanDefinition : Folded {
  ScanDefinition(std::string_view name, std::string_view inputs, std::string_view output, const ScanTexts& given)
      : Folded(name, inputs, output, given.preamble, given.map, given.combine, given.identity),
        exclusive(given.exclusive) {}

  bool exclusive;
  Made<graph::CustomRef> codes = {}, maps = {};
};

}  // namespace detail

ElementwiseKernel::ElementwiseKernel(std::string_view inputs, std::string_view outputs, std::string_view operation,
                                     std::string_view name, const ElementwiseOptions& options) {
  api::require_name(name, "ElementwiseKernel");
  definition_ =
      std::make_shared<const detail::ElementwiseDefinition>(name, inputs, outputs, operation, options.preamble);
}

std::vector<Array> ElementwiseKernel::all(std::span<const Operand> given) const {
  const detail::ElementwiseDefinition& definition = *definition_;
  const Declared& declared = definition.declared;
  const base::NamedCall call_of_user(declared.name);
  Arguments arguments = arguments_of(declared, given);
  add_places(arguments, declared, definition.operation);
  const graph::CustomRef code = definition.codes.of(
      arguments.types, [&] { return elementwise_code(declared, definition.operation, arguments.types); });
  std::vector<Array> results;
  for (std::size_t k = 0; k < code->outputs.size(); ++k) results.push_back(output_of(code, k, arguments));
  return results;
}

Array ElementwiseKernel::one(std::span<const Operand> given) const {
  const Declared& declared = definition_->declared;
  if (declared.outputs.size() == 1) return all(given)[0];
  throw ValueError(api::prefix(declared.name) + "has " + std::to_string(declared.outputs.size()) + " outputs (" +
                   listed(declared.outputs) + "); call .outputs(...), which gives all of them");
}

ReductionKernel::ReductionKernel(std::string_view inputs, std::string_view output, const ReductionTexts& texts,
                                 std::string_view name) {
  api::require_name(name, "ReductionKernel");
  definition_ = std::make_shared<const detail::ReductionDefinition>(name, inputs, output, texts);
}

Array ReductionKernel::call(std::span<const Operand> inputs, const ReductionOptions& options) const {
  const detail::ReductionDefinition& definition = *definition_;
  const Declared& declared = definition.declared;
  const base::NamedCall call_of_user(declared.name);
  Arguments arguments = arguments_of(declared, inputs);
  const auto axes = graph::normal_axes(options.axis, arguments.shape, declared.name);
  const DType accumulator = graph::accumulation_type(api::type_of(definition.accumulator, arguments.types));
  const DType result = api::type_of(declared.outputs[0], arguments.types);
  api::require_type(arguments.place, accumulator, declared.name);
  const auto codes = definition.codes.of(arguments.types, [&] {
    return detail::ReductionDefinition::Codes{fold_code(declared, definition.texts, arguments.types, accumulator),
                                              fold_of_none(declared, definition.texts, arguments.types, accumulator)};
  });
  const Array values = definition.values(arguments, accumulator, definition.maps);
  if (api::count_of(values, axes) > 0) {
    return api::reduced({graph::ReduceKind::custom, axes, 1, 1, codes.fold}, values, options.keepdims, result);
  }
  Shape shape = arguments.shape;
  for (std::size_t k = axes.size(); k-- > 0;) {
    if (options.keepdims) shape[axes[k]] = 1;
    if (!options.keepdims) shape.erase(axes[k]);
  }
  arguments.shape = std::move(shape);
  arguments.nodes = {graph::make_constant(bool_, {}, arguments.place)};
  return output_of(codes.none, 0, arguments);
}

Array ReductionKernel::operator()(Operand x, const ReductionOptions& options) const {
  const Operand input = std::move(x);
  return call({&input, 1}, options);
}

Array ReductionKernel::operator()(const std::vector<Operand>& inputs, const ReductionOptions& options) const {
  return call(inputs, options);
}

Array ReductionKernel::operator()(Operand x1, Operand x2, const ReductionOptions& options) const {
  const Operand inputs[] = {std::move(x1), std::move(x2)};
  return call(inputs, options);
}

Array ReductionKernel::operator()(Operand x1, Operand x2, Operand x3, const ReductionOptions& options) const {
  const Operand inputs[] = {std::move(x1), std::move(x2), std::move(x3)};
  return call(inputs, options);
}

ScanKernel::ScanKernel(std::string_view inputs, std::string_view output, const ScanTexts& texts,
                       std::string_view name) {
  api::require_name(name, "ScanKernel");
  definition_ = std::make_shared<const detail::ScanDefinition>(name, inputs, output, texts);
}

Array ScanKernel::call(std::span<const Operand> inputs, const ScanOptions& options) const {
  const detail::ScanDefinition& definition = *definition_;
  const Declared& declared = definition.declared;
  const base::NamedCall call_of_user(declared.name);
  Arguments arguments = arguments_of(declared, inputs);
  const std::size_t axis = api::scanned_axis(options.axis, arguments.shape, declared.name);
  const DType result = api::type_of(declared.outputs[0], arguments.types);
  const DType accumulator = graph::accumulation_type(result);
  const graph::CustomRef code = definition.codes.of(
      arguments.types, [&] { return fold_code(declared, definition.texts, arguments.types, accumulator); });
  const Array values = definition.values(arguments, accumulator, definition.maps);
  return api::pending(Op::scan, result, values.shape(), {values.node()},
                      graph::make_attributes<Op::scan>({graph::ReduceKind::custom, axis, definition.exclusive, code}));
}

Array ScanKernel::operator()(Operand x, const ScanOptions& options) const {
  const Operand input = std::move(x);
  return call({&input, 1}, options);
}

Array ScanKernel::operator()(const std::vector<Operand>& inputs, const ScanOptions& options) const {
  return call(inputs, options);
}

Array ScanKernel::operator()(Operand x1, Operand x2, const ScanOptions& options) const {
  const Operand inputs[] = {std::move(x1), std::move(x2)};
  return call(inputs, options);
}

Array ScanKernel::operator()(Operand x1, Operand x2, Operand x3, const ScanOptions& options) const {
  const Operand inputs[] = {std::move(x1), std::move(x2), std::move(x3)};
  return call(inputs, options);
}

}  // namespace koine
