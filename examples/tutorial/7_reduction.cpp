// SPDX-License-Identifier: Apache-2.0
// Lesson 7: many numbers become one. Thousands of work-items add parts, and then the parts; that is faster than one
// loop, and more exact, too.
#include <cmath>
#include <cstdio>
#include <koine/koine.hpp>
#include <vector>

#include "common.hpp"

namespace kn = koine;

int main() {
  constexpr std::int64_t n = 1 << 24;
  const kn::Array x = kn::random::Generator(7).uniform({n}).eval();
  const std::vector<float> values = x.to_vector<float>();

  double exact = 0;
  for (const float each : values) exact += static_cast<double>(each);

  float loop = 0;
  const double host = milliseconds([&] {
    for (const float each : values) loop += each;
  });
  float device = 0;
  const auto run = [&] { device = kn::sum(x).item<float>(); };
  run();
  const double time = milliseconds(run);
  std::printf("%-22s %14s %12s %10s\n", "the sum of 2^24 floats", "value", "off by", "time");
  std::printf("%-22s %14.2f\n", "in double", exact);
  std::printf("%-22s %14.2f %12.2f %7.2f ms\n", "a loop on the host", static_cast<double>(loop),
              std::abs(static_cast<double>(loop) - exact), host);
  std::printf("%-22s %14.2f %12.2f %7.2f ms\n", "kn::sum", static_cast<double>(device),
              std::abs(static_cast<double>(device) - exact), time);
  check(std::abs(static_cast<double>(device) - exact) < exact * 1e-6, "kn::sum keeps the digits of a float");

  // What is reduced may be an expression: it is computed inside the kernel that adds, and never stored.
  const auto variance = kn::mean((x - kn::mean(x)) * (x - kn::mean(x))).item<float>();
  std::printf("\nthe variance of x is %.5f, and 1/12 is %.5f\n", static_cast<double>(variance), 1.0 / 12);
  check(std::abs(static_cast<double>(variance) - 1.0 / 12) < 1e-3, "the variance of uniform numbers");
  // Along an axis many numbers become several.
  const kn::Array rows = kn::sum(kn::reshape(x, {4, n / 4}), {.axis = 1});
  std::printf("the sums of four rows: ");
  double total = 0;
  for (const float each : rows.to_vector<float>())
    std::printf(" %.1f", static_cast<double>(each)), total += static_cast<double>(each);
  std::printf("\n");
  check(std::abs(total - exact) < exact * 1e-6, "the rows' sums add up");
}
