// SPDX-License-Identifier: Apache-2.0
// Choosing among played devices: rank, selectors, the list in the error, and one card under two platforms.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "cl/device_entry.hpp"
#include "support/arrays.hpp"
#include "support/vendor_layer.hpp"

namespace kn = koine;
using kn::test::check_played;
using kn::test::has;
using kn::test::message_of;

namespace {

using Names = std::vector<std::string>;

Names selectors_of(const std::vector<kn::Device>& devices) {
  Names result;
  for (const kn::Device& device : devices) result.push_back(device.selector());
  return result;
}

Names matches(const char* selector) { return selectors_of(kn::devices(selector)); }

/// What KOINE_TEST_EXPECT lists, separated by spaces.
Names expected() {
  std::istringstream text(std::getenv("KOINE_TEST_EXPECT"));
  Names result;
  for (std::string word; text >> word;) result.push_back(word);
  return result;
}

}  // namespace

TEST_CASE("child: three cards" * doctest::skip()) {
  const auto all = kn::devices();
  REQUIRE(all.size() == 3);
  CHECK(selectors_of(all) == Names{"amd:gpu:0", "nvidia:gpu:0", "amd:gpu:1"});  // by memory
  CHECK(all[0].name() == "AMD Instinct MI210 (gfx90a:sramecc+:xnack-)");
  CHECK(all[1].name() == "NVIDIA H200");
  CHECK(all[2].name() == "AMD Radeon RX 7900 XTX (gfx1100)");
  CHECK(all[0].platform() == "AMD Accelerated Parallel Processing");
  CHECK(all[1].platform() == "NVIDIA CUDA");
  const auto architecture = [&](std::size_t i) {
    const kn::DeviceTraits& traits = all[i].record().traits;
    return traits.architecture + " " + std::to_string(traits.subgroup);
  };
  CHECK(architecture(0) == "gfx90a 64");
  CHECK(architecture(1) == "sm_90 32");
  CHECK(architecture(2) == "gfx1100 32");
  for (const kn::Device& device : all) {
    CHECK(device.type() == kn::DeviceType::gpu);
    CHECK(matches(device.selector().c_str()) == Names{device.selector()});
    CHECK(kn::sum(kn::arange(100, {.device = device})).item<int>() == 4950);
  }

  CHECK(matches("amd") == Names{"amd:gpu:0", "amd:gpu:1"});
  CHECK(matches("AMD:GPU:1") == Names{"amd:gpu:1"});
  CHECK(matches("amd:gpu:xtx") == Names{"amd:gpu:1"});
  CHECK(matches("gpu:gfx90a") == Names{"amd:gpu:0"});
  CHECK(matches("gpu:1") == Names{"nvidia:gpu:0"});
  CHECK(matches("nvidia:any:h200") == Names{"nvidia:gpu:0"});
  CHECK(matches("nvidia;amd:gpu:1") == Names{"nvidia:gpu:0", "amd:gpu:1"});
  CHECK(matches("!nvidia") == Names{"amd:gpu:0", "amd:gpu:1"});
  CHECK(matches("any;!amd:gpu:0") == Names{"nvidia:gpu:0", "amd:gpu:1"});
  CHECK(matches("amd;!gpu:mi210") == Names{"amd:gpu:1"});
}

TEST_CASE("three cards have three selectors, and a selector finds by vendor, type, number and name") {
  check_played("three", "child: three cards");
}

TEST_CASE("child: nothing matches" * doctest::skip()) {
  for (const char* selector : {"amd:gpu:2", "intel", "cpu", "gpu:gfx906", "!any", "amd;!amd"}) {
    CAPTURE(std::string(selector));
    const std::string text = message_of<kn::DeviceError>([&] { kn::devices(selector); });
    CAPTURE(text);
    CHECK(text.starts_with("[devices] \"" + std::string(selector) + "\" matches no device"));
    // Each line of the list begins with what can be pasted.
    std::istringstream lines(text);
    std::string line;
    Names pasted;
    for (std::getline(lines, line); std::getline(lines, line);) {
      if (!line.starts_with("  ")) break;
      std::istringstream words(line);
      std::string word;
      words >> word;
      REQUIRE(kn::devices(word).size() == 1);
      CHECK(has(line, kn::devices(word).front().name()));
      pasted.push_back(word);
    }
    CHECK(pasted == Names{"amd:gpu:0", "nvidia:gpu:0", "amd:gpu:1"});
  }
}

TEST_CASE("a selector that matches nothing is told what would match") {
  check_played("three", "child: nothing matches");
}

TEST_CASE("child: the environment's choice" * doctest::skip()) {
  CHECK(selectors_of(kn::devices()) == expected());
  CHECK(kn::default_device().selector() == expected().front());
  CHECK(kn::ones({3}).device().selector() == expected().front());
}

TEST_CASE("KOINE_DEVICE bounds the devices and puts them in order") {
  const auto check = [](const char* value, const char* selectors) {
    CAPTURE(std::string(value));
    check_played("three", "child: the environment's choice",
                 {{"KOINE_DEVICE", value}, {"KOINE_TEST_EXPECT", selectors}});
  };
  check("amd:gpu:1", "amd:gpu:1");
  check("nvidia;amd", "nvidia:gpu:0 amd:gpu:0 amd:gpu:1");
  check("!amd:gpu:0", "nvidia:gpu:0 amd:gpu:1");
}

TEST_CASE("child: the environment names a card that is not here" * doctest::skip()) {
  const std::string text = message_of<kn::DeviceError>([] { kn::default_device(); });
  CAPTURE(text);
  CHECK(text.starts_with("[KOINE_DEVICE] \"radeon\" matches no device"));
  CHECK(has(text, "\n  amd:gpu:1     AMD Radeon RX 7900 XTX (gfx1100)"));
  CHECK_THROWS_AS(kn::ones({2}), kn::DeviceError);
}

TEST_CASE("a KOINE_DEVICE that matches nothing falls back to nothing") {
  check_played("three", "child: the environment names a card that is not here", {{"KOINE_DEVICE", "radeon"}});
}

TEST_CASE("a GPU goes before a CPU, and a discrete one before an integrated one, however the drivers list them") {
  const auto check = [](const char* play, const char* selectors) {
    check_played(play, "child: the environment's choice", {{"KOINE_TEST_EXPECT", selectors}});
  };
  check("pocl;nvidia", "nvidia:gpu:0 pocl:cpu:0");
  check("radeon;pocl;nvidia", "nvidia:gpu:0 amd:gpu:0 pocl:cpu:0");
  check("integrated;pocl;radeon", "amd:gpu:0 intel:gpu:0 pocl:cpu:0");
  check("nvidia,no_fp64;radeon", "amd:gpu:0 nvidia:gpu:0");  // double precision goes before memory
}

TEST_CASE("child: one card" * doctest::skip()) {
  const auto all = kn::devices();
  REQUIRE(all.size() == 1);
  CHECK(all[0].platform() == "AMD Accelerated Parallel Processing");
  CHECK((kn::ones({4}) + 1).to_vector<float>() == std::vector<float>(4, 2.0f));
}

TEST_CASE("child: two cards" * doctest::skip()) {
  CHECK(selectors_of(kn::devices()) == Names{"amd:gpu:0", "amd:gpu:1"});
}

TEST_CASE("a card that two platforms show counts once, by its maker's driver") {
  check_played("twice", "child: one card");
  check_played("mesa;amd", "child: one card");
  check_played("radeon;mesa", "child: two cards");  // the same maker, another slot
  check_played("amd;amd", "child: two cards");      // a platform lists no card twice
}

TEST_CASE("child: two devices do not mix" * doctest::skip()) {
  const auto all = kn::devices();
  const kn::Array a = kn::ones({2}, {.device = all[0]}), b = kn::ones({2}, {.device = all[2]});
  const std::string text = message_of<kn::DeviceError>([&] { a + b; });
  CHECK(has(text, "amd:gpu:0"));
  CHECK(has(text, "amd:gpu:1"));
  CHECK((a + b.to_device(all[0])).to_vector<float>() == std::vector<float>{2, 2});
}

TEST_CASE("arrays of two played cards do not mix, and move") { check_played("three", "child: two devices do not mix"); }
