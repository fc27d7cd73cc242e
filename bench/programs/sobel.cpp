// SPDX-License-Identifier: Apache-2.0
// Edges of an image: Sobel's gradients, their length, and the share of pixels above twice the mean.
#include "program.hpp"

namespace twins {
namespace {

class Sobel : public Program {
 public:
  explicit Sobel(std::int64_t scale) : image_(uniform({side(scale), side(scale)}, 1)) {}

  void step() override {
    const auto lo = kn::slice(0, -2), in = kn::slice(1, -1), hi = kn::slice(2, kn::none);
    const kn::Array& p = image_;
    const kn::Array across = p(lo, hi) - p(lo, lo) + 2.0 * (p(in, hi) - p(in, lo)) + p(hi, hi) - p(hi, lo);
    const kn::Array down = p(hi, lo) - p(lo, lo) + 2.0 * (p(hi, in) - p(lo, in)) + p(hi, hi) - p(lo, hi);
    const kn::Array length = kn::sqrt(across * across + down * down);
    edges_ = length > 2.0 * kn::mean(length);
    share_ = kn::mean(edges_.astype(kn::float32));
  }

  std::vector<kn::Array> results() const override { return {edges_, share_}; }
  double checksum() const override { return share_.item<double>(); }

 private:
  kn::Array image_, edges_ = kn::zeros(0), share_ = kn::zeros({});
};

const Registration<Sobel> registration("sobel", 1);

}  // namespace
}  // namespace twins
