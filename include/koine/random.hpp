// SPDX-License-Identifier: Apache-2.0
// Random numbers: the same seed gives the same bits on every device.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/dtype.hpp>
#include <koine/export.hpp>
#include <koine/shape.hpp>

#include <cstdint>
#include <optional>

namespace koine::random {

/// Options of Generator::uniform: numbers from `.low` up to, not including, `.high`, of a real floating type.
struct UniformOptions {
  double low = 0.0;
  double high = 1.0;
  DType dtype = float32;
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::normal: the mean, the standard deviation, a real floating type.
struct NormalOptions {
  double loc = 0.0;
  double scale = 1.0;
  DType dtype = float32;
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::integers: an integer type.
struct IntegersOptions {
  DType dtype = int64;
  std::optional<Device> device = std::nullopt;
};

/// A stream of random numbers: Philox4x32-10 of a seed and a counter.
///
/// A value: a copy continues with the same numbers. The stream is a row of 32-bit words; every element of float32,
/// float16 or bfloat16 takes the next one, every element of float64 or of integers the next two (from an even place).
/// So two calls for n elements give the numbers of one call for 2n, and the same seed gives the same bits on every
/// device. Distinct generators may be used by distinct threads at the same time.
class KOINE_API Generator {
 public:
  /// The stream of `seed`, from word `counter` on.
  explicit Generator(std::uint64_t seed, std::uint64_t counter = 0) noexcept : seed_(seed), counter_(counter) {}

  std::uint64_t seed() const noexcept { return seed_; }
  /// How many 32-bit words have been used: `Generator(g.seed(), g.counter())` continues where `g` stands.
  std::uint64_t counter() const noexcept { return counter_; }

  /// Uniform numbers in [low, high): all multiples of 2^-24 (float32), 2^-53 (float64), 2^-11 (float16) or 2^-8
  /// (bfloat16) of the interval, equally likely. Gives `.dtype`, float32 by default. ValueError
  /// unless low is below high and both are finite.
  Array uniform(const Shape& shape, const UniformOptions& options = {});

  /// Normally distributed numbers, by Box and Muller's method: up to 6.7 standard deviations from the mean, 9.5 in
  /// float64. Gives `.dtype`, float32 by default. ValueError for a negative or infinite scale.
  Array normal(const Shape& shape, const NormalOptions& options = {});

  /// Integers in [low, high), each from 64 random bits: no integer is more likely than another by more than one part in
  /// 2^64 / (high - low). Gives `.dtype`, int64 by default. ValueError unless low is below high and both fit the type.
  Array integers(std::int64_t low, std::int64_t high, const Shape& shape, const IntegersOptions& options = {});

 private:
  std::uint64_t seed_;
  std::uint64_t counter_;
};

}  // namespace koine::random
