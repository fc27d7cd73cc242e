// SPDX-License-Identifier: Apache-2.0
// A card of 64 MiB, of which a buffer may take 16: who asks for more hears of it in numbers, and can work on.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/inner.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::bytes_text;
using kn::test::check_played;
using kn::test::has;
using kn::test::message_of;
using kn::test::numbered;
using kn::test::vendor_layer;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::int64_t elements = 1 << 18;  // of a mebibyte of int32

kn::MemoryStats stats() { return kn::memory_stats(kn::default_device()); }

/// In the device's memory, not pending.
Array array_of(std::int64_t mebibytes) {
  Array x = kn::arange(mebibytes * elements, {.dtype = kn::int32});
  x.eval();
  return x;
}

/// Arrays of so many MiB until there is no memory, and then the message.
std::string fill(std::vector<Array>& kept, std::int64_t mebibytes) {
  for (;;) {
    REQUIRE(kept.size() < 100);
    const std::string text = message_of<kn::OutOfMemory>([&] { kept.push_back(array_of(mebibytes)); });
    if (has(text, "[")) return text;
  }
}

void check_last(const std::vector<Array>& arrays) {
  for (const Array& x : arrays) CHECK(x(-1).item<std::int64_t>() == x.size() - 1);
}

}  // namespace

TEST_CASE("child: one buffer" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  CHECK(device.memory() == 64 * mebibyte);
  const Array most = array_of(16);
  const Array pending = kn::arange(17 * elements, {.dtype = kn::int32}) + 1;
  for (int time = 0; time < 2; ++time) {
    const std::string text = message_of<kn::OutOfMemory>([&] { pending.eval(); });
    CAPTURE(text);
    CHECK(has(text, "one buffer of 17 MiB is more than " + device.selector()));
    CHECK(has(text, "16 MiB at once"));
    CHECK(has(text, "16 MiB are in use"));
    CHECK(has(text, "the device has 64 MiB"));
  }
  CHECK(vendor_layer().refused().buffers == 0);  // the driver was not asked
  CHECK(kn::sum(most(kn::slice(0, 100))).item<int>() == 4950);
  CHECK(pending(kn::slice(0, 100)).shape() == kn::Shape{100});
}

TEST_CASE("a buffer beyond the limit of one is refused before the driver is asked") {
  for (const char* play : {"small_memory", "amd,small_memory", "nvidia,small_memory"}) {
    check_played(play, "child: one buffer");
  }
}

TEST_CASE("child: our own limit" * doctest::skip()) {
  std::vector<Array> kept;
  const std::string text = fill(kept, 8);
  CAPTURE(text);
  CHECK(kept.size() == 7);  // nine tenths of 64 MiB
  CHECK(has(text, "8 MiB do not fit on " + kn::default_device().selector()));
  CHECK(has(text, bytes_text(stats().in_use) + " are in use"));
  CHECK(has(text, "of a limit of " + bytes_text(stats().limit)));
  CHECK(has(text, "the device has 64 MiB"));
  CHECK(vendor_layer().refused().memory == 0);
  check_last(kept);
  kept.clear();
  CHECK(stats().in_use == 0);
  CHECK(fill(kept, 16).size() > 0);  // other sizes: the pool gives back what it holds
  CHECK(kept.size() == 3);
}

TEST_CASE("by default a tenth of a card's memory is left alone, and the driver need not refuse") {
  check_played("small_memory", "child: our own limit");
  check_played("amd,small_memory", "child: our own limit");
}

TEST_CASE("child: the driver's limit" * doctest::skip()) {
  const kn::Device device = kn::default_device();
  kn::set_memory_limit(device, 1024 * mebibyte);  // so that it is the driver that refuses
  std::vector<Array> kept;
  const std::string text = fill(kept, 8);
  CAPTURE(text);
  CHECK(kept.size() >= 7);  // kernels and the library keep a little themselves
  CHECK(vendor_layer().refused().memory > 0);
  CHECK(vendor_layer().refused().buffers == 0);
  CHECK(has(text, device.selector() + " (" + device.name() + ")"));
  CHECK(has(text, "8 MiB do not fit"));
  CHECK(has(text, bytes_text(stats().in_use) + " are in use"));
  CHECK(has(text, "the device has 64 MiB"));
  check_last(kept);

  // What is pending stays so, and is computed once there is room.
  Array late = kn::arange(3 * elements, {.dtype = kn::float32}) * 2;
  CHECK_THROWS_AS(late.eval(), kn::OutOfMemory);
  kept.resize(kept.size() - 4);
  CHECK(late(-1).item<float>() == 6.0f * elements - 2);
  check_last(kept);

  // Memory that the pool holds in pieces comes back as one.
  late = Array();
  kept.clear();
  for (int i = 0; i < 25; ++i) kept.push_back(array_of(2));
  kept.clear();
  const std::uint64_t held = vendor_layer().live_bytes(0);
  CHECK(held >= 50 * mebibyte);
  for (int i = 0; i < 3; ++i) kept.push_back(array_of(16));
  check_last(kept);
  CHECK(vendor_layer().live_bytes(0) <= 64 * mebibyte);
  CHECK(stats().in_use == 48 * mebibyte);
}

TEST_CASE("a driver without memory is asked again after the pool has let go, and then it is an error in numbers") {
  check_played("small_memory", "child: the driver's limit");
  check_played("amd,small_memory", "child: the driver's limit");
  check_played("nvidia,small_memory", "child: the driver's limit");  // whose buffers take memory when first used
}

TEST_CASE("child: transfers" * doctest::skip()) {
  // More than a slot of the staging ring, and nearly all the memory.
  std::vector<std::int32_t> values(static_cast<std::size_t>(15 * elements));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7);
  std::vector<Array> kept;
  for (int i = 0; i < 3; ++i) kept.push_back(kn::asarray(values));
  CHECK_THROWS_AS(kn::asarray(values), kn::OutOfMemory);
  for (const Array& x : kept) CHECK(x.to_vector<std::int32_t>() == values);
  kept.pop_back();
  CHECK((kn::asarray(values) + 1)(100).item<int>() == 701);
}

TEST_CASE("transfers on a full card") {
  check_played("amd,small_memory", "child: transfers");
  check_played("nvidia,small_memory", "child: transfers");
}
