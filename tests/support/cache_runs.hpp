// SPDX-License-Identifier: Apache-2.0
// Processes that share a program cache of their own: each runs a skipped case of this test program, and leaves its
// counts and a hash of its values. For tests that link the library's internals.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>
#include <koine/array.hpp>
#include <koine/device.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/child.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"

namespace koine::test {

/// A folder for one test, which becomes the cache of the processes that it starts.
class CacheFolder {
 public:
  std::filesystem::path cache() const { return folder_.path() / "cache"; }
  std::filesystem::path output() const { return folder_.path() / "output"; }
  std::vector<std::filesystem::path> files() const {
    std::error_code none;
    const std::filesystem::directory_iterator begin(cache(), none);
    std::vector<std::filesystem::path> result;
    if (!none) {
      for (const auto& entry : begin) result.push_back(entry.path());
    }
    return result;
  }

 private:
  TemporaryFolder folder_;
};

using Variables = std::map<std::string, std::string>;

/// Starts a skipped case of this program with a cache of its own; its output goes to the folder's file.
inline pid_t start(const CacheFolder& folder, const std::string& name, Variables variables = {}) {
  variables.try_emplace("KOINE_CACHE_DIR", folder.cache().string());
  variables.try_emplace("KOINE_CACHE", "rw");
  variables.try_emplace("KOINE_TEST_OUTPUT", folder.output().string());
  std::vector<std::string> environment;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string line = *each;
    if (!variables.contains(line.substr(0, line.find('=')))) environment.push_back(line);
  }
  for (const auto& [key, value] : variables) environment.push_back(key + "=" + value);
  std::vector<char*> pointers;
  for (std::string& each : environment) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  std::string filter = "--test-case=" + name;
  std::string self = own_program(), no_skip = "--no-skip";
  char* arguments[] = {self.data(), no_skip.data(), filter.data(), nullptr};
  // The children's reports would be counted as this process' own.
  posix_spawn_file_actions_t actions;
  REQUIRE(posix_spawn_file_actions_init(&actions) == 0);
  REQUIRE(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0);
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, self.c_str(), &actions, nullptr, arguments, pointers.data()) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

struct CacheRun {
  int status = -1;
  std::uint64_t built = 0, loaded = 0;
  std::string bits;
};

/// Waits for a child, and reads what it left in its output.
inline CacheRun end_of(pid_t child, const std::filesystem::path& output) {
  CacheRun result;
  result.status = wait_for(child);
  std::ifstream(output) >> result.built >> result.loaded >> result.bits;
  return result;
}

inline CacheRun run(const CacheFolder& folder, const std::string& name, Variables variables = {}) {
  std::filesystem::remove(folder.output());
  return end_of(start(folder, name, std::move(variables)), folder.output());
}

/// What a child leaves for run(): its counts, and its values as a hash.
inline void report(const std::string& values) {
  const Activity activity = activity_of();
  std::ofstream(std::getenv("KOINE_TEST_OUTPUT"))
      << activity.built << ' ' << activity.loaded << ' ' << hash128_hex(values) << '\n';
}

template <class T>
void append(std::string& values, const Array& x) {
  const auto vector = x.to_vector<T>();
  values.append(reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(T));
}

}  // namespace koine::test
