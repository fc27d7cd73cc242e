// SPDX-License-Identifier: Apache-2.0
// PageRank over a list of links: each page hands its rank on, the sums by page.
#include "program.hpp"

namespace twins {
namespace {

class PageRank : public Program {
 public:
  explicit PageRank(std::int64_t scale)
      : pages_(scale * 16384), from_(integers({16 * pages_}, 1, pages_)), to_(integers({16 * pages_}, 2, pages_)) {
    links_ = kn::maximum(kn::segment_count(from_, {.count = pages_}), 1).astype(kn::float32);
    ranks_ = kn::full(pages_, 1.0 / pages_);
    kn::eval(from_, to_, links_, ranks_);
  }

  void step() override {
    const kn::Array handed = kn::take(ranks_ / links_, from_);
    ranks_ = 0.15 / pages_ + 0.85 * kn::segment_sum(handed, to_, {.count = pages_});
  }

  std::vector<kn::Array> results() const override { return {ranks_}; }
  double checksum() const override { return kn::sum(ranks_ * ranks_).item<double>() * static_cast<double>(pages_); }

 private:
  std::int64_t pages_;
  kn::Array from_, to_, links_ = kn::zeros(0), ranks_ = kn::zeros(0);
};

const Registration<PageRank> registration("pagerank", 5);

}  // namespace
}  // namespace twins
