// SPDX-License-Identifier: Apache-2.0
// A table's rows by 1000 keys: sums, counts, largest values, and each row beside the mean of its group.
#include "program.hpp"

namespace twins {
namespace {

class GroupBy : public Program {
 public:
  explicit GroupBy(std::int64_t scale) : keys_(integers({scale << 20}, 1, 1000)), values_(uniform({scale << 20}, 2)) {
    kn::eval(keys_);
  }

  void step() override {
    const kn::Array sums = kn::segment_sum(values_, keys_, {.count = 1000});
    const kn::Array counts = kn::segment_count(keys_, {.count = 1000});
    largest_ = kn::segment_max(values_, keys_, {.count = 1000});
    means_ = sums / counts.astype(kn::float32);
    beside_ = values_ - kn::take(means_, keys_);
  }

  std::vector<kn::Array> results() const override { return {means_, largest_, beside_}; }
  double checksum() const override {
    return (kn::sum(means_) + kn::sum(largest_) + kn::mean(beside_ * beside_)).item<double>();
  }

 private:
  kn::Array keys_, values_, means_ = kn::zeros(0), largest_ = kn::zeros(0), beside_ = kn::zeros(0);
};

const Registration<GroupBy> registration("group_by", 1);

}  // namespace
}  // namespace twins
