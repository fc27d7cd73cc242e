// SPDX-License-Identifier: Apache-2.0
// Logistic regression with a bias and weight decay, by gradient descent; the loss is looked at in each step.
#include "program.hpp"

namespace twins {
namespace {

class LogisticRegression : public Program {
 public:
  explicit LogisticRegression(std::int64_t scale)
      : features_(uniform({scale * 32768, 32}, 1, -1, 1)),
        labels_((kn::matmul(features_, kn::linspace(-1, 1, 32)) + uniform({scale * 32768}, 2, -1, 1) > 0)
                    .astype(kn::float32)),
        weights_(kn::zeros(32)) {
    kn::eval(labels_);
  }

  void step() override {
    const kn::Array scores = kn::matmul(features_, weights_) + bias_, likely = kn::sigmoid(scores);
    loss_ = kn::mean(kn::maximum(scores, 0) - labels_ * scores + kn::log1p(kn::exp(-kn::abs(scores))));
    const kn::Array error = likely - labels_;
    weights_ -= kn::matmul(features_.T(), error) / features_.shape(0) + 0.001 * weights_;
    bias_ -= kn::mean(error);
    last_loss_ = loss_.item<double>();
  }

  std::vector<kn::Array> results() const override { return {weights_, bias_}; }
  double checksum() const override { return last_loss_; }

 private:
  kn::Array features_, labels_, weights_, bias_ = kn::zeros({}), loss_ = bias_;
  double last_loss_ = 0;
};

const Registration<LogisticRegression> registration("logistic_regression", 10);

}  // namespace
}  // namespace twins
