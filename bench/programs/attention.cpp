// SPDX-License-Identifier: Apache-2.0
// Attention of eight heads: softmax(q k^T / 8) v.
#include "program.hpp"

namespace twins {
namespace {

class Attention : public Program {
 public:
  explicit Attention(std::int64_t scale)
      : queries_(uniform({8, side(scale) / 4, 64}, 1, -2, 2)),
        keys_(uniform({8, side(scale) / 4, 64}, 2, -2, 2)),
        values_(uniform({8, side(scale) / 4, 64}, 3)) {}

  void step() override {
    const kn::Array scores = kn::matmul(queries_, keys_.mT()) / 8.0;
    mixed_ = kn::matmul(kn::softmax(scores, {.axis = -1}), values_);
  }

  std::vector<kn::Array> results() const override { return {mixed_}; }
  double checksum() const override { return 1000.0 * kn::std(mixed_).item<double>(); }

 private:
  kn::Array queries_, keys_, values_, mixed_ = kn::zeros(0);
};

const Registration<Attention> registration("attention", 1);

}  // namespace
}  // namespace twins
