// SPDX-License-Identifier: Apache-2.0
// A user's program: builds and runs against an installed Koine alone.
#include <iostream>
#include <koine/koine.hpp>

namespace kn = koine;

int main() {
  kn::Array x = kn::arange(10, {.dtype = kn::float32});
  const float got = kn::sum(x * x + 1.0).item<float>();
  std::cout << kn::default_device().name() << ": " << got << '\n';
  if (got != 295.0f) return 1;
  try {
    kn::reshape(x, {3, 4});
  } catch (const kn::ShapeError& error) {  // an exception crosses the library's boundary with its own type
    std::cout << error.what() << '\n';
    return 0;
  }
  return 1;
}
