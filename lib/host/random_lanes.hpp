// SPDX-License-Identifier: Apache-2.0
// Random numbers that loops in vectors make: the words of streams, and uniform numbers of these. Compiled once for each
// set of instructions, so nothing here calls functions of the standard library. Other laws, number by number, are
// compiled with and without instructions that multiply and add at once, which take half the time.
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

/// As kernels/rejection.cl has it.
template <class T>
struct GammaLaw {
  std::uint64_t count, seed, first;
  T d, c, power, scale;
};

/// Of elements of one type.
template <class T>
struct RandomLaws {
  /// The numbers of standard laws that words make: of a word two of float32, and one of float64.
  void (*normals)(T* to, const std::uint64_t* words, std::size_t count);
  void (*exponentials)(T* to, const std::uint64_t* words, std::size_t count);
  /// The numbers of positions from `law.first` on.
  void (*gammas)(T* to, const GammaLaw<T>& law);
};

extern const RandomLaws<float> narrow_laws, narrow_laws_fused;
extern const RandomLaws<double> wide_laws, wide_laws_fused;

extern const RandomLanes random_plain, random_avx2, random_avx512;

}  // namespace koine::host
