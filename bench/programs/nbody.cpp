// SPDX-License-Identifier: Apache-2.0
// Bodies that attract each other: all pairs, leapfrog.
#include "program.hpp"

namespace twins {
namespace {

class NBody : public Program {
 public:
  explicit NBody(std::int64_t scale)
      : places_(uniform({side(scale), 3}, 1, -1, 1)),
        speeds_(kn::zeros_like(places_)),
        masses_(uniform({side(scale)}, 2) / side(scale)) {}

  void step() override {
    const kn::Array apart = places_[kn::newaxis] - places_(kn::all, kn::newaxis);
    const kn::Array squares = kn::sum(apart * apart, 2) + 0.01;
    const kn::Array pull = masses_ * kn::pow(squares, -1.5);
    speeds_ += 0.01 * kn::sum(apart * pull(kn::all, kn::all, kn::newaxis), 1);
    places_ += 0.01 * speeds_;
  }

  std::vector<kn::Array> results() const override { return {places_, speeds_}; }
  double checksum() const override { return kn::sum(speeds_ * speeds_).item<double>(); }

 private:
  kn::Array places_, speeds_, masses_;
};

const Registration<NBody> registration("nbody", 2);

}  // namespace
}  // namespace twins
