// SPDX-License-Identifier: Apache-2.0
// Lesson 5: bringing data to a device and back often takes longer than computing. What stays there costs nothing.
#include <cstdio>
#include <koine/koine.hpp>
#include <vector>

#include "common.hpp"

namespace kn = koine;

int main() {
  constexpr std::size_t n = 1 << 24;
  const std::vector<float> values(n, 2.0F);
  std::vector<float> result(n);
  const auto step = [](const kn::Array& x) { return x * 0.5F + 1; };
  step(kn::asarray(values)).copy_to(result);  // compiles, so that the times below are those of work

  kn::Array x, y;
  const double to_device = milliseconds([&] {
    x = kn::asarray(values);
    kn::synchronize();
  });
  const double compute = milliseconds([&] {
    y = step(x);
    y.eval();
    kn::synchronize();
  });
  const double to_host = milliseconds([&] { y.copy_to(result); });
  std::printf("64 MiB to the device:  %8.2f ms\n", to_device);
  std::printf("x * 0.5 + 1 there:     %8.2f ms\n", compute);
  std::printf("64 MiB to the host:    %8.2f ms\n", to_host);

  // Ten steps, with the data going to and fro each time, and staying where it is.
  constexpr int steps = 10;
  std::vector<float> travelling = values;
  const double to_and_fro = milliseconds([&] {
    for (int i = 0; i < steps; ++i) step(kn::asarray(travelling)).copy_to(travelling);
  });
  const double staying = milliseconds([&] {
    kn::Array state = kn::asarray(values);
    for (int i = 0; i < steps; ++i) state = step(state).eval();
    state.copy_to(result);
  });
  check(result == travelling, "both ways give the same values");
  std::printf("\nten steps, to and fro: %8.2f ms\n", to_and_fro);
  std::printf("ten steps, staying:    %8.2f ms\n", staying);
}
