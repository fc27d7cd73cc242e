// SPDX-License-Identifier: Apache-2.0
// The prices of European calls and puts by the formula of Black and Scholes.
#include <cmath>

#include "program.hpp"

namespace twins {
namespace {

kn::Array normal_distribution(const kn::Array& x) { return 0.5 * (1.0 + kn::erf(x / std::sqrt(2.0))); }

class BlackScholes : public Program {
 public:
  explicit BlackScholes(std::int64_t scale)
      : spots_(uniform({scale << 20}, 1, 80, 120)),
        strikes_(uniform({scale << 20}, 2, 80, 120)),
        years_(uniform({scale << 20}, 3, 0.1F, 2)) {}

  void step() override {
    const double rate = 0.02, volatility = 0.3;
    const kn::Array spread = volatility * kn::sqrt(years_);
    const kn::Array d1 = (kn::log(spots_ / strikes_) + (rate + volatility * volatility / 2) * years_) / spread;
    const kn::Array d2 = d1 - spread;
    const kn::Array paid = strikes_ * kn::exp(-rate * years_);
    calls_ = spots_ * normal_distribution(d1) - paid * normal_distribution(d2);
    puts_ = calls_ + paid - spots_;
  }

  std::vector<kn::Array> results() const override { return {calls_, puts_}; }
  double checksum() const override { return kn::mean(calls_ + 2.0 * puts_).item<double>(); }

 private:
  kn::Array spots_, strikes_, years_, calls_ = kn::zeros(0), puts_ = kn::zeros(0);
};

const Registration<BlackScholes> registration("black_scholes", 1);

}  // namespace
}  // namespace twins
