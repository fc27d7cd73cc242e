// SPDX-License-Identifier: Apache-2.0
// A photograph: grey from three bytes a pixel, gamma, a blur of 3 by 3, bytes again.
#include "program.hpp"

namespace twins {
namespace {

class Photo : public Program {
 public:
  explicit Photo(std::int64_t scale) : photo_(integers({side(scale) / 2, side(scale) / 2, 3}, 1, 256, kn::uint8)) {
    kn::eval(photo_);
  }

  void step() override {
    const kn::Array grey = kn::matmul(photo_.astype(kn::float32) / 255.0, kn::array({0.299, 0.587, 0.114}));
    const kn::Array bright = kn::pad(kn::pow(grey, 1 / 2.2), 1, {.mode = "edge"});
    const auto before = kn::slice(0, -2), in = kn::slice(1, -1), after = kn::slice(2, kn::none);
    const kn::Array rows = bright(before) + 2.0 * bright(in) + bright(after);
    const kn::Array blurred = (rows(kn::all, before) + 2.0 * rows(kn::all, in) + rows(kn::all, after)) / 16.0;
    grey_ = kn::round(kn::clip(255.0 * blurred, 0, 255)).astype(kn::uint8);
  }

  std::vector<kn::Array> results() const override { return {grey_}; }
  double checksum() const override { return kn::mean(kn::square(grey_.astype(kn::float32))).item<double>(); }

 private:
  kn::Array photo_, grey_ = kn::zeros(0);
};

const Registration<Photo> registration("photo", 1);

}  // namespace
}  // namespace twins
