// SPDX-License-Identifier: Apache-2.0
// The eight nearest of many points for each of 128 queries, by a product and topk.
#include "program.hpp"

namespace twins {
namespace {

class Neighbours : public Program {
 public:
  explicit Neighbours(std::int64_t scale) : points_(uniform({scale * 8192, 32}, 1)), queries_(uniform({128, 32}, 2)) {}

  void step() override {
    const kn::Array lengths = kn::sum(points_ * points_, 1);
    const kn::Array closeness = 2.0 * kn::matmul(queries_, points_.T()) - lengths;
    nearest_ = kn::topk(closeness, 8).values;
  }

  std::vector<kn::Array> results() const override { return {nearest_}; }
  double checksum() const override { return kn::mean(nearest_).item<double>(); }

 private:
  kn::Array points_, queries_, nearest_ = kn::zeros(0);
};

const Registration<Neighbours> registration("neighbours", 1);

}  // namespace
}  // namespace twins
