// SPDX-License-Identifier: Apache-2.0
// Each call with which devices are found fails in its turn, in a process of its own: the default device is found as
// ever, or an error says that it was not. A guess at what a driver did not say could pick the wrong kernels.
#include <doctest/doctest.h>
#include <unistd.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "support/child.hpp"
#include "support/fail_layer.hpp"
#include "support/inner.hpp"

namespace kn = koine;
using kn::test::fail_layer;

namespace {

constexpr int out_of_host_memory = -6, nothing_failed = 7;

}  // namespace

TEST_CASE("child: devices are looked for" * doctest::skip()) {
  std::string found;
  try {
    found = kn::test::answers_of(kn::default_device());
  } catch (const kn::DeviceError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    CHECK(text.starts_with("["));
    CHECK(text.find("] ") != text.npos);
    return;
  }
  const std::uint64_t failed = fail_layer().failed();
  fail_layer().stop();
  CHECK(found == std::getenv("KOINE_TEST_DEVICE"));
  CHECK((kn::ones({3}) + 1).to_vector<float>() == std::vector<float>{2, 2, 2});
  if (failed == 0) _exit(nothing_failed);
}

TEST_CASE("each call that looks for devices fails in its turn") {
  const char* const text = std::getenv("KOINE_TEST_STRIDE");
  const std::uint64_t stride = text != nullptr ? std::strtoull(text, nullptr, 10) : 17;
  const std::string device = kn::test::answers_of(kn::default_device());
  std::uint64_t injected = 0;
  for (std::uint64_t skip = 0;; skip += stride) {
    CAPTURE(skip);
    const std::string order = std::to_string(skip) + ":1:" + std::to_string(out_of_host_memory);
    const kn::test::Ended ended = kn::test::run_child("child: devices are looked for",
                                                      {{"KOINE_FAIL_LAYER", order}, {"KOINE_TEST_DEVICE", device}});
    if (ended.status == nothing_failed) break;
    CAPTURE(ended.report);
    CAPTURE(ended.err);
    REQUIRE(ended.status == 0);
    ++injected;
  }
  std::cout << "  " << injected << "  CL_OUT_OF_HOST_MEMORY while devices are looked for\nfaults injected: " << injected
            << " (looking for devices, every " << stride << ". place)\n";
  CHECK(injected > 0);
}
