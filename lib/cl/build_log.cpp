// SPDX-License-Identifier: Apache-2.0
// Finds locations in logs as clang writes them, which PoCL's, AMD's, Intel's and NVIDIA's compilers are built on:
// "name:12:5: error: message", or "error: name:12:5: message".
#include "cl/build_log.hpp"

#include "base/files.hpp"
#include "base/text.hpp"
#include "koine/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace koine::cl {

namespace {

struct Location {
  std::string file;
  std::string_view message;
  std::size_t line = 0, column = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number that `text` begins with, which it loses; 0 where a number and a colon do not stand there.
std::size_t take_number(std::string_view& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length == text.size() || text[length] != ':') return 0;
  text.remove_prefix(length + 1);
  return value;
}

void drop(std::string_view& text, std::string_view prefix) {
  text = base::trim(text);
  if (text.starts_with(prefix)) text = base::trim(text.substr(prefix.size()));
}

std::optional<Location> location_in(std::string_view line) {
  if (line.find("error") == line.npos) return std::nullopt;
  for (std::size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
    if (at + 1 >= line.size() || !is_digit(line[at + 1])) continue;
    std::string_view file = line.substr(0, at);
    Location location{{}, line.substr(at + 1)};
    location.line = take_number(location.message);
    location.column = location.line > 0 ? take_number(location.message) : 0;
    if (location.column == 0) continue;
    for (const char* word : {"fatal ", "error:"}) {
      drop(file, word);
      drop(location.message, word);
    }
    location.file = file;
    return location;
  }
  return std::nullopt;
}

/// What a `#line` directive says of the lines below it.
struct Named {
  std::size_t number = 1;
  std::string file;
};

std::optional<Named> line_directive(std::string_view line) {
  line = base::trim(line);
  if (!line.starts_with("#line ")) return std::nullopt;
  line = base::trim(line.substr(6));
  Named named;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), named.number);
  if (error != std::errc()) return std::nullopt;
  const std::size_t first = line.find('"'), last = line.rfind('"');
  if (first < last) named.file = line.substr(first + 1, last - first - 1);
  return named;
}

/// The lines of a file as the compiler numbers them; the one numbered 1 is the first.
std::vector<std::string_view> lines_of(std::string_view source, std::string_view file) {
  std::vector<std::string_view> lines;
  Named now;
  for (const std::string_view line : base::split(source, '\n')) {
    if (auto directive = line_directive(line)) {
      now = *directive;
      continue;
    }
    if (now.file == file && now.number > 0 && now.number == lines.size() + 1) lines.push_back(line);
    ++now.number;
  }
  return lines;
}

/// Gives a location of the whole text the file and the number that its directives say.
void apply_directives(std::string_view source, Location& location) {
  Named now;
  std::size_t left = location.line;
  for (const std::string_view line : base::split(source, '\n')) {
    if (--left == 0) {
      if (!now.file.empty()) location.file = now.file;
      location.line = now.number;
      return;
    }
    if (auto directive = line_directive(line)) {
      now = *directive;
    } else {
      ++now.number;
    }
  }
}

/// The lines around a location.
std::string excerpt(const std::vector<std::string_view>& lines, const Location& location) {
  constexpr std::size_t around = 2;
  if (location.line > lines.size()) return {};
  const std::size_t first = location.line > around ? location.line - around : 1;
  const std::size_t last = std::min(location.line + around, lines.size());
  const std::size_t width = std::to_string(last).size();
  std::string text;
  for (std::size_t number = first; number <= last; ++number) {
    const std::string digits = std::to_string(number);
    const std::string_view line = lines[number - 1];
    text += number == location.line ? "> " : "  ";
    text += std::string(width - digits.size(), ' ') + digits + (line.empty() ? " |" : " | ") + std::string(line) + "\n";
    if (number != location.line) continue;
    // Tabs stay, so that the mark stands below its column however wide they are shown.
    std::string mark(line.substr(0, std::min(location.column - 1, line.size())));
    std::replace_if(
        mark.begin(), mark.end(), [](char c) { return c != '\t'; }, ' ');
    text += "  " + std::string(width, ' ') + " | " + mark + "^\n";
  }
  return text;
}

}  // namespace

std::string complaints(std::string_view source, std::string_view log) {
  constexpr std::size_t most = 10;
  constexpr std::string_view nvidia = "<kernel>";  // whose compiler does not follow the directives
  std::set<std::tuple<std::string, std::size_t, std::size_t>> told;
  std::string text;
  for (const std::string_view line : base::split(log, '\n')) {
    auto location = location_in(line);
    if (location && location->file == nvidia) apply_directives(source, *location);
    if (!location || !told.insert({location->file, location->line, location->column}).second) continue;
    if (told.size() > most) break;
    std::string included;
    std::vector<std::string_view> lines = lines_of(source, location->file);
    if (lines.empty()) {
      try {
        included = base::read_file(location->file, "build");
        lines = base::split(included, '\n');
      } catch (const Error&) {  // drivers give a source without a name one of their own
        lines = lines_of(source, "");
      }
    }
    text += location->file + ":" + std::to_string(location->line) + ":" + std::to_string(location->column) + ": " +
            std::string(location->message) + "\n" + excerpt(lines, *location);
  }
  return text;
}

}  // namespace koine::cl
