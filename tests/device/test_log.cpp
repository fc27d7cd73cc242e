// SPDX-License-Identifier: Apache-2.0
// KOINE_LOG: lines on stderr about the topics that were asked for, and not a character anywhere otherwise.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::test::has;

namespace {

const char* const topics[] = {"device", "jit", "memory", "launch"};

kn::test::Ended child_with(const std::string& log) {
  const kn::test::Ended ended = kn::test::run_child("child: a program of everything", {{"KOINE_LOG", log}});
  CAPTURE(ended.report);
  CHECK(ended.status == 0);
  CHECK(ended.out == "");
  return ended;
}

bool has_topic(const kn::test::Ended& ended, const std::string& topic) {
  return ended.err.starts_with("koine " + topic + ": ") || has(ended.err, "\nkoine " + topic + ": ");
}

}  // namespace

TEST_CASE("child: a program of everything" * doctest::skip()) {
  kn::random::Generator generator(3);
  kn::Array x = kn::asarray(std::vector<float>(10'000, 1.0f)) + generator.normal({10'000});
  x(kn::slice(0, 10)) = 2;
  const kn::Array y = kn::matmul(kn::reshape(x, {100, 100}), kn::reshape(x, {100, 100}));
  CHECK(kn::sum(y).item<float>() > 0);
  std::ostringstream text;
  text << y;
  CHECK_THROWS_AS(kn::sum(y, {.axis = 5}), kn::IndexError);
  CHECK_THROWS_AS((kn::zeros({1LL << 45}) + kn::arange(1LL << 45)).eval(), kn::OutOfMemory);
  kn::synchronize();
  kn::set_memory_limit(kn::default_device(), kn::memory_stats(kn::default_device()).in_use);
}

TEST_CASE("the library prints nothing unless it is asked") {
  if (kn::test::left_out_on("mesa", "the driver prints warnings of its own compiler (22.3)")) return;
  CHECK(child_with("").err == "");
}

TEST_CASE("each topic of KOINE_LOG is on by itself") {
  for (const std::string topic : topics) {
    CAPTURE(topic);
    const kn::test::Ended ended = child_with(topic);
    for (const std::string other : topics) {
      CAPTURE(other);
      CHECK(has_topic(ended, other) == (other == topic));
    }
    CHECK(has(ended.err, kn::default_device().selector()));
  }
}

TEST_CASE("topics of KOINE_LOG go together, and \"all\" means all") {
  const kn::test::Ended two = child_with(" Memory, launch ");
  CHECK(has_topic(two, "memory"));
  CHECK(has_topic(two, "launch"));
  CHECK_FALSE(has_topic(two, "jit"));
  const kn::test::Ended every = child_with("all");
  for (const std::string topic : topics) CHECK(has_topic(every, topic));
}
