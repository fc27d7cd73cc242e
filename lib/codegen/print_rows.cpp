// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/rows.cl.
#include "codegen/combine.hpp"
#include "codegen/names.hpp"
#include "codegen/print_walk.hpp"
#include "codegen/rows.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <string_view>

namespace koine::codegen {
namespace {

using graph::Op;
using graph::State;

std::string number(std::size_t n) { return std::to_string(n); }

/// The text of each phase, and of the gap before it.
class Phrases {
 public:
  Phrases(const Body& body, const RowsWalk& walk, const Printer& printer)
      : body_(body), walk_(walk), printer_(printer), phases_(phases_of(body, walk)) {
    const auto count = static_cast<std::size_t>(phases_.count);
    gaps_.resize(count + 1);
    loops_.resize(count);
    for (std::size_t p = 0; p <= count; ++p) write_gap(p);
    for (std::size_t p = 0; p < count; ++p) write_loop(p);
    write_results();
  }

  /// Functions of the folds.
  const std::string& functions() const { return functions_; }
  /// KN_SHARED, KN_GAP<p> and KN_BODY<p>.
  std::string hooks() const {
    std::string shared, text;
    for (const std::string_view type : shared_) shared += "KN_SHARE(" + std::string(type) + ") ";
    text += define("KN_SHARED", shared);
    for (std::size_t p = 0; p < gaps_.size(); ++p) text += define("KN_GAP" + number(p), gaps_[p]);
    for (std::size_t p = 0; p < loops_.size(); ++p) text += define("KN_BODY" + number(p), loops_[p]);
    return text;
  }

 private:
  /// A fold's types and names.
  struct Fold {
    const graph::Node& node;
    const graph::ReductionInfo& row;
    std::string n;  // its number
    DType type;     // that it is accumulated in
    std::string one, vector;
    std::int32_t value;  // the line that it takes
    std::size_t begin;   // its first phase
  };

  Fold fold_of(std::size_t index) const {
    const RowFold& fold = body_.folds[index];
    const DType type = graph::accumulation_type(fold.node->dtype);
    const std::int32_t value = body_.lines[static_cast<std::size_t>(fold.line)].args[0];
    return {*fold.node,
            graph::info(fold.node->get<Op::reduce>().kind),
            number(index),
            type,
            std::string(register_type(type)),
            printer_.vector_type(type),
            value,
            static_cast<std::size_t>(phases_.phase[static_cast<std::size_t>(value)])};
  }

  /// The value that a fold takes, in the type that it is accumulated in.
  std::string taken(const Fold& fold) const {
    return applied(fold.row.map, printer_.value_as(static_cast<std::size_t>(fold.value), fold.type));
  }

  /// `value` where elements exist, else what add_only() was told.
  std::string only(const Fold& fold, const std::string& function, const std::string& value) const {
    return function + fold.n + "(" + value + ", exist)";
  }

  void add_only(const Fold& fold, const std::string& function, const std::string& identity) {
    if (!walk_.cpu) {
      functions_ +=
          "#define " + function + fold.n + "(v, exist) ((exist) ? (v) : (" + fold.vector + ")(" + identity + "))\n";
      return;
    }
    functions_ += only_function(walk_.width, fold.type, identity, function + fold.n);
  }

  /// Brings the vectors `name` of all work-items of a row down to one value, `name`_one.
  std::string all_of(const Fold& fold, const std::string& name, const std::string& join) {
    const std::string one = name + "_one", lane = "KN_LANE(" + fold.one + ", " + name + ", ";
    std::string text = fold.one + " " + one + " = " + (walk_.width > 1 ? lane + "0)" : name) + ";\n";
    if (walk_.width > 1)
      text += "for (int l = 1; l < KN_W; ++l) " + one + " = " + join + "(" + one + ", " + lane + "l));\n";
    if (walk_.cpu) return text;
    if (std::find(shared_.begin(), shared_.end(), register_type(fold.type)) == shared_.end()) {
      shared_.push_back(register_type(fold.type));
    }
    return text + "KN_ALL_LANES(" + fold.one + ", " + one + ", " + join + ")\n";
  }

  /// What a fold begins with before its first phase.
  std::string begins(const Fold& fold) {
    std::string identity = "0";
    if (fold.row.state == State::exponentials) identity = "-INFINITY";
    const graph::ReduceKind kind = fold.node.get<Op::reduce>().kind;
    if (fold.row.state == State::value) {
      const Combine combine = combine_of(kind, fold.type);
      identity = combine.identity;
      functions_ += "#define KN_JOIN" + fold.n + "(a, b) (" + combine.text + ")\n";
    } else if (fold.row.state == State::exponentials) {
      functions_ += "#define KN_JOIN" + fold.n + "(a, b) fmax(a, b)\n";
    }
    functions_ += "#define KN_ADD" + fold.n + "(a, b) ((a) + (b))\n";
    add_only(fold, "kn_only", identity);
    if (fold.row.state == State::exponentials) add_only(fold, "kn_sum_only", "0");
    std::string text = fold.vector + " acc" + fold.n + " = (" + fold.vector + ")(" + identity + ");\n";
    if (fold.row.state == State::moments) {
      text += "const " + fold.one + " share" + fold.n + " = 1 / (" + fold.one + ")(KN_ROOM * KN_LANES);\n";
    }
    return text;
  }

  /// Of a fold of two phases what is between them: the mean, or the largest element, and the second phase's beginning.
  std::string between(const Fold& fold) {
    const std::string &n = fold.n, acc = "acc" + n, zero = " = (" + fold.vector + ")(0);\n";
    if (fold.row.state == State::moments) {
      return all_of(fold, acc, "KN_ADD" + n) + fold.vector + " mean" + n + " = (" + fold.vector + ")(" + acc +
             "_one / ((" + fold.one + ")d.count * share" + n + "));\n" + fold.vector + " rest" + n + zero +
             fold.vector + " squares" + n + zero;
    }
    // Beside an infinity all differences would be infinite or NaN.
    return all_of(fold, acc, "KN_JOIN" + n) + "const " + fold.one + " high" + n + " = isfinite(" + acc + "_one) ? " +
           acc + "_one : (" + fold.one + ")(0);\n" + fold.vector + " sum" + n + zero;
  }

  /// What a fold comes to, as the line that holds it.
  std::string ends(const Fold& fold, std::size_t index) {
    const std::string& n = fold.n;
    std::string text, state = "acc" + n + "_one";
    if (fold.row.state == State::value) {
      text = all_of(fold, "acc" + n, "KN_JOIN" + n);
    } else if (fold.row.state == State::moments) {
      // The mean is rounded: what the distances from it come to corrects their squares.
      text = all_of(fold, "rest" + n, "KN_ADD" + n) + all_of(fold, "squares" + n, "KN_ADD" + n);
      const std::string taken_off = "off" + n, squares = "squares" + n + "_one";
      text += "const " + fold.one + " " + taken_off + " = rest" + n + "_one * (rest" + n + "_one / (" + fold.one +
              ")d.count);\nconst struct { " + fold.one + " squares; } state" + n + " = {" + squares + " - (" +
              taken_off + " < " + squares + " ? " + taken_off + " : 0)};\n";
      state = "state" + n;
    } else {
      text = all_of(fold, "sum" + n, "KN_ADD" + n);
      text += "const struct { " + fold.one + " sum, high; } state" + n + " = {sum" + n + "_one, high" + n + "};\n";
      state = "state" + n;
    }
    const std::string result = "row" + n, line = "v" + std::to_string(body_.folds[index].line);
    text += fold.one + " " + result + ";\n{\n";
    if (fold.row.has_constants())
      text += "const " + fold.one + " divisor = d.divisor" + n + ", scale = d.scale" + n + ";\n";
    text += result + " = " + applied(fold.row.finish, state) + ";\n}\n";
    const DType type = fold.node.dtype;
    const std::string vector = printer_.vector_type(type);
    text += vector + " " + line + " = (" + vector + ")(" + result + ");\n";
    if (type == DType::float16 || type == DType::bfloat16) {
      text += line + " = kn_round_" + std::string(name(type)) + "(" + line + ");\n";
    }
    return text;
  }

  /// What is known of the row before phase p, in the order of lines; what is kept from phase p on, and its folds.
  void write_gap(std::size_t p) {
    std::string& text = gaps_[p];
    for (std::size_t f = 0; f < body_.folds.size(); ++f) {
      const Fold fold = fold_of(f);
      if (fold_phases(fold.node) == 2 && fold.begin + 1 == p) text += between(fold);
    }
    for (std::size_t k = 0; k < body_.lines.size(); ++k) {
      const Line& line = body_.lines[k];
      if (static_cast<std::size_t>(phases_.phase[k]) != p) continue;
      if (line.op == Op::reduce) {
        const auto f = static_cast<std::size_t>(line.args[2]);
        text += ends(fold_of(f), f);
      } else if (phases_.of_row[k]) {
        text += printer_.line(k, walk_.access);
      } else if (phases_.kept[k]) {
        const std::string room = walk_.width > 1 ? "KN_ROOM / KN_W" : "KN_ROOM";
        text += printer_.vector_type(line.type) + " keep" + number(k) + "[" + room + "];\n";
      }
    }
    for (std::size_t f = 0; f < body_.folds.size(); ++f) {
      const Fold fold = fold_of(f);
      if (fold.begin == p) text += begins(fold);
    }
  }

  /// Writes line k, and what it needs, into a loop, if it is not there yet.
  void write_line(std::size_t p, std::size_t k, std::vector<bool>& written) {
    if (phases_.of_row[k] || written[k]) return;
    written[k] = true;
    const Line& line = body_.lines[k];
    const std::string n = number(k), type = printer_.vector_type(line.type);
    const bool now = static_cast<std::size_t>(phases_.phase[k]) == p;
    if (!now && phases_.kept[k]) {
      loops_[p] += type + " v" + n + " = keep" + n + "[t];\n";
      return;
    }
    if (line.op != Op::leaf && line.op != Op::iota) {
      for (const std::int32_t arg : line.args) {
        if (arg >= 0) write_line(p, static_cast<std::size_t>(arg), written);
      }
    }
    loops_[p] += printer_.line(k, walk_.access);
    if (now && phases_.kept[k]) loops_[p] += "keep" + n + "[t] = v" + n + ";\n";
  }

  void write_loop(std::size_t p) {
    std::vector<bool> written(body_.lines.size(), false);
    // What is kept for later is computed now, whether now needs it or not.
    for (std::size_t k = 0; k < body_.lines.size(); ++k) {
      if (phases_.kept[k] && static_cast<std::size_t>(phases_.phase[k]) == p) write_line(p, k, written);
    }
    for (std::size_t f = 0; f < body_.folds.size(); ++f) {
      const Fold fold = fold_of(f);
      const std::size_t last = fold.begin + static_cast<std::size_t>(fold_phases(fold.node)) - 1;
      if (p < fold.begin || p > last) continue;
      write_line(p, static_cast<std::size_t>(fold.value), written);
      const std::string &n = fold.n, taken_n = "taken" + n;
      std::string& text = loops_[p];
      if (fold.row.state == State::value) {
        text += "const " + fold.vector + " " + taken_n + " = " + only(fold, "kn_only", taken(fold)) + ";\nacc" + n +
                " = KN_JOIN" + n + "(acc" + n + ", " + taken_n + ");\n";
      } else if (fold.row.state == State::moments && p == fold.begin) {
        // Divided by a power of two, which is exact: the sum of large elements may be past the range.
        text += "acc" + n + " += " + only(fold, "kn_only", taken(fold)) + " * share" + n + ";\n";
      } else if (fold.row.state == State::moments) {
        text += "const " + fold.vector + " apart" + n + " = " +
                only(fold, "kn_only", "(" + taken(fold) + ") - mean" + n) + ";\nrest" + n + " += apart" + n +
                ";\nsquares" + n + " += apart" + n + " * apart" + n + ";\n";
      } else if (p == fold.begin) {
        text += "acc" + n + " = fmax(acc" + n + ", " + only(fold, "kn_only", taken(fold)) + ");\n";
      } else {
        text += "sum" + n + " += " + only(fold, "kn_sum_only", "exp((" + taken(fold) + ") - high" + n + ")") + ";\n";
      }
    }
    if (p + 1 != loops_.size()) return;
    // A result may be written over what lines read.
    for (const Output& output : body_.outputs) {
      if (!body_.of_row(output)) write_line(p, static_cast<std::size_t>(output.line), written);
    }
    for (std::size_t k = 0; k < body_.outputs.size(); ++k) {
      const Output& output = body_.outputs[k];
      if (body_.of_row(output)) continue;
      const std::string n = number(body_.loads.size() + k);
      loops_[p] += "KN_STORES kn_store_" + std::string(name(output.node->dtype)) + "(v" + std::to_string(output.line) +
                   ", p" + n + " + o" + n + " + (long)i, left);\n";
    }
  }

  /// What is stored once for a row.
  void write_results() {
    for (std::size_t k = 0; k < body_.outputs.size(); ++k) {
      const Output& output = body_.outputs[k];
      if (!body_.of_row(output)) continue;
      const DType type = output.node->dtype;
      const std::string n = number(body_.loads.size() + k), v = "v" + std::to_string(output.line);
      const std::string one = walk_.width > 1 ? "KN_LANE(" + std::string(register_type(type)) + ", " + v + ", 0)" : v;
      gaps_.back() += "KN_FIRST kn_put_" + std::string(name(type)) + "(" + one + ", p" + n + " + o" + n + ");\n";
    }
  }

  const Body& body_;
  const RowsWalk& walk_;
  const Printer& printer_;
  const Phases phases_;
  std::string functions_;
  std::vector<std::string> gaps_, loops_;
  std::vector<std::string_view> shared_;
};

}  // namespace

KernelText print_rows(const Body& body, const RowsWalk& walk, const ParamBlock& block, const DeviceTraits& traits) {
  const Printer printer(body, traits, walk.width);
  const Phrases phrases(body, walk, printer);
  std::vector<DType> stored;
  std::string outputs;
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    stored.push_back(body.outputs[k].node->dtype);
    outputs += "__global " + std::string(memory_type(stored[k])) + "* p" + number(body.loads.size() + k) + ", ";
  }
  KernelText text;
  text.entry = kernel_name(body);
  text.about = "rows" + line_of(walk);
  text.settings = settings(walk, traits) + "#define KN_GROUP " + std::to_string(rows_group) + "\n";
  text.settings += printer.draw_settings();
  text.modules = printer.modules(stored);
  text.kernel = "rows";
  text.definitions = printer.memory_instances(stored) + block_type(block, walk.spilled) + inner_strides(walk) +
                     define("KN_PARAMETERS", printer.load_parameters() + outputs + block_parameter(walk.spilled)) +
                     define("KN_CONSTANTS", printer.constants()) +
                     define("KN_KEPT", part_offsets(walk.kept, false, "d.offset", "o", "kept", "kept") +
                                           printer.uniform_loads(walk.access)) +
                     phrases.functions() + phrases.hooks();
  return text;
}

}  // namespace koine::codegen
