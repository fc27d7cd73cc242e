// SPDX-License-Identifier: Apache-2.0
// What fast Fourier transforms need to know of their length: its factors, and roots of unity to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace koine::base {

/// The factors that butterflies are written for, in the order in which a transform of `n` elements goes through them;
/// empty where n has another factor, and for 1.
std::vector<int> radices_of(std::int64_t n);
/// Whether those make up n.
bool is_smooth(std::int64_t n);
/// n, which is smooth, as a product of `count` lengths of about one size.
std::vector<std::int64_t> lengths_of(std::int64_t n, std::size_t count);
/// Of as few as will do for each to be at most `most`, which is not below 13, the largest factor.
std::vector<std::int64_t> lengths_up_to(std::int64_t n, std::int64_t most);
/// The length of the cyclic convolution that a transform of `n` elements becomes by Bluestein's algorithm.
std::int64_t convolution_length(std::int64_t n);

/// Wider than any element type, so that what is rounded from it is right to the last bit.
struct WideComplex {
  long double re = 0, im = 0;

  friend WideComplex operator*(const WideComplex& a, const WideComplex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

/// exp(-2πik/n) for k from 0 on, below n.
class Roots {
 public:
  explicit Roots(std::int64_t n);
  WideComplex operator()(std::int64_t k) const {
    const auto at = static_cast<std::size_t>(k);
    return high_[at >> bits_] * low_[at & ((std::size_t{1} << bits_) - 1)];
  }

 private:
  int bits_;
  std::vector<WideComplex> high_, low_;
};

/// Bluestein's algorithm (1970) writes jk as (j² + k² - (k - j)²) / 2, so that a transform of n elements is their
/// product with `chirp`, a convolution, and a product with `chirp`.
struct Bluestein {
  explicit Bluestein(std::int64_t n);

  std::vector<WideComplex> chirp;   ///< exp(-πij²/n), of n elements
  std::vector<WideComplex> filter;  ///< the transform of its conjugate, continued evenly, divided by its length
};

}  // namespace koine::base
