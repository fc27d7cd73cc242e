// SPDX-License-Identifier: Apache-2.0
// Pi from random points: the share of those in a quarter of a circle.
#include "program.hpp"

namespace twins {
namespace {

class Pi : public Program {
 public:
  explicit Pi(std::int64_t scale) : count_(scale << 20) {}

  void step() override {
    const kn::Array x = random_.uniform({count_}), y = random_.uniform({count_});
    pi_ = 4.0 * kn::mean((x * x + y * y < 1).astype(kn::float32));
  }

  std::vector<kn::Array> results() const override { return {pi_}; }
  double checksum() const override { return pi_.item<double>(); }

 private:
  std::int64_t count_;
  kn::random::Generator random_{1};
  kn::Array pi_ = kn::zeros({});
};

const Registration<Pi> registration("pi", 1);

}  // namespace
}  // namespace twins
