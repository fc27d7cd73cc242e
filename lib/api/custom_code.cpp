// SPDX-License-Identifier: Apache-2.0
// Writing the functions of custom operations.
#include "api/custom_code.hpp"

#include "api/build.hpp"
#include "base/dtypes.hpp"
#include "base/hash.hpp"
#include "graph/infer.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace koine::api {
namespace {

constexpr std::string_view inlined = "static inline __attribute__((always_inline)) ",
                           overloaded = "static inline __attribute__((overloadable, always_inline)) ";

/// In registers, as signatures have it, and in a user's text.
std::string held_as(DType type) { return std::string(base::row_of(type).registers); }
std::string seen_as(DType type) { return is_bool(type) ? "bool" : held_as(type); }

struct Value {
  std::string type, name;
};

/// Writes one code: its definitions stand between macros for the type variables and for the names of the preamble,
/// which are the code's own.
class Writer {
 public:
  /// `parts` are all texts that the code is made of, and `kind` what tells it from another one of the same texts.
  Writer(const Declared& declared, const Types& types, std::string_view kind, const std::vector<const UserText*>& parts,
         std::vector<DType> outputs)
      : declared_(declared), types_(types) {
    std::string all(kind);
    const auto add = [&](std::string_view part) { all += std::to_string(part.size()) + ":" + std::string(part); };
    add(declared.name);
    add(declared.preamble.text);
    for (const UserText* part : parts) add(part->text);
    for (const auto* list : {&declared.inputs, &declared.outputs}) {
      for (const Parameter& each : *list) add(each.name + " " + std::string(name(type_of(each, types))));
    }
    for (const auto& [variable, type] : types) add(variable + " " + std::string(name(type)));
    for (const DType type : outputs) add(name(type));
    code_.name = code_.word = declared.name;
    code_.outputs = std::move(outputs);
    const std::string digits = base::hash128_hex(all);
    code_.digest = {std::stoull(digits.substr(0, 16), nullptr, 16), std::stoull(digits.substr(16), nullptr, 16)};
    suffix_ = "_" + digits.substr(0, 16);
    code_.function = "kn_" + declared.name + suffix_;
    macros_ = declared.preamble.macros;
    for (const UserText* part : parts) macros_.insert(macros_.end(), part->macros.begin(), part->macros.end());
    begin();
  }

  graph::CustomCode& code() { return code_; }
  void write(const std::string& text) { code_.text += text; }

  /// The user's text as lines of their own, which a compiler's messages name, and where the library's begin again.
  std::string lines(const std::string& of, const UserText& text) const {
    const std::string source = declared_.name + (of.empty() ? "" : "." + of);
    const std::string ended = text.text.ends_with('\\') ? "\n" : "";  // a line that goes on
    return "\n#line 1 \"" + source + "\"\n" + text.text + "\n" + ended + "#line 1 \"koine\"\n";
  }

  /// "const float x = kn_x;" for values whose type in the text is another one than in signatures.
  static std::string seen(const std::vector<std::pair<DType, std::string>>& values) {
    std::string text;
    for (const auto& [type, name] : values) text += "  const " + seen_as(type) + " " + name + " = kn_" + name + ";\n";
    return text;
  }

  graph::CustomRef done() {
    std::string& text = code_.text;
    for (const std::string& name : declared_.preamble.names) text += "#undef " + name + "\n";
    for (const std::string& macro : macros_) text += "#undef " + macro + "\n";
    for (const auto& [variable, type] : types_) text += "#undef " + variable + "\n";
    text += "#pragma OPENCL FP_CONTRACT OFF\n";
    return std::make_shared<const graph::CustomCode>(std::move(code_));
  }

 private:
  void begin() {
    for (const auto& [variable, type] : types_) write("#define " + variable + " " + seen_as(type) + "\n");
    for (const std::string& name : declared_.preamble.names) write("#define " + name + " " + name + suffix_ + "\n");
    if (!declared_.preamble.empty()) write(lines("preamble", declared_.preamble));
  }

  const Declared& declared_;
  const Types& types_;
  std::string suffix_;
  std::vector<std::string> macros_;
  graph::CustomCode code_;
};

/// void <function>(inputs..., outputs*...), with the user's text between `before` and `after`.
graph::CustomRef element_function(Writer& writer, const Declared& declared, const UserText& text, const Types& types,
                                  const std::vector<Value>& outputs, const std::string& of, const std::string& before,
                                  const std::string& after) {
  std::vector<std::pair<DType, std::string>> values;
  for (const Parameter& input : declared.inputs) values.emplace_back(type_of(input, types), input.name);
  for (const char* word : {"i", "n"}) {
    if (uses(text, word, declared)) values.emplace_back(int64, word);
  }
  std::string signature, results, stores;
  for (const auto& [type, name] : values) signature += "const " + held_as(type) + " kn_" + name + ", ";
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string pointer = "kn_to_" + outputs[k].name;
    signature += (k > 0 ? ", " : "") + held_as(writer.code().outputs[k]) + "* const " + pointer;
    results += "  " + outputs[k].type + " " + outputs[k].name + " = 0;\n";
    stores += "  *" + pointer + " = " + outputs[k].name + ";\n";
  }
  writer.write(std::string(inlined) + "void " + writer.code().function + "(" + signature + ") {\n" +
               Writer::seen(values) + results + "  {" + before + writer.lines(of, text) + "  " + after + ";}\n" +
               stores + "}\n");
  return writer.done();
}

/// The functions of a fold.
void write_fold(Writer& writer, const FoldTexts& texts, DType accumulator, DType result) {
  const std::string held = held_as(accumulator), seen = seen_as(accumulator), function = writer.code().function;
  const auto returned = [&](DType type, const std::string& of, const UserText& text) {
    return "  return (" + seen_as(type) + ")(" + writer.lines(of, text) + "  );\n}\n";
  };
  writer.write(std::string(inlined) + held + " " + function + "_identity(void) {\n" +
               returned(accumulator, "identity", texts.identity));
  writer.write(std::string(overloaded) + held + " " + function + "_combine(const " + held + " kn_a, const " + held +
               " kn_b) {\n" + Writer::seen({{accumulator, "a"}, {accumulator, "b"}}) +
               returned(accumulator, "combine", texts.combine));
  writer.code().finishes = !texts.finish.empty() || held != held_as(result);
  if (!writer.code().finishes) return;
  UserText as_it_is;
  as_it_is.text = "a";
  const std::string head = std::string(overloaded) + held_as(result) + " " + function + "_finish(const " + held +
                           " kn_a) {\n" + Writer::seen({{accumulator, "a"}});
  writer.write(head + returned(result, "finish", texts.finish.empty() ? as_it_is : texts.finish));
}

std::vector<const UserText*> parts_of(const FoldTexts& texts) {
  return {&texts.identity, &texts.combine, &texts.finish};
}

}  // namespace

Declared::Declared(std::string_view named, std::string_view in, std::string_view out, std::string_view definitions)
    : name(named) {
  inputs = parameters_of(in, name, "inputs");
  outputs = parameters_of(out, name, "outputs");
  preamble = user_text(definitions, Form::definitions, name, "preamble");
  for (const auto* list : {&inputs, &outputs}) {
    for (const Parameter& each : *list) {
      const auto of_type = [&](const Parameter& input) { return !input.fixed && input.type == each.name; };
      if (std::none_of(inputs.begin(), inputs.end(), of_type)) continue;
      throw ValueError(prefix(name) + "'" + each.name + "' names a type and a parameter; give them two names");
    }
  }
  for (const Parameter& output : outputs) {
    const auto same = [&](const Parameter& input) { return input.name == output.name; };
    if (std::any_of(inputs.begin(), inputs.end(), same)) {
      throw ValueError(prefix(name) + "'" + output.name + "' is an input and an output; give them two names");
    }
    const auto of_type = [&](const Parameter& input) { return input.type == output.type; };
    if (!output.fixed && std::none_of(inputs.begin(), inputs.end(), of_type)) {
      throw ValueError(prefix(name) + "no input says what the type " + output.type + " of the output '" + output.name +
                       "' is; give it a type, as in \"float " + output.name + "\"");
    }
  }
}

DType type_of(const Parameter& parameter, const Types& types) {
  if (parameter.fixed) return *parameter.fixed;
  return std::find_if(types.begin(), types.end(), [&](const auto& each) { return each.first == parameter.type; })
      ->second;
}

bool uses(const UserText& text, std::string_view word, const Declared& declared) {
  const auto named = [&](const Parameter& each) { return each.name == word; };
  return text.words.contains(word) && std::none_of(declared.inputs.begin(), declared.inputs.end(), named) &&
         std::none_of(declared.outputs.begin(), declared.outputs.end(), named);
}

graph::CustomRef elementwise_code(const Declared& declared, const UserText& statements, const Types& types) {
  std::vector<DType> outputs;
  std::vector<Value> values;
  for (const Parameter& output : declared.outputs) {
    outputs.push_back(type_of(output, types));
    values.push_back({seen_as(outputs.back()), output.name});
  }
  Writer writer(declared, types, "elementwise", {&statements}, outputs);
  return element_function(writer, declared, statements, types, values, "", "", "");
}

graph::CustomRef map_code(const Declared& declared, const UserText& expression, const Types& types, DType output) {
  Writer writer(declared, types, "map", {&expression}, {output});
  writer.code().word = "map";
  return element_function(writer, declared, expression, types, {{seen_as(output), "kn_mapped"}}, "map", "kn_mapped = (",
                          ")");
}

graph::CustomRef fold_code(const Declared& declared, const FoldTexts& texts, const Types& types, DType accumulator) {
  const DType result = type_of(declared.outputs[0], types);
  Writer writer(declared, types, "fold", parts_of(texts), {accumulator, result});
  write_fold(writer, texts, accumulator, result);
  return writer.done();
}

graph::CustomRef fold_of_none(const Declared& declared, const FoldTexts& texts, const Types& types, DType accumulator) {
  const DType result = type_of(declared.outputs[0], types);
  Writer writer(declared, types, "none", parts_of(texts), {result});
  write_fold(writer, texts, accumulator, result);
  const std::string function = writer.code().function, identity = function + "_identity()";
  const std::string value = writer.code().finishes ? function + "_finish(" + identity + ")" : identity;
  writer.write(std::string(inlined) + "void " + function + "(const uchar kn_none, " + held_as(result) +
               "* const kn_to) {\n  *kn_to = " + value + ";\n}\n");
  return writer.done();
}

}  // namespace koine::api
