// SPDX-License-Identifier: Apache-2.0
// Random numbers made in the kernel that reads them have the bits of those that are stored first.
#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/devices.hpp"
#include "support/work.hpp"

namespace kn = koine;
using kn::Array;
using kn::test::on_each_device;

namespace {

/// Where numbers are only made in kernels that read them in their order.
bool on_cpu() { return kn::default_device().type() == kn::DeviceType::cpu; }

using Generator = kn::random::Generator;
using Draw = std::function<Array(Generator&, const kn::Shape&)>;

struct Law {
  std::string name;
  Draw draw;
};

const std::vector<Law> laws = {
    {"uniform", [](Generator& g, const kn::Shape& s) { return g.uniform(s, {.low = -2, .high = 3}); }},
    {"normal", [](Generator& g, const kn::Shape& s) { return g.normal(s, {.loc = 1, .scale = 2}); }},
    {"exponential", [](Generator& g, const kn::Shape& s) { return g.exponential(s, {.scale = 3}); }},
};

/// What `use` makes of numbers that are not in memory yet, and of the same numbers in memory.
std::pair<Array, Array> both(const Law& law, const kn::Shape& shape, std::uint64_t skipped,
                             const std::function<Array(const Array&)>& use) {
  Generator here(7, skipped), there(7, skipped);
  const Array lazy = law.draw(here, shape), stored = law.draw(there, shape).eval();
  return {use(lazy), use(stored)};
}

void check_same_bits(const Law& law, const kn::Shape& shape, std::uint64_t skipped,
                     const std::function<Array(const Array&)>& use, bool is_stored = false) {
  CAPTURE(law.name);
  CAPTURE(to_string(shape));
  CAPTURE(skipped);
  const auto [got, want] = both(law, shape, skipped, use);
  const std::int64_t kernels = kn::test::kernels_of(got);
  CHECK(kernels == kn::test::kernels_of(want) + (is_stored ? 1 : 0));
  CHECK(got.to_vector<std::complex<double>>() == want.to_vector<std::complex<double>>());
}

void check_close(const Law& law, const kn::Shape& shape, std::uint64_t skipped,
                 const std::function<Array(const Array&)>& use) {
  CAPTURE(law.name);
  CAPTURE(to_string(shape));
  const auto [got, want] = both(law, shape, skipped, use);
  const std::vector<float> a = got.to_vector<float>(), b = want.to_vector<float>();
  CHECK(std::ranges::equal(a, b, [](float p, float q) { return std::abs(p - q) <= 1e-7f + 1e-5f * std::abs(q); }));
}

}  // namespace

TEST_CASE("numbers made where they are read have the bits of stored ones") {
  on_each_device([] {
    for (const Law& law : laws) {
      // From the first word of a block and from others; vectors whole and in part; of other widths beside wider types.
      for (const std::uint64_t skipped : {0, 1, 6, 7}) {
        for (const std::int64_t n : {1, 5, 64, 1003, 100'000}) {
          check_same_bits(law, {n}, skipped, [](const Array& x) { return x * 2.0f + 1.0f; });
        }
        check_same_bits(law, {37, 16}, skipped, [](const Array& x) { return x * kn::arange(16).astype(kn::float32); });
        if (law.name != "normal" && kn::test::without_variants()) continue;
        check_same_bits(law, {1000}, skipped, [](const Array& x) { return x.astype(kn::float16); });
        if (kn::test::computes(kn::float64)) {
          check_same_bits(law, {1000}, skipped, [](const Array& x) { return x.astype(kn::float64) * 2.0; });
        }
        check_same_bits(law, {1000}, skipped, [](const Array& x) { return x * std::complex<float>(0, 1); });
      }
    }
  });
}

TEST_CASE("numbers made in reductions, of all, of rows and of columns, and stored for scans") {
  on_each_device([] {
    for (const Law& law : laws) {
      // How they are made is told above; here, by whom they are read.
      if (law.name != "normal" && kn::test::without_variants("two of three laws")) continue;
      for (const std::uint64_t skipped : {0, 5}) {
        for (const kn::Shape& shape : {kn::Shape{300, 1000}, kn::Shape{1000, 3}, kn::Shape{7, 10'001}}) {
          // Extremes and where they are hold for the numbers' bits; sums may be taken in another order.
          check_same_bits(
              law, shape, skipped, [](const Array& x) { return kn::max(x, {.axis = 1}); }, on_cpu() && shape[1] < 64);
          check_same_bits(
              law, shape, skipped, [](const Array& x) { return kn::min(x, {.axis = 0}); }, on_cpu());
          check_same_bits(
              law, shape, skipped, [](const Array& x) { return kn::argmin(x, {.axis = 1}); },
              on_cpu() && shape[1] < 64);
          check_same_bits(
              law, shape, skipped, [](const Array& x) { return kn::cumulative_max(x, {.axis = 1}); }, true);
          check_close(law, shape, skipped, [](const Array& x) { return kn::mean(kn::exp(-x * x)); });
          check_close(law, shape, skipped, [](const Array& x) { return kn::var(x, {.axis = 1}); });
          check_close(law, shape, skipped, [](const Array& x) { return kn::softmax(x, {.axis = 1}); });
        }
      }
    }
  });
}

TEST_CASE("an estimate by random points takes two kernels, and numbers asked for later are the same") {
  on_each_device([] {
    constexpr std::int64_t n = 1'000'000;
    Generator random(3);
    const Array x = random.uniform({n}), y = random.uniform({n}), inside = x * x + y * y < 1.0f;
    const Array share = kn::mean(inside.astype(kn::float32));
    const Array one = kn::zeros({n}).eval();
    CHECK(kn::test::kernels_of(share) == kn::test::kernels_of(kn::mean(one * one)));
    CHECK(std::abs(4 * share.item<double>() - 3.14159265) < 0.01);
    const std::vector<float> xs = x.to_vector<float>(), ys = y.to_vector<float>();
    std::int64_t count = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) count += xs[i] * xs[i] + ys[i] * ys[i] < 1;
    CHECK(std::abs(share.item<double>() - double(count) / n) < 1e-6);
    // The program of README.
    const Array z = Generator(42).normal({n});
    const Array result = kn::mean(kn::exp(-z * z) * 2.0 + 1.0);
    CHECK(kn::test::kernels_of(result) <= 2);
    CHECK(std::abs(result.item<double>() - (1 + 2 / std::sqrt(3.0))) < 0.01);
    // Two laws are not made by one kernel.
    const Array sum = random.normal({1000}) + random.uniform({1000});
    CHECK(kn::test::kernels_of(sum) == 2);
  });
}
