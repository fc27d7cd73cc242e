// SPDX-License-Identifier: Apache-2.0
// Fourier transforms in vectors, each lane of which is a line: what host/fft.cpp shares among threads. Compiled once
// for each set of instructions, so nothing here calls functions of the standard library.
#pragma once

#include <cstdint>

namespace koine::host {

/// A line of n elements, and the passes that it goes through.
template <class T>
struct FftLine {
  std::int64_t n = 1;
  int passes = 0;
  const int* radices = nullptr;
  const T* factors = nullptr;  ///< of each pass, one after the other: the roots that its results are multiplied with
};

/// What lies on one side of a transform: complex or real numbers, or the half of what belongs to real ones.
enum class FftSide : std::uint8_t { complex, real, half };

/// Whole lines, as many at once as a vector has elements.
template <class T>
struct FftLines {
  FftLine<T> line;
  const T *chirp = nullptr, *filter = nullptr;  ///< Bluestein's, where the line is a convolution of n elements
  const T* halves = nullptr;  ///< where elements are pairs of real numbers: the roots of fft_halves_text.hpp
  const T* in;
  T* out;
  FftSide in_side, out_side;
  std::int64_t n, lines, inner;    ///< `inner` lines lie side by side
  std::int64_t in_size, out_size;  ///< elements along the axis
  bool inverse;
  T scale;
};

/// One line in two steps: n is first.n * second.n. Results of the first lie `between` them in vectors.
template <class T>
struct FftSteps {
  FftLine<T> first, second;
  const T* turns;  ///< first.n pairs of vectors: of each result the roots of as many columns
  const T* bases;  ///< first.n complex numbers for each block of columns
  const T* in;
  T *between, *out;
  bool swap_in, swap_out;
  T scale;
};

/// `room` lies at a multiple of 64 bytes: of FftLines 4 * lanes * (line.n + 1), of FftSteps 4 * lanes * the longer
/// line's.
template <class T>
struct FftFunctions {
  std::int64_t lanes;
  void (*lines)(const FftLines<T>& job, std::int64_t block, T* room);
  void (*first_step)(const FftSteps<T>& job, std::int64_t block, T* room);
  void (*second_step)(const FftSteps<T>& job, std::int64_t block, T* room);
};

extern const FftFunctions<float> fft_plain_float, fft_avx2_float, fft_avx512_float;
extern const FftFunctions<double> fft_plain_double, fft_avx2_double, fft_avx512_double;

}  // namespace koine::host
