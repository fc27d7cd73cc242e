// SPDX-License-Identifier: Apache-2.0
// The histogram of an image of bytes made even: counts, their running sum as a table, each pixel looked up.
#include "program.hpp"

namespace twins {
namespace {

class Equalize : public Program {
 public:
  explicit Equalize(std::int64_t scale)
      : image_((kn::square(uniform({side(scale), side(scale)}, 1)) * 255.0).astype(kn::uint8)) {
    kn::eval(image_);
  }

  void step() override {
    const kn::Array counts = kn::bincount(image_.ravel(), {.minlength = 256});
    const kn::Array below = kn::cumulative_sum(counts.astype(kn::float32));
    const kn::Array table = kn::round(255.0 * below / image_.size()).astype(kn::uint8);
    even_ = table(image_);
  }

  std::vector<kn::Array> results() const override { return {even_}; }
  double checksum() const override { return kn::mean(kn::square(even_.astype(kn::float32))).item<double>(); }

 private:
  kn::Array image_, even_ = kn::zeros(0);
};

const Registration<Equalize> registration("equalize", 1);

}  // namespace
}  // namespace twins
