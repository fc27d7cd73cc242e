// SPDX-License-Identifier: Apache-2.0
// Shrinking by the bytes: steps are taken out in ever smaller runs, then bytes are lowered.
#include "shrink.hpp"

#include <algorithm>

namespace koine::fuzz {
namespace {

class Shrinker {
 public:
  Shrinker(Bytes program, const std::function<bool(const Bytes&)>& fails, int tries)
      : best_(std::move(program)), fails_(fails), left_(tries) {}

  Bytes result() {
    for (std::size_t before = 0; before != changes_ + 1 && left_ > 0;) {
      before = changes_ + 1;
      remove_steps();
      lower_bytes();
    }
    return best_;
  }

 private:
  bool better(Bytes candidate) {
    if (candidate == best_ || left_ <= 0) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    ++changes_;
    return true;
  }

  std::size_t steps() const { return (best_.size() + Step::bytes - 1) / Step::bytes; }

  void remove_steps() {
    // From the end: what comes after the failing step goes first.
    for (std::size_t run = std::max<std::size_t>(steps() / 2, 1); run > 0; run /= 2) {
      for (std::size_t end = steps(); end > 0;) {
        const std::size_t from = end > run ? end - run : 0;
        Bytes without = best_;
        const auto at = [&](std::size_t step) {
          return without.begin() + static_cast<std::ptrdiff_t>(std::min(step * Step::bytes, without.size()));
        };
        without.erase(at(from), at(end));
        better(std::move(without));
        end = std::min(from, steps());
      }
    }
  }

  void lower_bytes() {
    // Plainer values and repeats before shapes and parameters; the kind, byte 0, stays.
    for (std::size_t i = 0; i < best_.size(); ++i) {
      if (i % Step::bytes == 0 || best_[i] == 0) continue;
      for (const int value : {0, best_[i] & 3, best_[i] & 15, best_[i] / 2, best_[i] - 1}) {
        if (value >= best_[i]) continue;
        Bytes lower = best_;
        lower[i] = static_cast<std::uint8_t>(value);
        if (better(std::move(lower))) break;
      }
    }
  }

  Bytes best_;
  const std::function<bool(const Bytes&)>& fails_;
  int left_;
  std::size_t changes_ = 0;
};

}  // namespace

Bytes shrunk(Bytes program, const std::function<bool(const Bytes&)>& fails, int tries) {
  return Shrinker(std::move(program), fails, tries).result();
}

}  // namespace koine::fuzz
