// SPDX-License-Identifier: Apache-2.0
// Distribution functions in plain C++, and tests of whether numbers follow them. Their thresholds are passed by all but
// one seed in a million.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

namespace koine::test {

inline constexpr double significance = 1e-6;

/// The regularised incomplete gamma function P(a, x): its series below a, 1 less Lentz's continued fraction above
/// (DLMF 8.11.4 and 8.9.2).
inline double gamma_distribution(double a, double x) {
  if (x <= 0) return 0;
  if (a == 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-16; ++n) sum += term *= x / n;
    return front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 100'000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    const double factor = d * c;
    h *= factor;
    if (std::abs(factor - 1) < 1e-15) break;
  }
  return 1 - front * h;
}

inline double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

inline double poisson_probability(double lam, double k) {
  if (lam == 0) return k == 0;
  return std::exp(k * std::log(lam) - lam - std::lgamma(k + 1));
}

inline double binomial_probability(double n, double p, double k) {
  if (p == 0 || p == 1) return k == p * n;
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

/// Kolmogorov and Smirnov's test: the largest distance between a distribution function and that of the numbers, as a
/// multiple of what the bound of Dvoretzky, Kiefer, Wolfowitz and Massart allows. Right for integers too.
template <class T, class F>
double distance_from_law(std::vector<T> values, F distribution) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double most = 0;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && values[end] == values[i]) ++end;
    const double law = distribution(static_cast<double>(values[i]));
    most = std::max(most, std::abs(static_cast<double>(end) / n - law));
    if (end == i + 1) most = std::max(most, std::abs(static_cast<double>(i) / n - law));
    i = end;
  }
  return most / std::sqrt(std::log(2 / significance) / (2 * n));
}

/// Pearson's test of counts against the probability of each: the statistic's own chance, neighbours being counted
/// together until ten are expected.
template <class F>
double chance_of_counts(const std::vector<std::int64_t>& values, F probability) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  std::vector<double> seen(static_cast<std::size_t>(*most - *least) + 1);
  for (const std::int64_t value : values) ++seen[static_cast<std::size_t>(value - *least)];
  double chi2 = 0, cells = 0, expected = 0, counted = 0, left = n;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    expected += n * probability(static_cast<double>(*least) + static_cast<double>(i));
    counted += seen[i];
    if (expected < 10 || left - expected < 10) continue;
    chi2 += (counted - expected) * (counted - expected) / expected;
    left -= expected;
    expected = counted = 0;
    ++cells;
  }
  // What is left, with all that never came: below the least it is rare enough not to matter.
  if (left > 0) {
    chi2 += (counted - left) * (counted - left) / left;
    ++cells;
  }
  return cells < 2 ? 1 : 1 - gamma_distribution((cells - 1) / 2, chi2 / 2);
}

/// Whether mean and variance lie within five standard errors of a law's; `kurtosis` is the law's fourth moment over its
/// squared variance.
template <class T>
bool has_moments(const std::vector<T>& values, double mean, double variance, double kurtosis) {
  const double n = static_cast<double>(values.size());
  double first = 0, second = 0;
  for (const T value : values) first += static_cast<double>(value) - mean;
  for (const T value : values) {
    const double d = static_cast<double>(value) - mean;
    second += d * d;
  }
  return std::abs(first / n) <= 5 * std::sqrt(variance / n) &&
         std::abs(second / n - variance) <= 5 * variance * std::sqrt((kurtosis - 1) / n);
}

}  // namespace koine::test
