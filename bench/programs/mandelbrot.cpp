// SPDX-License-Identifier: Apache-2.0
// The Mandelbrot set: how many of 50 iterations each point of a grid stays within a circle.
#include "program.hpp"

namespace twins {
namespace {

class Mandelbrot : public Program {
 public:
  explicit Mandelbrot(std::int64_t scale) : side_(side(scale)) {}

  void step() override {
    const auto [x, y] = kn::meshgrid(kn::linspace(-2, 0.5, side_), kn::linspace(-1.25, 1.25, side_));
    kn::Array re = kn::zeros_like(x), im = kn::zeros_like(x);
    counts_ = kn::zeros(x.shape(), kn::int32);
    for (int i = 0; i < 50; ++i) {
      const kn::Array within = re * re + im * im < 4;
      const kn::Array next = re * re - im * im + x;
      im = kn::where(within, 2.0 * re * im + y, im);
      re = kn::where(within, next, re);
      counts_ += within;
    }
  }

  std::vector<kn::Array> results() const override { return {counts_}; }
  double checksum() const override { return kn::mean(counts_.astype(kn::float32)).item<double>(); }

 private:
  std::int64_t side_;
  kn::Array counts_ = kn::zeros(0);
};

const Registration<Mandelbrot> registration("mandelbrot", 1);

}  // namespace
}  // namespace twins
