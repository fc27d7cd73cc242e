// SPDX-License-Identifier: Apache-2.0
// KOINE_LOG: lines on stderr about the topics that were asked for, and not a character anywhere otherwise.
#include <doctest/doctest.h>
#include <koine/caller.hpp>
#include <koine/koine.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/launches.hpp"

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
    CHECK(has(ended.err, ", which is elementwise KN_W=") == (topic == "jit"));
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

TEST_CASE("child: work that names who asks" * doctest::skip()) {
  const kn::Array x = kn::asarray(std::vector<float>(10'000, 0.5f)), y = x + 1, z = x * 3;
  CHECK(kn::CallerScope::wanted());
  {
    const kn::CallerScope outer("first.py:7");
    y.eval();
    {
      const kn::CallerScope inner("second.py:8");
      z.eval();
    }
    (x - 2).eval();
  }
  (x / 2).eval();
}

TEST_CASE("lines name who asked, the innermost scope, and nobody behind it") {
  const std::string name = "child: work that names who asks";
  const kn::test::Ended ended = kn::test::run_child(name, {{"KOINE_LOG", "launch"}});
  CAPTURE(ended.report);
  CHECK(ended.status == 0);
  std::vector<std::string> askers;
  std::istringstream lines(ended.err);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(", asked by ");
    askers.push_back(at == std::string::npos ? "" : line.substr(at + 11));
  }
  CHECK(askers == std::vector<std::string>{"first.py:7", "second.py:8", "first.py:7", ""});
  CHECK_FALSE(kn::CallerScope::wanted());
}

TEST_CASE("child: kernels of many names" * doctest::skip()) {
  const kn::Array x = kn::asarray(std::vector<float>(100, 0.5f)), y = kn::asarray(std::vector<float>(100, 2.0f));
  const kn::Array places = kn::asarray(std::vector<std::int64_t>{3, 1});
  const kn::Array long_row = kn::asarray(std::vector<float>(1 << 22, 1.0f));
  kn::ones({100}).eval();
  kn::arange(100).eval();
  kn::concat({x, y}).eval();
  (x * 2 + 1).eval();
  kn::where(x < y, -x, kn::maximum(x / y, y - 1)).eval();
  kn::astype(x, kn::int32).eval();
  kn::sum(kn::exp(x * y)).eval();
  kn::mean(kn::exp(-x * x) * 2.0 + 1.0).eval();
  // Operations past what a name holds.
  kn::Array z = x;
  for (int i = 0; i < 10; ++i) z = z * x + y;
  z.eval();
  // Several results of one kernel, of which the first gives the type.
  const kn::Array sum = x + y, less = kn::sqrt(x) < y;
  kn::eval(sum, less);
  const kn::Array total = kn::sum(long_row), largest = kn::max(long_row);
  kn::eval(total, largest);
  // Passes that leave or take what no result is.
  kn::mean(long_row).eval();
  kn::var(long_row).eval();
  kn::cumulative_sum(kn::abs(long_row)).eval();
  kn::take(x, places).eval();
  (kn::take(x, places) * 2).eval();
  z(places) = x(kn::slice(0, 2));
  z.eval();
  kn::searchsorted(x, y).eval();
  kn::sort(x).eval();
  kn::segment_sum(x(kn::slice(0, 2)).eval(), places, {.count = 4}).eval();
  kn::random::Generator(1).normal({10}).eval();
  // Operations of users' own.
  const kn::ElementwiseKernel saxpy("T x, T y, float a", "T z", "z = a * x + y", "saxpy");
  (saxpy(x * 2, y, 3.0f) + 1).eval();
  const kn::ReductionKernel norm("T x", "T y", {.map = "x * x", .combine = "a + b", .identity = "0"}, "norm");
  norm(x).eval();
  kn::ScanKernel("T x", "T y", {.combine = "a + b", .identity = "0"}, "sums")(-x).eval();
}

TEST_CASE("kernels are named by what they do") {
  const kn::test::Ended ended = kn::test::run_child("child: kernels of many names", {{"KOINE_LOG", "launch"}});
  CAPTURE(ended.report);
  CHECK(ended.status == 0);
  const bool card = !kn::test::facts_of().cpu_loops;
  std::vector<std::string> expected = {"fill_f32",
                                       "iota_i64",
                                       "copy_u32",
                                       "add_mul_f32",
                                       "where_less_neg_max_div_sub_f32",
                                       "cast_i32",
                                       "sum_exp_mul_f32",
                                       "mean_add_mul_exp_mul_neg_f32",
                                       "add_mul_add_mul_add_mul_add_mul_add_and_11_f32",
                                       "less_sqrt_add_f32",
                                       "sum_max_f32_blocks",
                                       "sum_max_f32_rest",
                                       "mean_f32_blocks",
                                       "mean_f32",
                                       "var_f32_blocks",
                                       "var_f32_rest",
                                       "cumulative_sum_abs_f32_blocks",
                                       "cumulative_sum_f32",
                                       "cumulative_sum_abs_f32_rest",
                                       "take",
                                       "mul_take_f32",
                                       "scatter_take_u32_claims",
                                       "scatter_take_u32",
                                       "searchsorted",
                                       "sort_rows",
                                       "scatter_reduce_largest",
                                       "scatter_reduce_join",
                                       "scatter_reduce_total",
                                       "scatter_reduce_finish",
                                       "random_normal",
                                       "add_saxpy_mul_f32",
                                       "norm_map_f32",
                                       "sums_neg_f32"};
  if (card) {
    // One group does all of these.
    std::erase(expected, "scatter_take_u32_claims");
    std::erase_if(expected, [](const std::string& name) { return name.starts_with("scatter_reduce_"); });
    expected.insert(std::find(expected.begin(), expected.end(), "random_normal"), "scatter_reduce_at_once");
  }
  CHECK(kn::test::launched_kernels(ended.err) == expected);
}
