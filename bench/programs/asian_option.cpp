// SPDX-License-Identifier: Apache-2.0
// The price of an Asian option by Monte Carlo: paths of 64 days, paid by their mean.
#include <cmath>

#include "program.hpp"

namespace twins {
namespace {

class AsianOption : public Program {
 public:
  explicit AsianOption(std::int64_t scale) : paths_(scale * 16384) {}

  void step() override {
    const double rate = 0.05, volatility = 0.2, day = 1.0 / 64;
    const kn::Array noise = random_.normal({paths_, 64});
    const kn::Array moves = (rate - volatility * volatility / 2) * day + volatility * std::sqrt(day) * noise;
    const kn::Array prices = 100.0 * kn::exp(kn::cumulative_sum(moves, {.axis = 1}));
    price_ = std::exp(-rate) * kn::mean(kn::maximum(kn::mean(prices, 1) - 100.0, 0));
  }

  std::vector<kn::Array> results() const override { return {price_}; }
  double checksum() const override { return price_.item<double>(); }

 private:
  std::int64_t paths_;
  kn::random::Generator random_{1};
  kn::Array price_ = kn::zeros({});
};

const Registration<AsianOption> registration("asian_option", 1);

}  // namespace
}  // namespace twins
