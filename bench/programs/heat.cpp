// SPDX-License-Identifier: Apache-2.0
// Heat in a plate: explicit finite differences by slices, the edge held.
#include "program.hpp"

namespace twins {
namespace {

class Heat : public Program {
 public:
  explicit Heat(std::int64_t scale) : plate_(uniform({side(scale), side(scale)}, 1)) {}

  void step() override {
    const auto in = kn::slice(1, -1), before = kn::slice(0, -2), after = kn::slice(2, kn::none);
    plate_(in, in) +=
        0.2 * (plate_(before, in) + plate_(after, in) + plate_(in, before) + plate_(in, after) - 4.0 * plate_(in, in));
  }

  std::vector<kn::Array> results() const override { return {plate_}; }
  double checksum() const override { return kn::mean(plate_ * plate_).item<double>(); }

 private:
  kn::Array plate_;
};

const Registration<Heat> registration("heat", 10);

}  // namespace
}  // namespace twins
