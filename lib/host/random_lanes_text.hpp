// SPDX-License-Identifier: Apache-2.0
// What host/random_lanes.hpp declares, in vectors of the instructions that the including file is compiled for. To be
// included inside a namespace without a name.
#define KN_ELEMENT KN_F32
#include "host/random_text.hpp"
#define KN_KIND KN_NORMAL
#include <common/random.clh>

void words(std::uint64_t* to, std::uint64_t first, std::uint64_t seed, std::size_t blocks) {
  for (std::size_t k = 0; k < blocks; ++k) {
    const ulong2 of_block = kn_words(first + k, 0, seed);
    to[2 * k] = of_block.even;
    to[2 * k + 1] = of_block.odd;
  }
}

template <class T>
T scaled(T number, const UniformLaw<T>& law) {
  const T result = fma(number, law.scale, law.start);
  return result < law.last ? result : law.last;
}

void uniform_floats(float* to, const std::uint64_t* words, std::size_t count, const UniformLaw<float>& given) {
  const auto* const from = reinterpret_cast<const std::uint32_t*>(words);  // compiled without strict aliasing
  const UniformLaw<float> law = given;
  const float unit = 1.0f / static_cast<float>(1 << law.digits);
  for (std::size_t k = 0; k < count; ++k) {
    to[k] = scaled(static_cast<float>(static_cast<int>(from[k] >> (32 - law.digits))) * unit, law);
  }
}

void uniform_doubles(double* to, const std::uint64_t* from, std::size_t count, const UniformLaw<double>& given) {
  const UniformLaw<double> law = given;
  const double unit = 1.0 / static_cast<double>(std::int64_t{1} << law.digits);
  for (std::size_t k = 0; k < count; ++k) {
    to[k] = scaled(static_cast<double>(static_cast<std::int64_t>(from[k] >> (64 - law.digits))) * unit, law);
  }
}
