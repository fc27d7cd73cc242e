// SPDX-License-Identifier: Apache-2.0
// The largest eigenvalue of a symmetric matrix by power iteration, until the host sees it settle.
#include "program.hpp"

namespace twins {
namespace {

class PowerIteration : public Program {
 public:
  explicit PowerIteration(std::int64_t scale) : matrix_(uniform({side(scale), side(scale)}, 1)) {
    matrix_ = (matrix_ + matrix_.T()) / 2.0;
    vector_ = kn::ones(side(scale));
    kn::eval(matrix_);
  }

  void step() override {
    const kn::Array image = kn::matmul(matrix_, vector_);
    const kn::Array length = kn::sqrt(kn::sum(image * image));
    vector_ = image / length;
    change_ = length.item<double>() - value_;
    value_ += change_;
  }

  std::vector<kn::Array> results() const override { return {vector_}; }
  double checksum() const override { return value_; }

 private:
  kn::Array matrix_, vector_ = kn::zeros(0);
  double value_ = 0, change_ = 0;
};

const Registration<PowerIteration> registration("power_iteration", 10);

}  // namespace
}  // namespace twins
