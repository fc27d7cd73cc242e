// SPDX-License-Identifier: Apache-2.0
// A device that is lost says so from then on and for good; other devices go on, and arrays on the lost one are
// destroyed safely. Each loss takes a process of its own.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::fail_layer;
using kn::test::Failing;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;

namespace {

using Values = std::vector<std::int32_t>;

constexpr int device_not_available = -2, out_of_resources = -5, events_failed = -14, queue_invalid = -36,
              nvidia_illegal_access = -9999;

/// One use of a device that makes each of the calls that can fail.
void use(const Array& there) {
  (there * 3 + kn::asarray(std::vector<std::int32_t>{1, 2, 3})).to_vector<std::int32_t>();
  kn::synchronize(there.device());
}

void check_works(const Array& ready, const Array& pending) {
  CHECK(pending.to_vector<std::int32_t>() == Values{0, 2, 4});
  CHECK((ready + 1).to_vector<std::int32_t>() == Values{1, 2, 3});
  Array x = ready;
  x(1) = 7;
  CHECK(x.to_vector<std::int32_t>() == Values{0, 7, 2});
  CHECK(kn::sum(ready).item<int>() == 3);
}

}  // namespace

TEST_CASE("child: a device is lost" * doctest::skip()) {
  const char* const function = std::getenv("KOINE_TEST_FUNCTION");
  REQUIRE(function != nullptr);
  const int code = std::atoi(std::getenv("KOINE_TEST_CODE"));
  const std::vector<kn::Device> devices = kn::devices();
  const kn::Device lost = devices.front();
  const std::string name = lost.selector() + " (" + lost.name() + ")";

  static Array outlives_main;
  const Array ready = numbered({3}).eval(), pending = ready * 2;
  outlives_main = ready + 5;
  std::optional<Array> other, other_pending;
  if (devices.size() > 1) {
    const kn::DeviceScope scope(devices[1]);
    other = numbered({3}).eval();
    other_pending = *other * 2;
  }
  const kn::MemoryStats before = kn::memory_stats(lost);

  {
    const bool for_good = std::getenv("KOINE_TEST_FOR_GOOD") != nullptr;
    const Failing failing(function, code, for_good ? kn::test::always : 1);
    if (for_good) {
      REQUIRE(fail_layer().fail("clEnqueueFillBuffer", 0, kn::test::always, code));
      REQUIRE(fail_layer().fail(kn::test::waiting_call(), 0, kn::test::always, code));
    }
    const std::string text = message_of<kn::DeviceLost>([&] { use(ready); });
    CAPTURE(text);
    REQUIRE(failing.failed() >= 1);
    CHECK(text.starts_with("["));
    CHECK(has(text, name));
    CHECK(has(text, kn::test::error_name(code)));
  }

  Array assigned = ready;
  kn::random::Generator generator(1);
  const std::function<void()> uses[] = {
      [&] { ready.to_vector<std::int32_t>(); },
      [&] { pending.eval(); },
      [&] { (ready + 1).eval(); },
      [&] { numbered({3}); },
      [&] { kn::ones({4}).eval(); },
      [&] { kn::sum(ready).item<int>(); },
      [&] { kn::matmul(ready, ready).eval(); },
      [&] { generator.uniform({3}).eval(); },
      [&] { assigned(0) = 1; },
      [&] { kn::eval(pending, outlives_main); },
      [&] { kn::synchronize(lost); },
  };
  const std::uint64_t launches = fail_layer().calls("clEnqueueNDRangeKernel");
  std::string wrong;
  for (const auto& each : uses) {
    for (int time = 0; time < 2; ++time) {
      const std::string text = message_of<kn::DeviceLost>(each);
      if (text.starts_with("[") && has(text, name) && has(text, "other devices work on")) continue;
      wrong += "use " + std::to_string(&each - uses) + ": " + text + "\n";
    }
  }
  CHECK(wrong == "");
  CHECK(fail_layer().calls("clEnqueueNDRangeKernel") == launches);
  CHECK(kn::memory_stats(lost).in_use == before.in_use);

  if (other) {
    check_works(*other, *other_pending);
    const kn::DeviceScope scope(devices[1]);
    check_works(numbered({3}), numbered({3}) * 2);
    kn::synchronize(devices[1]);
  }
  if (std::getenv("KOINE_TEST_TWO_DEVICES") != nullptr) CHECK(other.has_value());
}

TEST_CASE("child: a device is lost while threads use it" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  const Array shared = numbered({1000}).eval(), pending = kn::sum(shared * 2);
  std::atomic<int> lost{0}, started{0};
  std::vector<std::string> wrong(4);
  std::vector<std::thread> threads;
  for (std::string& text : wrong) {
    threads.emplace_back([&] {
      const kn::DeviceScope scope(device);
      Array x = shared;
      try {
        for (int i = 0;; ++i) {
          x = (x + 1).eval();
          if (kn::sum(x - shared).item<std::int64_t>() != 1000 * (i + 1)) text = "a wrong sum";
          if (i == 5) ++started;
        }
      } catch (const kn::DeviceLost&) {
        ++lost;
      } catch (const std::exception& error) {
        text = error.what();
      }
    });
  }
  while (started < 4) std::this_thread::yield();
  const Failing failing("clEnqueueNDRangeKernel", queue_invalid, 1);
  for (std::thread& thread : threads) thread.join();
  CHECK(lost == 4);
  CHECK(wrong == std::vector<std::string>(4));
  CHECK(failing.failed() == 1);
  CHECK_THROWS_AS(pending.eval(), kn::DeviceLost);
}

TEST_CASE("threads that use a device when it is lost all hear of it") {
  for (int time = 0; time < 3; ++time) kn::test::check_child("child: a device is lost while threads use it");
}

TEST_CASE("a lost device says so for good, and nothing else is harmed") {
  kn::test::Changes environment = {{"KOINE_CACHE", "off"}};
  if (kn::default_device().vendor() == "pocl") {
    environment = {{"KOINE_CACHE", "off"},
                   {"KOINE_DEVICE", "pocl"},
                   {"POCL_DEVICES", "pthread pthread"},
                   {"KOINE_TEST_TWO_DEVICES", "1"}};
  }
  const auto check = [&](const std::string& function, int code) {
    kn::test::Changes changes = environment;
    changes.emplace_back("KOINE_TEST_FUNCTION", function);
    changes.emplace_back("KOINE_TEST_CODE", std::to_string(code));
    CAPTURE(function);
    CAPTURE(code);
    kn::test::check_child("child: a device is lost", changes);
  };
  for (const int code : {device_not_available, events_failed, queue_invalid, nvidia_illegal_access}) {
    check("clEnqueueNDRangeKernel", code);
    check("clEnqueueReadBuffer", code);
  }
  check("clEnqueueWriteBuffer", queue_invalid);
  check(kn::test::waiting_call(), nvidia_illegal_access);
  check("clCreateBuffer", device_not_available);
  check("clBuildProgram", device_not_available);
  check("clCreateProgramWithSource", device_not_available);
  check("clCreateKernel", device_not_available);
  check("clSetKernelArg", device_not_available);

  // A kernel that went astray shows as a lack of resources, for whatever is asked from then on.
  environment.emplace_back("KOINE_TEST_FOR_GOOD", "1");
  check("clEnqueueNDRangeKernel", out_of_resources);
  check("clEnqueueReadBuffer", out_of_resources);
}
