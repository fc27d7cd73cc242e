// SPDX-License-Identifier: Apache-2.0
// Reading in the background: the values of the moment of the call, errors in the future, and futures that are dropped.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/async.hpp>
#include <koine/koine.hpp>

#include <atomic>
#include <chrono>
#include <complex>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::slice;
using kn::test::check_child;
using kn::test::difference;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;
using kn::test::run_slowly;
using namespace std::chrono_literals;

namespace {

/// Work that takes the device a while.
Array long_work(std::int64_t count) {
  Array y = kn::arange(count) * 1e-6;
  for (int i = 0; i < 40; ++i) y = kn::exp(-y * y) + 0.5;
  return y;
}

/// A task that keeps the thread of the default device's reads busy until it is let go.
class Blocker {
 public:
  Blocker() {
    kn::test::run_in_background([held = released_.get_future().share()] { held.wait_for(10s); });
  }
  ~Blocker() { release(); }
  void release() {
    if (!done_) released_.set_value();
    done_ = true;
  }

 private:
  std::promise<void> released_;
  bool done_ = false;
};

}  // namespace

TEST_CASE("values of arrays, pending, ready, views and converted") {
  on_each_device([] {
    const Array x = numbered({4, 5}), pending = x * 2 + 1;
    auto doubled = pending.read_async<int>();
    auto turned = x.T().read_async<int>();
    auto part = x(2, slice(1, 4)).read_async<float>();
    auto truths = (x > 17).read_async<bool>();
    auto one = kn::sum(x).read_async<std::int64_t>();
    auto nothing = kn::zeros({0, 3}).read_async<float>();
    auto complex = kn::full({2}, std::complex<double>(1, -2)).read_async<std::complex<float>>();
    CHECK(doubled.get() == pending.to_vector<int>());
    CHECK(turned.get() == kn::test::by_position<int>({5, 4}, [](const kn::Shape& p) { return p[1] * 5 + p[0]; }));
    CHECK(part.get() == std::vector<float>{11, 12, 13});
    std::vector<bool> expected(20, false);
    expected[18] = expected[19] = true;
    CHECK(truths.get() == expected);
    CHECK(one.get() == std::vector<std::int64_t>{190});
    CHECK(nothing.get().empty());
    CHECK(complex.get() == std::vector<std::complex<float>>(2, {1, -2}));
  });
}

TEST_CASE("large arrays, several at once") {
  on_each_device([] {
    std::vector<std::future<std::vector<std::int32_t>>> futures;
    std::vector<Array> arrays;
    for (const std::int64_t count : {1'000'000, 9'000'001, 100}) {
      arrays.push_back((kn::arange(count) * 3).astype(kn::int32));
      futures.push_back(arrays.back().read_async<std::int32_t>());
    }
    for (std::size_t k = 0; k < futures.size(); ++k) {
      std::vector<std::int32_t> expected(static_cast<std::size_t>(arrays[k].size()));
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int32_t>(3 * i);
      CHECK(difference(futures[k].get(), expected) == "");
    }
  });
}

TEST_CASE("the call returns before the values are there, and wait_for tells") {
  on_each_device([] {
    Blocker blocker;
    const Array x = numbered({1000});
    auto future = x.read_async<int>();
    CHECK(future.wait_for(20ms) == std::future_status::timeout);
    blocker.release();
    REQUIRE(future.wait_for(10s) == std::future_status::ready);
    CHECK(future.get() == x.to_vector<int>());
  });
}

TEST_CASE("an assignment after the call does not change the values, and costs a copy no longer than they are read") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    Array x = numbered({1 << 20});
    const auto in_use = kn::memory_stats(device).in_use;
    {
      Blocker blocker;
      auto future = x.read_async<int>();
      x(0) = 5;
      x(slice(1, 1000)) = -1;
      CHECK(kn::memory_stats(device).in_use > in_use);
      CHECK(x(0).item<int>() == 5);
      blocker.release();
      const std::vector<int> values = future.get();
      CHECK(values[0] == 0);
      CHECK(values[1] == 1);
      CHECK(values.back() == (1 << 20) - 1);
    }
    CHECK(kn::memory_stats(device).in_use == in_use);
    x.read_async<int>().get();
    x(1) = 7;  // read to the end, so this writes in place
    CHECK(kn::memory_stats(device).in_use == in_use);
    CHECK(x(slice(0, 2)).read_async<int>().get() == std::vector<int>{5, 7});
  });
}

TEST_CASE("work after the call does not delay the values") {
  if (kn::test::left_out_on("intel",
                            "whoever waits for work there may run what was enqueued after it first (2026.22)") ||
      kn::test::left_out_on("mesa", "a read there also waits for what other queues were given since (22.3)")) {
    return;
  }
  on_each_device([] {
    const Array x = kn::asarray(std::vector<std::uint32_t>{0});
    run_slowly(x, 1).wait();  // compiles
    const Array y = numbered({1000}) * 2;
    auto future = y.read_async<int>();
    const kn::test::Running last = run_slowly(x, 500'000'000);
    CHECK(future.get()[999] == 1998);
    CHECK_FALSE(last.done());
    last.wait();
  });
}

TEST_CASE("values of another queue's work") {
  on_each_device([] {
    const kn::Queue one(kn::default_device()), other(kn::default_device());
    for (int round = 0; round < 5; ++round) {
      Array y = [&] {
        const kn::QueueScope scope(one);
        return (long_work(20'000) * 0.0 + round).eval();
      }();
      const kn::QueueScope scope(other);
      auto whole = y.read_async<float>(), part = y(slice(10, 12)).read_async<float>();
      y(0) = -1.0;
      CHECK(difference(whole.get(), std::vector<float>(20'000, static_cast<float>(round))) == "");
      CHECK(part.get() == std::vector<float>(2, static_cast<float>(round)));
      CHECK(y(slice(0, 2)).to_vector<float>() == std::vector<float>{-1.0f, static_cast<float>(round)});
    }
  });
}

TEST_CASE("futures and arrays may go before the values are there") {
  on_each_device([] {
    auto kept = long_work(1000).read_async<float>();  // its array is gone already
    for (int i = 0; i < 5; ++i) long_work(1000).read_async<float>();
    const std::vector<float> expected = long_work(1000).to_vector<float>();
    CHECK(difference(kept.get(), expected) == "");
  });
}

TEST_CASE("many threads read in the background") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const Array shared = numbered({5000}) * 2;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const kn::DeviceScope scope(device);
        for (int i = 0; i < 10; ++i) {
          auto own = (shared + t).read_async<int>(), common = shared.read_async<int>();
          if (own.get()[4999] != 9998 + t || common.get()[4999] != 9998) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  });
}

TEST_CASE("wrong types throw at the call, what fails on the way throws from the future") {
  on_each_device([] {
    const Array c = kn::ones({3}, {.dtype = kn::complex64});
    const std::string message = message_of<kn::DTypeError>([&] { c.read_async<float>(); });
    CHECK(has(message, "[read_async]"));
    CHECK(has(message, "complex64"));
    const Array huge = kn::zeros({std::int64_t{1} << 45}) + kn::arange(std::int64_t{1} << 45);
    std::optional<std::future<std::vector<float>>> future;
    CHECK_NOTHROW(future = huge.read_async<float>());
    CHECK_THROWS_AS(future->get(), kn::OutOfMemory);
  });
}

TEST_CASE("what only the device notices throws from the future") {
  on_each_device([] {
    const Array x = numbered({10});
    auto wrong = kn::take(x, kn::array({3, 10})).read_async<int>(),
         right = kn::take(x, kn::array({3, 9})).read_async<int>();
    CHECK_THROWS_AS(wrong.get(), kn::IndexError);
    CHECK(right.get() == std::vector<int>{3, 9});
  });
}

TEST_CASE("child: ends before the values are there" * doctest::skip()) {
  static std::future<std::vector<float>> kept;
  for (int i = 0; i < 3; ++i) long_work(300'000).read_async<float>();
  kept = long_work(300'000).read_async<float>();
  std::exit(0);
}

TEST_CASE("child: reads once more while it ends" * doctest::skip()) {
  static const Array x = numbered({10}).eval();
  std::atexit([] {
    if (x.read_async<int>().get() != std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) _exit(4);
  });
  x.read_async<int>();  // the thread that reads is made after the handler was registered, so it ends before it
  std::exit(0);
}

TEST_CASE("a process may end before the values are there") {
  check_child("child: ends before the values are there");
  check_child("child: reads once more while it ends");
}
