// SPDX-License-Identifier: Apache-2.0
// Walkers of 1024 random steps: where they are on each day, how far they come, who returns.
#include "program.hpp"

namespace twins {
namespace {

class RandomWalk : public Program {
 public:
  explicit RandomWalk(std::int64_t scale) : moves_(uniform({scale * 1024, 1024}, 1, -1, 1)) {}

  void step() override {
    const kn::Array paths = kn::cumulative_sum(kn::sign(moves_), {.axis = 1});
    mean_ = kn::mean(paths, 0);
    spread_ = kn::std(paths, 0);
    farthest_ = kn::max(kn::abs(paths), 1);
    above_ = kn::mean((paths > 0).astype(kn::float32), 1);
  }

  std::vector<kn::Array> results() const override { return {mean_, spread_, farthest_, above_}; }
  double checksum() const override {
    return (kn::mean(kn::abs(mean_)) + kn::mean(spread_) + kn::mean(farthest_) + kn::mean(above_)).item<double>();
  }

 private:
  kn::Array moves_, mean_ = kn::zeros(0), spread_ = mean_, farthest_ = mean_, above_ = mean_;
};

const Registration<RandomWalk> registration("random_walk", 1);

}  // namespace
}  // namespace twins
