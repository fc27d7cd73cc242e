// SPDX-License-Identifier: Apache-2.0
// Reading the user's file, line by line.
#include "tuning/file.hpp"

#include <algorithm>
#include <charconv>

#include "base/env.hpp"
#include "base/text.hpp"

namespace koine::tuning {

namespace {

using base::trim;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string names() {
  std::string list;
  for (const Parameter& each : parameters()) list += (list.empty() ? "" : ", ") + std::string(each.name);
  return list;
}

/// What is wrong with a line that assigns; empty where `assignment` has become it.
std::string read_assignment(std::string_view line, const Section& section, Assignment& assignment) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return quoted(line) + " is neither \"[device]\" nor \"parameter = value\"; a comment begins with #";
  }
  const std::string_view name = trim(line.substr(0, equals)), number = trim(line.substr(equals + 1));
  const Parameter* const parameter = find(name);
  if (parameter == nullptr) return quoted(name) + " is not a parameter; those that there are: " + names();
  const auto same = [&](const Assignment& each) { return each.parameter == parameter; };
  if (std::any_of(section.values.begin(), section.values.end(), same)) {
    return std::string(name) + " has a value in this section already";
  }
  std::uint64_t value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (number.empty() || error != std::errc() || stop != end || !parameter->takes(value)) {
    return std::string(name) + " cannot be " + quoted(number) + "; it can be " + parameter->range();
  }
  assignment.parameter = parameter;
  assignment.value = static_cast<std::uint32_t>(value);
  return {};
}

}  // namespace

std::vector<Section> parse(std::string_view text, const Complain& complain) {
  std::vector<Section> sections;
  bool head_is_wrong = false;
  int number = 0;
  for (const std::string_view whole : base::split(text, '\n')) {
    ++number;
    const std::string_view line = trim(whole.substr(0, whole.find('#')));
    if (line.empty()) continue;
    if (line.front() == '[') {
      head_is_wrong = line.back() != ']' || trim(line.substr(1, line.size() - 2)).empty();
      if (head_is_wrong) {
        complain(number, quoted(line) +
                             " names no device; write a selector between brackets, such as [any], [gpu] or "
                             "[nvidia:gpu:H200]");
      } else {
        sections.push_back({number, std::string(trim(line.substr(1, line.size() - 2))), {}});
      }
      continue;
    }
    if (head_is_wrong) continue;
    if (sections.empty()) {
      complain(number, quoted(line) + " stands above the first \"[device]\"; [any] means every device");
      continue;
    }
    Assignment assignment{number, nullptr, 0};
    const std::string wrong = read_assignment(line, sections.back(), assignment);
    if (wrong.empty()) {
      sections.back().values.push_back(assignment);
    } else {
      complain(number, wrong);
    }
  }
  return sections;
}

std::string usual_path() {
  // A relative XDG_CONFIG_HOME is to be ignored, says its specification.
  if (const auto config = base::env("XDG_CONFIG_HOME"); config && config->front() == '/') {
    return *config + "/koine/tuning.txt";
  }
  if (const auto home = base::env("HOME")) return *home + "/.config/koine/tuning.txt";
  return {};
}

std::optional<UserFile> file_of_environment() {
  if (const auto named = base::env("KOINE_TUNING")) {
    if (base::lower(*named) == "off") return std::nullopt;
    return UserFile{*named, true};
  }
  if (std::string usual = usual_path(); !usual.empty()) return UserFile{std::move(usual), false};
  return std::nullopt;
}

}  // namespace koine::tuning
