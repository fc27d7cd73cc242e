// SPDX-License-Identifier: Apache-2.0
// Printing custom operations: each one's text once, and the vector forms of folds.
#include "codegen/print_custom.hpp"

#include "codegen/print.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace koine::codegen {
namespace {

using graph::CustomCode;
using graph::Op;

/// `function` for vectors, from the one for single elements. (An attribute of Clang's, which OpenCL compilers are made
/// of: kernels combine vectors, their halves and single elements by one name.)
std::string vector_form(const std::string& function, DType result, DType taken, int parameters, int width, bool cpu) {
  const std::string element(register_type(taken)), lanes = std::to_string(width), to(register_type(result));
  std::string declared, given;
  for (const std::string name : {"a", "b"}) {
    if (parameters-- == 0) break;
    declared += (declared.empty() ? "" : ", ") + element + lanes + " " + name;
    given += (given.empty() ? "" : ", ") + ("KN_LANE(" + element + ", " + name + ", l)");
  }
  return "static inline " + to + lanes + " __attribute__((overloadable, always_inline)) " + function + "(" + declared +
         ") {\n  " + to + lanes + " r;\n  " + loop_over_lanes(width, cpu) + "KN_LANE(" + to + ", r, l) = " + function +
         "(" + given + ");\n  return r;\n}\n";
}

class Definitions {
 public:
  Definitions(int width, bool cpu) : width_(width), cpu_(cpu) {}

  void add(const CustomCode& code) {
    if (known(code)) return;
    known_.push_back(&code);
    text += code.text;
  }
  void add_fold(const CustomCode& code) {
    if (known(code)) return;
    add(code);
    for (int lanes = 2; lanes <= width_; lanes *= 2) {
      text += vector_form(code.function + "_combine", code.outputs[0], code.outputs[0], 2, lanes, cpu_);
      if (code.finishes)
        text += vector_form(code.function + "_finish", code.outputs[1], code.outputs[0], 1, lanes, cpu_);
    }
  }
  void add_fold(const graph::Node& reduction) {
    if (const auto& custom = reduction.get<Op::reduce>().custom) add_fold(*custom);
  }

  std::string text;

 private:
  bool known(const CustomCode& code) const {
    return std::any_of(known_.begin(), known_.end(),
                       [&](const CustomCode* each) { return each->digest == code.digest; });
  }

  const int width_;
  const bool cpu_;
  std::vector<const CustomCode*> known_;
};

}  // namespace

std::optional<std::size_t> shared_call(const Body& body, std::size_t k) {
  const Line& line = body.lines[k];
  const Call& call = body.call_of(line);
  const auto& digest = call.node->get<Op::custom>().code->digest;
  for (std::size_t j = 0; j < k; ++j) {
    const Line& other = body.lines[j];
    if (other.op != Op::custom || other.loop != line.loop) continue;
    const Call& earlier = body.call_of(other);
    if (earlier.args == call.args && earlier.node->get<Op::custom>().code->digest == digest) return j;
  }
  return std::nullopt;
}

std::string loop_over_lanes(int width, bool cpu) {
  const std::string lanes = std::to_string(width);
  return (cpu ? "_Pragma(\"clang loop vectorize_width(" + lanes + ") interleave(disable) unroll(disable)\") " : "") +
         "for (int l = 0; l < " + lanes + "; ++l) ";
}

std::string custom_functions(const Body& body, int width, bool cpu, const CustomCode* fold) {
  Definitions definitions(width, cpu);
  for (const Call& call : body.calls) definitions.add(*call.node->get<Op::custom>().code);
  for (const InnerLoop& loop : body.loops) definitions.add_fold(*loop.node);
  for (const RowFold& each : body.folds) definitions.add_fold(*each.node);
  if (fold) definitions.add_fold(*fold);
  return std::move(definitions.text);
}

}  // namespace koine::codegen
