// SPDX-License-Identifier: Apache-2.0
// Calls as C++ statements.
#include "print.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "families.hpp"

namespace koine::fuzz {

std::string constant_of(DType type) { return "kn::" + (is_bool(type) ? "bool_" : std::string(name(type))); }

std::string axis_text(const Call& call) {
  if (call.every_axis) return "kn::none";
  return call.axes.size() == 1 ? std::to_string(call.axes[0]) : listed(call.axes);
}

namespace {

std::string variable(std::size_t number) { return "x" + std::to_string(number); }

std::string number_text(double value) {
  if (value != value) return "NAN";
  if (value - value != 0) return value > 0 ? "INFINITY" : "-INFINITY";
  std::ostringstream out;
  out.precision(17);
  out << value;
  const std::string text = out.str();
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

template <class T>
std::string element_literal(T value) {
  if constexpr (test::is_small_float<T>) {
    return "kn::" + std::string(name(dtype_of<T>)) + "_t::from_bits(" + std::to_string(value.bits()) + ")";
  } else if constexpr (test::is_complex_float<T>) {
    return "{" + element_literal(value.real()) + ", " + element_literal(value.imag()) + "}";
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, float>) {
    const std::string text = number_text(static_cast<double>(value));
    return value - value == 0 ? text + "f" : text;
  } else if constexpr (std::is_same_v<T, double>) {
    return number_text(value);
  } else if constexpr (std::is_unsigned_v<T>) {
    return std::to_string(value) + (sizeof(T) == 8 ? "u" : "");
  } else {
    if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
    return std::to_string(value);
  }
}

template <class T>
std::string type_text() {
  if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else if constexpr (test::is_small_float<T>)
    return "kn::" + std::string(name(dtype_of<T>)) + "_t";
  else if constexpr (test::is_complex_float<T>)
    return "std::complex<" + type_text<typename T::value_type>() + ">";
  else if constexpr (std::is_integral_v<T>)
    return "std::" + std::string(name(dtype_of<T>)) + "_t";
  else
    return sizeof(T) == 4 ? "float" : "double";
}

std::string values_text(const Plain& x) {
  return with_type(x.type, [&]<class T>(Tag<T>) {
    std::string text = "std::vector<" + type_text<T>() + ">{";
    for (std::size_t i = 0; i < x.count(); ++i) text += (i ? ", " : "") + element_literal(x.at<T>(i));
    return text + "}";
  });
}

class Printer {
 public:
  Printer(bool eager) : eager_(eager) {}

  void add(const Call& call) {
    const std::string name = variable(call.target);
    for (const Call::Source& source : call.sources) {
      if (const auto* x = std::get_if<std::size_t>(&source)) declare(*x);
    }
    switch (call.kind) {
      case Kind::eval: return line(call.which == 0 ? operand(call, 0) + ".eval()" : "kn::eval(" + everything() + ")");
      case Kind::read: return line("kn::to_string(" + operand(call, 0) + ")");
      case Kind::queue:
        if (call.which == 0) return line("scope.reset()");
        if (!queue_) line("std::optional<kn::QueueScope> scope");
        queue_ = true;
        if (queues_.insert(call.which).second) line("kn::Queue queue" + std::to_string(call.which));
        return line("scope.reset(), scope.emplace(queue" + std::to_string(call.which) + ")");
      case Kind::limit: return line("// a memory limit, number " + std::to_string(call.which));
      default: break;
    }
    if (call.changes()) declare(call.target);
    if (call.refused) {
      const std::string text = call.changes() ? changed(call, name) : "kn::to_string(" + value(call) + ")";
      return line("try { " + text + "; } catch (const kn::Error&) {}");
    }
    std::string text = call.changes() ? changed(call, name) : name + " = " + value(call);
    if (!call.changes() && declared_.insert(call.target).second) text = "kn::Array " + text;
    line(text + (eager_ ? "; " + name + ".eval()" : ""));
  }

  void declare(std::size_t x) {
    if (declared_.insert(x).second) line("kn::Array " + variable(x) + " = kn::array({{1, 2, 3}, {4, 5, 6}})");
  }

  std::string text() {
    finish_line();
    return text_;
  }

 private:
  /// Equal lines one after another become a loop.
  void line(const std::string& text) {
    if (text == last_) {
      ++times_;
      return;
    }
    finish_line();
    last_ = text;
    times_ = 1;
  }
  void finish_line() {
    if (times_ == 0) return;
    const bool block = last_.find(';') != std::string::npos && !last_.ends_with('}');
    text_ += "  ";
    if (times_ > 1) text_ += "for (int i = 0; i < " + std::to_string(times_) + "; ++i) " + (block ? "{ " : "");
    text_ += last_ + (last_.starts_with("//") || last_.ends_with('}') ? "\n" : times_ > 1 && block ? "; }\n" : ";\n");
    times_ = 0;
  }

  std::string everything() const {
    std::string text;
    for (const std::size_t x : declared_) text += (text.empty() ? "" : ", ") + variable(x);
    return text;
  }

  std::string operand(const Call& call, std::size_t i) const {
    const Call::Source& source = call.sources[i];
    if (const auto* weak = std::get_if<Weak>(&source)) return weak->text();
    return variable(std::get<std::size_t>(source));
  }
  std::vector<std::string> sources(const Call& call) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < call.sources.size(); ++i) texts.push_back(operand(call, i));
    return texts;
  }
  std::string operands(const Call& call) const {
    std::string text;
    for (const std::string& each : sources(call)) text += (text.empty() ? "" : ", ") + each;
    return text;
  }
  /// "(...)" behind an array.
  std::string part_of(const Call& call) const { return "(" + fuzz::text(call.part, sources(call)) + ")"; }

  std::string changed(const Call& call, const std::string& name) const {
    const std::string target = call.part_of || call.kind == Kind::assign ? name + part_of(call) : name;
    if (call.kind == Kind::update) return target + " " + std::string(updates[call.which].sign) + " " + operand(call, 0);
    return target + " = " + (call.part_of ? name + "(" + fuzz::text(call.other) + ")" : operand(call, 0));
  }

  std::string value(const Call& call) const {
    const std::string x = call.sources.empty() ? "" : operand(call, 0), type = constant_of(call.type);
    const std::string shape = listed(call.shape);
    switch (call.kind) {
      case Kind::create: {
        // What is borrowed lives on.
        const std::string values = values_text(call.values);
        const bool borrows = call.which == 1 && call.values.type != bool_;
        // Empty braces could be options as well.
        const std::string its_shape = (call.values.shape.empty() ? "kn::Shape" : "") + listed(call.values.shape);
        return (borrows ? "kn::borrow(*new " : "kn::asarray(") + values + ", " + its_shape + ")";
      }
      case Kind::filled:
        if (call.which == 0) return "kn::full(" + shape + ", " + x + ", {.dtype = " + type + "})";
        if (call.which == 1) return "kn::arange(" + std::to_string(call.shape[0]) + ", {.dtype = " + type + "})";
        return "kn::eye(" + std::to_string(call.shape[0]) + ", " + std::to_string(call.shape[1]) +
               ", {.k = " + std::to_string(call.low) + ", .dtype = " + type + "})";
      case Kind::random: {
        const std::string generator =
            "kn::random::Generator(" + std::to_string(call.seed) + ", " + std::to_string(call.counter) + ")";
        const std::string end = shape + ", {.dtype = " + type + "})";
        if (call.which == 2)
          return generator + ".integers(" + std::to_string(call.low) + ", " + std::to_string(call.high) + ", " + end;
        return generator + (call.which == 0 ? ".uniform(" : ".normal(") + end;
      }
      case Kind::elementwise: return "kn::" + std::string(rows()[call.which].name) + "(" + operands(call) + ")";
      case Kind::astype: return x + ".astype(" + type + ")";
      case Kind::subscript: return "kn::Array(" + x + part_of(call) + ")";
      case Kind::permute:
        if (call.which == 0) return "kn::permute_dims(" + x + ", " + listed(call.axes) + ")";
        return call.which == 1 ? x + ".mT()" : "kn::flip(" + x + ", {.axis = " + axis_text(call) + "})";
      case Kind::reshape:
        if (call.which == 0) return "kn::reshape(" + x + ", " + shape + ")";
        return (call.which == 1 ? "kn::expand_dims(" : "kn::squeeze(") + x + ", " + listed(call.axes) + ")";
      case Kind::broadcast: return "kn::broadcast_to(" + x + ", " + shape + ")";
      case Kind::join:
        return (call.which == 1 ? "kn::stack({" : "kn::concat({") + operands(call) + "}, {.axis = " + axis_text(call) +
               "})";
      case Kind::reduce: {
        std::string options = "{.axis = " + axis_text(call);
        if (call.typed) options += ", .dtype = " + type;
        if (call.low != 0) options += ", .correction = " + std::to_string(call.low);
        if (call.keepdims) options += ", .keepdims = true";
        return "kn::" + std::string(reductions[call.which]) + "(" + x + ", " + options + "})";
      }
      case Kind::matmul: return "kn::matmul(" + operands(call) + ")";
      case Kind::take: return "kn::take(" + operands(call) + ", {.axis = " + axis_text(call) + "})";
      case Kind::where: return "kn::where(" + operands(call) + ")";
      case Kind::triangle:
        return (call.which == 0 ? "kn::tril(" : "kn::triu(") + x + ", {.k = " + std::to_string(call.low) + "})";
      case Kind::clip:
        return "kn::clip(" + x + ", " + (call.which & 1 ? operand(call, 1) : "kn::none") + ", " +
               (call.which & 2 ? operand(call, 1 + call.which / 3) : "kn::none") + ")";
      case Kind::linspace:
        return "kn::linspace(" + operands(call) + ", " + std::to_string(call.shape[0]) + ", {.dtype = " + type +
               (call.which == 0 ? "})" : ", .endpoint = false})");
      case Kind::meshgrid:
        return "kn::meshgrid({" + operands(call) + "}, {.indexing = \"" + (call.typed ? "ij" : "xy") + "\"})[" +
               std::to_string(call.which) + "]";
      case Kind::unstack:
        return "kn::unstack(" + x + ", {.axis = " + axis_text(call) + "})[" + std::to_string(call.which) + "]";
      case Kind::move: return "kn::to_device(" + x + ", kn::devices()[" + std::to_string(call.which) + "])";
      default:
        if (const auto text = family_of(call.kind).text) return text(call, sources(call));
        return x;
    }
  }

  const bool eager_;
  std::set<std::size_t> declared_, queues_;
  bool queue_ = false;
  std::string text_, last_;
  int times_ = 0;
};

}  // namespace

std::string Weak::text() const {
  switch (kind) {
    case boolean: return whole ? "true" : "false";
    case integer: return std::to_string(whole);
    case real: return number_text(value.real());
    default: return "std::complex<double>(" + number_text(value.real()) + ", " + number_text(value.imag()) + ")";
  }
}

std::string program_text(const std::vector<Call>& calls, bool eager, bool again, std::size_t shown,
                         const std::string& comment) {
  Printer printer(eager);
  for (const Call& call : calls) printer.add(call);
  printer.declare(shown);
  return "#include <koine/koine.hpp>\n\n#include <cmath>\n#include <iostream>\n\nnamespace kn = koine;\n\n"
         "int main() {\n" +
         std::string(again ? "  for (int time = 0; time < 2; ++time) {\n" : "") + printer.text() + "  std::cout << " +
         variable(shown) + " << '\\n';  // " + comment + (again ? "\n  }\n}\n" : "\n}\n");
}

}  // namespace koine::fuzz
