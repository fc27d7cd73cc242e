// SPDX-License-Identifier: Apache-2.0
// A workload of everything in which each OpenCL call, and each allocation on the host, fails in its turn, once or from
// then on: every step ends well or in an error that says what was wrong, gives the right values when it is tried again,
// and nothing leaks. KOINE_TEST_STRIDE=1 for every place; ci/run/faults.sh runs all of it.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/fail_layer.hpp"
#include "support/files.hpp"
#include "support/sweep.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::always;
using kn::test::Changes;
using kn::test::fail_layer;
using kn::test::Failing;
using kn::test::faults;
using kn::test::out_of_resources;
using kn::test::Progress;
using kn::test::Step;
using kn::test::Swept;

namespace {

constexpr const char* child = "child: a part of a sweep";

/// As many devices as one process is to lose: PoCL shows the CPU as often as it is named.
void add_devices(Changes& changes) {
  if (kn::default_device().vendor() != "pocl") return;
  std::string list = "pthread";
  for (int i = 1; i < 200; ++i) list += " pthread";
  changes.emplace_back("KOINE_DEVICE", "pocl");
  changes.emplace_back("POCL_DEVICES", list);
}

/// Sweeps, and prints what was injected. `stride` is what the usual run does with; KOINE_TEST_STRIDE overrides it.
void sweep(const std::string& name, std::uint64_t stride, Changes changes) {
  const bool fresh =
      std::any_of(changes.begin(), changes.end(), [](const auto& c) { return c.first == "KOINE_TEST_FRESH"; });
  if (fresh && kn::default_device().vendor() != "pocl") {
    return kn::test::leave_out(name + ": only PoCL shows a device as often as a sweep loses one");
  }
  stride = kn::test::number_in("KOINE_TEST_STRIDE", stride);
  changes.emplace_back("KOINE_TEST_STRIDE", std::to_string(stride));
  add_devices(changes);
  const auto start = std::chrono::steady_clock::now();
  const Swept swept = kn::test::run_sweep(child, changes);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const Progress& p = swept.progress;
  std::uint64_t injected = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    injected += p.injected[i];
    if (p.injected[i] > 0) std::cout << "  " << p.injected[i] << "  " << kn::test::text_of(faults[i]) << '\n';
  }
  std::cout << "faults injected: " << injected << " (" << name << ", every " << stride << ". place; " << p.trials
            << " runs, of which " << p.absorbed << " ended in the right answer at once, " << p.thrown
            << " in an error, " << p.lost << " of these in a lost device; " << swept.processes << " processes, "
            << time.count() << " s)\n";
  CHECK(swept.wrong == "");
  CHECK(injected > 0);
}

}  // namespace

TEST_CASE("child: a part of a sweep" * doctest::skip()) {
  const std::filesystem::path folder = std::getenv("KOINE_TEST_FOLDER");
  const kn::test::ProgressFile progress(folder / "progress");
  kn::test::Sweep sweep(*progress, folder);
  CHECK(sweep.run() == "");
}

TEST_CASE("each call fails in its turn") { sweep("one queue", 809, {{"KOINE_TEST_FAULTS", "calls"}}); }

TEST_CASE("each call fails in its turn while two queues share the work") {
  sweep("two queues", 1009, {{"KOINE_TEST_FAULTS", "calls"}, {"KOINE_TEST_TWO_QUEUES", "1"}});
}

TEST_CASE("each call fails in its turn while every launch is waited for") {
  sweep("KOINE_SYNC=1", 1013, {{"KOINE_TEST_FAULTS", "calls"}, {"KOINE_SYNC", "1"}});
}

TEST_CASE("each call fails in its turn while all commands are recorded") {
  const kn::test::TemporaryFolder folder;
  sweep("KOINE_PROFILE", 2003,
        {{"KOINE_TEST_FAULTS", "calls"}, {"KOINE_PROFILE", (folder.path() / "trace-%p.json").string()}});
}

TEST_CASE("each call fails in its turn on a device that is new") {
  if (!kn::test::exhaustive() && std::getenv("KOINE_TEST_STRIDE") == nullptr) {
    return kn::test::leave_out("without KOINE_TEST_EXHAUSTIVE: the next case is the same with programs on disk");
  }
  sweep("new devices", 9973, {{"KOINE_TEST_FAULTS", "calls"}, {"KOINE_TEST_FRESH", "1"}});
}

TEST_CASE("each call fails in its turn on a device that is new while programs are kept on disk") {
  const kn::test::TemporaryFolder cache;
  sweep("new devices, programs kept on disk", 6007,
        {{"KOINE_TEST_FAULTS", "calls"},
         {"KOINE_TEST_FRESH", "1"},
         {"KOINE_CACHE", "rw"},
         {"KOINE_CACHE_DIR", cache.path().string()}});
}

TEST_CASE("each allocation on the host fails in its turn") {
  if (!kn::test::memory_can_fail) {
    MESSAGE("left out: a sanitizer allocates by itself");
    return;
  }
  kn::test::leave_out("CLBlast, which releases a kernel that it has not made where its memory runs out (1.5.3)");
  sweep("host memory", 1999, {{"KOINE_TEST_FAULTS", "host"}});
  if (kn::test::without_variants("host memory, two queues: each is in a case above")) return;
  sweep("host memory, two queues", 6011, {{"KOINE_TEST_FAULTS", "host"}, {"KOINE_TEST_TWO_QUEUES", "1"}});
}

TEST_CASE("each allocation of products by functions of the host fails in its turn") {
  if (!kn::test::memory_can_fail) return kn::test::leave_out("a sanitizer allocates by itself");
  sweep("host memory, matrix products", 1, {{"KOINE_TEST_FAULTS", "host"}, {"KOINE_TEST_STEP", "matrix products"}});
}

TEST_CASE("each call and each allocation of what holds locks and promises fails in its turn") {
  for (const char* step : {"queues and events", "reading in the background"}) {
    if (kn::test::memory_can_fail) {
      sweep(std::string("host memory, ") + step, 1, {{"KOINE_TEST_FAULTS", "host"}, {"KOINE_TEST_STEP", step}});
    }
    sweep(std::string("new devices, ") + step, 23,
          {{"KOINE_TEST_FAULTS", "calls"}, {"KOINE_TEST_FRESH", "1"}, {"KOINE_TEST_STEP", step}});
  }
}

TEST_CASE("calls fail now and then while threads compute") {
  kn::test::on_each_device([] {
    const kn::Device device = kn::default_device();
    const std::vector<Step> steps = kn::test::workload();
    const std::vector<std::string> names = {"arrays", "fusion", "views", "assignment", "random numbers", "take"};
    const kn::test::TemporaryFolder folder;
    std::vector<std::string> wrong(4);
    const auto compute = [&](std::size_t thread, int times, int most_attempts) {
      const kn::DeviceScope scope(device);
      const kn::test::Site site{device, {}, thread >= 2, folder.path()};
      std::vector<std::vector<kn::test::Attempt::Values>> known(steps.size());
      for (int time = 0; time < times && wrong[thread].empty(); ++time) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
          if (std::find(names.begin(), names.end(), steps[i].name) == names.end()) continue;
          const auto body = steps[i].body;
          kn::test::Attempt attempt(site, known[i]);
          std::string text = "not tried";
          for (int tried = 0; !text.empty() && tried < most_attempts; ++tried) {
            attempt.begin();
            try {
              text = body(attempt) ? "" : "wrong values";
              if (!text.empty()) break;
            } catch (const kn::Error& error) {
              text = error.what();
            }
          }
          if (!text.empty()) wrong[thread] = steps[i].name + ": " + text;
        }
      }
    };
    for (std::size_t i = 0; i < wrong.size(); ++i) compute(i, 1, 1);
    REQUIRE(wrong == std::vector<std::string>(wrong.size()));
    kn::synchronize();
    const std::uint64_t in_use = kn::memory_stats(device).in_use, before = fail_layer().failed();
    std::atomic<std::size_t> at_work{wrong.size()};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      threads.emplace_back([&, i] {
        compute(i, 60, 100);
        --at_work;
      });
    }
    std::mt19937 choose(11);
    while (at_work > 0) {
      // A lack of resources, where probing the device fails too, would make it count as lost.
      const int codes[] = {kn::test::allocation_failure, kn::test::out_of_host_memory};
      fail_layer().fail(kn::test::any_function, choose() % 50, 1 + choose() % 3, codes[choose() % 2]);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    for (std::thread& thread : threads) thread.join();
    fail_layer().stop();
    CHECK(wrong == std::vector<std::string>(wrong.size()));
    CHECK(fail_layer().failed() > before + 50);
    kn::synchronize();
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
