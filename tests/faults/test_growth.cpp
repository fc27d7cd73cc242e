// SPDX-License-Identifier: Apache-2.0
// What a program holds that goes on for long: as many buffers and events after thousands of steps as before, and none
// once its arrays and the pool's memory are gone; no more of the host's memory after a million evaluations than after
// the first, nor more programs than the limit, however many structures, shapes and constants come along.
#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>
#include <koine/async.hpp>
#include <koine/koine.hpp>

#include <cstdint>
#include <fstream>
#include <future>
#include <ostream>
#include <vector>

#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"
#include "support/sanitizer.hpp"
#include "support/structures.hpp"

namespace kn = koine;
using kn::Array;
using kn::Queue;
using kn::QueueScope;
using kn::test::fail_layer;
using kn::test::on_each_device;

namespace {

constexpr std::int64_t count = 1000;

struct Live {
  std::uint64_t buffers, events;

  bool operator==(const Live&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Live& live) {
  return out << live.buffers << " buffers and " << live.events << " events";
}

/// What the driver holds once the pool and the thread that reads for read_async() hold nothing.
Live live() {
  const kn::Device device = kn::default_device();
  kn::synchronize(device);
  kn::test::finish_background(device);
  const kn::MemoryStats stats = kn::memory_stats(device);
  kn::set_memory_limit(device, stats.in_use);
  kn::set_memory_limit(device, stats.limit);
  return {fail_layer().memory().objects, fail_layer().events()};
}

/// Steps of a program over two queues, each of which reads and overwrites what the other made.
class Program {
 public:
  Program() : values_(count, 1.0f) {}

  void step(int i) {
    const QueueScope scope(i % 2 == 0 ? one_ : two_);
    shared_ = (shared_ + 1).eval();
    shared_(kn::slice(0, 10)) = 0;
    const Array lent = kn::borrow(values_);
    const Array sum = kn::sum(lent * 2).eval();
    const Array picked = kn::take(shared_, indices_).eval();
    std::future<std::vector<float>> later;
    {
      const QueueScope other(i % 2 == 0 ? two_ : one_);
      later = (picked + sum).read_async<float>();
    }
    const kn::Event event = (i % 2 == 0 ? one_ : two_).record();
    (i % 2 == 0 ? two_ : one_).wait(event);
    const std::vector<float> read = later.get();
    if (read[0] != 2.0f * count || read[1] != 2.0f * count + static_cast<float>(i + 1)) ++wrong_;
  }
  int wrong() const { return wrong_; }

 private:
  Queue one_, two_;
  std::vector<float> values_;
  Array shared_ = kn::zeros({count}), indices_ = kn::asarray(std::vector<std::int64_t>{3, count - 1});
  int wrong_ = 0;
};

/// The memory of this process, in bytes, without what its allocator keeps for later.
std::int64_t resident() {
  malloc_trim(0);
  std::int64_t whole = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> whole >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

/// Evaluation number i, each with a shape or a constant that may never have been there before; whether it was right.
bool evaluate(const Array& x, std::int64_t i) {
  const std::int64_t n = 1 + i * 7 % 5000, at = i % count;
  switch (i % 4) {
    case 0: return (x * i + 1)(at).item<std::int64_t>() == at * i + 1;
    case 1: return kn::sum(kn::arange(n)).item<std::int64_t>() == n * (n - 1) / 2;
    case 2:
      return kn::sum(kn::ones({n % 70 + 1, n % 50 + 1}), {.axis = 0})(n % 50).item<float>() ==
             static_cast<float>(n % 70 + 1);
    default: {
      Array y = x;
      y(at) = i;
      return y(at).item<std::int64_t>() == i && (i % 64 != 3 || x(at).item<std::int64_t>() == at);
    }
  }
}

void check_no_more(std::int64_t after, std::int64_t before, std::int64_t most) {
  if (kn::test::sanitized) {
    MESSAGE("left out: a sanitizer keeps what was freed");
    return;
  }
  CHECK(after - before <= most);
}

constexpr std::int64_t mebibyte = 1 << 20;

}  // namespace

TEST_CASE("child: ever new structures" * doctest::skip()) {
  const Array x = kn::full({50}, std::int64_t{5}).eval();
  const unsigned all = kn::test::exhaustive() ? 1000 : 30, warm = all / 2;
  std::int64_t before = 0;
  int wrong = 0;
  for (unsigned i = 0; i < all; ++i) {
    using kn::test::structured;
    const unsigned number = 2 + i;
    if (structured(x, number)(7).item<std::int64_t>() != structured(std::int64_t{5}, number)) ++wrong;
    if (i == warm) before = resident();
  }
  CHECK(wrong == 0);
  CHECK(kn::test::activity_of().built >= all);
  CHECK(kn::test::activity_of().programs == 12);
  const std::int64_t after = resident();
  MESSAGE(all << " structures: " << before / mebibyte << " MiB after " << warm << ", " << after / mebibyte
              << " MiB at the end");
}

TEST_CASE("programs in memory stay within their limit, whatever structures come along") {
  kn::test::check_child("child: ever new structures", {{"KOINE_PROGRAM_LIMIT", "12"}});
}

TEST_CASE("a million evaluations leave nothing behind") {
  on_each_device([] {
    const Array x = kn::arange(count).eval();
    const std::int64_t all = kn::test::exhaustive() ? 1'000'000 : 20'000, warm = 10'000;
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < warm; ++i) wrong += !evaluate(x, i);
    const Live before = live();
    const std::size_t programs = kn::test::activity_of().programs;
    const std::uint64_t launches = kn::test::activity_of().launches;
    const std::int64_t memory = resident();
    for (std::int64_t i = warm; i < all; ++i) wrong += !evaluate(x, i);
    CHECK(wrong == 0);
    CHECK(live() == before);
    CHECK(kn::test::activity_of().programs == programs);
    CHECK(kn::test::activity_of().launches - launches >= static_cast<std::uint64_t>(all - warm));
    check_no_more(resident(), memory, 8 * mebibyte);
    MESSAGE(all << " evaluations: " << memory / mebibyte << " MiB after " << warm << ", " << resident() / mebibyte
                << " MiB at the end");
  });
}

TEST_CASE("who never waits for what it asks for is made to wait now and then") {
  on_each_device([] {
    Array x = kn::zeros({10}).eval();
    const std::uint64_t waits = fail_layer().calls(kn::test::waiting_call());
    for (int i = 0; i < 10'000; ++i) x = (x + 1).eval();
    CHECK(fail_layer().calls(kn::test::waiting_call()) - waits >= 4);
    CHECK(x(7).item<float>() == 10'000.0f);
  });
}

TEST_CASE("thousands of steps over two queues leave no buffer and no event behind") {
  on_each_device([] {
    { Program().step(0); }  // staging buffers and the like stay
    const Live before = live();
    {
      Program program;
      int i = 0;
      for (; i < 20; ++i) program.step(i);
      const Live early{fail_layer().memory().objects, fail_layer().events()};
      CHECK(early.events > before.events);
      for (; i < 1000; ++i) program.step(i);
      CHECK(program.wrong() == 0);
      // What is in flight, and how many blocks the pool holds, differs a little from moment to moment.
      CHECK(fail_layer().memory().objects <= early.buffers + 10);
      CHECK(fail_layer().events() <= early.events + 30);
    }
    CHECK(live() == before);
  });
}
