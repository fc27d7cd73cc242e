// SPDX-License-Identifier: Apache-2.0
// What the tests of the files of compiled programs share.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/disk_cache.hpp"

namespace koine::test {

/// What a program may look like: of any size, and different for each seed.
inline std::vector<unsigned char> bytes(std::size_t size, unsigned seed = 1) {
  std::vector<unsigned char> result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<unsigned char>((i * 31 + seed) >> (i % 3));
  return result;
}

/// What is there under an identity.
inline std::optional<std::vector<unsigned char>> read(runtime::DiskCache& cache, std::string_view identity) {
  const auto found = cache.read(identity);
  if (!found) return std::nullopt;
  return std::vector<unsigned char>(found->payload().begin(), found->payload().end());
}

/// As if it had been written so long ago.
inline void age(const std::filesystem::path& path, std::time_t seconds) {
  const timespec then{std::time(nullptr) - seconds, 0}, times[2] = {then, then};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

inline std::size_t files_in(const std::filesystem::path& path) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
}

}  // namespace koine::test
