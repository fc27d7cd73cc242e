// SPDX-License-Identifier: Apache-2.0
// Reading declarations and checking OpenCL C, token by token.
#include "api/custom_text.hpp"

#include "api/build.hpp"
#include "base/dtypes.hpp"
#include "base/text.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace koine::api {
namespace {

constexpr std::size_t longest_name = 48;

struct Token {
  enum class Kind { word, number, literal, mark } kind;
  std::string_view text;
  std::size_t at;  // its first character
  bool directive;  // of a line that begins with #
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}
/// Names that the library's own kernels use.
bool is_reserved(std::string_view word) { return word.starts_with("kn_") || word.starts_with("KN_"); }

constexpr std::string_view c_words[] = {
    "auto",     "break",    "case",   "char",   "complex", "const",    "continue", "default", "do",     "double",
    "else",     "enum",     "extern", "float",  "for",     "goto",     "half",     "if",      "inline", "int",
    "long",     "register", "return", "short",  "signed",  "sizeof",   "static",   "struct",  "switch", "typedef",
    "union",    "unsigned", "void",   "while",  "bool",    "uchar",    "ushort",   "uint",    "ulong",  "size_t",
    "constant", "global",   "local",  "kernel", "private", "volatile", "restrict"};
bool is_c_word(std::string_view word) {
  return std::find(std::begin(c_words), std::end(c_words), word) != std::end(c_words);
}

/// One text, with the place of each fault.
class Reader {
 public:
  Reader(std::string_view text, std::string_view function, std::string_view what)
      : text_(text), function_(function), what_(what) {}

  [[noreturn]] void fail(std::size_t at, const std::string& sentence) const {
    const std::string_view before = text_.substr(0, at);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // 0 where there is none
    const std::string line =
        text_.find('\n') != std::string_view::npos ? "line " + std::to_string(lines + 1) + ", " : "";
    throw ValueError(prefix(function_) + std::string(what_) + " \"" + std::string(text_) + "\", " + line +
                     "character " + std::to_string(at - start + 1) + ": " + sentence);
  }

  std::vector<Token> tokens() const {
    std::vector<Token> result;
    bool line_start = true, directive = false;
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      const std::size_t next = end_of_token(at);
      if (c == '\n') {
        line_start = true;
        directive = false;
      } else if (c == '#' && line_start) {
        directive = true;
      }
      const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\';
      const bool comment = text_.substr(at, 2) == "//" || text_.substr(at, 2) == "/*";
      if (!blank && !comment) {
        line_start = false;
        using enum Token::Kind;
        const Token::Kind kind = is_letter(c)                                 ? word
                                 : is_digit(c) || (c == '.' && next > at + 1) ? number
                                 : c == '"' || c == '\''                      ? literal
                                                                              : mark;
        result.push_back({kind, text_.substr(at, next - at), at, directive});
      }
      at = next;
    }
    return result;
  }

 private:
  /// Past a comment, a literal, a word, a number, a line's end that does not end it, or one character.
  std::size_t end_of_token(std::size_t at) const {
    const char c = text_[at];
    if (text_.substr(at, 2) == "/*") {
      const std::size_t end = text_.find("*/", at + 2);
      if (end == std::string_view::npos) fail(at, "a comment begins here that does not end");
      return end + 2;
    }
    if (text_.substr(at, 2) == "//") {
      std::size_t end = text_.find('\n', at);
      while (end != std::string_view::npos && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
      return end == std::string_view::npos ? text_.size() : end;
    }
    if (c == '"' || c == '\'') {
      std::size_t end = at + 1;
      while (end < text_.size() && text_[end] != c && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
      if (end >= text_.size() || text_[end] != c) fail(at, "a literal begins here that does not end");
      return end + 1;
    }
    if (c == '\\') return std::min(at + (text_.substr(at + 1, 2) == "\r\n" ? 3 : 2), text_.size());
    const bool number = is_digit(c) || (c == '.' && at + 1 < text_.size() && is_digit(text_[at + 1]));
    if (!is_letter(c) && !number) return at + 1;
    std::size_t end = at + 1;
    const auto sign = [&] {
      const char before = static_cast<char>(text_[end - 1] | 0x20);
      return number && (text_[end] == '+' || text_[end] == '-') && (before == 'e' || before == 'p');
    };
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || (number && (text_[end] == '.' || sign())))) {
      ++end;
    }
    return end;
  }

  const std::string_view text_, function_, what_;
};

void check_brackets(const Reader& reader, const std::vector<Token>& tokens) {
  std::vector<const Token*> open;
  constexpr std::string_view opening = "([{", closing = ")]}";
  for (const Token& token : tokens) {
    if (token.directive || token.kind != Token::Kind::mark) continue;
    if (opening.find(token.text[0]) != std::string_view::npos) open.push_back(&token);
    const std::size_t which = closing.find(token.text[0]);
    if (which == std::string_view::npos) continue;
    if (open.empty()) reader.fail(token.at, "'" + std::string(token.text) + "' closes what nothing opened");
    if (open.back()->text[0] != opening[which]) {
      reader.fail(token.at, "'" + std::string(token.text) + "' stands where '" +
                                closing[opening.find(open.back()->text[0])] + "' would close the '" +
                                std::string(open.back()->text) + "' before it");
    }
    open.pop_back();
  }
  if (!open.empty()) reader.fail(open.back()->at, "'" + std::string(open.back()->text) + "' is not closed");
}

/// That every #if has its #endif; gives the macros that are defined.
std::vector<std::string> check_directives(const Reader& reader, const std::vector<Token>& tokens) {
  std::vector<std::string> macros;
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    if (!tokens[k].directive || tokens[k].text != "#" || !tokens[k + 1].directive) continue;
    const std::string_view word = tokens[k + 1].text;
    if (word == "if" || word == "ifdef" || word == "ifndef") open.push_back(tokens[k].at);
    if (word == "endif") {
      if (open.empty()) reader.fail(tokens[k].at, "#endif ends what no #if began");
      open.pop_back();
    }
    if (word == "include") reader.fail(tokens[k].at, "there are no files to include; put their text here");
    if (word == "line") reader.fail(tokens[k].at, "#line has no meaning here");
    if (word == "define" && k + 2 < tokens.size() && tokens[k + 2].directive) {
      macros.emplace_back(tokens[k + 2].text);
    }
  }
  if (!open.empty()) reader.fail(open.back(), "this has no #endif");
  return macros;
}

/// What has no meaning where an element is computed by itself, in a function that others are computed around.
void check_words(const Reader& reader, const std::vector<Token>& tokens, Form form) {
  constexpr std::array kernels = {"__kernel", "kernel", "__local", "local", "asm", "__asm"};
  constexpr std::array groups = {"barrier",         "work_group_barrier", "mem_fence",      "read_mem_fence",
                                 "write_mem_fence", "get_global_id",      "get_local_id",   "get_group_id",
                                 "get_global_size", "get_local_size",     "get_num_groups", "get_global_offset"};
  const auto among = [](const auto& list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const Token& token = tokens[k];
    if (token.kind != Token::Kind::word) continue;
    const bool member = k > 0 && (tokens[k - 1].text == "." || tokens[k - 1].text == ">");
    const std::string quoted = "'" + std::string(token.text) + "'";
    if (is_reserved(token.text)) reader.fail(token.at, quoted + " is a name of the library's own kernels");
    if (member) continue;
    if (among(groups, token.text)) {
      reader.fail(token.at, quoted +
                                " has no meaning here: elements are computed in vectors, by work-items that the "
                                "library chooses; i is the element's position");
    }
    if (among(kernels, token.text)) {
      reader.fail(token.at, quoted + " has no place in the text for one element; write a kernel of your own (Kernel)");
    }
    if (token.text == "return" && form == Form::statements) {
      reader.fail(token.at, "'return' has no place in an operation; assign the outputs under a condition");
    }
  }
}

/// Of an expression, that it is one: no statement ends in it, and no comma outside of brackets throws a part away.
void check_expression(const Reader& reader, const std::vector<Token>& tokens) {
  int depth = 0;
  for (const Token& token : tokens) {
    if (token.directive || token.kind != Token::Kind::mark) continue;
    const char c = token.text[0];
    if (c == ';' || c == '{' || c == '}') {
      reader.fail(token.at, "'" + std::string(token.text) +
                                "' has no place in an expression; put statements into a "
                                "function of the preamble");
    }
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0) reader.fail(token.at, "',' stands between two expressions; this takes one");
  }
}

/// The functions, types, variables and enumerators that definitions declare.
std::vector<std::string> declared_names(const std::vector<Token>& tokens, const std::vector<std::string>& macros) {
  std::vector<std::string> names;
  int braces = 0, parentheses = 0, enumerators = 0;  // `enumerators`: the depth of braces that an enum has opened
  const auto at = [&](std::size_t k) { return k < tokens.size() ? tokens[k].text : std::string_view(); };
  const auto add = [&](std::string_view name) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    const bool macro = std::find(macros.begin(), macros.end(), name) != macros.end();
    if (!known && !macro && !is_c_word(name) && !name.starts_with("__")) names.emplace_back(name);
  };
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const Token& token = tokens[k];
    if (token.directive) continue;
    if (token.text == "(") ++parentheses;
    if (token.text == ")") --parentheses;
    if (token.text == "{") {
      ++braces;
      if (k > 0 && (at(k - 1) == "enum" || (k > 1 && at(k - 2) == "enum"))) enumerators = braces;
    }
    if (token.text == "}" && braces-- == enumerators) enumerators = 0;
    if (token.kind != Token::Kind::word || parentheses > 0) continue;
    const std::string_view next = at(k + 1), before = k > 0 ? at(k - 1) : std::string_view();
    if (braces == 0) {
      const bool tagged = before == "struct" || before == "union" || before == "enum";
      const bool declared = !next.empty() && std::string_view("([=;,").find(next[0]) != std::string_view::npos;
      if (tagged || declared) add(token.text);
    } else if (braces == enumerators && (before == "{" || before == ",")) {
      add(token.text);
    }
  }
  return names;
}

}  // namespace

std::optional<DType> type_named(std::string_view type, std::string_view function, const std::string& place) {
  constexpr std::pair<std::string_view, DType> of_c[] = {{"char", int8},     {"short", int16},   {"int", int32},
                                                         {"long", int64},    {"uchar", uint8},   {"ushort", uint16},
                                                         {"uint", uint32},   {"ulong", uint64},  {"half", float16},
                                                         {"float", float32}, {"double", float64}};
  for (int k = 0; k < dtype_count; ++k) {
    if (base::dtype_rows[k].name == type) return static_cast<DType>(k);
  }
  for (const auto& [word, dtype] : of_c) {
    if (word == type) return dtype;
  }
  if (type.size() == 1 && type[0] >= 'A' && type[0] <= 'Z') return std::nullopt;
  throw ValueError(
      prefix(function) + place + "'" + std::string(type) +
      "' is not a type; it can be one of bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, "
      "float64, complex64 and complex128, of char, short, int, long, uchar, ushort, uint, ulong, half, "
      "float and double, or a capital letter for any");
}

std::vector<Parameter> parameters_of(std::string_view declaration, std::string_view function, std::string_view what) {
  const Reader reader(declaration, function, what);
  const std::vector<Token> tokens = reader.tokens();
  std::vector<Parameter> result;
  constexpr const char* form = "; write \"type name\" pairs with commas between them, as in \"T x, float a\"";
  const auto word = [&](std::size_t k, const std::string& expected) {
    if (k >= tokens.size()) reader.fail(declaration.size(), expected + " is missing at the end" + form);
    if (tokens[k].kind != Token::Kind::word) {
      reader.fail(tokens[k].at, "'" + std::string(tokens[k].text) + "' stands where " + expected + " does" + form);
    }
    return tokens[k].text;
  };
  for (std::size_t k = 0;; ++k) {
    const std::string_view type = word(k, "a type");
    if (type == "raw") {
      reader.fail(tokens[k].at,
                  "whole arrays ('raw') cannot be parameters: an element is computed from those at its own "
                  "place. Bring the others there with slices, roll or take, or write a Kernel");
    }
    const std::string place = std::string(what) + " \"" + std::string(declaration) + "\", character " +
                              std::to_string(tokens[k].at + 1) + ": ";
    Parameter parameter{std::string(type), type_named(type, function, place), std::string(word(k + 1, "a name"))};
    const Token& name = tokens[++k];
    const bool taken =
        std::any_of(result.begin(), result.end(), [&](const Parameter& each) { return each.name == parameter.name; });
    if (taken) reader.fail(name.at, "there are two parameters '" + parameter.name + "'");
    if (is_c_word(name.text) || is_reserved(name.text) || name.text.starts_with("__")) {
      reader.fail(name.at, "'" + parameter.name + "' cannot be the name of a parameter");
    }
    result.push_back(std::move(parameter));
    if (++k == tokens.size()) return result;
    if (tokens[k].text != ",") {
      reader.fail(tokens[k].at, "'" + std::string(tokens[k].text) + "' stands where a comma does" + form);
    }
  }
}

void require_name(std::string_view name, std::string_view function) {
  if (is_word(name) && !is_reserved(name) && name.size() <= longest_name) return;
  throw ValueError(prefix(function) + "cannot be named \"" + std::string(name) +
                   "\": a name is a word of letters, digits and underscores that begins with a letter, of at most " +
                   std::to_string(longest_name) + " characters, and does not begin with kn_");
}

UserText user_text(std::string_view text, Form form, std::string_view function, std::string_view what) {
  const std::string_view trimmed = base::trim(text);
  const Reader reader(form == Form::definitions ? text : trimmed, function, what);
  const std::vector<Token> tokens = reader.tokens();
  UserText result;
  result.text = form == Form::definitions ? text : trimmed;
  if (result.text.find('\0') != std::string::npos) {
    throw ValueError(prefix(function) + std::string(what) + " has a zero character in it");
  }
  check_brackets(reader, tokens);
  result.macros = check_directives(reader, tokens);
  check_words(reader, tokens, form);
  if (form == Form::expression) check_expression(reader, tokens);
  if (form == Form::definitions) result.names = declared_names(tokens, result.macros);
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const bool member = k > 0 && (tokens[k - 1].text == "." || tokens[k - 1].text == ">");
    if (tokens[k].kind == Token::Kind::word && !(member && tokens[k].text.size() == 1)) {
      result.words.emplace(tokens[k].text);
    }
  }
  return result;
}

}  // namespace koine::api
