// SPDX-License-Identifier: Apache-2.0
// Where the driver keeps compiled programs itself, Koine writes them only if somebody asks for that.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include "runtime/context.hpp"
#include "support/cache_runs.hpp"

namespace kn = koine;
using kn::test::CacheFolder;
using kn::test::CacheRun;
using kn::test::run;

TEST_CASE("child: a program that the driver may keep" * doctest::skip()) {
  std::string values;
  kn::test::append<std::int64_t>(values, kn::arange(200'000) * 5 - 1);
  kn::test::report(values);
}

TEST_CASE("programs that the driver keeps are written where KOINE_CACHE asks for it") {
  const std::string child = "child: a program that the driver may keep";
  const bool kept = kn::runtime::Context::of(kn::default_device()).traits().keeps_programs;
  const CacheFolder unasked, asked, alone;
  CHECK(run(unasked, child, {{"KOINE_CACHE", ""}}).built > 0);
  CHECK(unasked.files().empty() == kept);
  CHECK(run(asked, child, {{"KOINE_CACHE", "rw"}}).built > 0);
  CHECK_FALSE(asked.files().empty());
  CHECK(run(asked, child, {{"KOINE_CACHE", ""}}).loaded > 0);  // what is there is read
  CHECK(run(alone, child, {{"KOINE_CACHE", ""}, {"POCL_KERNEL_CACHE", "0"}}).built > 0);
  CHECK_FALSE(alone.files().empty());
}
