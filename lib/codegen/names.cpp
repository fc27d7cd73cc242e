// SPDX-License-Identifier: Apache-2.0
// Names of kernels from their bodies. All that a name is made of is part of the program's key.
#include "codegen/names.hpp"

#include "base/dtypes.hpp"
#include "codegen/print_custom.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace koine::codegen {
namespace {

using graph::Op;
using Words = std::vector<std::string_view>;

constexpr std::size_t longest = 48;

/// The names of the commonest operations are short, so that more of them fit.
std::string_view word(Op op) {
  switch (op) {
    case Op::divide: return "div";
    case Op::maximum: return "max";
    case Op::minimum: return "min";
    case Op::multiply: return "mul";
    case Op::negative: return "neg";
    case Op::subtract: return "sub";
    default: return graph::name(op);
  }
}

/// Lines that only bring a value to where it is needed.
bool is_operation(const Line& line) {
  const bool same = line.op == Op::cast && line.in_type == line.type;
  return line.op != Op::leaf && line.op != Op::iota && line.op != Op::constant && !same;
}

void add_operations(Words& words, const Body& body) {
  for (std::size_t k = body.lines.size(); k-- > 0;) {
    const Line& line = body.lines[k];
    if (line.op == Op::iota) {
      const graph::RandomInfo* draw = body.loads[static_cast<std::size_t>(line.args[0])].draw();
      if (draw) words.push_back(draw->function());
    }
    if ((line.op == Op::leaf || line.op == Op::iota) && line.args[1] >= 0) words.push_back("take");
    if (!is_operation(line)) continue;
    if (line.op == Op::custom) {
      if (!shared_call(body, k)) words.push_back(body.call_of(line).node->get<Op::custom>().code->word);
      continue;
    }
    if (line.op != Op::reduce) {
      words.push_back(word(line.op));
      continue;
    }
    const graph::Node* node = line.args[2] >= 0 ? body.folds[static_cast<std::size_t>(line.args[2])].node
                                                : body.loops[static_cast<std::size_t>(line.args[1])].node;
    words.push_back(node->get<Op::reduce>().function());
  }
}

std::string joined(const Words& words, DType type, std::string_view suffix = "") {
  const std::string end = "_" + std::string(base::row_of(type).word) + std::string(suffix);
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t left = words.size() - k;
    std::string next = text + (k > 0 ? "_" : "") + std::string(words[k]);
    // With room for how many more there are, unless it is the last.
    const std::string more = left > 1 ? "_and_" + std::to_string(left - 1) : "";
    if (k > 0 && next.size() + more.size() + end.size() > longest) {
      return text + "_and_" + std::to_string(left) + end;
    }
    text = std::move(next);
  }
  return text + end;
}

}  // namespace

std::string kernel_name(const Body& body, std::string_view suffix) {
  Words words;
  if (body.outputs[0].at >= 0) words.push_back("scatter");
  add_operations(words, body);
  if (words.empty()) {
    const Op op = body.lines[static_cast<std::size_t>(body.outputs[0].line)].op;
    words.push_back(op == Op::constant ? "fill" : op == Op::iota ? "iota" : "copy");
  }
  return joined(words, body.type_of(body.outputs[0]), suffix);
}

std::string name_of_store(DType type, bool constant) {
  return joined({constant ? "fill" : "copy"}, constant ? type : bits_of(type));
}

std::string kernel_name_of_product(const Body& epilogue) {
  Words words = {"matmul"};
  add_operations(words, epilogue);
  return joined(words, epilogue.outputs[0].node->dtype);
}

std::string kernel_name_of_transform(std::string_view name, const Body* lead, const Body* finish, DType result) {
  Words words;
  if (finish) add_operations(words, *finish);
  words.push_back(name);
  if (lead) add_operations(words, *lead);
  return joined(words, result);
}

std::string kernel_name(const ReducePass& pass) {
  Words words;
  if (const Body* finish = finish_body(pass)) add_operations(words, *finish);
  for (const ReducePass& single : single_passes(pass))
    words.push_back(single.custom ? single.custom->word : graph::info(single.kind).name);
  add_operations(words, *pass.body);
  const std::string suffix = std::string(takes_states(pass) ? "_rest" : "") + (leaves_states(pass) ? "_blocks" : "");
  const Body* finish = finish_body(pass);
  return joined(words, finish ? finish->outputs[0].node->dtype : pass.result, suffix);
}

std::string kernel_name(const ScanPass& pass) {
  Words words = {pass.custom ? std::string_view(pass.custom->word) : graph::info(pass.kind).scan};
  add_operations(words, *pass.body);
  return joined(words, pass.result, pass.totals ? "_blocks" : pass.prefixed ? "_rest" : "");
}

}  // namespace koine::codegen
