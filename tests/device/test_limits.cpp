// SPDX-License-Identifier: Apache-2.0
// Limits on memory: KOINE_MEMORY_LIMIT, set_memory_limit, and what happens to those who pass one.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "support/arrays.hpp"
#include "support/child.hpp"
#include "support/devices.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::bytes_text;
using kn::test::check_child;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::on_each_device;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

kn::MemoryStats stats() { return kn::memory_stats(kn::default_device()); }
void set_limit(std::uint64_t bytes) { kn::set_memory_limit(kn::default_device(), bytes); }

/// Puts the limit back.
class LimitScope {
 public:
  LimitScope() : before_(stats().limit) {}
  ~LimitScope() { set_limit(before_); }
  LimitScope(const LimitScope&) = delete;
  LimitScope& operator=(const LimitScope&) = delete;

 private:
  std::uint64_t before_;
};

/// An array of that many MiB, none of it in the pool before.
Array array_of(std::uint64_t mebibytes) { return numbered({static_cast<std::int64_t>(mebibytes * mebibyte / 4)}); }

/// Work under way may keep memory alive.
void settle() {
  kn::synchronize();
  set_limit(stats().limit);
}

}  // namespace

TEST_CASE("child: the limit of the environment cannot be read" * doctest::skip()) {
  const std::string value = std::getenv("KOINE_MEMORY_LIMIT");
  const kn::Device device = kn::default_device();
  for (int time = 0; time < 2; ++time) {
    for (const std::string& text : {
             message_of<kn::ValueError>([] { numbered({3}); }),
             message_of<kn::ValueError>([] { (kn::arange(3) + 1).eval(); }),
             message_of<kn::ValueError>([&] { kn::memory_stats(device); }),
             message_of<kn::ValueError>([&] { kn::set_memory_limit(device, mebibyte); }),
         }) {
      CAPTURE(text);
      CHECK(text.starts_with("[KOINE_MEMORY_LIMIT] \"" + value + "\""));
      CHECK(has(text, "90%"));
      CHECK(has(text, "8GiB"));
    }
  }
}

TEST_CASE("a memory limit that cannot be read is an error that names it and shows how to write one") {
  for (const char* value : {"lots", "-3", "150%", "8 gallons", "12e99", "nan", "90 % of it", "1,5GiB"}) {
    CAPTURE(std::string(value));
    check_child("child: the limit of the environment cannot be read", {{"KOINE_MEMORY_LIMIT", value}});
  }
}

TEST_CASE("child: the limit of the environment" * doctest::skip()) {
  const auto expected = std::strtoull(std::getenv("KOINE_TEST_LIMIT"), nullptr, 10);
  CHECK(stats().limit == expected);
  numbered({3});
  CHECK(stats().limit == expected);
  const std::string text = message_of<kn::OutOfMemory>([] { array_of(20); });
  CAPTURE(text);
  CHECK(text.starts_with("[asarray] 20 MiB "));
  CHECK(has(text, bytes_text(expected)));
  CHECK(array_of(1)(77).item<int>() == 77);
}

TEST_CASE("KOINE_MEMORY_LIMIT is a part of the device's memory or a number of bytes") {
  const auto check = [](const char* value, std::uint64_t bytes) {
    CAPTURE(std::string(value));
    check_child("child: the limit of the environment",
                {{"KOINE_MEMORY_LIMIT", value}, {"KOINE_TEST_LIMIT", std::to_string(bytes)}});
  };
  check("8MiB", 8 * mebibyte);
  check(" 1.5 m ", mebibyte * 3 / 2);
  check("3000000", 3'000'000);
  const std::uint64_t memory = kn::default_device().memory();
  const std::uint64_t promille = memory / 1000;
  if (promille > 2 * mebibyte && promille < 20 * mebibyte) {
    check("0.1%", static_cast<std::uint64_t>(0.1 * (static_cast<double>(memory) / 100)));
  }
}

TEST_CASE("who passes the limit hears of it, and nothing is lost") {
  on_each_device([] {
    const LimitScope restore;
    settle();
    const kn::Device device = kn::default_device();
    const std::uint64_t before = stats().in_use;
    const Array kept = array_of(4), pending = kept * 2 + 1;
    set_limit(before + 6 * mebibyte);
    for (int time = 0; time < 2; ++time) {
      const std::string text = message_of<kn::OutOfMemory>([&] { pending.eval(); });
      CAPTURE(text);
      CHECK(text.starts_with("["));
      CHECK(has(text, "] 4 MiB "));
      CHECK(has(text, device.selector() + " (" + device.name() + ")"));
      CHECK(has(text, bytes_text(stats().in_use) + " are in use"));
      CHECK(has(text, bytes_text(stats().limit)));
      CHECK(has(text, bytes_text(device.memory())));
      CHECK(stats().in_use == before + 4 * mebibyte);
    }
    CHECK(message_of<kn::OutOfMemory>([&] { array_of(3); }).starts_with("[asarray] 3 MiB "));
    CHECK(array_of(2)(9).item<int>() == 9);
    CHECK(kept(1000).item<int>() == 1000);
    set_limit(before + 8 * mebibyte);
    CHECK(pending(1000).item<int>() == 2001);
  });
}

TEST_CASE("a limit below what is in use leaves arrays alone and allows no more") {
  on_each_device([] {
    const LimitScope restore;
    settle();
    const std::uint64_t before = stats().in_use;
    Array kept = array_of(8);
    set_limit(before + 4 * mebibyte);
    CHECK(stats().in_use == before + 8 * mebibyte);
    CHECK(stats().held == 0);
    CHECK(kept(123'456).item<int>() == 123'456);
    CHECK_THROWS_AS(array_of(1), kn::OutOfMemory);
    kept(5) = -5;  // in place: no memory is asked for
    CHECK(kept(5).item<int>() == -5);
    kept = Array();
    settle();
    CHECK(stats().in_use == before);
    CHECK(stats().held <= 4 * mebibyte);
    CHECK_THROWS_AS(array_of(5), kn::OutOfMemory);
    CHECK(array_of(3)(77).item<int>() == 77);
    set_limit(0);
    CHECK_THROWS_AS(numbered({1}), kn::OutOfMemory);
  });
}

TEST_CASE("memory that comes back to the pool does not carry anybody over a limit") {
  on_each_device([] {
    const LimitScope restore;
    settle();
    const std::uint64_t before = stats().in_use;
    Array kept = array_of(8);
    set_limit(before + 4 * mebibyte);
    kept = Array();
    CHECK_THROWS_AS(array_of(8), kn::OutOfMemory);
    CHECK(stats().in_use + stats().held <= before + 4 * mebibyte);
  });
}

TEST_CASE("threads do not pass a limit together") {
  on_each_device([] {
    const LimitScope restore;
    settle();
    const kn::Device device = kn::default_device();
    const std::uint64_t limit = stats().in_use + 8 * mebibyte;
    set_limit(limit);
    std::atomic<int> made{0}, refused{0}, over{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&] {
        const kn::DeviceScope scope(device);
        for (int i = 0; i < 50; ++i) {
          try {
            const Array x = array_of(1 + static_cast<std::uint64_t>(i % 5));
            if (x(i).item<int>() == i) ++made;
          } catch (const kn::OutOfMemory&) {
            ++refused;
          }
          const kn::MemoryStats now = stats();
          if (now.in_use + now.held > limit) ++over;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(made > 0);
    CHECK(made + refused == 300);
    CHECK(over == 0);
    CHECK(stats().in_use == limit - 8 * mebibyte);
  });
}
