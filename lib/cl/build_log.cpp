// SPDX-License-Identifier: Apache-2.0
// Finds places in logs as clang writes them, which PoCL's, AMD's, Intel's and NVIDIA's compilers are built on:
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

struct Place {
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

std::optional<Place> place_in(std::string_view line) {
  if (line.find("error") == line.npos) return std::nullopt;
  for (std::size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
    if (at + 1 >= line.size() || !is_digit(line[at + 1])) continue;
    std::string_view file = line.substr(0, at);
    Place place{{}, line.substr(at + 1)};
    place.line = take_number(place.message);
    place.column = place.line > 0 ? take_number(place.message) : 0;
    if (place.column == 0) continue;
    for (const char* word : {"fatal ", "error:"}) {
      drop(file, word);
      drop(place.message, word);
    }
    place.file = file;
    return place;
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

/// Gives a place of the whole text the file and the number that its directives say.
void apply_directives(std::string_view source, Place& place) {
  Named now;
  std::size_t left = place.line;
  for (const std::string_view line : base::split(source, '\n')) {
    if (--left == 0) {
      if (!now.file.empty()) place.file = now.file;
      place.line = now.number;
      return;
    }
    if (auto directive = line_directive(line)) {
      now = *directive;
    } else {
      ++now.number;
    }
  }
}

/// The lines around a place.
std::string excerpt(const std::vector<std::string_view>& lines, const Place& place) {
  constexpr std::size_t around = 2;
  if (place.line > lines.size()) return {};
  const std::size_t first = place.line > around ? place.line - around : 1;
  const std::size_t last = std::min(place.line + around, lines.size());
  const std::size_t width = std::to_string(last).size();
  std::string text;
  for (std::size_t number = first; number <= last; ++number) {
    const std::string digits = std::to_string(number);
    const std::string_view line = lines[number - 1];
    text += number == place.line ? "> " : "  ";
    text += std::string(width - digits.size(), ' ') + digits + (line.empty() ? " |" : " | ") + std::string(line) + "\n";
    if (number != place.line) continue;
    // Tabs stay, so that the mark stands below its column however wide they are shown.
    std::string mark(line.substr(0, std::min(place.column - 1, line.size())));
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
    auto place = place_in(line);
    if (place && place->file == nvidia) apply_directives(source, *place);
    if (!place || !told.insert({place->file, place->line, place->column}).second) continue;
    if (told.size() > most) break;
    std::string included;
    std::vector<std::string_view> lines = lines_of(source, place->file);
    if (lines.empty()) {
      try {
        included = base::read_file(place->file, "build");
        lines = base::split(included, '\n');
      } catch (const Error&) {  // drivers give a source without a name one of their own
        lines = lines_of(source, "");
      }
    }
    text += place->file + ":" + std::to_string(place->line) + ":" + std::to_string(place->column) + ": " +
            std::string(place->message) + "\n" + excerpt(lines, *place);
  }
  return text;
}

}  // namespace koine::cl
