// SPDX-License-Identifier: Apache-2.0
// Poisson's equation by Fourier transforms: a photograph again from its edges alone. Its weak differences are left out,
// so that the grain goes and the edges stay ("texture flattening" of Pérez, Gangnet and Blake, 2003).
#include <cstdio>
#include <exception>
#include <numbers>

#include "picture.hpp"

namespace {

/// The second differences of u, without the differences of neighbours that are below `threshold`.
kn::Array edges(const kn::Array& u, double threshold) {
  kn::Array sum = kn::zeros_like(u);
  for (const int axis : {0, 1}) {
    const kn::Array difference = kn::roll(u, -1, {.axis = axis}) - u;
    const kn::Array strong = kn::where(kn::abs(difference) >= threshold, difference, 0);
    sum = sum + strong - kn::roll(strong, 1, {.axis = axis});
  }
  return sum;
}

/// The periodic u of this mean whose second differences are f: the transform makes them multiples of each wave.
kn::Array solve(const kn::Array& f, double mean) {
  // -4 sin^2(x / 2) is 2 cos(x) - 2 with all its digits.
  const auto second = [](const kn::Array& waves) { return -4 * kn::square(kn::sin(std::numbers::pi * waves)); };
  const kn::Array rows = second(kn::fft::fftfreq(f.shape(0))), columns = second(kn::fft::rfftfreq(f.shape(1)));
  const kn::Array factors = kn::expand_dims(rows, 1) + columns;
  // The constant wave has no differences; it is what the mean is for.
  const kn::Array waves = kn::where(factors == 0, mean * static_cast<double>(f.size()), kn::fft::rfft2(f) / factors);
  return kn::fft::irfft2(waves);
}

}  // namespace

int main(int count, char** arguments) try {
  const kn::Array photograph = kn::load_npy(KOINE_EXAMPLE_DIR "/data/photograph.npy").astype(kn::float32) / 255;
  const auto mean = kn::mean(photograph).item<double>();
  // Mirrored at its borders the photograph is periodic, without an edge where its ends meet.
  kn::Array mirrored = photograph;
  for (const int axis : {0, 1}) mirrored = kn::concat({mirrored, kn::flip(mirrored, {.axis = axis})}, {.axis = axis});
  const auto quarter = [&](const kn::Array& u) {
    return u(kn::slice(photograph.shape(0)), kn::slice(photograph.shape(1)));
  };

  const auto error = kn::max(kn::abs(quarter(solve(edges(mirrored, 0), mean)) - photograph)).item<double>();
  std::printf("from all its second differences the photograph is back within %.1g of white\n", error);
  check(error < 1e-4, "all edges give the photograph again");

  const kn::Array strong = edges(mirrored, 0.05);
  const kn::Array flattened = solve(strong, mean);
  write_png(count > 1 ? arguments[1] : "poisson.png",
            kn::concat({photograph, quarter(strong) + 0.5, quarter(flattened)}, {.axis = 1}));
} catch (const std::exception& error) {
  std::fprintf(stderr, "poisson: %s\n", error.what());
  return 1;
}
