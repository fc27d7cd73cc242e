// SPDX-License-Identifier: Apache-2.0
// Random numbers that loops in vectors make: the words of streams, and uniform numbers of these. Compiled once for each
// set of instructions, so nothing here calls functions of the standard library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// How a word becomes a number in [0, 1), of so many bits, and how that is scaled, up to `last` at most.
template <class T>
struct UniformLaw {
  int digits;
  T start, scale, last;
};

struct RandomLanes {
  /// The words of `blocks` blocks from `first` on, in order, two in each element.
  void (*words)(std::uint64_t* to, std::uint64_t first, std::uint64_t seed, std::size_t blocks);
  /// Two numbers of each element, and one.
  void (*uniform_floats)(float* to, const std::uint64_t* words, std::size_t count, const UniformLaw<float>& law);
  void (*uniform_doubles)(double* to, const std::uint64_t* words, std::size_t count, const UniformLaw<double>& law);
};

extern const RandomLanes random_plain, random_avx2, random_avx512;

}  // namespace koine::host
