// SPDX-License-Identifier: Apache-2.0
// A program of the user's that was compiled ahead from its dumped text is found on the disk, with what is known of its
// kernels' parameters.
#include <doctest/doctest.h>
#include <koine/kernel.hpp>
#include <koine/koine.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/context.hpp"
#include "runtime/program_dump.hpp"
#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/files.hpp"

namespace fs = std::filesystem;
namespace kn = koine;
using kn::test::has;

TEST_CASE("child: a program of the user's" * doctest::skip()) {
  const kn::Program program("__kernel void scale(__global int* x, int by) { x[get_global_id(0)] *= by * STEP; }",
                            {.defines = {{"STEP", 2}}});
  kn::Array x = kn::arange(4, {.dtype = kn::int32}), wrong = kn::arange(4, {.dtype = kn::float32});
  const kn::Kernel scale = program.kernel("scale");
  scale({4}, x, 3);
  CHECK(x.to_vector<int>() == std::vector<int>{0, 6, 12, 18});
  CHECK_THROWS_AS(scale({4}, wrong, 3), kn::DTypeError);
}

TEST_CASE("child: what lies in the folder of KOINE_TEST_DUMP is compiled ahead" * doctest::skip()) {
  kn::runtime::Context& context = kn::runtime::Context::of(kn::default_device());
  int programs = 0;
  for (const auto& file : fs::directory_iterator(std::getenv("KOINE_TEST_DUMP"))) {
    const auto text = kn::runtime::dumped_program(kn::test::content(file.path()), context.traits());
    REQUIRE(text);
    CHECK(context.keep_on_disk(*text));
    CHECK(context.keep_on_disk(*text));  // once is enough
    ++programs;
  }
  CHECK(programs >= 1);
  CHECK(context.activity().built == static_cast<std::uint64_t>(programs));
}

TEST_CASE("a program that was compiled ahead is loaded, and knows its parameters") {
  const kn::test::TemporaryFolder folder;
  const std::string dump = folder.path() / "dump", cache = folder.path() / "cache";
  const std::string program = "child: a program of the user's";
  kn::test::check_child(program, {{"KOINE_DUMP_DIR", dump}, {"KOINE_CACHE", "off"}});
  kn::test::check_child("child: what lies in the folder of KOINE_TEST_DUMP is compiled ahead",
                        {{"KOINE_TEST_DUMP", dump}, {"KOINE_CACHE", "rw"}, {"KOINE_CACHE_DIR", cache}});
  const auto ended =
      kn::test::run_child(program, {{"KOINE_CACHE", "rw"}, {"KOINE_CACHE_DIR", cache}, {"KOINE_LOG", "jit"}});
  CAPTURE(ended.report);
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "koine jit: loaded "));
  CHECK_FALSE(has(ended.err, "koine jit: built "));
}
