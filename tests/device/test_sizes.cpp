// SPDX-License-Identifier: Apache-2.0
// Sizes that 64 bits cannot count are refused with a sentence before anything is made, those of empty arrays too.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cstdint>
#include <limits>

#include "support/arrays.hpp"
#include "support/devices.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::has;
using kn::test::message_of;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), large = std::int64_t{1} << 40;

void refused(const char* function, auto call) {
  const std::string message = message_of<kn::ShapeError>(call);
  CAPTURE(message);
  CHECK(has(message, std::string("[") + function + "]"));
  CHECK(has(message, "64 bits can"));
}

}  // namespace

TEST_CASE("sizes past 64 bits") {
  kn::test::on_each_device([] {
    const Array x = kn::ones({3}), none = kn::zeros({0, 3}), wide = kn::broadcast_to(kn::ones({1}), {large});
    const Array huge = kn::broadcast_to(kn::ones({1}), {std::int64_t{1} << 58});
    refused("zeros", [] { kn::zeros({0, large, large}); });
    refused("zeros", [] { kn::zeros({large, 0, large}); });
    refused("full", [] { kn::full({most}, 1); });
    refused("pad", [&] { kn::pad(x, most); });
    refused("pad", [&] { kn::pad(x, {most, most}); });
    refused("pad", [&] { kn::pad(none, {{0, 0}, {most - 3, 0}}); });
    refused("repeat", [&] { kn::repeat(x, most); });
    refused("repeat", [&] { kn::repeat(none, most / 2, {.axis = 1}); });
    refused("tile", [&] { kn::tile(x, most); });
    refused("tile", [&] { kn::tile(none, {large, large}); });
    refused("kron", [&] { kn::kron(wide, wide); });
    refused("kron", [&] { kn::kron(kn::zeros({0, large}), wide); });
    refused("outer", [&] { kn::outer(wide, wide); });
    refused("meshgrid", [&] { kn::meshgrid({wide, wide}); });
    refused("multiply", [&] { kn::reshape(wide, {large, 1}) * wide; });
    refused("where", [&] { kn::where(kn::reshape(wide, {large, 1}) > 0, wide, 1); });
    refused("broadcast_to", [&] { kn::broadcast_to(none, {large, 0, large}); });
    refused("broadcast_shapes", [] { kn::broadcast_shapes({{large, 1}, {1, large}}); });
    refused("concat", [&] { kn::concat({huge, huge, huge}); });
    refused("stack", [&] { kn::stack({huge, huge, huge}); });
    refused("convolve", [&] { kn::convolve(wide, wide); });
    refused("arange", [] { kn::arange(most); });
    refused("linspace", [] { kn::linspace(0, 1, most); });
    refused("eye", [] { kn::eye(0, most); });
    refused("eye", [] { kn::eye(large); });
    refused("uniform", [] { kn::random::Generator(1).uniform({0, large, large}); });
    CHECK(kn::roll(kn::arange(5), {most, most, most}).to_vector<int>() ==
          kn::roll(kn::arange(5), 3 * (most % 5)).to_vector<int>());
    CHECK(kn::tril(kn::ones({2, 2}), {.k = most}).to_vector<int>() == std::vector<int>{1, 1, 1, 1});
    CHECK(kn::zeros({0, large}).size() == 0);
  });
}

TEST_CASE("whether a reshape needs a copy does not depend on what was computed before") {
  kn::test::on_each_device([] {
    const auto answer = [](const Array& x, const kn::Shape& shape) {
      const std::string message = message_of<kn::ValueError>([&] { kn::reshape(x, shape, {.copy = false}); });
      return message == "nothing was thrown";
    };
    const auto made = [](int way) {
      const Array base = kn::test::numbered({4, 6}) + 1;
      switch (way) {
        case 0: return base;
        case 1: return base.T();
        case 2: return kn::permute_dims(kn::reshape(base, {2, 2, 6}), {1, 0, 2});
        case 3: return kn::broadcast_to(base(0), {4, 6});
        case 4: return kn::flip(base, {.axis = 0});
        case 5: return kn::reshape(base, {6, 4});
        case 6: return kn::reshape(base.T(), {4, 6});
        default: return kn::zeros({4, 6});
      }
    };
    const bool possible[] = {true, false, false, false, false, true, true, true};
    for (int way = 0; way < 8; ++way) {
      CAPTURE(way);
      const Array pending = made(way), computed = made(way).eval();
      const bool with_first = answer(computed, {24}), without = answer(pending, {24});
      CHECK(with_first == without);
      CHECK(without == possible[way]);
      CHECK(answer(pending, pending.shape()));
    }
  });
}
