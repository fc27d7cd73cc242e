// SPDX-License-Identifier: Apache-2.0
// Buffers and events that the driver holds for a program that goes on for long: as many after thousands of steps as
// before, and none once its arrays and the pool's memory are gone.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <future>
#include <ostream>
#include <vector>

#include "runtime/context.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"

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
  kn::runtime::Context::of(device).background().wait_idle();
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

}  // namespace

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
