// SPDX-License-Identifier: Apache-2.0
// KOINE_PROFILE: what a program did that knows nothing of it, in files when it ends.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/json.hpp"
#include "support/launches.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::Json;
using kn::test::JsonReader;

namespace {

Array floats(std::size_t count) { return kn::asarray(std::vector<float>(count, 1.5f)); }

}  // namespace

TEST_CASE("child: a program to profile" * doctest::skip()) {
  const Array x = floats(3000);
  const Array y = kn::exp(x) * 2;
  CHECK(kn::sum(y * x).item<float>() > 0);
  kn::sort(x).eval();
  (y(kn::slice(0, 5)) + x(kn::slice(0, 5))).eval();
}

TEST_CASE("KOINE_PROFILE writes what a program that knows nothing of it launched") {
  const kn::test::TemporaryFolder folder;
  const std::string path = (folder.path() / "trace-%p.json").string(), table = (folder.path() / "table.txt").string();
  const kn::test::Ended ended = kn::test::run_child(
      "child: a program to profile", {{"KOINE_PROFILE", path + ", " + table + ",-"}, {"KOINE_LOG", "launch"}});
  CAPTURE(ended.report);
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  std::filesystem::path trace;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() == ".json") trace = entry.path();
  }
  CHECK(trace.filename().string().find('%') == std::string::npos);
  std::vector<std::string> names;
  std::uint64_t uploads = 0;
  const Json read = JsonReader::read(kn::test::content(trace));
  for (const Json& event : read["traceEvents"].list) {
    if (event["ph"].text != "X") continue;
    if (event["cat"].text == "kernel") names.push_back(event["name"].text);
    if (event["cat"].text == "host to device")
      uploads += static_cast<std::uint64_t>(event["args"]["bytes written"].number);
  }
  const std::vector<std::string> expected = kn::test::launched_kernels(ended.err);
  CHECK(expected.size() >= 3);
  CHECK(names == expected);
  CHECK(uploads >= 12'000);
  const std::string written = kn::test::content(table);
  CHECK(has(written, expected.front()));
  CHECK(has(ended.err, written.substr(written.find('\n'))));
}

TEST_CASE("child: a program that forks" * doctest::skip()) {
  (floats(10) + 1).eval();
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) std::exit(0);
  CHECK(kn::test::wait_for(child) == 0);
}

TEST_CASE("of a process and the children that it forks one writes what KOINE_PROFILE asks for") {
  const kn::test::TemporaryFolder folder;
  kn::test::check_child("child: a program that forks", {{"KOINE_PROFILE", (folder.path() / "%p.json").string()}});
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 1);
}

TEST_CASE("a file that KOINE_PROFILE names and that cannot be written is told of, and the program is as it was") {
  const kn::test::Ended ended =
      kn::test::run_child("child: a program to profile", {{"KOINE_PROFILE", "/no/such/folder/trace.json"}});
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "[KOINE_PROFILE] "));
  CHECK(has(ended.err, "/no/such/folder/trace.json"));
}
