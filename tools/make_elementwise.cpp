// SPDX-License-Identifier: Apache-2.0
// Prints what is made from the op table: `make_elementwise header` include/koine/elementwise.hpp,
// `make_elementwise table` docs/operations.md, which ends with the table of reductions. ci/checks/check_generated
// compares both with the committed files.
#include "graph/ops.hpp"
#include "graph/reductions.hpp"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>

namespace graph = koine::graph;

namespace {

constexpr std::size_t columns = 120;

constexpr std::string_view header_top = R"(// SPDX-License-Identifier: Apache-2.0
// The element-wise functions and the operators. Made by tools/make_elementwise.cpp from lib/graph/ops.def; edit those.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace koine {

// What all of these share. Operands are arrays, subscripts of arrays or C++ scalars. Shapes broadcast: sizes are equal
// or 1, counted from the last axis; ShapeError if not. The types of two arrays are promoted to their common type; a
// scalar is weak: it takes the array's type where its kind fits, and an integer that does not fit that type is a
// ValueError. Comparisons need no common type: integers of any two types, and an array of integers with any whole
// number, compare by their values. Types that a function does not take are a DTypeError, arrays on two devices a
// DeviceError. float16 and bfloat16 are computed in float and rounded after each function. Nothing is computed before a
// value is observed.

)";

constexpr std::string_view header_tail = R"(
/// A bound of clip: an array, a scalar, or `none`.
class ClipBound {
 public:
  ClipBound(None) {}  // NOLINT: implicit by design
  template <std::convertible_to<Operand> T>
  ClipBound(T&& bound) : operand_(std::in_place, std::forward<T>(bound)) {}  // NOLINT

  const std::optional<Operand>& operand() const noexcept { return operand_; }

 private:
  std::optional<Operand> operand_;
};

/// Each element moved into the range from `min` to `max`, either of which may be `none`: minimum(maximum(x, min), max).
/// NaN where the element or a bound is NaN. An integer past the range of x's type bounds nothing on that side, or gives
/// the range's end. Takes every type but complex ones; gives the common type of x and the bounds.
KOINE_API Array clip(Operand x, const ClipBound& min = none, const ClipBound& max = none);

/// Options of nan_to_num: what NaN and the infinities become; by default 0 and the largest and smallest finite values
/// of x's type.
struct NanToNumOptions {
  detail::Named names_only = detail::named;
  double nan = 0;
  std::optional<double> posinf = std::nullopt;
  std::optional<double> neginf = std::nullopt;
};
/// NaN and infinities replaced by numbers. Takes every type but complex ones (take real and imag), which is a
/// DTypeError; gives x's type, to which the numbers are rounded; integers and bool_ stay as they are.
KOINE_API Array nan_to_num(Operand x, const NanToNumOptions& options = {});

namespace detail {
template <class T>
concept ArrayLike = std::same_as<std::remove_cvref_t<T>, Array> || std::same_as<std::remove_cvref_t<T>, Subscript>;

// Operators match exactly, and only where one side is ours: two scalars keep the operators they have, and the built-in
// && and || never compete through the explicit conversion to bool.
template <class T>
concept OperandLike = std::convertible_to<T, Operand>;
template <class A, class B>
concept EitherArrayLike = ArrayLike<A> || ArrayLike<B>;
template <class B, class A>
concept OperandBeside = OperandLike<A> && OperandLike<B> && EitherArrayLike<A, B>;
}  // namespace detail
)";

struct Operator {
  std::string_view symbol, function;
};

constexpr Operator binary_operators[] = {
    {"+", "add"},
    {"-", "subtract"},
    {"*", "multiply"},
    {"/", "divide"},
    {"%", "remainder"},
    {"&", "bitwise_and"},
    {"|", "bitwise_or"},
    {"^", "bitwise_xor"},
    {"<<", "bitwise_left_shift"},
    {">>", "bitwise_right_shift"},
    {"&&", "logical_and"},
    {"||", "logical_or"},
    {"==", "equal"},
    {"!=", "not_equal"},
    {"<", "less"},
    {"<=", "less_equal"},
    {">", "greater"},
    {">=", "greater_equal"},
};
constexpr Operator unary_operators[] = {
    {"-", "negative"}, {"+", "positive"}, {"~", "bitwise_invert"}, {"!", "logical_not"}};
constexpr std::string_view in_place_operators[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};

constexpr std::string_view in_place_doc =
    "In place: x1 keeps its type and shape. x2 must broadcast to its shape (ShapeError). What the operator gives is "
    "converted to its type, which must be of the same kind or a later one, of bool_, unsigned, signed, real floating "
    "and complex types (DTypeError). Only x1 changes, never another array that shares its memory.";

std::string_view takes(graph::Domain domain) {
  switch (domain) {
    case graph::Domain::any: return "every type";
    case graph::Domain::numeric: return "every type but bool_";
    case graph::Domain::real: return "integers and real floating types";
    case graph::Domain::real_or_bool: return "every type but complex ones";
    case graph::Domain::floating: return "every type, integers and bool_ as default_dtype()";
    case graph::Domain::real_floating: return "every type but complex ones, integers and bool_ as default_dtype()";
    case graph::Domain::integer: return "integers";
    case graph::Domain::bits: return "integers and bool_";
    case graph::Domain::logical: return "every type";
  }
  return "";
}

std::string_view gives(const graph::OpInfo& row) {
  switch (row.result) {
    case graph::Result::boolean: return "bool_";
    case graph::Result::real: return "the same type, of complex types the type of their parts";
    case graph::Result::same: return "the same type";
  }
  return "";
}

/// The types of which every device gives the same bits.
std::string_view same_bits(const graph::OpInfo& row) {
  const bool real = graph::is_exact(row, koine::float32) || row.expressions.f == nullptr;
  const bool complex = graph::is_exact(row, koine::complex64) || row.expressions.c == nullptr;
  if (real && complex) return "all";
  if (real) return "real";
  return row.expressions.i != nullptr ? "integers" : "";
}

/// Characters, not bytes: what a line of UTF-8 takes on the screen.
std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

/// Prints text as `///` lines that keep to the column limit.
void print_comment(std::string_view text) {
  std::string line = "///";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (width(line) + 1 + width(word) > columns) {
      std::cout << line << '\n';
      line = "///";
    }
    line.append(" ").append(word);
  }
  std::cout << line << '\n';
}

void print_declaration(const graph::OpInfo& row) {
  print_comment(row.doc);
  print_comment("Takes " + std::string(takes(row.domain)) + "; gives " + std::string(gives(row)) + ".");
  std::cout << "KOINE_API Array " << row.name << (row.arity == 1 ? "(Operand x);\n" : "(Operand x1, Operand x2);\n");
}

void print_header() {
  std::cout << header_top;
  for (int i = 0; i < graph::table_size; ++i) print_declaration(graph::info(static_cast<graph::Op>(i)));
  std::cout << header_tail << '\n';
  for (const auto& [symbol, function] : unary_operators) {
    std::cout << "/// " << function << "(x)\ntemplate <detail::ArrayLike A>\nArray operator" << symbol
              << "(A&& x) {\n  return " << function << "(std::forward<A>(x));\n}\n";
  }
  for (const auto& [symbol, function] : binary_operators) {
    std::cout << "/// " << function << "(x1, x2)\ntemplate <class A, detail::OperandBeside<A> B>\nArray operator"
              << symbol << "(A&& x1, B&& x2) {\n  return " << function
              << "(std::forward<A>(x1), std::forward<B>(x2));\n}\n";
  }
  std::cout << '\n';
  print_comment(in_place_doc);
  for (const std::string_view symbol : in_place_operators) {
    std::cout << "KOINE_API Array& operator" << symbol << "(Array& x1, const Operand& x2);\n";
  }
  std::cout << "\n}  // namespace koine\n";
}

std::string_view operator_of(std::string_view function, int arity) {
  if (arity == 1) {
    for (const Operator& o : unary_operators) {
      if (o.function == function) return o.symbol;
    }
  } else {
    for (const Operator& o : binary_operators) {
      if (o.function == function) return o.symbol;
    }
  }
  return "";
}

void print_table() {
  std::cout
      << "# Element-wise operations\n\n"
         "Made by `tools/make_elementwise.cpp` from `lib/graph/ops.def`; edit those. Shapes broadcast, the types of "
         "two arrays are\npromoted to their common type, and a C++ scalar takes the array's type where its kind "
         "fits. Comparisons of integers need no\ncommon type: those of any two types, and any whole number, compare by "
         "their values. \"Same bits\" lists the types of which every device\ngives the same bits, which "
         "`koine::reproducible` promises.\n\n"
         "| function | operator | takes | gives | same bits | meaning |\n|---|---|---|---|---|---|\n";
  for (int i = 0; i < graph::table_size; ++i) {
    const graph::OpInfo& row = graph::info(static_cast<graph::Op>(i));
    const std::string symbol(operator_of(row.name, row.arity));
    std::string escaped;
    for (const char c : symbol) escaped += c == '|' ? "\\|" : std::string(1, c);
    std::cout << "| `" << row.name << (row.arity == 1 ? "(x)` | " : "(x1, x2)` | ")
              << (escaped.empty() ? "" : "`" + escaped + "`") << " | " << takes(row.domain) << " | " << gives(row)
              << " | " << same_bits(row) << " | " << row.doc << " |\n";
  }
  std::cout
      << "| `clip(x, min, max)` |  | every type but complex ones | the common type | all | Each element moved into the "
         "range from min to max, either of which may be `none`. |\n"
         "| `nan_to_num(x, {.nan, .posinf, .neginf})` |  | every type but complex ones | x's type | all | NaN and "
         "infinities replaced by numbers. |\n"
         "| `isclose(x1, x2, {.rtol, .atol, .equal_nan})` |  | every type | bool_ | real | Whether the elements of "
         "each "
         "pair are equal within a tolerance. |\n";
}

std::string_view gives(const graph::ReductionInfo& row) {
  switch (row.gives) {
    case graph::Gives::boolean: return "bool_";
    case graph::Gives::count:
    case graph::Gives::position: return "int64";
    case graph::Gives::floating: return "the same type, default_dtype() for integers and bool_";
    case graph::Gives::same: return "the same type";
    case graph::Gives::sum: return "the same type, int64 or uint64 for integers and bool_";
  }
  return "";
}

/// The result for no elements.
std::string_view of_nothing(const graph::ReductionInfo& row) {
  if (row.nothing != row.nothing) return "NaN";
  if (row.nothing < 0) return "-inf";
  const bool refuses = row.gives == graph::Gives::same || row.gives == graph::Gives::position;
  if (row.gives == graph::Gives::boolean) return row.nothing == 0 ? "false" : "true";
  return refuses ? "ValueError" : row.nothing == 0 ? "0" : "1";
}

void print_reductions() {
  std::cout << "\n## Reductions\n\n"
               "The rows of `lib/graph/reductions.def`. Values are combined in the type of the result, of float16 and "
               "bfloat16 in float32. Every device\ngives the same bits in a `koine::reproducible` scope.\n\n"
               "| function | takes | gives | of no elements | scan | meaning |\n|---|---|---|---|---|---|\n";
  for (const graph::ReduceKind kind : graph::reductions) {
    const graph::ReductionInfo& row = graph::info(kind);
    if (!row.is_public) continue;
    std::cout << "| `" << row.name << "(x, axis)` | " << takes(row.domain) << " | " << gives(row) << " | "
              << of_nothing(row) << " | " << (row.scan.empty() ? "" : "`" + std::string(row.scan) + "`") << " | "
              << row.doc << " |\n";
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view what = count == 2 ? arguments[1] : "";
  if (what == "header") {
    print_header();
  } else if (what == "table") {
    print_table();
    print_reductions();
  } else {
    std::cerr << "usage: make_elementwise header|table\n";
    return 2;
  }
}
