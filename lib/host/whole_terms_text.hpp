// SPDX-License-Identifier: Apache-2.0
// Terms of exact sums, in loops that compilers make vectors of. To be included inside a namespace without a name.

/// Exactly, but for float16's exponents, which count from where float32's do.
template <class Bits, int stored_digits>
inline double value_of(Bits bits) {
  if constexpr (sizeof(Bits) == 8) {
    return __builtin_bit_cast(double, bits);
  } else if constexpr (sizeof(Bits) == 4) {
    return __builtin_bit_cast(float, bits);
  } else {
    const auto wide = static_cast<std::uint32_t>(bits);
    return __builtin_bit_cast(float, (wide & 0x8000U) << 16 | (wide & 0x7fffU) << (23 - stored_digits));
  }
}

/// Of the least integer, too, which what is out of range becomes.
inline std::uint64_t bits_of_size(std::int64_t term) {
  const auto bits = static_cast<std::uint64_t>(term);
  return term < 0 ? 0 - bits : bits;
}

/// A WholeTerms of whole_terms.hpp.
template <class Bits, int stored_digits>
inline bool terms_of(const void* values, std::size_t count, double up, std::int64_t* terms, std::uint64_t* largest) {
  const Bits* const from = static_cast<const Bits*>(values);
  std::uint64_t bits = 0, lost = 0;
#ifndef __AVX512DQ__
  // Without an instruction for it, a float64 beside a large one becomes an integer in that one's last bits.
  if constexpr (sizeof(Bits) < 8) {
    constexpr double large = 0x1.8p52;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = value_of<Bits, stored_digits>(from[i]) * up, sum = x + large;
      const auto term =
          static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, sum) - __builtin_bit_cast(std::uint64_t, large));
      terms[i] = term;
      lost |= static_cast<std::uint64_t>(sum - large != x);
      bits |= bits_of_size(term);
    }
    *largest = bits;
    if (lost == 0 && bits >> 51 == 0) return true;
    bits = lost = 0;
  }
#endif
  const double down = 1 / up;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = value_of<Bits, stored_digits>(from[i]);
    const auto term = static_cast<std::int64_t>(x * up);
    terms[i] = term;
    // A product of a float64 may have lost bits, too.
    lost |= static_cast<std::uint64_t>(static_cast<double>(term) * down != x);
    bits |= bits_of_size(term);
  }
  *largest = bits;
  return lost == 0;
}

constexpr WholeTermFunctions functions_of_terms = {terms_of<std::uint16_t, 10>, terms_of<std::uint16_t, 7>,
                                                   terms_of<std::uint32_t, 23>, terms_of<std::uint64_t, 52>};
