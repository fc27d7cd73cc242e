// SPDX-License-Identifier: Apache-2.0
// One file for each text and device that it was used on.
#include "runtime/program_dump.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/env.hpp"
#include "base/files.hpp"
#include "base/first_use.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "koine/version.hpp"

namespace koine::runtime {

namespace {

namespace fs = std::filesystem;

/// Empty: nothing is dumped. Relative paths mean where the process was when it made its first program.
const fs::path& folder() {
  static constinit base::FirstUse<const fs::path> path;
  return path.get([] {
    const auto name = base::env("KOINE_DUMP_DIR");
    return name ? fs::absolute(*name) : fs::path();
  });
}

constexpr std::string_view with_options = "options: ";
std::string written_for() { return "Koine " + std::string(version()) + " for "; }

/// One line of a comment, whatever a driver named its device: a backslash at its end would swallow the next line.
std::string comment(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
  line.erase(line.find_last_not_of(" \\") + 1);
  return "// " + line + "\n";
}

/// What a program was built with beside the options that the library adds on the device; none if these are others.
std::optional<std::string> own_options(std::string_view all, const DeviceTraits& traits) {
  // Which ones it adds depends on the own ones, so these are found by trying each end of the text.
  for (std::size_t begin = 0;;) {
    const std::string own(all.substr(begin));
    if (cl::build_options(traits, own) == all) return own;
    if (begin == all.size()) return std::nullopt;
    begin = std::min(all.find(' ', begin), all.size() - 1) + 1;
  }
}

}  // namespace

std::optional<ProgramText> dumped_program(std::string_view file, const DeviceTraits& traits) {
  const std::size_t first = file.find('\n'), second = first == file.npos ? first : file.find('\n', first + 1);
  if (second == file.npos) return std::nullopt;
  const std::string_view who = file.substr(0, first);
  const std::string_view options = file.substr(first + 1, second - first - 1);
  // The selector between these two may have another index in another machine.
  const std::string beginning = "// " + written_for(),
                    name = ", " + std::string(base::trim(comment(traits.name).substr(3)));
  if (!who.starts_with(beginning) || !who.ends_with(name)) return std::nullopt;
  const std::string mark = "// " + std::string(with_options);
  if (!options.starts_with(mark)) return std::nullopt;
  const auto own = own_options(options.substr(mark.size()), traits);
  if (!own) return std::nullopt;
  ProgramText text{std::string(file.substr(second + 1)), *own};
  text.parameters = text.users = own->find(parameters_option) != options.npos;
  return text;
}

void dump_program(const DeviceTraits& traits, const ProgramText& text) noexcept {
  try {
    if (folder().empty()) return;
    const std::string file =
        comment(written_for() + traits.selector + ", " + traits.name) +
        (text.assembly ? "" : comment(std::string(with_options) + cl::build_options(traits, text.options))) +
        text.source;
    const fs::path path = folder() / (base::hash128_hex(file) + (text.assembly ? ".ptx" : ".cl"));
    if (fs::exists(path)) return;
    fs::create_directories(folder());
    base::replace_file(path, file, "KOINE_DUMP_DIR");
  } catch (const std::exception& error) {
    base::log_line(base::LogTopic::jit, std::string("did not dump a program: ") + error.what());
  }
}

}  // namespace koine::runtime
