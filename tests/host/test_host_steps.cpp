// SPDX-License-Identifier: Apache-2.0
// Which steps the host does itself, and that they go together with what the device does. (ctest lets the host do steps
// in this folder alone.)
#include <doctest/doctest.h>
#include <koine/explain.hpp>
#include <koine/koine.hpp>
#include <koine/profile.hpp>
#include <koine/queue.hpp>

#include <atomic>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/host_steps.hpp"
#include "support/inner.hpp"
#include "support/same_bits.hpp"

namespace kn = koine;
using kn::Array;
using kn::DType;
using kn::Shape;
using kn::test::activity_of;
using kn::test::does_steps;
using kn::test::host_steps_of;
using kn::test::HostStepWork;

namespace {

struct Done {
  std::uint64_t host, device;
  friend bool operator==(const Done&, const Done&) = default;
};

/// The steps of the host, and the launches, that `work` takes.
template <class Work>
Done done_by(Work work) {
  const auto host = host_steps_of(), device = activity_of().launches;
  work();
  return {host_steps_of() - host, activity_of().launches - device};
}

/// Does `work` until the device does it, whose kernels are compiled then. How often the host did it before.
template <class Work>
int until_compiled(Work work) {
  for (int times = 0; times < 1000; ++times) {
    if (done_by(work).device > 0) return times;
    kn::synchronize();
  }
  FAIL("the device was left nothing to do");
  return 0;
}

Array counted(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0f);
  return kn::asarray(values);
}

}  // namespace

TEST_CASE("the host does small steps, and asks for no program") {
  if (!does_steps()) return;
  const Array a = counted(16), b = kn::ones({16}).eval();
  const auto programs = activity_of();
  CHECK(done_by([&] { CHECK((a + b).to_vector<float>()[15] == 16); }) == Done{1, 0});
  CHECK(done_by([&] { CHECK(kn::sum(a * a).item<float>() == 1240); }) == Done{1, 0});
  CHECK(done_by([&] {
          Array x = a;
          for (int i = 0; i < 100; ++i) x = (x * 0.5f + b).eval();
          CHECK(x.to_vector<float>()[0] == doctest::Approx(2));
        }) == Done{100, 0});
  const auto after = activity_of();
  CHECK(after.built + after.loaded == programs.built + programs.loaded);
}

TEST_CASE("an array that is filled with a number is one step, and takes one element's memory") {
  if (!does_steps()) return;
  for (const DType type : {kn::bool_, kn::int8, kn::uint64, kn::float16, kn::float32, kn::float64, kn::complex64}) {
    CAPTURE(kn::name(type));
    const auto before = kn::memory_stats(kn::default_device()).in_use;
    const Array x = kn::ones({300, 40}, {.dtype = type});
    CHECK(done_by([&] { x.eval(); }) == Done{1, 0});
    CHECK(kn::memory_stats(kn::default_device()).in_use - before <= 4096);
    CHECK(kn::all(kn::equal(x, 1)).item<bool>());
    CHECK(x.T().shape() == Shape{40, 300});
    CHECK(kn::real(x.astype(kn::complex128))(299, 39).item<double>() == 1);
  }
  CHECK(kn::full({2, 3}, std::complex<double>(1, -2), {.dtype = kn::complex128}).to_vector<std::complex<double>>() ==
        std::vector<std::complex<double>>(6, {1, -2}));
  CHECK(kn::zeros({0, 3}).eval().size() == 0);
}

TEST_CASE("two threads fill the same array") {
  if (!does_steps()) return;
  constexpr int times = 2000;
  std::vector<Array> arrays;
  for (int i = 0; i < times; ++i) arrays.push_back(kn::full({4}, i));
  std::atomic<int> waiting{2};
  const auto fill = [&] {
    --waiting;
    while (waiting > 0) std::this_thread::yield();
    for (const Array& x : arrays) x.eval();
  };
  std::thread other(fill);
  fill();
  other.join();
  for (int i = 0; i < times; ++i) CHECK(arrays[static_cast<std::size_t>(i)].to_vector<int>() == std::vector<int>(4, i));
}

TEST_CASE("the device does what is large, what the host does not know, and all that comes behind in the same plan") {
  if (!does_steps()) return;
  const HostStepWork little(64);
  const Array large = kn::zeros({100'000}).eval(), small = counted(10);
  until_compiled([&] { (large + 1).eval(); });
  kn::synchronize();
  CHECK(done_by([&] { (large + 1).eval(); }) == Done{0, 1});
  kn::synchronize();
  const kn::ElementwiseKernel twice("T x", "T y", "y = 2 * x", "twice");
  CHECK(done_by([&] { twice(small).eval(); }).host == 0);
  kn::synchronize();
  const HostStepWork none(0);
  CHECK(done_by([&] { (small + 1).eval(); }) == Done{0, 1});
}

TEST_CASE("in place of a kernel that is not compiled yet the host does a step once, and nothing is compiled") {
  if (!does_steps()) return;
  const HostStepWork little(64);
  const Array large = counted(1'000'000);
  kn::synchronize();
  const auto twice = [&] { return large * 2 - large / 3 + 1; };
  std::vector<float> first, second;
  const auto built = activity_of().built;
  CHECK(done_by([&] { first = twice().to_vector<float>(); }) == Done{1, 0});
  CHECK(activity_of().built == built);
  CHECK(done_by([&] { second = twice().to_vector<float>(); }) == Done{0, 1});
  CHECK(activity_of().built == built + 1);
  CHECK(first == second);
  CHECK(done_by([&] { (void)kn::sum(kn::sqrt(large)).item<float>(); }) == Done{1, 0});
  CHECK(activity_of().built == built + 1);
}

TEST_CASE("explain says that the host takes the place of a compiler") {
  if (!does_steps()) return;
  const HostStepWork little(64);
  const Array x = counted(700'000) / 3;
  x.eval();
  kn::synchronize();
  const auto text = [&] { return kn::explain(x * 2 + x / 5); };
  CHECK(text().find("by the host this time: it is not compiled yet") != std::string::npos);
  (x * 2 + x / 5).eval();
  CHECK(text().find("by the host") == std::string::npos);
}

TEST_CASE("what takes the host much less time than a compiler it does again, but not for ever") {
  if (!does_steps()) return;
  const HostStepWork little(64);
  const Array x = counted(50'000);
  kn::synchronize();
  const int times = until_compiled([&] { (x * 3 - 1).eval(); });
  CHECK(times >= 4);
  CHECK(times <= 16);
  // Nor what would never come to much, behind a step of the device.
  const Array some = counted(100);
  kn::synchronize();
  int small = 0;
  while (small < 100 && done_by([&] {
                          (kn::matmul(kn::reshape(some, {10, 10}), kn::ones({10, 10})) - 5).eval();
                        }).host > 1) {
    ++small;
  }
  CHECK(small <= 16);
}

TEST_CASE("what takes the host longer than a compiler is the device's from the first time on") {
  if (!does_steps()) return;
  const HostStepWork little(64);
  const Array x = counted(6'000'000) / 1e6f;
  x.eval();
  kn::synchronize();
  CHECK(done_by([&] { kn::pow(x, x + 1).eval(); }) == Done{0, 1});
}

TEST_CASE("what is not compiled yet the host does behind steps of the device, too, when these are done") {
  if (!does_steps()) return;
  const HostStepWork little(64);
  const Array x = counted(20'000), matrix = kn::reshape(x, {100, 200});
  kn::synchronize();
  std::vector<float> values;
  const Done done = done_by([&] { values = (kn::matmul(matrix * 5, kn::ones({200, 100})) * 7).to_vector<float>(); });
  CHECK(done.device >= 1);
  CHECK(done.host >= 2);
  CHECK(values[0] == 199 * 200 / 2 * 35);
  CHECK(values[9'999] == doctest::Approx((19'800.0 * 200 + 199 * 200 / 2) * 35));
}

TEST_CASE("nothing waits for the host while the device is at work, and the host goes on once that is over") {
  if (!does_steps()) return;
  Array busy = kn::zeros({4}, {.dtype = kn::uint32}).eval();
  const Array small = counted(10);
  kn::test::run_slowly(busy, 1).wait();  // a kernel's first launch may be waited for
  const kn::test::Running work = kn::test::run_slowly(busy, 30'000'000);
  CHECK(done_by([&] { (small + 1).eval(); }) == Done{0, 1});
  work.wait();
  kn::synchronize();
  CHECK(done_by([&] { CHECK((small + 1).to_vector<float>()[9] == 10); }) == Done{1, 0});
}

TEST_CASE("what the host wrote is read by kernels, and the other way round") {
  if (!does_steps()) return;
  Array x = counted(1000);
  for (int i = 0; i < 20; ++i) {
    x = (x + 1).eval();         // the host
    x = kn::flip(kn::sort(x));  // the device
    x = kn::sort(x);
  }
  const std::vector<float> values = x.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == static_cast<float>(i + 20));
  Array part = counted(100);
  part(kn::slice(10, 20)) = kn::zeros({10}) + 7;
  CHECK(part.to_vector<float>()[10] == 7);
  CHECK(part.to_vector<float>()[9] == 9);
  CHECK(part.to_vector<float>()[20] == 20);
}

TEST_CASE("results of the host inherit what kernels found wrong") {
  if (!does_steps()) return;
  const Array wrong = kn::take(counted(5), kn::asarray({1, 7})).eval();
  kn::synchronize();
  const Array result = (wrong + 1).eval();
  CHECK_THROWS_AS((void)result.to_vector<float>(), kn::IndexError);
  CHECK_THROWS_AS((void)(result * 2).to_vector<float>(), kn::IndexError);
}

TEST_CASE("a position that the host finds out of range is an IndexError for who observes what is made of it") {
  if (!does_steps()) return;
  const Array table = counted(5), at = kn::asarray({1, 7}).eval();
  const Array result = (kn::take(table, at) * 2).eval();
  CHECK_THROWS_WITH_AS((void)result.to_vector<float>(),
                       "[take] index 7 is out of range for axis 0 of size 5; it can be -5 to 4", kn::IndexError);
  CHECK_THROWS_AS((void)(result + 1).to_vector<float>(), kn::IndexError);
  CHECK_THROWS_AS((void)kn::sum(kn::take(table, at) + 1).item<float>(), kn::IndexError);
  CHECK((table + 1).to_vector<float>()[4] == 5);
}

TEST_CASE("an id that the host finds out of range is an IndexError, too") {
  if (!does_steps()) return;
  const Array ids = kn::asarray({1, 7}).eval(), values = kn::asarray({1, 2}).eval();
  kn::synchronize();
  Array sums = values;
  CHECK(done_by([&] { sums = kn::segment_sum(values, ids, {.count = 5}).eval(); }) == Done{1, 0});
  CHECK_THROWS_WITH_AS((void)sums.to_vector<std::int64_t>(),
                       "[segment_sum] id 7 is out of range; with a count of 5 ids can be 0 to 4", kn::IndexError);
}

TEST_CASE("borrowed memory is read by the host as it is") {
  if (!does_steps()) return;
  alignas(4096) static float values[256];
  std::iota(std::begin(values), std::end(values), 0.0f);
  const Array x = kn::borrow(values);
  CHECK(kn::sum(x).item<float>() == 32640);
  values[0] = 1;
  CHECK(kn::sum(x).item<float>() == 32641);
}

TEST_CASE("threads that share a device, some with small work and some with large") {
  if (!does_steps()) return;
  std::vector<std::thread> threads;
  std::vector<int> wrong(6, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const std::int64_t count = t % 2 == 0 ? 50 : 40'000;
      Array x = kn::zeros({count}).eval();
      for (int i = 0; i < 60; ++i) {
        x = x + 1;
        x.eval();
        if (i % 7 == 0 && x(count - 1).item<float>() != static_cast<float>(i + 1)) ++wrong[t];
      }
      if (kn::sum(x).item<double>() != 60.0 * static_cast<double>(count)) ++wrong[t];
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int each : wrong) CHECK(each == 0);
}

TEST_CASE("queues: small work on one while another is at work") {
  if (!does_steps()) return;
  const kn::Queue one, two;
  Array x = kn::zeros({30'000}).eval();
  {
    const kn::QueueScope scope(one);
    for (int i = 0; i < 20; ++i) x = (x + 1).eval();
  }
  const kn::QueueScope scope(two);
  const Array y = x(kn::slice(0, 5)) * 2;
  CHECK(y.to_vector<float>() == std::vector<float>(5, 40.0f));
}

TEST_CASE("a profile names steps of the host as it names kernels") {
  if (!does_steps()) return;
  const Array a = counted(16);
  kn::synchronize();
  kn::profile::Session session;
  (a + a).eval();
  const auto commands = session.commands();
  REQUIRE(!commands.empty());
  CHECK(commands.back().name == "add_f32");
}

TEST_CASE("child: a step of the host" * doctest::skip()) { (kn::ones({3}) + counted(3)).eval(); }

TEST_CASE("KOINE_LOG=launch has a line for each step of the host") {
  if (!does_steps()) return;
  const kn::test::Ended ended = kn::test::run_child("child: a step of the host", {{"KOINE_LOG", "launch"}});
  CAPTURE(ended.err);
  CHECK(ended.err.find("by the host, 3 elements") != std::string::npos);
  CHECK(ended.err.find(", global ") == std::string::npos);
}

TEST_CASE("KOINE_HOST_STEPS=off leaves all to the device") {
  if (!does_steps()) return;
  const kn::test::Ended ended =
      kn::test::run_child("child: a step of the host", {{"KOINE_LOG", "launch"}, {"KOINE_HOST_STEPS", "off"}});
  CAPTURE(ended.err);
  CHECK(ended.err.find("by the host") == std::string::npos);
  CHECK(ended.err.find(", global ") != std::string::npos);
}

TEST_CASE("child: a large step" * doctest::skip()) {
  const HostStepWork little(64);
  (kn::ones({500'000}) * counted(500'000)).eval();
}

TEST_CASE("KOINE_LOG=launch says when the host takes the place of a compiler, and KOINE_HOST_STEPS=off prevents it") {
  if (!does_steps()) return;
  kn::test::Ended ended = kn::test::run_child("child: a large step", {{"KOINE_LOG", "launch"}});
  CAPTURE(ended.err);
  CHECK(ended.err.find("by the host, as it is not compiled yet, 500000 elements") != std::string::npos);
  ended = kn::test::run_child("child: a large step", {{"KOINE_LOG", "launch"}, {"KOINE_HOST_STEPS", "off"}});
  CHECK(ended.err.find("by the host") == std::string::npos);
}

TEST_CASE("what follows a small function of the host is done by the host, too") {
  if (!does_steps()) return;
  const Array x = kn::asarray(std::vector<float>(100, 2.0F)).eval();
  const Array a = (kn::eye(4) * 3 + 1).eval(), b = kn::ones({4}).eval();
  kn::synchronize();
  for (int times = 0; times < 2; ++times) {
    CHECK(done_by([&] { (kn::sort(x) + 1).eval(); }).device == 0);
    CHECK(done_by([&] { (kn::linalg::solve(a, b) + 1).eval(); }).device == 0);
    CHECK(done_by([&] { kn::linalg::det(a).eval(); }).device == 0);
    CHECK(done_by([&] { (kn::matmul(a, a) + 1).eval(); }).device == 0);
  }
  CHECK((kn::sort(x) + 1).to_vector<float>() == std::vector<float>(100, 3.0F));
}
