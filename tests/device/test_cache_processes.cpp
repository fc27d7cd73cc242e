// SPDX-License-Identifier: Apache-2.0
// Many processes on one program cache, some of them killed: each computes what is right, and the cache serves the next.
#include <doctest/doctest.h>
#include <signal.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/cache_runs.hpp"
#include "support/devices.hpp"
#include "support/structures.hpp"

namespace fs = std::filesystem;
namespace kn = koine;
using kn::Array;
using kn::test::CacheFolder;
using kn::test::CacheRun;
using kn::test::start;
using kn::test::structured;

namespace {

constexpr const char* case_name = "child: three programs for everybody and two of its own";

pid_t start_numbered(const CacheFolder& folder, int number) {
  return start(folder, case_name,
               {{"KOINE_TEST_NUMBER", std::to_string(number)},
                {"KOINE_TEST_OUTPUT", folder.output().string() + std::to_string(number)}});
}

CacheRun end_numbered(pid_t child, const CacheFolder& folder, int number) {
  return kn::test::end_of(child, folder.output().string() + std::to_string(number));
}

/// Only whole programs are in the folder.
void check_no_rubbish(const CacheFolder& folder) {
  for (const fs::path& file : folder.files()) {
    CAPTURE(file.string());
    CHECK(file.extension() == ".program");
  }
}

}  // namespace

TEST_CASE("child: three programs for everybody and two of its own" * doctest::skip()) {
  const unsigned number = static_cast<unsigned>(std::atoi(std::getenv("KOINE_TEST_NUMBER")));
  const Array x = kn::arange(1000).eval();
  for (const unsigned each : {2u, 3u, 4u, 64 + 2 * number, 65 + 2 * number}) {
    const auto got = structured(x, each).to_vector<std::int64_t>();
    for (std::int64_t i = 0; i < 1000; ++i) {
      if (got[static_cast<std::size_t>(i)] != structured(i, each)) std::_Exit(9);
    }
  }
  kn::test::report("");
}

TEST_CASE("eight processes that begin together on an empty cache") {
  const CacheFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) children.push_back(start_numbered(folder, i));
  std::uint64_t made = 0;
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    const CacheRun run = end_numbered(children[static_cast<std::size_t>(i)], folder, i);
    CHECK(run.status == 0);
    CHECK(run.built + run.loaded >= 5);
    made = std::max(made, run.built + run.loaded);
  }
  check_no_rubbish(folder);
  CHECK(folder.files().size() == made + 7 * 2);
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    const CacheRun again = end_numbered(start_numbered(folder, i), folder, i);
    CHECK(again.status == 0);
    CHECK(again.built == 0);
    CHECK(again.loaded == made);
  }
}

TEST_CASE("processes that begin together while the driver's own folder of programs is empty") {
  if (kn::default_device().vendor() != "pocl") {
    return kn::test::leave_out("only of PoCL is it known where that folder is");
  }
  const CacheFolder folder;
  const std::string of_driver = folder.output().string() + "-driver";
  fs::create_directory(of_driver);
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(start(folder, case_name,
                             {{"KOINE_TEST_NUMBER", "0"},
                              {"KOINE_TEST_OUTPUT", folder.output().string() + std::to_string(i)},
                              {"KOINE_CACHE", "off"},
                              {"POCL_CACHE_DIR", of_driver}}));
  }
  for (int i = 0; i < 6; ++i) {
    CAPTURE(i);
    CHECK(end_numbered(children[static_cast<std::size_t>(i)], folder, i).status == 0);
  }
}

TEST_CASE("processes killed at any moment do not disturb the others") {
  const CacheFolder folder;
  std::mt19937 random(11);
  const int rounds = kn::test::exhaustive() ? 100 : 4;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const pid_t killed = start_numbered(folder, round % 8), other = start_numbered(folder, round % 8 + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1500));
    kill(killed, SIGKILL);
    const int status = kn::test::wait_for(killed);
    CHECK((status == 1000 + SIGKILL || status == 0));
    CHECK(end_numbered(other, folder, round % 8 + 1).status == 0);
    // Cold again now and then.
    if (round % 3 == 0) {
      for (const fs::path& each : folder.files()) fs::remove(each);
    }
  }
  CHECK(end_numbered(start_numbered(folder, 3), folder, 3).status == 0);
  const CacheRun last = end_numbered(start_numbered(folder, 3), folder, 3);
  CHECK(last.status == 0);
  CHECK(last.built == 0);
}
