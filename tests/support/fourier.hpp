// SPDX-License-Identifier: Apache-2.0
// What Fourier transforms are compared with: sums in long double, and signals whose transforms are known. The bound is
// 5 ε log2(n) of the result's norm.
#pragma once

#include <doctest/doctest.h>
#include <koine/koine.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "support/arrays.hpp"

namespace koine::test {

using WideComplex = std::complex<long double>;

/// exp(2πik/n)
inline WideComplex turned(std::int64_t k, std::int64_t n) {
  const long double angle = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k % n) / n;
  return {std::cos(angle), std::sin(angle)};
}

/// The sums themselves, not scaled; `x` is cut off or continued with zeros to n.
inline std::vector<WideComplex> sums_of(std::vector<WideComplex> x, std::int64_t n, bool inverse) {
  x.resize(static_cast<std::size_t>(n));
  std::vector<WideComplex> roots, result;
  for (std::int64_t k = 0; k < n; ++k) roots.push_back(inverse ? turned(k, n) : std::conj(turned(k, n)));
  for (std::int64_t k = 0; k < n; ++k) {
    long double re = 0, im = 0;
    std::int64_t at = 0;
    for (const WideComplex& value : x) {
      const WideComplex& root = roots[static_cast<std::size_t>(at)];
      re += value.real() * root.real() - value.imag() * root.imag();
      im += value.real() * root.imag() + value.imag() * root.real();
      at += k;
      if (at >= n) at -= n;
    }
    result.emplace_back(re, im);
  }
  return result;
}

template <class T>
std::vector<WideComplex> widened_list(const Array& x) {
  std::vector<WideComplex> result;
  for (const T& value : x.to_vector<T>()) result.emplace_back(value);
  return result;
}

/// The distance of `got` from `want`, as a part of what it may be.
template <class T>
double part_of_bound(const std::vector<WideComplex>& got, const std::vector<WideComplex>& want, std::int64_t n) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  long double error = 0, size = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += std::norm(got[i] - want[i]);
    size += std::norm(want[i]);
  }
  const long double bound =
      5 * std::numeric_limits<T>::epsilon() * std::max(1.0L, std::log2(static_cast<long double>(n))) * std::sqrt(size);
  if (error == 0) return 0;
  return static_cast<double>(std::sqrt(error) / bound);
}

/// Numbers of a normal law, of real type T.
template <class T>
std::vector<T> noise(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(normal(random)));
  return values;
}
template <class T>
std::vector<std::complex<T>> complex_noise(std::int64_t count, unsigned seed) {
  const std::vector<T> parts = noise<T>(2 * count, seed);
  std::vector<std::complex<T>> values;
  for (std::size_t i = 0; i < parts.size(); i += 2) values.emplace_back(parts[i], parts[i + 1]);
  return values;
}

/// Three waves and three impulses, whose transform is three impulses and three waves.
template <class T>
struct KnownSignal {
  explicit KnownSignal(std::int64_t n) {
    const std::int64_t places[] = {1 % n, n / 3, n - 1};
    const WideComplex heights[] = {{1, 0.5L}, {-0.25L, 2}, {0.75L, -1}};
    std::vector<WideComplex> roots;
    for (std::int64_t k = 0; k < n; ++k) roots.push_back(turned(k, n));
    const auto root = [&](std::int64_t k) { return roots[static_cast<std::size_t>(k % n)]; };
    std::vector<WideComplex> x(static_cast<std::size_t>(n));
    values.resize(x.size());
    for (int i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < n; ++j) x[static_cast<std::size_t>(j)] += heights[i] * root(j * places[i]);
      x[static_cast<std::size_t>(places[i])] += heights[i] * static_cast<long double>(n);
    }
    for (const WideComplex& value : x) {
      given.emplace_back(static_cast<T>(value.real()), static_cast<T>(value.imag()));
    }
    for (int i = 0; i < 3; ++i) {
      for (std::int64_t k = 0; k < n; ++k) {
        values[static_cast<std::size_t>(k)] +=
            heights[i] * static_cast<long double>(n) * std::conj(root(k * places[i]));
      }
      values[static_cast<std::size_t>(places[i])] += heights[i] * static_cast<long double>(n);
    }
  }

  std::vector<std::complex<T>> given;
  std::vector<WideComplex> values;  // of the transform
};

/// Complex transforms of n random numbers, both ways, against sums.
template <class T>
void check_sums(std::int64_t n) {
  CAPTURE(n);
  const auto values = complex_noise<T>(n, static_cast<unsigned>(n));
  const Array x = asarray(values);
  const std::vector<WideComplex> wide(values.begin(), values.end());
  const Array there = fft::fft(x), back = fft::ifft(x, {.norm = "forward"});
  CHECK(there.dtype() == x.dtype());
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(there), sums_of(wide, n, false), n) <= 1);
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(back), sums_of(wide, n, true), n) <= 1);
}

/// The transforms of n real numbers, of those that a half says, and back.
template <class T>
void check_real_sums(std::int64_t n) {
  CAPTURE(n);
  const std::vector<T> values = noise<T>(n, static_cast<unsigned>(n));
  std::vector<WideComplex> want = sums_of({values.begin(), values.end()}, n, false);
  const std::vector<WideComplex> all = want;
  want.resize(static_cast<std::size_t>(n / 2 + 1));
  const Array x = asarray(values), half = fft::rfft(x);
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(half), want, n) <= 1);
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(fft::fft(x)), all, n) <= 1);
  CHECK(part_of_bound<T>(widened_list<T>(fft::irfft(half, {.n = n})), {values.begin(), values.end()}, n) <= 2);
  // Any half, whose first and last imaginary parts do not count.
  const auto given = complex_noise<T>(n / 2 + 1, static_cast<unsigned>(n) + 1);
  std::vector<WideComplex> whole(static_cast<std::size_t>(n));
  for (std::size_t k = 0; k < given.size(); ++k) {
    whole[(whole.size() - k) % whole.size()] = std::conj(WideComplex(given[k]));
    whole[k] = k == 0 || 2 * k == whole.size() ? WideComplex(given[k].real()) : WideComplex(given[k]);
  }
  const Array g = asarray(given);
  CHECK(part_of_bound<T>(widened_list<T>(fft::irfft(g, {.n = n, .norm = "forward"})), sums_of(whole, n, true), n) <= 1);
  CHECK(part_of_bound<T>(widened_list<T>(fft::hfft(g, {.n = n})), sums_of(whole, n, false), n) <= 1);
  std::vector<WideComplex> inverse = sums_of({values.begin(), values.end()}, n, true);
  inverse.resize(want.size());
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(fft::ihfft(x, {.norm = "forward"})), inverse, n) <= 1);
}

/// Long transforms: of a known signal and of its real part, and there and back.
template <class T>
void check_known(std::int64_t n) {
  CAPTURE(n);
  const KnownSignal<T> signal(n);
  const Array x = asarray(signal.given), there = fft::fft(x);
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(there), signal.values, n) <= 1);
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(fft::ifft(there)), widened_list<std::complex<T>>(x), n) <= 2);
  std::vector<WideComplex> want;
  for (std::int64_t k = 0; k <= n / 2; ++k) {
    const auto at = static_cast<std::size_t>(k), other = static_cast<std::size_t>((n - k) % n);
    want.push_back((signal.values[at] + std::conj(signal.values[other])) / 2.0L);
  }
  const Array reals = real(x).eval(), half = fft::rfft(reals);
  CHECK(part_of_bound<T>(widened_list<std::complex<T>>(half), want, n) <= 1);
  CHECK(part_of_bound<T>(widened_list<T>(fft::irfft(half, {.n = n})), widened_list<T>(reals), n) <= 2);
}

/// Along an axis of a batch, cut off and continued, against each line's sums.
template <class T>
void check_lines(const Shape& shape, std::int64_t axis, std::int64_t n, unsigned way = 0) {
  CAPTURE(to_string(shape));
  CAPTURE(axis);
  CAPTURE(n);
  const auto values = complex_noise<T>(shape.elements(), 7);
  const Array x = laid_out(asarray(values, shape), way), whole = asarray(values, shape);
  const Array got = moveaxis(fft::fft(x, {.n = n, .axis = axis}), axis, -1);
  const Array half = moveaxis(fft::rfft(real(x), {.n = n, .axis = axis}), axis, -1);
  const Array back = moveaxis(fft::irfft(x, {.n = n, .axis = axis, .norm = "forward"}), axis, -1);
  const auto from = widened_list<std::complex<T>>(moveaxis(whole, axis, -1));
  const auto all = widened_list<std::complex<T>>(got), first = widened_list<std::complex<T>>(half);
  const auto reals = widened_list<T>(back);
  const auto size = static_cast<std::size_t>(moveaxis(whole, axis, -1).shape().back());
  const auto length = static_cast<std::size_t>(n), kept = length / 2 + 1;
  double worst = 0;
  for (std::size_t line = 0; line * size < from.size(); ++line) {
    const std::vector<WideComplex> its(from.begin() + static_cast<std::ptrdiff_t>(line * size),
                                       from.begin() + static_cast<std::ptrdiff_t>((line + 1) * size));
    const auto part = [&](const std::vector<WideComplex>& list, std::size_t count) {
      return std::vector<WideComplex>(list.begin() + static_cast<std::ptrdiff_t>(line * count),
                                      list.begin() + static_cast<std::ptrdiff_t>((line + 1) * count));
    };
    worst = std::max(worst, part_of_bound<T>(part(all, length), sums_of(its, n, false), n));
    std::vector<WideComplex> reals_of(its);
    for (WideComplex& value : reals_of) value = value.real();
    std::vector<WideComplex> want = sums_of(reals_of, n, false);
    want.resize(kept);
    worst = std::max(worst, part_of_bound<T>(part(first, kept), want, n));
    std::vector<WideComplex> mirrored(length);
    for (std::size_t k = 0; k < kept && k < size; ++k) {
      mirrored[(length - k) % length] = std::conj(its[k]);
      mirrored[k] = k == 0 || 2 * k == length ? WideComplex(its[k].real()) : its[k];
    }
    worst = std::max(worst, part_of_bound<T>(part(reals, length), sums_of(mirrored, n, true), n));
  }
  CHECK(worst <= 1);
}

}  // namespace koine::test
