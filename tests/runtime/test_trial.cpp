// SPDX-License-Identifier: Apache-2.0
// Which verdicts of trials outlive the process: a program that the driver refuses, and one whose results are wrong.
// After a launch that failed the next process tries again.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdio>
#include <string>

#include "exec/trial.hpp"
#include "runtime/context.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/inner.hpp"

namespace kn = koine;

namespace {

/// What becomes of a trial; it prints a line for each time that the program runs.
void try_once(const std::string& what, const std::string& kernel) {
  kn::runtime::Context& context = kn::runtime::Context::of(kn::default_device());
  const std::string signature = "test: " + what;
  const kn::runtime::ProgramText text{"// " + what + "\n" + kernel, "", "test"};  // one verdict is kept for each text
  kn::exec::try_out(context.queue(), signature, text, [&](const kn::runtime::KernelRef&) {
    std::printf("tries %s\n", what.c_str());
    if (what == "fails") throw kn::LaunchError("[test] the device is busy");
    return what == "right";
  });
  CHECK(kn::exec::trial_verdict(context, signature) == (what == "right"));
}

}  // namespace

TEST_CASE("child: trials" * doctest::skip()) {
  const char* const kernel = "kernel void test(global int* x) { x[0] = 1; }";
  for (const char* const what : {"right", "wrong", "fails"}) try_once(what, kernel);
  try_once("refused", "this is no program");
  std::fflush(stdout);
}

TEST_CASE("verdicts are kept where they are the program's, not where a launch failed") {
  const kn::test::TemporaryFolder folder;
  const auto run = [&] {
    const kn::test::Ended ended = kn::test::run_child(
        "child: trials", {{"KOINE_CACHE", "rw"}, {"KOINE_CACHE_DIR", folder.path().string()}, {"KOINE_LOG", "jit"}});
    CAPTURE(ended.report);
    CHECK(ended.status == 0);
    return ended;
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const kn::test::Ended first = run(), second = run();
  CHECK(first.out == "tries right\ntries wrong\ntries fails\n");
  CHECK(second.out == "tries fails\n");
  CHECK(has(first.err, "does without test: refused"));
  CHECK_FALSE(has(first.err, "failed before"));
  CHECK(has(second.err, "does without test: refused"));
  CHECK(has(second.err, "failed before"));
}
