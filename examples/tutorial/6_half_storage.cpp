// SPDX-License-Identifier: Apache-2.0
// Lesson 6: numbers of 16 bits take half of the memory, and half of the time where memory is what limits. They keep
// three decimal digits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <koine/koine.hpp>
#include <vector>

#include "common.hpp"

namespace kn = koine;

int main() {
  constexpr std::int64_t n = 1 << 24;
  const kn::Array wide = kn::random::Generator(1).uniform({n}).eval();
  std::printf("%-8s %10s %12s %16s\n", "type", "memory", "x * 2 + 1", "largest error");
  for (const kn::DType type : {kn::float32, kn::float16, kn::bfloat16}) {
    const kn::Array x = wide.astype(type).eval();
    kn::Array y;
    const auto run = [&] {
      y = x * 2 + 1;
      y.eval();
      kn::synchronize();
    };
    run();
    const double time = std::min({milliseconds(run), milliseconds(run), milliseconds(run)});

    // Each element was computed in float32, whatever it is stored in; what is lost is lost in storing.
    const auto error = kn::max(kn::abs(y.astype(kn::float64) - (wide.astype(kn::float64) * 2 + 1))).item<double>();
    const auto name = std::string(kn::name(type));
    std::printf("%-8s %6.0f MiB %9.2f ms %16.2g\n", name.c_str(), static_cast<double>(x.nbytes()) / (1 << 20), time,
                error);
    // Of numbers up to 4 a float16 keeps 2^-9 and a bfloat16 2^-6; storing x first costs as much again.
    const double most = type == kn::float32 ? 1e-6 : type == kn::float16 ? 4 * std::exp2(-11) : 4 * std::exp2(-8);
    check(error <= most, "the error is that of storing");
  }
}
