// SPDX-License-Identifier: Apache-2.0
// Factors of lengths, roots of unity, and Bluestein's tables.
#include "base/fourier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

namespace koine::base {
namespace {

// Large ones first, so that few passes are left; 8 before 4 and 2.
constexpr int radices[] = {13, 11, 7, 5, 3, 8, 4, 2};

/// exp(-2πik/n), from an angle of at most an eighth of a turn.
WideComplex root(std::int64_t n, std::int64_t k) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  const std::int64_t quarter = (4 * k + n / 2) / n;  // the nearest
  const long double angle = pi / 2 * static_cast<long double>(4 * k - quarter * n) / static_cast<long double>(n);
  const long double c = std::cos(angle), s = std::sin(angle);
  switch (quarter % 4) {
    case 0: return {c, -s};
    case 1: return {-s, -c};
    case 2: return {-c, s};
    default: return {s, c};
  }
}

/// In place, of a power of two: Cooley and Tukey's (1965), by radix 2.
void transform(std::vector<WideComplex>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  const Roots roots(static_cast<std::int64_t>(n));
  std::vector<WideComplex> factors(n / 2);
  for (std::size_t k = 0; k < factors.size(); ++k) factors[k] = roots(static_cast<std::int64_t>(k));
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t first = 0; first < n; first += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        WideComplex &a = x[first + k], &b = x[first + half + k];
        const WideComplex t = b * factors[k * (n / 2 / half)];
        b = {a.re - t.re, a.im - t.im};
        a = {a.re + t.re, a.im + t.im};
      }
    }
  }
}

}  // namespace

std::vector<int> radices_of(std::int64_t n) {
  std::vector<int> result;
  for (const int radix : radices) {
    for (; n % radix == 0; n /= radix) result.push_back(radix);
  }
  if (n != 1) return {};
  // 8 and 2 are two times 4.
  const auto size = result.size();
  if (size > 1 && result[size - 1] == 2 && result[size - 2] == 8) result[size - 1] = result[size - 2] = 4;
  return result;
}

bool is_smooth(std::int64_t n) {
  for (const int radix : radices) {
    while (n % radix == 0) n /= radix;
  }
  return n == 1;
}

std::vector<std::int64_t> lengths_of(std::int64_t n, std::size_t count) {
  std::vector<int> factors;
  for (const int radix : radices_of(n)) {
    if (radix == 8 || radix == 4) {
      for (int left = radix; left > 1; left /= 2) factors.push_back(2);
    } else {
      factors.push_back(radix);
    }
  }
  // The largest factors first, each to the length that is shortest so far.
  std::sort(factors.rbegin(), factors.rend());
  std::vector<std::int64_t> lengths(count, 1);
  for (const int factor : factors) *std::min_element(lengths.begin(), lengths.end()) *= factor;
  return lengths;
}

std::vector<std::int64_t> lengths_up_to(std::int64_t n, std::int64_t most) {
  for (std::size_t count = 1;; ++count) {
    std::vector<std::int64_t> lengths = lengths_of(n, count);
    if (*std::max_element(lengths.begin(), lengths.end()) <= most) return lengths;
  }
}

std::int64_t convolution_length(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
}

Roots::Roots(std::int64_t n) : bits_(std::bit_width(static_cast<std::uint64_t>(n)) / 2) {
  const std::int64_t step = std::int64_t{1} << bits_;
  for (std::int64_t k = 0; k < std::min(step, n); ++k) low_.push_back(root(n, k));
  for (std::int64_t k = 0; k < n; k += step) high_.push_back(root(n, k));
}

Bluestein::Bluestein(std::int64_t n) {
  const auto size = static_cast<std::size_t>(n), length = static_cast<std::size_t>(convolution_length(n));
  const Roots roots(2 * n);
  chirp.resize(size);
  filter.resize(length);
  std::int64_t square = 0;  // j² modulo 2n
  for (std::size_t j = 0; j < size; ++j) {
    const WideComplex at = roots(square);
    chirp[j] = at;
    const WideComplex turned{at.re / static_cast<long double>(length), -at.im / static_cast<long double>(length)};
    filter[j] = turned;
    if (j > 0) filter[length - j] = turned;
    square = (square + 2 * static_cast<std::int64_t>(j) + 1) % (2 * n);
  }
  transform(filter);
}

}  // namespace koine::base
