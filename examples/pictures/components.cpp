// SPDX-License-Identifier: Apache-2.0
// The principal components of 1,797 handwritten digits: the directions in which 64 pixels vary most, from the
// eigenvectors of their covariances. Two numbers of each digit are enough to tell many of them apart.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <numbers>
#include <string>

#include "picture.hpp"

int main(int count, char** arguments) try {
  const std::string data = KOINE_EXAMPLE_DIR "/../digits/data";
  const kn::Array images = kn::reshape(kn::load_npy(data + "/images.npy"), {-1, 64}).astype(kn::float32) / 16;
  const kn::Array labels = kn::load_npy(data + "/labels.npy");
  const kn::Array centred = images - kn::mean(images, {.axis = 0});
  const kn::Array covariances = kn::matmul(centred.T(), centred) / (images.shape(0) - 1);

  // Eigenvalues rise, so the last are the ones of interest.
  const auto [variances, directions] = kn::linalg::eigh(covariances);
  const kn::Array components = kn::flip(directions.T(), {.axis = 0})(kn::slice(10));
  const kn::Array points = kn::matmul(centred, components(kn::slice(2)).T());

  // An independent way to the same number: how much the digits vary along the two directions.
  const auto all = kn::sum(kn::var(images, {.axis = 0, .correction = 1})).item<double>();
  const auto share = kn::sum(kn::var(points, {.axis = 0, .correction = 1})).item<double>() / all;
  const auto promised = kn::sum(variances(kn::slice(-2, kn::none))).item<double>() / all;
  check(std::abs(share - promised) < 1e-5, "digits vary along the components as the eigenvalues say");
  std::printf("two of 64 components have %.1f %% of the variance\n", 100 * share);

  // Left the components in frames, two in a row; right the digits, in ten colours, where two numbers put them.
  constexpr std::int64_t zoom = 6, cell = 10, side = 5 * cell * zoom;
  const kn::Array largest = kn::max(kn::abs(components), {.axis = 1, .keepdims = true});
  const kn::Array signs = kn::reshape(components / largest * 0.5 + 0.5, {5, 2, 8, 8});
  const kn::Array framed = kn::pad(signs, {{0, 0}, {0, 0}, {1, 1}, {1, 1}});
  const kn::Array grid = kn::reshape(kn::permute_dims(framed, {0, 2, 1, 3}), {5 * cell, 2 * cell});
  const kn::Array left = heat(kn::repeat(kn::repeat(grid, zoom, 0), zoom, 1));

  const kn::Array low = kn::min(points, {.axis = 0}), high = kn::max(points, {.axis = 0});
  const kn::Array places = ((points - low) / (high - low) * (side - 4)).astype(kn::int64);
  const kn::Array hues = labels.astype(kn::float32) / 10;
  const kn::Array shifts = kn::asarray({0.0F, 1.0F / 3, 2.0F / 3});
  const kn::Array colours = 0.5 + 0.5 * kn::cos((kn::expand_dims(hues, 1) - shifts) * (2 * std::numbers::pi));
  kn::Array right = kn::full({side, side, 3}, 0.1F);
  for (std::int64_t dot = 0; dot < 9; ++dot)
    right(places(kn::all, 1) + dot / 3, places(kn::all, 0) + dot % 3) = colours;
  write_png(count > 1 ? arguments[1] : "components.png", kn::concat({left, right}, {.axis = 1}));
} catch (const std::exception& error) {
  std::fprintf(stderr, "components: %s\n", error.what());
  return 1;
}
