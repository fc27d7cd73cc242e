// SPDX-License-Identifier: Apache-2.0
// Lloyd's algorithm: each point goes to the nearest of 16 centres, each centre to the mean of its points.
#include "program.hpp"

namespace twins {
namespace {

class KMeans : public Program {
 public:
  explicit KMeans(std::int64_t scale) : points_(uniform({scale * 65536, 8}, 1)), centres_(points_(kn::slice(0, 16))) {}

  void step() override {
    const kn::Array apart = points_(kn::all, kn::newaxis) - centres_;
    const kn::Array nearest = kn::argmin(kn::sum(apart * apart, 2), 1);
    centres_ = kn::segment_mean(points_, nearest, {.count = 16});
  }

  std::vector<kn::Array> results() const override { return {centres_}; }
  double checksum() const override { return kn::sum(centres_ * centres_).item<double>(); }

 private:
  kn::Array points_, centres_;
};

const Registration<KMeans> registration("kmeans", 5);

}  // namespace
}  // namespace twins
