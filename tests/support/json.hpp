// SPDX-License-Identifier: Apache-2.0
// A reader of JSON as RFC 8259 has it, which takes nothing else: for what the library writes.
#pragma once

#include <cctype>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace koine::test {

struct Json {
  enum class Kind { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  double number = 0;  ///< 0 or 1 of a boolean
  std::string text;
  std::vector<Json> list;
  std::map<std::string, Json> object;

  const Json& operator[](const std::string& name) const {
    const auto found = object.find(name);
    if (found == object.end()) throw std::runtime_error("no member \"" + name + "\"");
    return found->second;
  }
  bool has(const std::string& name) const { return object.contains(name); }
};

class JsonReader {
 public:
  /// Throws std::runtime_error, with the place, for what is no JSON.
  static Json read(std::string_view text) {
    JsonReader reader(text);
    const Json value = reader.value();
    reader.blanks();
    if (reader.at_ != text.size()) reader.fail("the end");
    return value;
  }

 private:
  explicit JsonReader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error("expected " + expected + " at \"" + std::string(text_.substr(at_, 40)) + "\"");
  }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Json value() {
    blanks();
    Json result;
    if (take("null")) return result;
    if (next() == 't' || next() == 'f') {
      result.kind = Json::Kind::boolean;
      result.number = take("true") ? 1 : 0;
      if (result.number == 0 && !take("false")) fail("true or false");
    } else if (next() == '"') {
      result.kind = Json::Kind::text;
      result.text = text();
    } else if (take("[")) {
      result.kind = Json::Kind::list;
      each("]", [&] { result.list.push_back(value()); });
    } else if (take("{")) {
      result.kind = Json::Kind::object;
      each("}", [&] {
        blanks();
        const std::string name = text();
        blanks();
        if (!take(":")) fail("a colon");
        if (!result.object.emplace(name, value()).second) fail("another name than \"" + name + "\"");
      });
    } else {
      result.kind = Json::Kind::number;
      result.number = digits();
    }
    return result;
  }

  template <class F>
  void each(std::string_view end, F one) {
    blanks();
    if (take(end)) return;
    do {
      one();
      blanks();
    } while (take(","));
    if (!take(end)) fail(std::string(end));
  }

  std::string text() {
    if (!take("\"")) fail("a string");
    std::string result;
    while (!take("\"")) {
      const char c = next();
      if (static_cast<unsigned char>(c) < 0x20) fail("no control character");
      ++at_;
      if (c != '\\') {
        result += c;
      } else if (take("u")) {
        const std::string code(text_.substr(at_, 4));
        char* end = nullptr;
        const long number = std::strtol(code.c_str(), &end, 16);
        if (code.size() != 4 || *end != '\0') fail("four digits");
        at_ += 4;
        result += static_cast<char>(number);  // none above 0x1f is written so
      } else {
        constexpr std::string_view marks = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const std::size_t which = marks.find(next());
        if (which == std::string_view::npos || next() == '\0') fail("an escape");
        result += meanings[which];
        ++at_;
      }
    }
    return result;
  }

  double digits() {
    const std::size_t begin = at_;
    const auto run = [&] {
      if (std::isdigit(static_cast<unsigned char>(next())) == 0) fail("a digit");
      while (std::isdigit(static_cast<unsigned char>(next())) != 0) ++at_;
    };
    take("-");
    if (!take("0")) run();
    if (take(".")) run();
    if (take("e") || take("E")) {
      if (!take("-")) take("+");
      run();
    }
    return std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace koine::test
