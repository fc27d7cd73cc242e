// SPDX-License-Identifier: Apache-2.0
// `koine cache`: the compiled programs on disk. prebuild.cpp makes them before a program runs for the first time.
#include <fmt/format.h>
#include <unistd.h>
#include <koine/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cache.hpp"
#include "commands.hpp"
#include "runtime/program_store.hpp"
#include "table.hpp"

namespace koine::tool {

namespace {

using base::bytes_text;
using runtime::DiskCache;

struct Options {
  std::string device;
};

/// A word of OpenCL C at the front of a text.
std::string_view word_at(std::string_view text) {
  const auto in_word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return text.substr(0, static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), in_word) - text.begin()));
}

/// The names of a program's kernels, as far as they stand in its text: "sort_rows", "sum_mul_f32".
std::string kernel_names(std::string_view source) {
  constexpr std::string_view begin = "kernel void ";
  std::string names;
  for (std::size_t at = source.find(begin); at != source.npos; at = source.find(begin, at + 1)) {
    std::string name(word_at(source.substr(at + begin.size())));
    // Generated kernels' names are macros.
    const std::string definition = "#define " + name + " ";
    if (const std::size_t defined = source.find(definition); defined != source.npos) {
      name = word_at(source.substr(defined + definition.size()));
    }
    if (names.find(name) == names.npos) names += (names.empty() ? "" : " ") + name;
  }
  return names.empty() ? "?" : names;
}

/// "3 minutes", "2 days".
std::string age_text(std::time_t seconds) {
  struct Unit {
    std::time_t seconds;
    const char* name;
  };
  for (const Unit unit : {Unit{86400, "day"}, Unit{3600, "hour"}, Unit{60, "minute"}}) {
    const std::time_t count = seconds / unit.seconds;
    if (count > 0) return fmt::format("{} {}{}", count, unit.name, count == 1 ? "" : "s");
  }
  return "now";
}

/// A program, with what it was made of.
struct Program {
  DiskCache::Entry entry;
  runtime::ProgramIdentity identity;
};

/// Those whose device has `part` in its name, case aside.
std::vector<Program> programs(const DiskCache& cache, const std::string& part) {
  std::vector<Program> found;
  for (DiskCache::Entry& each : cache.entries()) {
    const auto text = DiskCache::identity_in(each.path);
    auto identity = runtime::ProgramIdentity::parse(text.value_or(""));
    if (!identity) identity = runtime::ProgramIdentity{"?", "?", "?", "?", "damaged", "", ""};
    if (base::contains_ignoring_case(identity->device, part)) found.push_back({std::move(each), std::move(*identity)});
  }
  return found;
}

std::uint64_t bytes_of(const std::vector<Program>& listed) {
  std::uint64_t bytes = 0;
  for (const Program& each : listed) bytes += each.entry.bytes;
  return bytes;
}

void list(const Options& options) {
  const DiskCache& cache = opened_cache();
  const std::vector<Program> listed = programs(cache, options.device);
  std::vector<Row> rows{{"USED", "SIZE", "DEVICE", "DRIVER", "KOINE", "KERNELS"}};
  const std::time_t now = std::time(nullptr);
  for (auto each = listed.rbegin(); each != listed.rend(); ++each) {
    rows.push_back({age_text(now - each->entry.used.tv_sec), bytes_text(each->entry.bytes), each->identity.device,
                    each->identity.driver, each->identity.version, kernel_names(each->identity.source)});
  }
  if (!listed.empty()) print_table(rows, "rr");
  fmt::print("{}{} in {}\n", listed.empty() ? "" : "\n", count_text(listed.size()), cache.settings().folder.string());
}

void size(const Options& options) {
  const DiskCache& cache = opened_cache();
  const std::vector<Program> listed = programs(cache, options.device);
  fmt::print("{}, {} of at most {}, in {}\n", count_text(listed.size()), bytes_text(bytes_of(listed)),
             bytes_text(cache.settings().limit), cache.settings().folder.string());
}

void clear(const Options& options) {
  const DiskCache& cache = opened_cache();
  const std::vector<Program> listed = programs(cache, options.device);
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  for (const Program& each : listed) {
    if (::unlink(each.entry.path.c_str()) != 0) {
      if (errno == ENOENT) continue;  // another process has
      throw IoError("[cache] cannot remove " + each.entry.path.string() + ": " + std::strerror(errno));
    }
    bytes += each.entry.bytes;
    ++count;
  }
  cache.remove_left_over();
  fmt::print("removed {}, {}, from {}\n", count_text(count), bytes_text(bytes), cache.settings().folder.string());
}

}  // namespace

DiskCache& opened_cache() {
  DiskCache& cache = DiskCache::instance();
  if (cache.settings().folder.empty()) {
    throw ValueError("[cache] there is no folder for programs: set KOINE_CACHE_DIR, XDG_CACHE_HOME or HOME");
  }
  return cache;
}

std::string count_text(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void add_cache(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("cache", "Compiled programs on disk: list, size, clear, prebuild");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, void (*run)(const Options&)) {
    CLI::App* const each = command->add_subcommand(name, what);
    each->add_option("--device", options->device, "Only those of devices with this in their names");
    each->callback([=] { run(*options); });
  };
  add("list", "List the programs, the last used first", list);
  add("size", "How many there are, and what they take", size);
  add("clear", "Remove them; programs that run go on", clear);
  add_prebuild(*command);
}

}  // namespace koine::tool
