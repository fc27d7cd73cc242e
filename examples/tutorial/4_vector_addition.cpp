// SPDX-License-Identifier: Apache-2.0
// Lesson 4: the sum of two vectors on the host and on the device. The first call compiles a kernel; later ones only
// run.
#include <cstdio>
#include <koine/koine.hpp>
#include <vector>

#include "common.hpp"

namespace kn = koine;

int main() {
  constexpr std::size_t n = 1 << 24;
  std::vector<float> a(n), b(n), c(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 1000);
    b[i] = static_cast<float>(i % 7) * 0.5F;
  }

  const double host = milliseconds([&] {
    for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + b[i];
  });

  const kn::Array x = kn::asarray(a), y = kn::asarray(b);
  kn::Array z;
  // An expression is computed when somebody asks for its values, or for eval(). That puts work into the device's queue,
  // so the clock stops only after synchronize().
  const auto add = [&] {
    z = x + y;
    z.eval();
    kn::synchronize();
  };
  const double first = milliseconds(add), second = milliseconds(add), third = milliseconds(add);

  check(z.to_vector<float>() == c, "host and device give the same sums");
  std::printf("%zu sums on %s\n", n, z.device().name().c_str());
  std::printf("the host, one thread:            %8.2f ms\n", host);
  std::printf("the device, first call:          %8.2f ms, which compiles the kernel or loads it from disk\n", first);
  std::printf("the device, second and third:    %8.2f and %.2f ms\n", second, third);
}
