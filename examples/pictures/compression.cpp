// SPDX-License-Identifier: Apache-2.0
// A photograph compressed by its singular value decomposition: the sum of a few columns times rows is near to it.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "picture.hpp"

int main(int count, char** arguments) try {
  const kn::Array photograph = kn::load_npy(KOINE_EXAMPLE_DIR "/data/photograph.npy").astype(kn::float32) / 255;
  const auto [U, S, Vh] = kn::linalg::svd(photograph, {.full_matrices = false});
  const kn::Array energy = kn::square(S);
  const auto all = kn::sum(energy).item<double>();
  const std::int64_t pixels = photograph.size(), sides = photograph.shape(0) + photograph.shape(1);

  std::vector<kn::Array> panels;
  for (const std::int64_t rank : {5, 20, 60}) {
    const auto first = kn::slice(rank);
    const kn::Array image = kn::matmul(U(kn::all, first) * S(first), Vh(first));
    panels.push_back(image);

    // Eckart and Young (1936): no matrix of this rank is nearer, and what is left are the other singular values.
    const auto left = kn::sum(kn::square(photograph - image)).item<double>();
    const auto others = kn::sum(energy(kn::slice(rank, kn::none))).item<double>();
    check(std::abs(left - others) < 1e-5 * all, "what is left are the other singular values");
    std::printf("rank %2ld: %4.1f %% of the energy in %4.1f %% of the numbers\n", static_cast<long>(rank),
                100 * (1 - left / all), 100.0 * static_cast<double>(rank * (sides + 1)) / static_cast<double>(pixels));
  }
  panels.push_back(photograph);
  write_png(count > 1 ? arguments[1] : "compression.png", kn::concat(panels, {.axis = 1}));
} catch (const std::exception& error) {
  std::fprintf(stderr, "compression: %s\n", error.what());
  return 1;
}
