// SPDX-License-Identifier: Apache-2.0
// The constants of kernels/rejection.cl, for its kernels and for the host: `Law` is the struct of either.
#pragma once

#include "graph/attributes.hpp"
#include "koine/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace koine::host {

/// Which numbers of which seed: `count` from number `first` on.
template <class Law>
Law law_of(const graph::RandomInfo& info, std::uint64_t first, std::size_t count) {
  Law law{};
  law.seed = info.seed;
  law.first = first;
  law.count = count;
  return law;
}

/// Of Marsaglia and Tsang's method.
template <class Law>
Law gamma_law(const graph::RandomInfo& info, std::uint64_t first, std::size_t count) {
  using T = decltype(Law::d);
  const bool small = info.shape < 1;
  const double exact = (small ? info.shape + 1 : info.shape) - 1.0 / 3;
  auto law = law_of<Law>(info, first, count);
  law.d = static_cast<T>(exact);
  law.c = static_cast<T>(1 / std::sqrt(9 * exact));
  law.power = small ? static_cast<T>(std::min<double>(1 / info.shape, std::numeric_limits<T>::max())) : T(0);
  law.scale = static_cast<T>(info.scale);
  return law;
}

/// With 20 binary places.
inline std::int64_t fixed_point(double value) { return std::llround(std::ldexp(value, 20)); }
/// ln k! - k ln k + k of 10 or more, by Stirling's series
inline double log_factorial(double k) {
  return 0.5 * std::log(6.283185307179586 * k) + (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * k * k)) / (k * k)) / k;
}
/// k ln(k / mean) + mean - k for k within 1 of the mean
inline double log_deviance(double k, double mean) {
  const double e = (k - mean) / mean;
  return mean * ((1 + e) * std::log1p(e) - e);
}

/// Of Hörmann's method. `type`: of the counts, which are no larger than it holds.
template <class Law>
Law count_law(const graph::RandomInfo& info, DType type, std::uint64_t first, std::size_t count) {
  const int bits = static_cast<int>(8 * size_of(type)) - is_signed_integer(type);
  auto law = law_of<Law>(info, first, count);
  law.most = std::numeric_limits<std::int64_t>::max() >> (63 - std::min(bits, 63));
  law.centre = fixed_point(info.mean);
  law.mean = static_cast<float>(info.mean);
  law.inverse_mean = static_cast<float>(1 / info.mean);
  double slope, width, quick, height;
  if (info.kind == graph::RandomKind::poisson) {
    width = 0.931 + 2.53 * std::sqrt(info.mean);
    slope = -0.059 + 0.02483 * width;
    quick = 0.9277 - 3.6224 / (width - 2);
    height = 1.1239 + 1.1328 / (width - 3.4);
    law.start = fixed_point(info.mean + 0.43);
  } else {
    law.trials = info.trials;
    law.most = std::min<std::int64_t>(law.most, info.trials);
    const auto n = static_cast<double>(info.trials);
    const double remaining = n - info.mean, p = info.mean / n, deviation = std::sqrt(info.mean * (remaining / n));
    width = 1.15 + 2.53 * deviation;
    slope = -0.0873 + 0.0248 * width + 0.01 * p;
    quick = 0.92 - 4.2 / width;
    height = (2.83 + 5.1 / width) * deviation;
    law.start = fixed_point(info.mean + 0.5);
    law.rest = static_cast<float>(remaining);
    law.inverse_rest = static_cast<float>(1 / remaining);
    // Probabilities are taken relative to that of the most likely count.
    const double mode = std::floor((n + 1) * p);
    law.shared = static_cast<float>(log_factorial(mode) + log_deviance(mode, info.mean) + log_factorial(n - mode) +
                                    log_deviance(n - mode, remaining));
  }
  law.a = static_cast<float>(slope);
  law.b = static_cast<float>(width);
  law.squeeze = static_cast<float>(quick);
  law.hat = static_cast<float>(height);
  return law;
}

}  // namespace koine::host
