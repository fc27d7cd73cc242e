// SPDX-License-Identifier: Apache-2.0
// Random numbers: the same seed gives the same bits on every device.
#pragma once

#include <koine/array.hpp>
#include <koine/device.hpp>
#include <koine/dtype.hpp>
#include <koine/export.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <cstdint>
#include <optional>

namespace koine::random {

/// Options of Generator::uniform: numbers from `.low` up to, not including, `.high`, of a real floating type.
struct UniformOptions {
  detail::Named names_only = detail::named;
  double low = 0.0;
  double high = 1.0;
  DType dtype = default_dtype();
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::normal: the mean, the standard deviation, a real floating type.
struct NormalOptions {
  detail::Named names_only = detail::named;
  double loc = 0.0;
  double scale = 1.0;
  DType dtype = default_dtype();
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::integers: an integer type.
struct IntegersOptions {
  detail::Named names_only = detail::named;
  DType dtype = int64;
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::exponential: the mean, a real floating type.
struct ExponentialOptions {
  detail::Named names_only = detail::named;
  double scale = 1.0;
  DType dtype = default_dtype();
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::gamma: what the numbers are multiplied by, a real floating type.
struct GammaOptions {
  detail::Named names_only = detail::named;
  double scale = 1.0;
  DType dtype = default_dtype();
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::poisson and Generator::binomial: an integer type.
struct CountOptions {
  detail::Named names_only = detail::named;
  DType dtype = int64;
  std::optional<Device> device = std::nullopt;
};

/// Options of Generator::choice.
struct ChoiceOptions {
  detail::Named names_only = detail::named;
  bool replace = true;                          ///< whether one element can be chosen several times
  std::optional<Array> p = std::nullopt;        ///< the elements' probabilities; none: all the same
  std::int64_t axis = 0;                        ///< of an array: along which it is chosen
  std::optional<Device> device = std::nullopt;  ///< of a number: where; an array's choice stays on its device
};

/// Options of Generator::permutation and Generator::shuffle.
struct PermutationOptions {
  detail::Named names_only = detail::named;
  std::int64_t axis = 0;                        ///< of an array: whose parts change places
  std::optional<Device> device = std::nullopt;  ///< of a number: where; an array stays on its device
};

/// A stream of random numbers: Philox4x32-10 of a seed and a counter.
///
/// A value: a copy continues with the same numbers. The stream is a row of 32-bit words. Every element of a uniform,
/// normal or exponential float32, float16 or bfloat16 takes the next one, every other element the next two (from an
/// even position). So two calls for n elements give the numbers of one call for 2n, but for permutations and choices
/// without replacement, which are of one piece. Gamma numbers, and counts with a mean of 256 or more, are proposed
/// until one is accepted: an element takes the place of two words and draws from words that belong to that position
/// alone (Philox of the counter (position, 1), (position, 2), ... where the stream itself is (block, 0)), so an element
/// depends on seed, counter and its position only.
///
/// The same seed gives the same bits on every device: the logarithms, roots, sines and exponential functions behind the
/// numbers are made of operations that round correctly, and counts are computed alike with and without float64. The one
/// exception: a choice by probabilities without replacement may differ on a device without float64 whose float32
/// divisions do not round correctly. Parameters are numbers; for arrays of them scale what is drawn, as in
/// `g.exponential(shape) * scales`. Distinct generators may be used by distinct threads at the same time.
class KOINE_API Generator {
 public:
  /// The stream of a seed that the system draws; seed() tells which.
  Generator();
  /// The stream of `seed`, from word `counter` on.
  explicit Generator(std::uint64_t seed, std::uint64_t counter = 0) noexcept : seed_(seed), counter_(counter) {}

  std::uint64_t seed() const noexcept { return seed_; }
  /// How many 32-bit words have been used: `Generator(g.seed(), g.counter())` continues where `g` stands.
  std::uint64_t counter() const noexcept { return counter_; }

  /// Uniform numbers in [low, high): all multiples of 2^-24 (float32), 2^-53 (float64), 2^-11 (float16) or 2^-8
  /// (bfloat16) of the interval, equally likely. Gives `.dtype`, default_dtype() by default. ValueError
  /// unless low is below high and both are finite.
  Array uniform(const Shape& shape, const UniformOptions& options = {});
  Array uniform(const Shape& shape, DType dtype) { return uniform(shape, {.dtype = dtype}); }

  /// Normally distributed numbers, by Box and Muller's method: up to 6.7 standard deviations from the mean, 9.5 in
  /// float64. Gives `.dtype`, default_dtype() by default. ValueError for a negative or infinite scale.
  Array normal(const Shape& shape, const NormalOptions& options = {});
  Array normal(const Shape& shape, DType dtype) { return normal(shape, {.dtype = dtype}); }

  /// Integers in [low, high), each from 64 random bits: no integer is more likely than another by more than one part in
  /// 2^64 / (high - low). Gives `.dtype`, int64 by default. ValueError unless low is below high and both fit the type.
  Array integers(std::int64_t low, std::int64_t high, const Shape& shape, const IntegersOptions& options = {});

  /// Exponentially distributed numbers of mean `.scale`, -ln of a uniform number of as many bits as a word or two have:
  /// from 2^-33 to 22.9 means, from 2^-65 to 45.8 in float64. Gives `.dtype`, default_dtype() by default. ValueError
  /// for a negative or infinite scale.
  Array exponential(const Shape& shape, const ExponentialOptions& options = {});

  /// Gamma distributed numbers of shape parameter `k`, which is also their mean where `.scale` is 1, by Marsaglia's and
  /// Tsang's method (ACM Transactions on Mathematical Software 26, 2000); below 1 as the number for k + 1 times
  /// u^(1 / k) for a uniform u. A number below the smallest normal one, as small k give, is 0 before it is scaled.
  /// Gives `.dtype`, default_dtype() by default.
  /// ValueError for k or a scale that is negative or infinite.
  Array gamma(double k, const Shape& shape, const GammaOptions& options = {});

  /// Poisson distributed counts of mean `lam`, 0 to 2^40: below 256 by inversion of the distribution function,
  /// computed to 2^-44; else by Hörmann's PTRS (Insurance: Mathematics and Economics 12, 1993) in float32, which makes
  /// a count's probability wrong by up to sqrt(lam) / 2^23 of it. Gives `.dtype`, int64 by default. ValueError for
  /// other `lam`, and for one whose counts, up to ten standard deviations above the mean, do not fit the type.
  Array poisson(double lam, const Shape& shape, const CountOptions& options = {});

  /// Binomially distributed counts: how often, of `n` trials, what has probability `p` happens. Where the smaller of
  /// n p and n (1 - p) is below 256 by inversion, else by Hörmann's BTRS (Journal of Statistical Computation and
  /// Simulation 46, 1993); with bounds as poisson's. Gives `.dtype`, int64 by default. ValueError for a negative n, for
  /// p outside 0 to 1, and if n does not fit the type or both n p and n (1 - p) are above 2^40.
  Array binomial(std::int64_t n, double p, const Shape& shape, const CountOptions& options = {});

  /// Numbers from 0 to n - 1 (int64), all equally likely or with probabilities `.p`: an array of n elements of a real
  /// floating type, none of them negative, whose sum is 1 but for the square root of the type's epsilon; probabilities
  /// below 2^-62 count as 0. Without replacement: the first of permutation(n), or, with `.p`, as if drawn one after
  /// another with what is left of the probabilities (Efraimidis and Spirakis, Information Processing Letters 97, 2006).
  /// Gives int64. With `.p` it waits for the device, which checks it. ValueError for a negative n, nothing to choose
  /// from, more elements than there are (with probabilities other than 0) without replacement, and wrong probabilities;
  /// ShapeError and DTypeError for their shape and type.
  Array choice(std::int64_t n, const Shape& shape, const ChoiceOptions& options = {});
  /// The elements, or along `.axis` the parts, of x at such numbers: x's shape with that axis replaced by `shape`.
  /// Takes any type; gives the same.
  /// IndexError for an axis out of range.
  Array choice(const Array& x, const Shape& shape, const ChoiceOptions& options = {});

  /// The numbers from 0 to n - 1 (int64) in random order: the order of as many keys of 64 random bits. Equal keys keep
  /// the numbers' order, which makes no order more likely than another by more than n^2 / 2^64. Gives int64. ValueError
  /// for a negative n.
  Array permutation(std::int64_t n, const PermutationOptions& options = {});
  /// The parts of x along an axis in random order. Takes any type; gives the same. IndexError for an axis out of range.
  Array permutation(const Array& x, const PermutationOptions& options = {});
  /// Brings the parts of x along an axis into random order: x becomes permutation(x). Takes any type; gives the same.
  void shuffle(Array& x, const PermutationOptions& options = {});

 private:
  std::uint64_t seed_;
  std::uint64_t counter_;
};

}  // namespace koine::random
