// SPDX-License-Identifier: Apache-2.0
// Conway's Game of Life on a torus of bytes.
#include "program.hpp"

namespace twins {
namespace {

class Life : public Program {
 public:
  explicit Life(std::int64_t scale) : board_((uniform({side(scale), side(scale)}, 1) < 0.3).astype(kn::uint8)) {
    kn::eval(board_);
  }

  void step() override {
    const kn::Array column = kn::roll(board_, 1, 0) + board_ + kn::roll(board_, -1, 0);
    const kn::Array neighbours = kn::roll(column, 1, 1) + column + kn::roll(column, -1, 1) - board_;
    board_ = ((neighbours == 3) | ((board_ == 1) & (neighbours == 2))).astype(kn::uint8);
  }

  std::vector<kn::Array> results() const override { return {board_}; }
  double checksum() const override { return kn::mean(board_.astype(kn::float32)).item<double>(); }

 private:
  kn::Array board_;
};

const Registration<Life> registration("life", 10);

}  // namespace
}  // namespace twins
