// SPDX-License-Identifier: Apache-2.0
// The hooks of kernels/rows.cl.
#include "base/dtypes.hpp"
#include "codegen/combine.hpp"
#include "codegen/names.hpp"
#include "codegen/print_custom.hpp"
#include "codegen/print_walk.hpp"
#include "codegen/rows.hpp"
#include "graph/infer.hpp"

#include <algorithm>
#include <string_view>

namespace koine::codegen {
namespace {

using graph::Op;
using graph::ReduceKind;
using graph::State;

std::string number(std::size_t n) { return std::to_string(n); }

/// For each load whether it is the same for all elements of a row (`same`), or not.
std::vector<bool> along_rows(const RowsWalk& walk, bool same) {
  std::vector<bool> result;
  for (const std::int64_t step : walk.along) result.push_back((step == 0) == same);
  return result;
}

/// The text of each phase, and of the gap before it.
class Phrases {
 public:
  Phrases(const Body& body, const RowsWalk& walk, const Printer& printer)
      : body_(body), walk_(walk), printer_(printer), phases_(phases_of(body, walk)) {
    const auto count = static_cast<std::size_t>(phases_.count);
    gaps_.resize(count + 1);
    loops_.resize(count);
    chains_.resize(count);
    functions_ = "#define KN_ADD(a, b) ((a) + (b))\n";
    for (std::size_t p = 0; p <= count; ++p) write_gap(p);
    for (std::size_t p = 0; p < count; ++p) write_loop(p);
    write_results();
  }

  /// Functions of the folds.
  const std::string& functions() const { return functions_; }
  /// KN_SHARED, KN_GAP<p>, KN_BODY<p> and KN_CHAIN<p>.
  std::string hooks() const {
    std::string shared, text;
    for (const std::string_view type : shared_) shared += "KN_SHARE(" + std::string(type) + ") ";
    text += define("KN_SHARED", shared);
    for (std::size_t p = 0; p < gaps_.size(); ++p) text += define("KN_GAP" + number(p), gaps_[p]);
    for (std::size_t p = 0; p < loops_.size(); ++p) {
      text += define("KN_BODY" + number(p), loops_[p]) + define("KN_CHAIN" + number(p), chains_[p]);
    }
    return text;
  }

 private:
  /// A fold's types and names.
  struct Fold {
    const graph::Node& node;
    ReduceKind kind;
    const graph::ReductionInfo& row;
    const graph::CustomCode* custom;
    std::string n;  // its number
    DType type;     // that it is accumulated in
    std::string one, vector;
    std::int32_t value;  // the line that it takes
    std::size_t begin;   // its first phase
  };

  /// What there is one of for a row: of rows that are taken together a vector, with one for each.
  std::string one_type(DType type) const {
    return walk_.together ? printer_.vector_type(type) : std::string(register_type(type));
  }

  Fold fold_of(std::size_t index) const {
    const RowFold& fold = body_.folds[index];
    const DType type = fold_type(*fold.node);
    const graph::ReduceInfo& reduction = fold.node->get<Op::reduce>();
    const ReduceKind kind = reduction.kind;
    const std::int32_t value = body_.lines[static_cast<std::size_t>(fold.line)].args[0];
    return {*fold.node,
            kind,
            graph::info(kind),
            reduction.custom.get(),
            number(index),
            type,
            one_type(type),
            printer_.vector_type(type),
            value,
            static_cast<std::size_t>(phases_.phase[static_cast<std::size_t>(value)])};
  }

  /// A value that a fold keeps of the elements so far, and how two of them are combined.
  struct Running {
    std::string name;
    DType type;
    std::string identity, join;
  };

  /// What a fold keeps in its first phase, or in its second.
  std::vector<Running> running(const Fold& fold, bool second) const {
    const std::string &n = fold.n, acc = "acc" + n, joined = "KN_JOIN" + n;
    switch (fold.row.state) {
      case State::moments:
        if (!second) return {{acc, fold.type, "0", "KN_ADD"}};
        return {{"rest" + n, fold.type, "0", "KN_ADD"}, {"squares" + n, fold.type, "0", "KN_ADD"}};
      case State::exponentials:
        if (second) return {{"sum" + n, fold.type, "0", "KN_ADD"}};
        return {{acc, fold.type, "-INFINITY", "fmax"}};
      case State::position:
        if (second) return {{"position" + n, DType::int32, "INT_MAX", "min"}};
        return {{acc, fold.type, extreme_of(fold).identity, joined}};
      case State::value: break;
    }
    return {{acc, fold.type, combine_of(fold.kind, fold.type, fold.custom).identity, joined}};
  }

  /// The largest element is what the first of the largest ones is equal to.
  static Combine extreme_of(const Fold& fold) {
    return combine_of(fold.kind == ReduceKind::argmax ? ReduceKind::max : ReduceKind::min, fold.type);
  }

  /// The value that a fold takes, in the type that it is accumulated in.
  std::string taken(const Fold& fold) const {
    return applied(fold.row.map, printer_.value_as(static_cast<std::size_t>(fold.value), fold.type));
  }

  /// `value` where elements exist, else what add_only() was told.
  std::string only(const Fold& fold, const std::string& function, const std::string& value) const {
    if (walk_.together) return value;
    return function + fold.n + "(" + value + ", exist)";
  }

  void add_only(const Fold& fold, const std::string& function, const std::string& identity) {
    if (walk_.together) return;
    if (!walk_.cpu) {
      functions_ +=
          "#define " + function + fold.n + "(v, exist) ((exist) ? (v) : (" + fold.vector + ")(" + identity + "))\n";
      return;
    }
    functions_ += only_function(walk_.width, fold.type, identity, function + fold.n);
  }

  /// The beginning of a fold's first phase, or of its second.
  std::string begins(const Fold& fold, bool second) const {
    std::string text;
    for (const Running& value : running(fold, second)) {
      const std::string vector = printer_.vector_type(value.type),
                        start = " = (" + vector + ")(" + value.identity + ")";
      text += vector + " " + value.name + start;
      if (walk_.chain) text += ", all_" + value.name + start;
      text += ";\n";
    }
    return text;
  }

  /// Brings the vectors that a fold keeps, of all work-items of a row, down to one value each, `name`_one.
  std::string all_of(const Fold& fold, bool second) {
    std::string text;
    for (const Running& value : running(fold, second)) {
      const std::string type = one_type(value.type), one = value.name + "_one";
      const std::string vector = (walk_.chain ? "all_" : "") + value.name, function = "kn_one_of_" + value.name;
      const bool in_lanes = walk_.width > 1 && !walk_.together;
      if (in_lanes) functions_ += halves_function(function, type, walk_.width, value.join);
      text += type + " " + one + " = " + (in_lanes ? function + "(" + vector + ")" : vector) + ";\n";
      if (walk_.cpu) continue;
      if (std::find(shared_.begin(), shared_.end(), register_type(value.type)) == shared_.end()) {
        shared_.push_back(register_type(value.type));
      }
      text += "KN_ALL_LANES(" + type + ", " + one + ", " + value.join + ")\n";
    }
    return text;
  }

  /// The functions of a fold.
  void write_functions(const Fold& fold) {
    if (fold.row.state == State::value || fold.row.state == State::position) {
      const bool value = fold.row.state == State::value;
      const Combine combine = value ? combine_of(fold.kind, fold.type, fold.custom) : extreme_of(fold);
      functions_ += "#define KN_JOIN" + fold.n + "(a, b) (" + combine.text + ")\n";
    }
    add_only(fold, "kn_only", running(fold, false)[0].identity);
    if (fold.row.state == State::exponentials) add_only(fold, "kn_sum_only", "0");
  }

  /// Of a fold of two phases what the first comes to: the mean, or the largest element.
  std::string between(const Fold& fold) {
    const std::string &n = fold.n, one = "acc" + n + "_one";
    std::string text = all_of(fold, false), what, value = one;
    if (fold.row.state == State::moments) {
      what = "mean";
      value = one + " / ((" + fold.one + ")d.count * share" + n + ")";
    } else if (fold.row.state == State::exponentials) {
      // Beside an infinity all differences would be infinite or NaN.
      return text + "const " + fold.one + " high" + n + " = isfinite(" + one + ") ? " + one + " : (" + fold.one +
             ")(0);\n";
    } else {
      what = "best";
    }
    return text + "const " + fold.vector + " " + what + n + " = (" + fold.vector + ")(" + value + ");\n";
  }

  /// What a fold comes to, as the line that holds it.
  std::string ends(const Fold& fold, std::size_t index) {
    const std::string& n = fold.n;
    std::string text = all_of(fold, fold_phases(fold.node) == 2), state = "state" + n;
    const std::string begin = "const struct { " + fold.one + " ";
    if (fold.row.state == State::value) {
      state = "acc" + n + "_one";
    } else if (fold.row.state == State::position) {
      const std::string type = one_type(fold.node.dtype);
      text +=
          "const struct { " + type + " position; } " + state + " = {convert_" + type + "(position" + n + "_one)};\n";
    } else if (fold.row.state == State::moments) {
      const std::string rest = "rest" + n + "_one", off = rest + " * (" + rest + " / (" + fold.one + ")d.count)";
      text +=
          begin + "squares; } " + state + " = {KN_AROUND_MEAN(" + fold.one + ", squares" + n + "_one, " + off + ")};\n";
    } else {
      text += begin + "sum, high; } " + state + " = {sum" + n + "_one, high" + n + "};\n";
    }
    const DType type = fold.node.dtype;
    const std::string result = "row" + n, line = "v" + std::to_string(body_.folds[index].line);
    const DType combined = graph::accumulation_type(type);
    text += one_type(combined) + " " + result + ";\n{\n";
    if (fold.row.has_constants())
      text += "const " + fold.one + " divisor = d.divisor" + n + ", scale = d.scale" + n + ";\n";
    text += result + " = " + applied(finish_of(fold.kind, fold.custom), state) + ";\n}\n";
    const std::string vector = printer_.vector_type(type);
    const bool converts = walk_.together && register_type(combined) != register_type(type);
    text += vector + " " + line + " = " + (converts ? "convert_" + vector : "(" + vector + ")") + "(" + result + ");\n";
    if (base::is_half(type)) {
      text += line + " = kn_round_" + std::string(name(type)) + "(" + line + ");\n";
    }
    return text;
  }

  /// What a fold does with each vector in its first phase, or in its second.
  std::string step(const Fold& fold, bool second) const {
    const std::string& n = fold.n;
    const std::string declared = "const " + fold.vector + " ";
    if (fold.row.state == State::moments && !second) {
      // Divided by a power of two, which is exact: the sum of large elements may be past the range.
      return "acc" + n + " += " + only(fold, "kn_only", taken(fold)) + " * share" + n + ";\n";
    }
    if (fold.row.state == State::moments) {
      return declared + "apart" + n + " = " + only(fold, "kn_only", "(" + taken(fold) + ") - mean" + n) + ";\nrest" +
             n + " += apart" + n + ";\nsquares" + n + " += apart" + n + " * apart" + n + ";\n";
    }
    if (fold.row.state == State::exponentials && second) {
      return "sum" + n + " += " + only(fold, "kn_sum_only", "exp((" + taken(fold) + ") - high" + n + ")") + ";\n";
    }
    if (fold.row.state == State::position && second) return find_position(fold);
    const Running value = running(fold, second)[0];
    return declared + "taken" + n + " = " + only(fold, "kn_only", taken(fold)) + ";\n" + value.name + " = " +
           value.join + "(" + value.name + ", taken" + n + ");\n";
  }

  /// Where a vector's elements are the largest one, or NaN as it is. The positions of what does not exist come after
  /// all others.
  std::string find_position(const Fold& fold) const {
    const std::string value = "(" + taken(fold) + ")", best = "best" + fold.n, position = "position" + fold.n;
    const std::string positions = printer_.vector_type(DType::int32);
    std::string same = value + " == " + best, at = "(" + positions + ")((int)at)";
    if (is_real_floating(fold.type)) same = "(" + same + ") | (isnan" + value + " & isnan(" + best + "))";
    if (walk_.width > 1) same = "convert_" + positions + "(" + same + ")";
    if (walk_.width > 1 && !walk_.together) at += " + convert_" + positions + "(KN_POSITIONS)";
    return position + " = min(" + position + ", (" + same + ") ? " + at + " : (" + positions + ")(INT_MAX));\n";
  }

  /// What is known of the row before phase p, in the order of lines; what is kept from phase p on, and its folds.
  void write_gap(std::size_t p) {
    std::string& text = gaps_[p];
    for (std::size_t f = 0; f < body_.folds.size(); ++f) {
      const Fold fold = fold_of(f);
      if (fold_phases(fold.node) == 2 && fold.begin + 1 == p) text += between(fold) + begins(fold, true);
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
        const std::string room = walk_.width > 1 && !walk_.together ? "KN_ROOM / KN_W" : "KN_ROOM";
        text += printer_.vector_type(line.type) + " keep" + number(k) + "[" + room + "];\n";
      }
    }
    for (std::size_t f = 0; f < body_.folds.size(); ++f) {
      const Fold fold = fold_of(f);
      if (fold.begin != p) continue;
      write_functions(fold);
      text += begins(fold, false);
      if (fold.row.state == State::moments) {
        text += "const " + fold.one + " share" + fold.n + " = 1 / (" + fold.one + ")KN_SIZE;\n";
      }
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
    each_argument(body_, line, [&](std::size_t arg) { write_line(p, arg, written); });
    loops_[p] += line_in_pieces(body_, k, walk_.access, walk_.inner_seams(), printer_);
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
      loops_[p] += step(fold, p != fold.begin);
      if (!walk_.chain) continue;
      for (const Running& value : running(fold, p != fold.begin)) {
        const std::string all = "all_" + value.name;
        chains_[p] += all + " = " + value.join + "(" + all + ", " + value.name + ");\n" + value.name + " = (" +
                      printer_.vector_type(value.type) + ")(" + value.identity + ");\n";
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
      loops_[p] += "KN_STORES " + stored(output, body_.loads.size() + k);
    }
  }

  /// The vector of a result, stored as operand number `operand`.
  std::string stored(const Output& output, std::size_t operand) const {
    const std::string n = number(operand), type(name(output.node->dtype)), v = "v" + std::to_string(output.line);
    const std::string to = "p" + n + " + o" + n + " + (long)i";
    if (walk_.access[operand] == Access::contiguous) return "kn_store_" + type + "(" + v + ", " + to + ", left);\n";
    const std::string stride = "KN_STRIDE(" + n + ")";
    return "kn_scatter_" + type + "(" + v + ", " + to + " * " + stride + ", " + stride + ", left);\n";
  }

  /// What is stored once for a row.
  void write_results() {
    for (std::size_t k = 0; k < body_.outputs.size(); ++k) {
      const Output& output = body_.outputs[k];
      if (!body_.of_row(output)) continue;
      if (walk_.together) {
        gaps_.back() += stored(output, body_.loads.size() + k);
        continue;
      }
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
  std::vector<std::string> gaps_, loops_, chains_;
  std::vector<std::string_view> shared_;
};

/// The offsets of a row, or of rows that are taken together, and what is the same all along it.
std::string kept_text(const RowsWalk& walk, const Printer& printer) {
  if (!walk.together) {
    return part_offsets(walk.kept, false, "d.offset", "o", "kept", "kept", walk.kept_seams) +
           printer.uniform_loads(walk.access);
  }
  std::string text = "const ulong i = kept, left = min(last - kept, (ulong)KN_W);\n";
  for (std::size_t k = 0; k < walk.offsets.size(); ++k) {
    const std::string n = number(k);
    text += "const long b" + n + " = d.offset[" + n + "], o" + n + " = b" + n + ";\n";
  }
  return text + printer.uniform_loads(walk.access, along_rows(walk, true));
}

/// Of rows that are taken together the offsets of an element, and what is the same in all of them.
std::string element_text(const RowsWalk& walk, const Printer& printer) {
  std::string text;
  for (std::size_t k = 0; k < walk.offsets.size(); ++k) {
    const std::string n = number(k);
    text += "const long o" + n + " = b" + n + " + (long)t * d.along[" + n + "];\n";
  }
  return text + printer.uniform_loads(walk.access, along_rows(walk, false));
}

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
  const auto of_moments = [](const RowFold& fold) {
    return graph::info(fold.node->get<Op::reduce>().kind).state == State::moments;
  };
  if (std::any_of(body.folds.begin(), body.folds.end(), of_moments)) text.modules.push_back("common/moments");
  text.kernel = "rows";
  text.custom = custom_functions(body, walk.width, walk.cpu);
  text.definitions = printer.memory_instances(stored) + block_type(block, walk.spilled) + inner_strides(walk) +
                     define("KN_PARAMETERS", printer.load_parameters() + outputs + block_parameter(walk.spilled)) +
                     define("KN_CONSTANTS", printer.constants()) + define("KN_KEPT", kept_text(walk, printer)) +
                     define("KN_ELEMENT", walk.together ? element_text(walk, printer) : "") + phrases.functions() +
                     phrases.hooks();
  return text;
}

}  // namespace koine::codegen
