// SPDX-License-Identifier: Apache-2.0
// A mean without outliers: what lies within three deviations, estimated by medians.
#include "program.hpp"

namespace twins {
namespace {

class Outliers : public Program {
 public:
  explicit Outliers(std::int64_t scale) : samples_(uniform({(scale << 20) - 1}, 1, -1, 1)) {
    samples_ = samples_ * samples_ * samples_ + 0.5;
    kn::eval(samples_);
  }

  void step() override {
    const kn::Array away = kn::abs(samples_ - kn::median(samples_));
    const kn::Array kept = away < 3 * 1.4826 * kn::median(away);
    mean_ = kn::sum(kn::where(kept, samples_, 0)) / kn::sum(kept);
  }

  std::vector<kn::Array> results() const override { return {mean_}; }
  double checksum() const override { return mean_.item<double>(); }

 private:
  kn::Array samples_, mean_ = kn::zeros({});
};

const Registration<Outliers> registration("outliers", 1);

}  // namespace
}  // namespace twins
