// SPDX-License-Identifier: Apache-2.0
// A user's program: builds and runs against an installed Koine alone.
#include <iostream>
#include <koine/koine.hpp>
#include <string_view>

namespace kn = koine;

int main(int count, char** arguments) {
  // No flag of the library's may take a program's own language version back.
  const bool newer = count > 1 && std::string_view(arguments[1]) == "c++2b";
  if ((__cplusplus > 202002L) != newer) return 2;
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
