// SPDX-License-Identifier: Apache-2.0
// KOINE_MONITOR: what a process tells of its memory stands in the file as memory_stats() has it, and stays there when
// the process crashes; a file that is not for us is left alone.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/memory_board.hpp"
#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
namespace kn = koine;
using kn::test::has;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

kn::Array of_mebibytes(std::int64_t count) { return kn::arange(count * (1 << 18), {.dtype = kn::float32}).eval(); }

std::vector<const kn::runtime::BoardEntry*> entries_of(const kn::runtime::Board& board) {
  std::vector<const kn::runtime::BoardEntry*> found;
  for (const auto& each : board.entries) {
    if (each.process != 0) found.push_back(&each);
  }
  return found;
}

}  // namespace

TEST_CASE("child: one MiB in use and two held and then a crash" * doctest::skip()) {
  std::optional<kn::Array> kept = of_mebibytes(1);
  { const kn::Array other = of_mebibytes(2); }
  kn::synchronize();
  const kn::MemoryStats stats = kn::memory_stats(kn::default_device());
  REQUIRE(stats.in_use == mebibyte);
  REQUIRE(stats.held == 2 * mebibyte);
  // A forked child's arrays are not its own: it tells nothing of them.
  const pid_t forked = fork();
  if (forked == 0) {
    kept.reset();
    _exit(0);
  }
  REQUIRE(kn::test::wait_for(forked) == 0);
  std::signal(SIGABRT, SIG_DFL);  // doctest's own would write a report
  std::abort();
}

TEST_CASE("child: threads that allocate" * doctest::skip()) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int j = 0; j < 50; ++j) of_mebibytes(1);
    });
  }
  for (std::thread& each : threads) each.join();
  kn::synchronize();
  const kn::MemoryStats stats = kn::memory_stats(kn::default_device());
  MESSAGE("peak ", stats.peak, " held ", stats.held, ".");
  CHECK(stats.in_use == 0);
}

TEST_CASE("a process' memory stands in the file of KOINE_MONITOR, also after a crash") {
  const kn::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "memory").string();
  const auto board = kn::runtime::make_board(path);
  CHECK(entries_of(*board).empty());

  const auto crashed =
      kn::test::run_child("child: one MiB in use and two held and then a crash", {{"KOINE_MONITOR", path}});
  CAPTURE(crashed.report);
  CHECK(crashed.status == 1000 + SIGABRT);
  REQUIRE(entries_of(*board).size() == 1);
  const auto& first = *entries_of(*board)[0];
  CHECK(first.in_use == mebibyte);
  CHECK(first.held == 2 * mebibyte);
  CHECK(first.peak == 3 * mebibyte);
  CHECK(first.peak_taken == 3 * mebibyte);
  CHECK(first.limit == kn::memory_stats(kn::default_device()).limit);
  CHECK(first.selector.data() == kn::default_device().selector());

  // The next process has an entry of its own.
  const auto threads = kn::test::run_child("child: threads that allocate", {{"KOINE_MONITOR", path}});
  CHECK(threads.status == 0);
  REQUIRE(entries_of(*board).size() == 2);
  const auto& second = *entries_of(*board)[1];
  CAPTURE(threads.report);
  CHECK(has(threads.report,
            "peak " + std::to_string(second.peak.load()) + " held " + std::to_string(second.held.load()) + "."));
  CHECK(second.process != first.process);
  CHECK(second.in_use == 0);
  CHECK(second.peak_taken >= second.peak);
  CHECK(first.in_use == mebibyte);
  CHECK(board->left_out == 0);
}

TEST_CASE("a board that is full is left as it is, and counts who found no room") {
  const kn::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "memory").string();
  const auto board = kn::runtime::make_board(path);
  for (auto& each : board->entries) each.process = 1;
  CHECK(kn::test::run_child("child: threads that allocate", {{"KOINE_MONITOR", path}}).status == 0);
  CHECK(board->left_out == 1);
  for (auto& each : board->entries) CHECK(each.peak == 0);
}

TEST_CASE("what is no board of this user's alone is not touched, and the program goes on") {
  const kn::test::TemporaryFolder folder;
  const std::string board = folder.path() / "memory", link = folder.path() / "link", text = folder.path() / "text";
  const auto mapped = kn::runtime::make_board(board);
  kn::test::put(text, "not a board");
  fs::create_symlink(board, link);
  const auto refused = [&](const std::string& path, const char* why) {
    CAPTURE(path);
    const auto ended =
        kn::test::run_child("child: threads that allocate", {{"KOINE_MONITOR", path}, {"KOINE_LOG", "memory"}});
    CHECK(ended.status == 0);
    CAPTURE(ended.err);
    CHECK(has(ended.err, why));
  };
  refused(folder.path() / "none", "[KOINE_MONITOR] cannot open ");
  refused(link, "[KOINE_MONITOR] cannot open ");
  refused(text, "was not made by `koine monitor`");
  refused("/dev/zero", "was not made by `koine monitor`");
  CHECK(kn::test::content(text) == "not a board");
  fs::permissions(board, fs::perms::group_write | fs::perms::others_write, fs::perm_options::add);
  refused(board, "was not made by `koine monitor`");
  fs::permissions(board, fs::perms::owner_read | fs::perms::owner_write);
  mapped->kind[7] = '0';
  refused(board, "is of another version");
  CHECK(entries_of(*mapped).empty());
}

TEST_CASE("a board is made for this user alone, and never over what is there") {
  const kn::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "memory").string();
  { const auto board = kn::runtime::make_board(path); }
  CHECK((fs::status(path).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK_THROWS_AS(kn::runtime::make_board(path), kn::IoError);
  CHECK_THROWS_AS(kn::runtime::make_board(folder.path() / "none/memory"), kn::IoError);
}
