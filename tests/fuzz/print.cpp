// SPDX-License-Identifier: Apache-2.0
// Calls as C++ statements.
#include "print.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "families.hpp"
#include "run.hpp"

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

}  // namespace

std::string values_text(const Plain& x) {
  return with_type(x.type, [&]<class T>(Tag<T>) {
    std::string text = "std::vector<" + type_text<T>() + ">{";
    for (std::size_t i = 0; i < x.count(); ++i) text += (i ? ", " : "") + element_literal(x.at<T>(i));
    return text + "}";
  });
}

std::string together(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& each : texts) text += (text.empty() ? "" : ", ") + each;
  return text;
}

namespace {

class Printer {
 public:
  Printer(bool eager) : eager_(eager) {}

  void add(const Call& call) {
    const std::string name = variable(call.target);
    for (const Call::Source& source : call.sources) {
      if (const auto* x = std::get_if<std::size_t>(&source)) declare(*x);
    }
    std::vector<std::string> names = sources(call);
    const auto text_of = family_of(call.kind).text;
    if (!call.writes()) return line(text_of(call, names));
    if (call.changes()) {
      declare(call.target);
      names.push_back(name);
    }
    const std::string text = text_of(call, names);
    if (call.refused)
      return line("try { " + (call.changes() ? text : "kn::to_string(" + text + ")") +
                  "; } catch (const kn::Error&) {}");
    const bool first = !call.changes() && declared_.insert(call.target).second;
    line((first ? "kn::Array " : "") + (call.changes() ? text : name + " = " + text) +
         (eager_ ? "; " + name + ".eval()" : ""));
  }

  void declare(std::size_t x) {
    if (declared_.insert(x).second) line("kn::Array " + variable(x) + " = kn::array({{1, 2, 3}, {4, 5, 6}})");
  }

  std::string text() {
    finish_line();
    return text_;
  }

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

 private:
  void finish_line() {
    if (times_ == 0) return;
    const bool block = last_.find(';') != std::string::npos && !last_.ends_with('}');
    text_ += "  ";
    if (times_ > 1) text_ += "for (int i = 0; i < " + std::to_string(times_) + "; ++i) " + (block ? "{ " : "");
    text_ += last_ + (last_.starts_with("//") || last_.ends_with('}') ? "\n" : times_ > 1 && block ? "; }\n" : ";\n");
    times_ = 0;
  }

  std::vector<std::string> sources(const Call& call) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < call.sources.size(); ++i) {
      const auto* weak = std::get_if<Weak>(&call.sources[i]);
      texts.push_back(weak ? weak->text() : variable(std::get<std::size_t>(call.sources[i])));
    }
    return texts;
  }

  const bool eager_;
  std::set<std::size_t> declared_;
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

std::string program_text(const std::vector<Call>& calls, const Failure& failure) {
  Printer printer(failure.eager);
  if (failure.reproducible) printer.line("const kn::reproducible fixed");
  if (std::any_of(calls.begin(), calls.end(), [](const Call& call) { return call.kind == Kind::queue; }))
    printer.line("kn::Queue queue1, queue2; std::optional<kn::QueueScope> scope");
  for (const Call& call : calls) printer.add(call);
  printer.declare(failure.variable);
  return "#include <koine/koine.hpp>\n\n#include <cmath>\n#include <iostream>\n\nnamespace kn = koine;\n\n"
         "int main() {\n" +
         std::string(failure.again ? "  for (int time = 0; time < 2; ++time) {\n" : "") + printer.text() +
         "  std::cout << " + variable(failure.variable) + " << '\\n';  // " + failure.what +
         (failure.again ? "\n  }\n}\n" : "\n}\n");
}

}  // namespace koine::fuzz
