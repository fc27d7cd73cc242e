// SPDX-License-Identifier: Apache-2.0
// The program of the README: a lazy expression over a million random numbers, reduced on the device.
#include <iostream>
#include <koine/koine.hpp>

namespace kn = koine;

int main() {
  kn::Array x = kn::random::Generator(42).normal({1'000'000});
  kn::Array y = kn::exp(-x * x) * 2.0 + 1.0;  // lazy; becomes one kernel
  std::cout << kn::default_device().name() << ": " << kn::mean(y).item<float>() << '\n';
}
