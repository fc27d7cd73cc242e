// SPDX-License-Identifier: Apache-2.0
// A kernel of one's own, from a file beside this one: docs/kernels.md goes through it.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <koine/koine.hpp>
#include <string>

namespace kn = koine;

int main(int count, char** arguments) try {
  const std::string file = count > 1 ? arguments[1] : KOINE_EXAMPLE_DIR "/julia.cl";
  constexpr std::int64_t width = 64, height = 24;
  const kn::Program program = kn::Program::from_file(file, {.defines = {{"MOST", 50}}});
  const kn::Kernel julia = program.kernel("julia");
  const kn::Array steps = julia({width, height}, kn::out({height, width}, kn::uint8), kn::vec{-0.8f, 0.156f}, 1.6f);

  // What a kernel writes is an array like any other.
  const kn::Array shades = kn::minimum(steps / 5, 9);
  const auto values = shades.to_vector<std::uint8_t>();
  for (std::int64_t y = 0; y < height; ++y) {
    std::string line;
    for (std::int64_t x = 0; x < width; ++x) line += " .:-=+*#%@"[values[static_cast<std::size_t>(y * width + x)]];
    std::cout << line << '\n';
  }
  std::cout << kn::default_device().name() << ": " << kn::mean(steps).item<float>() << " steps on average\n";
} catch (const kn::Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
