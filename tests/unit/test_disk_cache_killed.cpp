// SPDX-License-Identifier: Apache-2.0
// Writers of the cache's files that do not get to the end: killed in the middle, or out of room. Whoever comes after
// reads what is right or nothing, and what they left goes.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/disk_cache.hpp"
#include "support/cache_files.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
using koine::runtime::DiskCache;
using koine::test::bytes;
using koine::test::files_in;
using koine::test::read;
using koine::test::wait_for;
using Folder = koine::test::TemporaryFolder;

namespace {

std::vector<fs::path> temporary_files(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".tmp") found.push_back(entry.path());
  }
  return found;
}

/// An hour later, the next process that writes removes what is left.
void check_swept(const fs::path& folder) {
  for (const fs::path& each : temporary_files(folder)) koine::test::age(each, 3700);
  DiskCache cache({.folder = folder});
  REQUIRE(cache.write("a last one", bytes(10)));
  CHECK(temporary_files(folder).empty());
}

/// Runs `f` in a child, whose exit code it gives.
template <class F>
int in_child(F f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(f());
  return wait_for(child);
}

/// No file may grow past that; the system kills a process that tries, unless it has said that it will not hear of it.
void limit_files(std::size_t size) {
  const rlimit no_core{0, 0}, limit{size, size};
  setrlimit(RLIMIT_CORE, &no_core);
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

TEST_CASE("a writer killed after any number of bytes leaves the file as it was") {
  const Folder folder;
  DiskCache cache({.folder = folder.path()});
  REQUIRE(cache.write("one", bytes(2000, 1)));
  const std::size_t whole = fs::file_size(cache.path_of("one"));
  std::size_t killed = 0;
  for (std::size_t size = 0; size < whole; size += 97) {
    CAPTURE(size);
    CHECK(in_child([&] {
            limit_files(size);
            return cache.write("one", bytes(2000, 2)) || cache.write("two", bytes(2000, 2)) ? 1 : 0;
          }) == 1000 + SIGXFSZ);
    const auto left = temporary_files(folder.path());
    REQUIRE(left.size() == ++killed);
    CHECK(std::any_of(left.begin(), left.end(), [&](const fs::path& each) { return fs::file_size(each) == size; }));
    CHECK(read(cache, "one") == bytes(2000, 1));
    CHECK_FALSE(cache.read("two"));
  }
  check_swept(folder.path());
  CHECK(files_in(folder.path()) == 2);
  CHECK(cache.write("one", bytes(2000, 3)));
  CHECK(read(cache, "one") == bytes(2000, 3));
}

TEST_CASE("writers killed at any moment leave what is right or nothing") {
  const Folder folder;
  constexpr unsigned names = 5;
  std::vector<std::vector<unsigned char>> programs;
  for (unsigned i = 0; i < names; ++i) programs.push_back(bytes(2'000'000, i));
  const auto name = [](unsigned i) { return "program " + std::to_string(i); };
  std::mt19937 random(7);
  std::size_t in_the_middle = 0;
  const int kills = koine::test::exhaustive() ? 1000 : 40;
  int time = 0;
  for (; time < kills || (in_the_middle == 0 && time < 10 * kills); ++time) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      DiskCache cache({.folder = folder.path()});
      for (unsigned i = 0;; ++i) cache.write(name(i % names), programs[i % names]);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    kill(child, SIGKILL);
    CHECK(wait_for(child) == 1000 + SIGKILL);
    const auto left = temporary_files(folder.path());
    in_the_middle += left.size();
    for (const fs::path& each : left) fs::remove(each);  // 2 MB each
    DiskCache cache({.folder = folder.path()});
    for (unsigned i = 0; i < names; ++i) {
      const auto found = read(cache, name(i));
      if (found) CHECK(*found == programs[i]);
    }
  }
  CHECK(in_the_middle > 0);
  CHECK(files_in(folder.path()) <= names);
  MESSAGE(in_the_middle << " of " << time << " kills came in the middle of a file");
}

TEST_CASE("a full disk is done without, and nothing half stays on it") {
  const auto full = [](const fs::path& folder) {
    DiskCache cache({.folder = folder});
    if (!cache.write("small", bytes(1000))) return 2;
    if (cache.write("large", bytes(500'000))) return 3;
    if (read(cache, "small") != bytes(1000)) return 4;
    if (cache.read("large")) return 5;
    return files_in(folder) == 1 ? 0 : 6;
  };
  const Folder folder;
  const int by_limit = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    limit_files(100'000);
    return full(folder.path());
  });
  CHECK(by_limit == 0);
  const Folder place;
  constexpr int not_allowed = 100;
  const int by_disk = in_child([&] {
    // In a name space of its own, so that it is gone with the child.
    if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", place.path().c_str(), "tmpfs", 0, "size=100k,mode=700") != 0) {
      return not_allowed;
    }
    return full(place.path());
  });
  if (by_disk == not_allowed) {
    MESSAGE("left out: only root may mount a small disk");
  } else {
    CHECK(by_disk == 0);
  }
}
