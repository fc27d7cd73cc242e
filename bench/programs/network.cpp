// SPDX-License-Identifier: Apache-2.0
// Training steps of a network of two layers on batches of a data set, gradients written out.
#include "program.hpp"

namespace twins {
namespace {

class Network : public Program {
 public:
  explicit Network(std::int64_t scale)
      : batch_(side(scale) / 4),
        images_(uniform({8 * batch_, 784}, 1)),
        labels_(integers({8 * batch_}, 2, 10)),
        w1_(uniform({784, 256}, 3, -0.05F, 0.05F)),
        w2_(uniform({256, 10}, 4, -0.1F, 0.1F)) {
    kn::eval(labels_);
  }

  void step() override {
    const auto rows = kn::slice(at_, at_ + batch_);
    at_ = (at_ + batch_) % images_.shape(0);
    const kn::Array x = images_(rows),
                    truth = (labels_(rows)(kn::all, kn::newaxis) == kn::arange(10)).astype(kn::float32);

    const kn::Array hidden = kn::maximum(kn::matmul(x, w1_) + b1_, 0);
    const kn::Array likely = kn::softmax(kn::matmul(hidden, w2_) + b2_, {.axis = 1});

    const kn::Array error = (likely - truth) / batch_;
    const kn::Array hidden_error = kn::matmul(error, w2_.T()) * (hidden > 0);
    w2_ -= 0.1 * kn::matmul(hidden.T(), error);
    b2_ -= 0.1 * kn::sum(error, 0);
    w1_ -= 0.1 * kn::matmul(x.T(), hidden_error);
    b1_ -= 0.1 * kn::sum(hidden_error, 0);
  }

  std::vector<kn::Array> results() const override { return {w1_, b1_, w2_, b2_}; }
  double checksum() const override { return (kn::sum(w2_ * w2_) + kn::sum(kn::abs(b2_))).item<double>(); }

 private:
  std::int64_t batch_, at_ = 0;
  kn::Array images_, labels_, w1_, w2_, b1_ = kn::zeros(256), b2_ = kn::zeros(10);
};

const Registration<Network> registration("network", 8);

}  // namespace
}  // namespace twins
