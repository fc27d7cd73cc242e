// SPDX-License-Identifier: Apache-2.0
// A least-squares fit of 32 weights by gradient descent.
#include "program.hpp"

namespace twins {
namespace {

class LinearRegression : public Program {
 public:
  explicit LinearRegression(std::int64_t scale)
      : features_(uniform({scale * 32768, 32}, 1, -1, 1)),
        targets_(kn::matmul(features_, kn::linspace(-1, 1, 32)) + 0.1 * uniform({scale * 32768}, 2, -1, 1)),
        weights_(kn::zeros(32)) {
    kn::eval(targets_);
  }

  void step() override {
    const kn::Array error = kn::matmul(features_, weights_) - targets_;
    const kn::Array gradient = kn::matmul(features_.T(), error) / features_.shape(0);
    weights_ -= 0.5 * gradient;
  }

  std::vector<kn::Array> results() const override { return {weights_}; }
  double checksum() const override { return kn::sum(weights_ * weights_).item<double>(); }

 private:
  kn::Array features_, targets_, weights_;
};

const Registration<LinearRegression> registration("linear_regression", 10);

}  // namespace
}  // namespace twins
