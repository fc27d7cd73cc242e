// SPDX-License-Identifier: Apache-2.0
// Finds the files that a source includes without compiling it: more of them than are included does no harm, less would.
#include "api/program_text.hpp"

#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

#include <koine/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace koine {

namespace {

namespace fs = std::filesystem;

class Includes {
 public:
  explicit Includes(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  /// Every `include` that is followed by a name on its line counts, also in comments and behind conditions.
  void scan(std::string_view text, const fs::path& folder) {
    constexpr std::string_view word = "include";
    for (const std::string_view line : base::split(text, '\n')) {
      for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + word.size())) {
        const std::string_view rest = base::trim(line.substr(at + word.size()));
        const char open = rest.empty() ? '\0' : rest.front();
        const std::size_t close = rest.find(open == '<' ? '>' : '"', 1);
        if ((open == '<' || open == '"') && close != rest.npos) {
          add(fs::path(rest.substr(1, close - 1)), folder);
        } else if (base::trim(line.substr(0, at)).ends_with('#')) {
          add_all();  // a name that a macro makes
        }
      }
    }
  }

  /// A comment that says which files there are, and what is in them.
  std::string text() const {
    std::string result;
    for (const auto& [path, hash] : found_) result += "// includes " + hash + " " + printable(path) + "\n";
    return result;
  }

 private:
  static std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c == '\\'; }, '/');
    return text;
  }

  /// All files of that name count: compilers differ in where they look first.
  void add(const fs::path& name, const fs::path& folder) {
    std::error_code error;
    if (fs::is_regular_file(folder / name, error)) add_file(folder / name);
    for (const fs::path& from : folders_) {
      if (fs::is_regular_file(from / name, error)) add_file(from / name);
    }
  }

  void add_file(const fs::path& path) {
    const auto [place, added] = found_.emplace(fs::weakly_canonical(path).string(), "");
    if (!added) return;
    std::string text;
    try {
      text = base::read_file(path.string(), "Program");
      place->second = base::hash128_hex(text);
    } catch (const Error&) {  // the compiler says so, if it wants the file at all
      place->second = "nothing";
      return;
    }
    scan(text, path.parent_path());
  }

  void add_all() {
    if (all_) return;
    all_ = true;
    std::error_code error;
    for (const fs::path& folder : folders_) {
      for (fs::recursive_directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        if (each->is_regular_file(error)) add_file(each->path());
      }
    }
  }

  const std::vector<fs::path> folders_;
  std::map<std::string, std::string> found_;  // from paths to hashes
  bool all_ = false;
};

/// Words between spaces, of which those in quotes may hold some.
std::vector<std::string> words_of(std::string_view options) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  for (const char c : std::string(options) + " ") {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

/// The folders of -I among the compiler's options.
void add_folders(std::string_view options, std::vector<fs::path>& folders) {
  const std::vector<std::string> words = words_of(options);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-I" && i + 1 < words.size()) {
      folders.emplace_back(words[i + 1]);
    } else if (words[i].starts_with("-I")) {
      folders.emplace_back(words[i].substr(2));
    }
  }
}

void check(const Define& define) {
  const std::string& name = define.name();
  const auto in_name = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool valid = !name.empty() && in_name(name.front()) && name.find('\n') == name.npos;
  if (valid && define.text().find('\n') == std::string::npos) return;
  throw ValueError("[Program] \"" + name + "\" cannot be defined as \"" + define.text() +
                   "\": a macro has a name of letters, digits and _, and its text is one line");
}

/// The shortest text that reads as the number, in parentheses if it is negative.
template <class T>
std::string real_text(const std::string& name, T value, std::string_view suffix) {
  if (!std::isfinite(value)) {
    throw ValueError("[Program] \"" + name +
                     "\" cannot be defined as a number that is not finite; write INFINITY or NAN");
  }
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  text += suffix;
  return value < 0 ? "(" + text + ")" : text;
}

}  // namespace

Define::Define(std::string name, float value) : name_(std::move(name)), text_(real_text(name_, value, "f")) {}
Define::Define(std::string name, double value) : name_(std::move(name)), text_(real_text(name_, value, "")) {}
std::string Define::number(std::int64_t value) {
  const std::string text = std::to_string(value);
  return value < 0 ? "(" + text + ")" : text;
}
std::string Define::number(std::uint64_t value) { return std::to_string(value) + (value > INT64_MAX ? "UL" : ""); }

runtime::ProgramText api::program_text(std::string_view source, std::string_view name, const fs::path& folder,
                                       const ProgramOptions& options) {
  runtime::ProgramText text;
  for (const Define& define : options.defines) {
    check(define);
    text.source += "#define " + define.name() + " " + define.text() + "\n";
  }
  std::string file(name);
  std::replace_if(
      file.begin(), file.end(), [](char c) { return c < ' ' || c == '"' || c == '\\'; }, '/');
  text.source += "#line 1 \"" + file + "\"\n" + std::string(source);

  std::vector<fs::path> folders;
  // Not where nothing is included: some drivers take no folder whose path has a space in it.
  if (!folder.empty() && source.find("include") != source.npos) folders.push_back(fs::absolute(folder));
  for (const fs::path& each : options.include_folders) folders.push_back(fs::absolute(each));
  text.options = runtime::parameters_option;
  for (const fs::path& each : folders) {
    const std::string path = each.string();
    text.options += path.find(' ') == path.npos ? " -I " + path : " -I \"" + path + "\"";
  }
  add_folders(options.options, folders);
  if (!options.options.empty()) text.options += " " + options.options;
  Includes includes(folders);
  includes.scan(source, fs::current_path());
  text.source += "\n" + includes.text();
  text.about = "a program of " + file;
  text.parameters = text.users = true;
  return text;
}

}  // namespace koine
