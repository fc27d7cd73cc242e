// SPDX-License-Identifier: Apache-2.0
// Waves in shallow water on a torus: linear equations of height and two velocities, neighbours by rolls.
#include "program.hpp"

namespace twins {
namespace {

class ShallowWater : public Program {
 public:
  explicit ShallowWater(std::int64_t scale) {
    const kn::Array x = kn::linspace(-4, 4, side(scale));
    height_ = 1.0 + 0.1 * kn::exp(-(x * x)(kn::all, kn::newaxis) - x * x);
    east_ = kn::zeros_like(height_);
    north_ = kn::zeros_like(height_);
  }

  void step() override {
    east_ = east_ - 0.2 * (kn::roll(height_, -1, 1) - kn::roll(height_, 1, 1));
    north_ = north_ - 0.2 * (kn::roll(height_, -1, 0) - kn::roll(height_, 1, 0));
    height_ = height_ -
              0.2 * (kn::roll(east_, -1, 1) - kn::roll(east_, 1, 1) + kn::roll(north_, -1, 0) - kn::roll(north_, 1, 0));
  }

  std::vector<kn::Array> results() const override { return {height_, east_, north_}; }
  double checksum() const override {
    return kn::mean(kn::square(height_ - 1.0) + east_ * east_ + north_ * north_).item<double>();
  }

 private:
  kn::Array height_ = kn::zeros(0), east_ = kn::zeros(0), north_ = kn::zeros(0);
};

const Registration<ShallowWater> registration("shallow_water", 10);

}  // namespace
}  // namespace twins
