// SPDX-License-Identifier: Apache-2.0
// KOINE_PROFILE: records the whole process, and writes what it recorded when that ends.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "base/env.hpp"
#include "base/files.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "runtime/profile_text.hpp"
#include "runtime/recorder.hpp"

namespace koine::runtime {

namespace {

struct Profile {
  std::string files;
  Recording recording{1'000'000};
  std::uint32_t generation = base::process_generation();
};
constinit Profile* profile = nullptr;  // never destroyed

std::string with_process_number(std::string path) {
  constexpr std::string_view mark = "%p";
  for (std::size_t at = 0; (at = path.find(mark, at)) != std::string::npos;) {
    path.replace(at, mark.size(), std::to_string(getpid()));
  }
  return path;
}

void write(const std::string& file) {
  if (file == "-") {
    std::fputs(table_of(profile->recording).c_str(), stderr);
  } else if (!file.empty()) {
    const bool table = file.ends_with(".txt");
    base::write_file(with_process_number(file), table ? table_of(profile->recording) : trace_of(profile->recording),
                     "KOINE_PROFILE");
  }
}

/// The last that a process asked of its devices is over then, as far as its own threads waited for it; the drivers are
/// still there. Nothing is written by the child of a fork.
void write_at_end() {
  if (profile->generation != base::process_generation()) return;
  try {
    profile->recording.stop();
  } catch (const std::exception&) {
  }
  for (const std::string_view file : base::split(profile->files, ',')) {
    try {
      write(std::string(base::trim(file)));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "koine: %s\n", error.what());
    }
  }
}

}  // namespace

void record_as_environment_says() {
  static constinit std::atomic<bool> asked{false};
  if (asked.exchange(true)) return;
  const auto files = base::env("KOINE_PROFILE");
  if (!files) return;
  profile = new Profile{*files};
  profile->recording.start();
  std::atexit(write_at_end);
}

}  // namespace koine::runtime
