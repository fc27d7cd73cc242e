// SPDX-License-Identifier: Apache-2.0
// The KOINE_* variables: what a variable cannot take is an error that names it, each time a device is used, and never
// passes unnoticed.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <sched.h>

#include <cstdlib>
#include <string>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

namespace kn = koine;
using kn::test::check_child;
using kn::test::has;

TEST_CASE("child: a variable that cannot be read" * doctest::skip()) {
  const std::string name = std::getenv("KOINE_TEST_NAME"), value = std::getenv(name.c_str());
  for (int time = 0; time < 2; ++time) {
    std::string message;
    try {
      const kn::reproducible sums;
      (kn::arange(3) + 1).eval();
    } catch (const kn::Error& error) {
      CHECK((error.kind() == kn::ErrorKind::ValueError || name == "KOINE_DEVICE"));
      message = error.what();
    }
    CAPTURE(message);
    CHECK(message.starts_with("[" + name + "] "));
    CHECK(has(message, std::getenv("KOINE_TEST_WORD")));
  }
}

TEST_CASE("child: computes" * doctest::skip()) { CHECK((kn::arange(3) + 1)(2).item<int>() == 3); }

TEST_CASE("a word that a variable cannot take is an error wherever a device is used") {
  const auto refused = [](const char* name, const char* value, const char* word) {
    CAPTURE(std::string(name));
    CAPTURE(std::string(value));
    check_child("child: a variable that cannot be read",
                {{name, value}, {"KOINE_TEST_NAME", name}, {"KOINE_TEST_WORD", word}});
  };
  for (const char* name : {"KOINE_SYNC", "KOINE_REPRODUCIBLE"}) {
    for (const char* word : {"x", "2", "o n", "0ff"}) refused(name, word, word);
  }
  refused("KOINE_LOG", "weather", "\"weather\" is not a topic");
  refused("KOINE_LOG", "jit, Weather,launch", "\"Weather\" is not a topic");
  refused("KOINE_LOG", "1", "device, jit, memory or launch");
  refused("KOINE_DEVICE", "x", "x");
  refused("KOINE_DEVICE", "cpu:x:y:z", "cpu:x:y:z");
  refused("KOINE_MEMORY_LIMIT", "x", "x");
  refused("KOINE_MEMORY_LIMIT", "120%", "120%");
  refused("KOINE_CACHE", "x", "x");
  refused("KOINE_CACHE_SIZE", "x", "x");
  refused("KOINE_PROGRAM_LIMIT", "x", "x");
  refused("KOINE_MATMUL_PRECISION", "fp8",
          "\"fp8\" is no precision of float32 operands; write \"float32\", \"tf32\" or \"3xtf32\"");
  refused("KOINE_PTX", "sm_70", "\"sm_70\" is no kind of programs in PTX; write off or sm_80");
  refused("KOINE_TUNING", "/no/such/file", "No such file or directory; the variable takes the path of a file, or off");
  const kn::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tuning.txt").string();
  kn::test::put(path, "[any]\nscan_columns = none\n");
  refused("KOINE_TUNING", path.c_str(), "tuning.txt, line 2: scan_columns cannot be \"none\"; it can be 2 to 65536");
}

TEST_CASE("words that a variable can take are taken, blanks and capitals or not") {
  for (const char* word : {"1", " On ", "YES", "true", "0", "off", "No", "false", "  "}) {
    CAPTURE(std::string(word));
    check_child("child: computes", {{"KOINE_SYNC", word}, {"KOINE_REPRODUCIBLE", word}});
  }
  for (const char* word : {"jit", " Jit , launch,", "all", ","}) {
    CAPTURE(std::string(word));
    check_child("child: computes", {{"KOINE_LOG", word}});
  }
}

TEST_CASE("child: a word that only a compiler's options say" * doctest::skip()) {
  const kn::ElementwiseKernel plus("float x", "float y", "y = x + A_WORD", "plus_word");
  CHECK(plus(kn::ones({3}))(1).item<float>() == 8);
}

TEST_CASE("options for drivers' compilers reach every program") {
  check_child("child: a word that only a compiler's options say", {{"KOINE_BUILD_OPTIONS", "-DA_WORD=7"}});
}

TEST_CASE("a wrong line of a file in the usual place stops no program, and the log tells of it") {
  const kn::test::TemporaryFolder config;
  std::filesystem::create_directory(config.path() / "koine");
  kn::test::put(config.path() / "koine" / "tuning.txt", "[any]\nscan_columns = none\nitems_per_core = 4\n");
  // Blank, which counts as unset: main() would set it otherwise.
  const kn::test::Ended ended = kn::test::run_child(
      "child: computes", {{"KOINE_TUNING", " "}, {"XDG_CONFIG_HOME", config.path().string()}, {"KOINE_LOG", "device"}});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "tuning.txt, line 2: scan_columns cannot be \"none\""));
  CHECK(has(ended.err, "tuning: items_per_core = 4, says "));
}

TEST_CASE("a folder that cannot be had is done without") {
  for (const char* folder : {"/dev/null/x", "/proc/x", "/dev/null"}) {
    CAPTURE(std::string(folder));
    check_child("child: computes", {{"KOINE_CACHE_DIR", folder}, {"KOINE_DUMP_DIR", folder}});
  }
}

TEST_CASE("child: runs on one core alone" * doctest::skip()) {
  cpu_set_t cores, one;
  REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &cores)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  const char* const told = std::getenv("POCL_MAX_PTHREAD_COUNT");
  CHECK(kn::default_device().compute_units() == std::atoi(std::getenv("KOINE_TEST_UNITS")));
  CHECK(std::getenv("POCL_MAX_PTHREAD_COUNT") == told);
  CHECK((kn::arange(3) + 1)(2).item<int>() == 3);
}

TEST_CASE("PoCL has as many compute units as cores that the process may run on, or as it is told") {
  if (kn::default_device().vendor() != "pocl") return;
  constexpr const char* child = "child: runs on one core alone";
  check_child(child, {{"KOINE_TEST_UNITS", "1"}, {"POCL_MAX_PTHREAD_COUNT", ""}, {"POCL_CPU_MAX_CU_COUNT", ""}});
  check_child(child, {{"KOINE_TEST_UNITS", "3"}, {"POCL_MAX_PTHREAD_COUNT", "3"}});
}
