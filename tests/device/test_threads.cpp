// SPDX-License-Identifier: Apache-2.0
// Const use of shared arrays from many threads, evaluation included, and threads with arrays of their own.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;

namespace {

template <class F>
void in_threads(int count, F f) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&f, t] { f(t); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("many threads read, evaluate and build on the same pending arrays") {
  kn::test::on_each_device([] {
    const kn::Device device = kn::default_device();
    for (int round = 0; round < 10; ++round) {
      const Array x = kn::arange(1000) + round, y = x * x, z = kn::sum(y);
      std::int64_t expected = 0;
      for (std::int64_t i = 0; i < 1000; ++i) expected += (i + round) * (i + round);
      std::atomic<int> wrong{0};
      in_threads(8, [&](int t) {
        const kn::DeviceScope scope(device);
        if (t % 2 == 0) y.eval();
        if (z.item<std::int64_t>() != expected) ++wrong;
        if (kn::sum(y - x * x).item<std::int64_t>() != 0) ++wrong;
        if (y(kn::slice(t, t + 1)).item<std::int64_t>() != (t + round) * (t + round)) ++wrong;
      });
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("threads with arrays of their own do not disturb each other") {
  kn::test::on_each_device([] {
    const kn::Device device = kn::default_device();
    std::atomic<int> wrong{0};
    in_threads(8, [&](int t) {
      const kn::DeviceScope scope(device);
      Array x = kn::zeros({64}, {.dtype = kn::int64});
      for (int i = 0; i < 50; ++i) {
        x = x + t;
        x(i) = -1;
      }
      // Element i was set after i + 1 additions, and got the additions that followed.
      const auto values = x.to_vector<std::int64_t>();
      for (int i = 0; i < 64; ++i) {
        if (values[static_cast<std::size_t>(i)] != (i < 50 ? -1 + std::int64_t{t} * (49 - i) : std::int64_t{t} * 50))
          ++wrong;
      }
    });
    CHECK(wrong == 0);
  });
}

TEST_CASE("while one thread waits for a compiler, others evaluate on the same device") {
  const std::string options = " -D KN_MOVED=uchar -D KN_INDEX=uint";
  const auto text = [&] { return kn::test::KernelText{kn::test::kernel_source("take"), options, "take"}; };
  std::promise<void> building, go_on;
  std::thread builder([&] {
    kn::test::build_kernel("held up", [&] {
      building.set_value();
      go_on.get_future().wait();
      return text();
    });
  });
  building.get_future().wait();
  std::atomic<bool> built{false};
  // A thread that asks for the same is kept waiting.
  std::thread waiting([&] {
    kn::test::build_kernel("held up", text);
    built = true;
  });
  for (int i = 0; i < 200; ++i) {
    CHECK((kn::arange(10) + i)(3).item<int>() == 3 + i);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  CHECK_FALSE(built);
  go_on.set_value();
  builder.join();
  waiting.join();
  CHECK(built);
}

TEST_CASE("synchronize comes back although other threads go on enqueueing") {
  const Array x = kn::arange(1e5f).eval();
  std::atomic<bool> stop{false}, late{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      using Clock = std::chrono::steady_clock;
      for (const auto start = Clock::now(); !stop && !late; late = Clock::now() - start > std::chrono::minutes(1)) {
        for (int i = 0; i < 10; ++i) kn::sin(x).eval();
      }
    });
  }
  for (int time = 0; time < 5; ++time) kn::synchronize();
  // A kernel's first launch may be waited for too.
  CHECK((x * 3 - 2 + x)(5).item<float>() == 18.0f);
  CHECK_FALSE(late);
  stop = true;
  for (std::thread& thread : threads) thread.join();
}
