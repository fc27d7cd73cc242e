// SPDX-License-Identifier: Apache-2.0
// The correlation matrix of 64 columns.
#include "program.hpp"

namespace twins {
namespace {

class Correlation : public Program {
 public:
  explicit Correlation(std::int64_t scale) : samples_(uniform({scale * 16384, 64}, 1)) {
    samples_ = samples_ + kn::linspace(0, 1, 64) * samples_(kn::all, kn::slice(0, 1));
    kn::eval(samples_);
  }

  void step() override {
    const kn::Array centred = samples_ - kn::mean(samples_, 0);
    const kn::Array scaled = centred / kn::std(samples_, 0);
    matrix_ = kn::matmul(scaled.T(), scaled) / samples_.shape(0);
  }

  std::vector<kn::Array> results() const override { return {matrix_}; }
  double checksum() const override { return kn::mean(matrix_ * matrix_).item<double>(); }

 private:
  kn::Array samples_, matrix_ = kn::zeros(0);
};

const Registration<Correlation> registration("correlation", 1);

}  // namespace
}  // namespace twins
