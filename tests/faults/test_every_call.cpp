// SPDX-License-Identifier: Apache-2.0
// A small program of everything in which each OpenCL call fails in its turn, once or from then on: every step ends well
// or in a koine::Error, gives the right values when it is tried again, and nothing leaks.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/files.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::always;
using kn::test::fail_layer;
using kn::test::Failing;

namespace {

using Values = std::vector<float>;

constexpr int allocation_failure = -4, out_of_resources = -5, out_of_host_memory = -6, build_failure = -11;

/// The steps of the program. Each may be tried again after it failed, and says whether its values are right.
class Steps {
 public:
  /// With a second queue every other step goes there, and reads what the ones before made on the first.
  explicit Steps(const Values& random, std::optional<kn::Queue> second = {})
      : random_(random), second_(std::move(second)) {
    std::iota(first_.begin(), first_.end(), 0.0f);
    steps_ = {
        [this] {
          a_ = kn::asarray(first_);
          return same(a_, first_);
        },
        [this] {
          b_ = a_ * 2 + 1;
          return same(b_, doubled());
        },
        [this] { return kn::sum(b_).item<float>() == 10'000.0f; },
        [this] {
          // More than one pass, and of positions.
          return kn::argmax(kn::reshape(b_, {2, 50}), {.axis = 1}).to_vector<std::int64_t>() ==
                 std::vector<std::int64_t>{49, 49};
        },
        [this] {
          // Row i times column j: the sum of (10 i + k) (20 k + 2 j + 1) over k.
          Values expected;
          for (int i = 0; i < 10; ++i) {
            for (int j = 0; j < 10; ++j) {
              int sum = 0;
              for (int k = 0; k < 10; ++k) sum += (10 * i + k) * (20 * k + 2 * j + 1);
              expected.push_back(static_cast<float>(sum));
            }
          }
          return same(kn::matmul(kn::reshape(a_, {10, 10}), kn::reshape(b_, {10, 10})), expected);
        },
        [this] {
          // One number each time: what was drawn belongs to the array, not to its evaluation.
          if (drawn_.size() == 1) drawn_ = generator_.uniform({100});
          return same(drawn_, random_);
        },
        [this] {
          b_(slice(10, 20)) = -1;
          return true;
        },
        [this] { return same(b_, assigned()); },
        [this] {
          b_(slice(0, 5)) = b_(slice(5, 10));
          return true;
        },
        [this] {
          Values expected = assigned();
          std::copy_n(expected.begin() + 5, 5, expected.begin());
          return same(b_, expected) && same(a_, first_);
        },
        [this] { return same(a_(slice(kn::none, kn::none, -1)).astype(kn::int64).astype(kn::float32), reversed()); },
        [this] {
          // Memory that two arrays share: the one that is written gets a copy.
          copy_ = b_;
          copy_(50) = 9;
          Values expected = b_.to_vector<float>(), changed = expected;
          changed[50] = 9;
          return expected[50] == 101 && same(copy_, changed);
        },
        [this] {
          // Several results at once, of several kernels.
          const Array x = a_ - 1, y = kn::max(b_), z = kn::matmul(a_, a_),
                      none_there = kn::matmul(kn::ones({3, 0}), kn::ones({0, 2}));
          kn::eval(x, y, z, none_there);
          return x(3).item<float>() == 2 && y.item<float>() == 199 && z.item<float>() == 328'350 &&
                 same(none_there, Values(6, 0.0f));
        },
        [this] {
          std::ostringstream text;
          text << a_(slice(0, 3));
          return text.str() == "[0., 1., 2.]";
        },
        [] {
          kn::synchronize();
          return true;
        },
    };
  }

  /// Takes all steps. After one that fails come `recover`, and the same step again. Returns what went wrong.
  std::string run(const std::function<void()>& recover, int most_attempts = 5) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::optional<kn::QueueScope> scope;
      if (second_ && i % 2 == 1) scope.emplace(*second_);
      std::string text;
      for (int time = 0; time < most_attempts; ++time) {
        try {
          if (!steps_[i]())
            return "step " + std::to_string(i) + " gave wrong values at attempt " + std::to_string(time);
          text.clear();
          break;
        } catch (const kn::Error& error) {
          text = error.what();
        }
        if (!text.starts_with("[") || text.find("] ") == text.npos) return "no sentence: " + text;
        recover();
      }
      if (!text.empty()) return "step " + std::to_string(i) + " failed again and again: " + text;
    }
    return "";
  }

 private:
  static bool same(const Array& x, const Values& values) { return x.to_vector<float>() == values; }
  Values doubled() const {
    Values values;
    for (const float x : first_) values.push_back(2 * x + 1);
    return values;
  }
  Values assigned() const {
    Values values = doubled();
    std::fill(values.begin() + 10, values.begin() + 20, -1.0f);
    return values;
  }
  Values reversed() const { return Values(first_.rbegin(), first_.rend()); }

  Values first_ = Values(100), random_;
  std::optional<kn::Queue> second_;
  Array a_, b_, copy_, drawn_ = kn::zeros({1});
  kn::random::Generator generator_{7};
  std::vector<std::function<bool()>> steps_;
};

/// The random numbers of the program, drawn while nothing fails.
Values random_values() { return kn::random::Generator(7).uniform({100}).to_vector<float>(); }

/// Releases what the pool holds, so that the next allocations reach the driver.
void empty_pool() {
  kn::synchronize();
  const kn::Device device = kn::default_device();
  const kn::MemoryStats stats = kn::memory_stats(device);
  kn::set_memory_limit(device, stats.in_use);
  kn::set_memory_limit(device, stats.limit);
}

/// The program, again and again, until each call of each function has failed.
void check_each_call(const std::optional<kn::Queue>& second = {}) {
  const Values random = random_values();
  const auto run = [&] { return Steps(random, second).run(fail_layer().stop); };
  CHECK(run() == "");
  empty_pool();
  const std::uint64_t in_use = kn::memory_stats(kn::default_device()).in_use;
  const std::uint64_t objects = fail_layer().memory().objects;
  int runs = 0;
  for (const char* const* function = fail_layer().functions; *function != nullptr; ++function) {
    CAPTURE(std::string(*function));
    const bool many_calls = std::string_view(*function) == "clSetKernelArg";
    for (const int code : {allocation_failure, out_of_resources, out_of_host_memory}) {
      CAPTURE(code);
      for (const std::uint64_t count : {std::uint64_t{1}, always}) {
        CAPTURE(count);
        // Where resources are short and not even a probe of the device succeeds, the device counts as lost.
        const std::string_view name = *function;
        const bool probed = name == "clFinish" || name == "clEnqueueFillBuffer" || name == "clCreateBuffer";
        if (probed && code == out_of_resources && count == always) continue;
        // Arguments are many and alike: a step of three visits each place in some run.
        const std::uint64_t step = many_calls ? 3 : 1;
        for (std::uint64_t skip = 0;; skip += step) {
          CAPTURE(skip);
          std::uint64_t failed = 0;
          {
            const Failing failing(*function, code, count, skip);
            REQUIRE(run() == "");
            failed = failing.failed();
          }
          ++runs;
          empty_pool();
          REQUIRE(kn::memory_stats(kn::default_device()).in_use == in_use);
          REQUIRE(fail_layer().memory().objects == objects);
          if (failed == 0) break;
        }
      }
    }
  }
  CHECK(runs > 100);
  CHECK(run() == "");
}

}  // namespace

TEST_CASE("each call of a running program fails in its turn") {
  kn::test::on_each_device([] { check_each_call(); });
}

TEST_CASE("each call fails in its turn while two queues share the work") {
  kn::test::on_each_device([] { check_each_call(kn::Queue(kn::default_device())); });
}

TEST_CASE("each call fails in its turn while every launch is waited for") {
  kn::test::check_child("each call of a running program fails in its turn", {{"KOINE_SYNC", "1"}});
}

TEST_CASE("calls fail now and then while threads compute") {
  kn::test::on_each_device([] {
    const kn::Device device = kn::default_device();
    const Values random = random_values();
    CHECK(Steps(random).run(fail_layer().stop) == "");
    empty_pool();
    const std::uint64_t in_use = kn::memory_stats(device).in_use;
    const kn::Queue queue(device);
    std::vector<std::string> wrong(4);
    std::atomic<std::size_t> at_work{wrong.size()};
    const std::uint64_t before = fail_layer().failed();
    std::vector<std::thread> threads;
    for (std::string& text : wrong) {
      threads.emplace_back([&] {
        const kn::DeviceScope scope(device);
        std::optional<kn::QueueScope> own;
        if (&text - wrong.data() >= 2) own.emplace(queue);  // two threads on each queue
        for (int i = 0; i < 150 && text.empty(); ++i) text = Steps(random).run([] {}, 100);
        --at_work;
      });
    }
    std::mt19937 choose(11);
    std::size_t count = 0;
    while (fail_layer().functions[count] != nullptr) ++count;
    while (at_work > 0) {
      const std::string_view name = fail_layer().functions[choose() % count];
      // Those with which a device is probed, where resources are short, would make it count as lost.
      if (name == "clFinish" || name == "clEnqueueFillBuffer") continue;
      const int codes[] = {allocation_failure, out_of_resources, out_of_host_memory};
      fail_layer().fail(name.data(), choose() % 5, 1 + choose() % 3, codes[choose() % 3]);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    for (std::thread& thread : threads) thread.join();
    fail_layer().stop();
    CHECK(wrong == std::vector<std::string>(wrong.size()));
    CHECK(fail_layer().failed() > before + 50);
    empty_pool();
    CHECK(kn::memory_stats(device).in_use == in_use);
  });
}

TEST_CASE("work that the library submits by itself may fail, and the step can be taken again") {
  kn::test::on_each_device([] {
    const Array start = kn::asarray(std::vector<std::int32_t>(100, 5)).eval();
    for (const std::uint64_t skip : {0, 1, 2}) {
      CAPTURE(skip);
      Array x = start;
      int failures = 0;
      constexpr int steps = 3000;
      {
        const Failing failing("clEnqueueNDRangeKernel", out_of_resources, always, skip);
        for (int i = 0; i < steps;) {
          try {
            x = x + 1;
            ++i;
          } catch (const kn::LaunchError&) {
            ++failures;
            fail_layer().stop();
          }
        }
        CHECK(failures == 1);
      }
      CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>(100, 5 + steps));
    }
  });
}

TEST_CASE("child: each call of one function fails in its turn from the very first" * doctest::skip()) {
  const char* const function = std::getenv("KOINE_TEST_FUNCTION");
  REQUIRE(function != nullptr);
  const int code = std::atoi(std::getenv("KOINE_TEST_CODE"));
  const Failing failing(function, code, 1);
  // What was made at the first attempt stays: with the second, the first call goes well and the next one fails.
  const auto next = [&] { fail_layer().fail(function, 1, 1, code); };
  Values random;
  while (random.empty()) {
    try {
      random = random_values();
    } catch (const kn::Error&) {
      next();
    }
  }
  CHECK(Steps(random).run(next) == "");
  fail_layer().stop();
  CHECK(failing.failed() >= std::strtoull(std::getenv("KOINE_TEST_LEAST"), nullptr, 10));
  CHECK(Steps(random).run(fail_layer().stop) == "");
  empty_pool();
  CHECK(kn::memory_stats(kn::default_device()).in_use == 0);
  CHECK(fail_layer().memory().objects == 0);
}

TEST_CASE("each call that is made once fails in its turn") {
  kn::test::Changes cache = {{"KOINE_CACHE", "off"}};
  const auto check = [&](const std::string& function, int code, int least) {
    CAPTURE(function);
    kn::test::Changes changes = cache;
    changes.emplace_back("KOINE_TEST_FUNCTION", function);
    changes.emplace_back("KOINE_TEST_CODE", std::to_string(code));
    changes.emplace_back("KOINE_TEST_LEAST", std::to_string(least));
    kn::test::check_child("child: each call of one function fails in its turn from the very first", changes);
  };
  check("clCreateContext", out_of_host_memory, 1);
  check("clCreateCommandQueue", out_of_resources, 1);
  check("clCreateProgramWithSource", out_of_host_memory, 8);
  check("clBuildProgram", build_failure, 8);
  check("clCreateKernel", out_of_resources, 8);
  check("clFinish", out_of_resources, 1);

  // With programs from the cache, which the first of these fills.
  const kn::test::TemporaryFolder folder;
  cache = {{"KOINE_CACHE", "rw"}, {"KOINE_CACHE_DIR", folder.path().string()}};
  check("clWaitForEvents", out_of_resources, 0);
  check("clCreateProgramWithBinary", -42, 1);
  check("clCreateProgramWithBinary", out_of_host_memory, 1);
  check("clBuildProgram", build_failure, 1);
}
