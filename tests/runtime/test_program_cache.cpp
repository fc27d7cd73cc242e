// SPDX-License-Identifier: Apache-2.0
// The program cache between processes: a second one compiles nothing and computes the same bits, whatever happened to
// the first or to the files. Each process is this program again, with one of the skipped cases.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <chrono>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/background.hpp"
#include "base/hash.hpp"
#include "runtime/launch.hpp"
#include "support/cache_runs.hpp"
#include "support/devices.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
namespace kn = koine;
using kn::Array;
using kn::runtime::Context;
using kn::runtime::Launch;
using kn::runtime::ProgramText;
using kn::test::append;
using kn::test::CacheFolder;
using kn::test::CacheRun;
using kn::test::content;
using kn::test::put;
using kn::test::report;
using kn::test::run;
using kn::test::start;
using kn::test::Variables;
using kn::test::wait_for;

namespace {

constexpr const char* two_kernels = R"(
kernel void reversed(global float* x, local float* part) {
  const size_t i = get_local_id(0), n = get_local_size(0);
  part[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = part[n - 1 - i] * FACTOR;
}
kernel void shifted(global float* x, float by) { x[get_global_id(0)] += by; }
)";

}  // namespace

TEST_CASE("child: a program of every kind" * doctest::skip()) {
  std::string values;
  kn::random::Generator generator(7);
  const Array u = generator.uniform({60, 50}), v = generator.normal({50, 40});
  const Array i = kn::astype(u * 1000, kn::int32);
  append<float>(values, kn::exp(-u * u) * 2.0 + 1.0);
  append<std::int32_t>(values, kn::bitwise_xor(i, 77) % 13);
  append<float>(values, kn::sum(u, {.axis = 0}));
  append<float>(values, kn::mean(u * 3, {.axis = 1}));
  append<std::int32_t>(values, kn::max(i));
  append<float>(values, kn::matmul(u, v));
  Array w = kn::zeros({60, 50});
  w(kn::slice(0, 60, 2)) = u(kn::slice(1, 60, 2));
  w(kn::all, kn::slice(10, 20)) += 1.0;
  append<float>(values, w);
  append<std::complex<float>>(values, kn::astype(u, kn::complex64) * std::complex<float>(0, 1));
  report(values);
}

TEST_CASE("child: one small program" * doctest::skip()) {
  std::string values;
  append<std::int64_t>(values, kn::arange(1000) * 3 + 1);
  report(values);
}

TEST_CASE("child: several kernels and work-group sizes of one program" * doctest::skip()) {
  Context& context = Context::of(kn::default_device());
  const auto make = [] { return ProgramText{two_kernels, "-D FACTOR=2.0f"}; };
  std::vector<float> x(4096);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const auto buffer = context.queue().allocate(x.size() * sizeof(float), "test");
  context.queue().write(*buffer, 0, x.data(), x.size() * sizeof(float));
  const auto reversed = context.kernel("test:two", make, "reversed"),
             shifted = context.kernel("test:two", make, "shifted");
  std::string values;
  // The second process runs all sizes, of which the first had run only some when it saved the program.
  const bool first = context.activity().built > 0;
  std::vector<float> expected = x, result(x.size());
  for (const std::size_t group : {std::size_t{16}, std::size_t{1}, std::size_t{64}}) {
    for (const std::size_t count : {std::size_t{64}, std::size_t{4096}}) {
      if (first && group != 16) continue;
      Launch(context.queue(), reversed).out(*buffer).local(group * sizeof(float)).run({count}, {group});
      Launch(context.queue(), shifted).out(*buffer).value(0.5f).run({count}, {group});
      const std::vector<float> before = expected;
      for (std::size_t i = 0; i < count; ++i) {
        expected[i] = before[i / group * group + (group - 1 - i % group)] * 2.0f + 0.5f;
      }
    }
  }
  context.queue().read(*buffer, 0, result.data(), result.size() * sizeof(float));
  CHECK(result == expected);
  if (result != expected) std::_Exit(9);
  report("");
}

TEST_CASE("child: builds without an end" * doctest::skip()) {
  for (int i = 0;; ++i) {
    Context& context = Context::of(kn::default_device());
    const std::string name = "test:" + std::to_string(i);
    const std::string source = "kernel void test(global int* x) { x[0] = " + std::to_string(i) + "; }";
    const auto kernel = context.kernel(name, [&] { return ProgramText{source, "", "test"}; });
    const auto x = context.queue().allocate(4, "test");
    Launch(context.queue(), kernel).out(*x).run({1}, {1});
    context.finish();
    if (i == 2) std::this_thread::sleep_for(std::chrono::milliseconds(350));  // long enough to begin to save
  }
}

TEST_CASE("child: many programs in a row" * doctest::skip()) {
  using kn::base::Background;
  const bool repeats = kn::default_device().record().traits.quirks.crashes_at_exit;
  Context& context = Context::of(kn::default_device());
  const auto run_new = [&](int i) {
    const std::string source = "kernel void test(global int* x) { x[0] = " + std::to_string(i) + "; }";
    const auto kernel = context.kernel("test:" + std::to_string(i), [&] { return ProgramText{source, "", "test"}; });
    Launch(context.queue(), kernel).out(*context.queue().allocate(4, "test")).run({1}, {1});
  };
  run_new(0);
  const int before = Background::exit_handlers();
  CHECK(before > 0);
  for (int i = 1; i < 10; ++i) run_new(i);
  // One batch, as a rule. A slow machine writes them in between, which makes one for each, and the first write of all
  // one more: but not two for each.
  CHECK(Background::exit_handlers() - before <= (repeats ? 10 : 0));
  report("");
}

TEST_CASE("child: says what is wrong with the environment" * doctest::skip()) {
  try {
    (kn::arange(10) + 1).eval();
  } catch (const kn::ValueError& error) {
    try {
      (kn::arange(10) + 1).eval();
    } catch (const kn::ValueError& again) {
      if (std::strcmp(error.what(), again.what()) == 0) put(std::getenv("KOINE_TEST_OUTPUT"), error.what());
    }
  }
}

TEST_CASE("a second process compiles nothing and computes the same bits") {
  const CacheFolder folder;
  const CacheRun first = run(folder, "child: a program of every kind");
  REQUIRE(first.status == 0);
  CHECK(first.built >= 8);
  CHECK(first.loaded == 0);
  // Programs that are made of the same text share a file.
  CHECK(folder.files().size() <= first.built);
  CHECK(folder.files().size() >= 8);
  const CacheRun second = run(folder, "child: a program of every kind");
  REQUIRE(second.status == 0);
  CHECK(second.built == 0);
  CHECK(second.loaded == first.built);
  CHECK(second.bits == first.bits);
  const CacheRun without = run(folder, "child: a program of every kind", {{"KOINE_CACHE", "off"}});
  CHECK(without.built == first.built);
  CHECK(without.loaded == 0);
  CHECK(without.bits == first.bits);
}

TEST_CASE("a loaded program runs each of its kernels with every work-group size") {
  const CacheFolder folder;
  const CacheRun first = run(folder, "child: several kernels and work-group sizes of one program");
  REQUIRE(first.status == 0);
  CHECK(first.built == 1);
  const CacheRun second = run(folder, "child: several kernels and work-group sizes of one program");
  REQUIRE(second.status == 0);
  CHECK(second.built == 0);
  CHECK(second.loaded == 1);
}

TEST_CASE("off and read-only write nothing, and read-only reads") {
  const CacheFolder folder;
  for (const char* mode : {"off", "ro"}) {
    const CacheRun result = run(folder, "child: one small program", {{"KOINE_CACHE", mode}});
    REQUIRE(result.status == 0);
    CHECK(result.built > 0);
    CHECK_FALSE(fs::exists(folder.cache()));
  }
  const CacheRun written = run(folder, "child: one small program");
  REQUIRE(folder.files().size() == written.built);
  const CacheRun read = run(folder, "child: one small program", {{"KOINE_CACHE", "ro"}});
  CHECK(read.built == 0);
  CHECK(read.bits == written.bits);
  for (const fs::path& file : folder.files()) put(file, "damaged");
  const CacheRun rebuilt = run(folder, "child: one small program", {{"KOINE_CACHE", "ro"}});
  CHECK(rebuilt.built == written.built);
  CHECK(rebuilt.bits == written.bits);
  for (const fs::path& file : folder.files()) CHECK(content(file) == "damaged");
}

TEST_CASE("a batch of writes registers for the end of the process once, and all are written") {
  const CacheFolder folder;
  const CacheRun result = run(folder, "child: many programs in a row");
  CHECK(result.status == 0);
  CHECK(result.built == 10);
  CHECK(folder.files().size() == 10);
}

TEST_CASE("damaged files, and files that the driver refuses, are built again and replaced") {
  const CacheFolder folder;
  const CacheRun first = run(folder, "child: one small program");
  REQUIRE(first.status == 0);
  REQUIRE(folder.files().size() == first.built);
  const auto replaced_after = [&] {
    const CacheRun again = run(folder, "child: one small program");
    CHECK(again.status == 0);
    CHECK(again.built == first.built);
    CHECK(again.bits == first.bits);
    const CacheRun last = run(folder, "child: one small program");
    CHECK(last.built == 0);
    CHECK(last.bits == first.bits);
  };
  for (const fs::path& file : folder.files()) {
    std::string text = content(file);
    text[text.size() * 3 / 4] ^= 1;
    put(file, text);
  }
  replaced_after();
  for (const fs::path& file : folder.files()) fs::resize_file(file, fs::file_size(file) / 2);
  replaced_after();
  if (kn::test::left_out_on("mesa", "rusticl ends the process at a binary that it does not know (22.3)")) return;
  // Whole and of the right identity, but no program: magic, checksum, two sizes, identity, payload.
  for (const fs::path& file : folder.files()) {
    std::string text = content(file);
    std::uint64_t identity_size = 0;
    std::memcpy(&identity_size, text.data() + 16, 8);
    std::string payload = "no program of any driver's, though a longer text than the shortest of their headers is";
    const std::uint64_t payload_size = payload.size();
    std::memcpy(text.data() + 24, &payload_size, 8);
    text.replace(32 + identity_size, std::string::npos, payload);
    const std::uint64_t checksum = kn::base::hash64(std::string_view(text).substr(16));
    std::memcpy(text.data() + 8, &checksum, 8);
    put(file, text);
  }
  replaced_after();
}

TEST_CASE("a process killed while it builds and writes leaves a cache that can be used") {
  const CacheFolder folder;
  const pid_t child = start(folder, "child: builds without an end");
  for (int i = 0; i < 1000 && folder.files().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(folder.files().empty());
  kill(child, SIGKILL);
  CHECK(wait_for(child) == 1000 + SIGKILL);
  const CacheRun first = run(folder, "child: one small program");
  CHECK(first.status == 0);
  const CacheRun second = run(folder, "child: one small program");
  CHECK(second.built == 0);
  CHECK(second.bits == first.bits);
}

TEST_CASE("a folder that cannot be used is done without, and the log says so once") {
  const CacheFolder folder;
  put(folder.cache(), "a file");
  const int log = open((folder.output().string() + ".log").c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600);
  REQUIRE(log >= 0);
  const int before = dup(2);
  dup2(log, 2);
  const CacheRun result = run(folder, "child: a program of every kind", {{"KOINE_LOG", "jit"}});
  dup2(before, 2);
  close(before);
  close(log);
  CHECK(result.status == 0);
  CHECK(result.built >= 8);
  const std::string text = content(folder.output().string() + ".log");
  const std::string words =
      "works without a program cache on disk: \"" + folder.cache().string() + "\" is not a folder";
  CHECK(text.find(words) != std::string::npos);
  CHECK(text.find(words) == text.rfind(words));
  CHECK(content(folder.cache()) == "a file");
}

TEST_CASE("a malformed mode or size is a ValueError each time a device is used") {
  const CacheFolder folder;
  const Variables cases = {{"KOINE_CACHE", "sometimes"}, {"KOINE_CACHE_SIZE", "10%"}};
  for (const auto& [name, value] : cases) {
    fs::remove(folder.output());
    CHECK(wait_for(start(folder, "child: says what is wrong with the environment", {{name, value}})) == 0);
    const std::string message = content(folder.output());
    CAPTURE(message);
    CHECK(message.find("[" + name + "] \"" + value + "\"") == 0);
  }
}
