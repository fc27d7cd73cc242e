// SPDX-License-Identifier: Apache-2.0
// Several queues of a device: the right values without a wait by the user, whoever made what on which queue.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"
#include "support/slow_kernel.hpp"

namespace kn = koine;
using kn::Array;
using kn::Queue;
using kn::QueueScope;
using kn::test::id_of;
using kn::test::on_each_device;
using kn::test::queue_of;

namespace {

void add_slowly(const Queue& queue, const Array& x, std::uint32_t value) {
  kn::test::run_kernel(queue, {kn::test::slow_kernel}, x, {kn::test::slow_turns(), value}, {16}, {16});
}

Array counts(std::size_t n) { return kn::asarray(std::vector<std::uint32_t>(n, 0)); }

}  // namespace

TEST_CASE("a scope says on which queue a thread's arrays are computed") {
  const kn::Device device = kn::default_device();
  const Queue one(device), two(device), same = one;
  CHECK(one == same);
  CHECK_FALSE(one == two);
  CHECK(one.device() == device);
  const void* const own = kn::test::default_queue(device);
  CHECK(queue_of(kn::ones({2})) == own);
  const QueueScope outer(one);
  CHECK(queue_of(kn::ones({2}) + 1) == id_of(one));
  {
    const QueueScope inner(two);
    CHECK(queue_of(kn::ones({2}) + 1) == id_of(two));
    std::thread([&] { CHECK(queue_of(kn::ones({2})) == own); }).join();
  }
  CHECK(queue_of(kn::asarray(std::vector<int>{1, 2})) == id_of(one));
}

TEST_CASE("what one queue makes another reads, and overwrites, in the right order") {
  on_each_device([] {
    Queue one, two;
    for (std::uint32_t round = 1; round <= 3; ++round) {
      Array x = counts(16);
      add_slowly(one, x, round);
      // Reads after the other queue's write, ...
      Array y;
      {
        const QueueScope scope(two);
        y = (x + 1u).eval();
      }
      // ... writes after its read, and after its write.
      add_slowly(one, x, 10);
      {
        const QueueScope scope(two);
        x(kn::slice(0, 8)) = 7;
      }
      add_slowly(one, x, 100);
      CHECK(y.to_vector<std::uint32_t>() == std::vector<std::uint32_t>(16, round + 1));
      std::vector<std::uint32_t> expected(16, round + 110);
      for (std::size_t i = 0; i < 8; ++i) expected[i] = 107;
      CHECK(x.to_vector<std::uint32_t>() == expected);
    }
  });
}

TEST_CASE("memory that comes back is not handed to another queue while it is in use") {
  on_each_device([] {
    Queue one, two;
    for (int round = 0; round < 3; ++round) {
      Array result;
      {
        Array x = counts(16);
        add_slowly(one, x, 3);
        const QueueScope scope(one);
        result = (x + 0u).eval();
      }  // x's memory goes back while the first queue is still at it
      const QueueScope scope(two);
      std::vector<Array> others;
      for (std::uint32_t i = 0; i < 10; ++i) others.push_back(kn::asarray(std::vector<std::uint32_t>(16, 1000 + i)));
      CHECK(result.to_vector<std::uint32_t>() == std::vector<std::uint32_t>(16, 3));
      for (std::uint32_t i = 0; i < 10; ++i) {
        CHECK(others[i].to_vector<std::uint32_t>() == std::vector<std::uint32_t>(16, 1000 + i));
      }
    }
  });
}

TEST_CASE("random work over several queues agrees with one queue") {
  on_each_device([] {
    std::vector<Queue> queues;
    for (int i = 0; i < 3; ++i) queues.emplace_back();
    // What pends together, which chance decides, is a program of its own.
    const int steps = kn::test::without_variants() ? 24 : 200;
    const auto run = [&](bool several) {
      std::mt19937 random(7);
      std::vector<Array> arrays;
      for (int i = 0; i < 4; ++i) arrays.push_back(kn::arange(2000) + i);
      for (int step = 0; step < steps; ++step) {
        const auto pick = [&] { return random() % arrays.size(); };
        const std::size_t number = random() % queues.size(), target = pick(), a = pick(), b = pick();
        const auto what = random() % 4;
        std::unique_ptr<QueueScope> scope;
        if (several) scope = std::make_unique<QueueScope>(queues[number]);
        if (what == 0) {
          arrays[target] = arrays[a] * 3 + arrays[b](kn::slice(kn::none, kn::none, -1));
        } else if (what == 1) {
          arrays[target](kn::slice(step, step + 500)) = arrays[a](kn::slice(0, 500)) % 1009;
        } else if (what == 2) {
          arrays[target] = arrays[a] % 997 + kn::sum(arrays[b] % 13);
        } else {
          arrays[target] = arrays[a];
          arrays[target].eval();
        }
      }
      std::vector<std::vector<std::int64_t>> values;
      for (const Array& x : arrays) values.push_back(x.to_vector<std::int64_t>());
      return values;
    };
    CHECK(run(true) == run(false));
  });
}

TEST_CASE("threads on queues of their own share arrays") {
  on_each_device([] {
    const kn::Device device = kn::default_device();
    const Array shared = kn::arange(1000) * 2;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const kn::DeviceScope on(device);
        const Queue queue;
        const QueueScope scope(queue);
        for (int i = 0; i < 30; ++i) {
          const Array mine = shared + t * 100 + i;
          if (kn::sum(mine).item<std::int64_t>() != 999'000 + 1000 * (t * 100 + i)) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  });
}

TEST_CASE("events: points that others wait for") {
  on_each_device([] {
    Queue one, two;
    CHECK(kn::Event().done());
    CHECK_NOTHROW(kn::Event().wait());
    const Array x = counts(16);
    add_slowly(one, x, 1);
    const kn::Event after = one.record();
    two.wait(after);
    const kn::Event later = two.record();
    later.wait();
    CHECK(after.done());
    add_slowly(one, x, 1);
    one.synchronize();
    add_slowly(two, x, 1);
    kn::synchronize(kn::default_device());
    CHECK(later.done());
    CHECK(x.to_vector<std::uint32_t>() == std::vector<std::uint32_t>(16, 3));
  });
}

TEST_CASE("queues come back for reuse, and arrays outlive the queue they were built on") {
  Array x;
  const void* first = nullptr;
  {
    const Queue queue;
    first = id_of(queue);
    const QueueScope scope(queue);
    x = kn::arange(100) * 3;
  }
  CHECK(id_of(Queue()) == first);
  CHECK(x(5).item<int>() == 15);
}
