// SPDX-License-Identifier: Apache-2.0
// Terms of exact sums, and rows of them, in loops that compilers make vectors of. To be included inside a namespace
// without a name.

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

// Rows of terms.

constexpr int lanes = KN_VECTOR_BYTES / 8;
template <class T>
struct Of {
  typedef T lanes_of __attribute__((vector_size(lanes * sizeof(T))));
};
template <class T>
using Vector = typename Of<T>::lanes_of;

template <class To, class T>
inline To load(const T* from) {
  To result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}

/// value_of, of several.
template <class Bits, int stored_digits>
inline Vector<double> values_of(const Bits* from) {
  if constexpr (sizeof(Bits) == 8) {
    return load<Vector<double>>(from);
  } else if constexpr (sizeof(Bits) == 4) {
    return __builtin_convertvector(load<Vector<float>>(from), Vector<double>);
  } else {
    const auto wide = __builtin_convertvector(load<Vector<Bits>>(from), Vector<std::uint32_t>);
    const auto bits = (wide & 0x8000U) << 16 | (wide & 0x7fffU) << (23 - stored_digits);
    return __builtin_convertvector(load<Vector<float>>(&bits), Vector<double>);
  }
}

/// Of one number or several: the terms of values, and in `lost` all bits where one is none.
template <bool beside_large, class Reals, class Wholes>
inline Wholes wholes_of(Reals value, double up, double down, Wholes* lost) {
  Wholes result;
  if constexpr (beside_large) {
    constexpr double large = 0x1.8p52;
    const Reals x = value * up, sum = x + large;
    result = __builtin_bit_cast(Wholes, sum) - static_cast<std::int64_t>(__builtin_bit_cast(std::uint64_t, large));
    *lost |= sum - large != x;
  } else if constexpr (sizeof(Reals) == sizeof(double)) {
    result = static_cast<Wholes>(value * up);
    *lost |= static_cast<Reals>(result) * down != value;
  } else {
    result = __builtin_convertvector(value * up, Wholes);
    *lost |= __builtin_convertvector(result, Reals) * down != value;
  }
  return result;
}

template <class Wholes, class Bits>
struct Seen {
  Wholes lost{};
  Bits bits{}, over{};

  /// The sum, or with `away` the difference, which wrap.
  template <bool away>
  Wholes add(Wholes total, Wholes term) {
    const auto all = __builtin_bit_cast(Bits, total), one = __builtin_bit_cast(Bits, term);
    const Bits sum = away ? all - one : all + one;
    bits |= term < 0 ? -one : one;
    over |= (all ^ sum) & (one ^ sum);
    return __builtin_bit_cast(Wholes, sum);
  }
};

/// Of vectors of 64 bytes there is an instruction for what large numbers are used for otherwise.
#ifdef __AVX512DQ__
constexpr bool has_whole = true;
#else
constexpr bool has_whole = false;
#endif

template <bool away, class Bits, int stored_digits>
inline bool add_or_take(const Bits* values, const std::uint32_t* order, const std::int64_t* groups, std::size_t rows,
                        std::size_t inner, double up, std::int64_t* table, std::uint64_t* largest) {
  constexpr bool beside_large = !has_whole && sizeof(Bits) < 8;
  constexpr std::size_t ahead = 4, of_line = 8;
  const double down = 1 / up;
  Seen<Vector<std::int64_t>, Vector<std::uint64_t>> seen;
  Seen<std::int64_t, std::uint64_t> seen_last;
  for (std::size_t k = 0; k < rows; ++k) {
    if (groups[k] < 0) continue;
    if (k + ahead < rows && groups[k + ahead] >= 0) {
      const std::int64_t* const later = table + static_cast<std::size_t>(groups[k + ahead]) * inner;
      for (std::size_t i = 0; i < inner; i += of_line) __builtin_prefetch(later + i, 1);
    }
    // These are farther away than the table.
    if (order != nullptr && k + 4 * ahead < rows) {
      const Bits* const later = values + order[k + 4 * ahead] * inner;
      for (std::size_t i = 0; i < inner; i += 64 / sizeof(Bits)) __builtin_prefetch(later + i);
    }
    const Bits* const from = values + (order != nullptr ? order[k] : k) * inner;
    std::int64_t* const to = table + static_cast<std::size_t>(groups[k]) * inner;
    std::size_t i = 0;
    for (; i + lanes <= inner; i += lanes) {
      const auto term = wholes_of<beside_large>(values_of<Bits, stored_digits>(from + i), up, down, &seen.lost);
      const auto sum = seen.template add<away>(load<Vector<std::int64_t>>(to + i), term);
      __builtin_memcpy(to + i, &sum, sizeof sum);
    }
    for (; i < inner; ++i) {
      const std::int64_t term =
          wholes_of<beside_large>(value_of<Bits, stored_digits>(from[i]), up, down, &seen_last.lost);
      to[i] = static_cast<std::int64_t>(seen_last.template add<away>(to[i], term));
    }
  }
  std::uint64_t lost = static_cast<std::uint64_t>(seen_last.lost), bits = static_cast<std::uint64_t>(seen_last.bits),
                over = static_cast<std::uint64_t>(seen_last.over);
  for (int k = 0; k < lanes; ++k) {
    lost |= static_cast<std::uint64_t>(seen.lost[k]);
    bits |= static_cast<std::uint64_t>(seen.bits[k]);
    over |= static_cast<std::uint64_t>(seen.over[k]);
  }
  *largest = bits;
  return lost == 0 && over >> 63 == 0 && (!beside_large || bits >> 51 == 0);
}

/// A WholeRows of whole_terms.hpp.
template <class Bits, int stored_digits>
inline bool add_rows(const void* values, const std::uint32_t* order, const std::int64_t* groups, std::size_t rows,
                     std::size_t inner, double up, bool away, std::int64_t* table, std::uint64_t* largest) {
  const Bits* const from = static_cast<const Bits*>(values);
  return away ? add_or_take<true, Bits, stored_digits>(from, order, groups, rows, inner, up, table, largest)
              : add_or_take<false, Bits, stored_digits>(from, order, groups, rows, inner, up, table, largest);
}

template <bool based, class Bits, class Real>
inline bool round_each(const std::int64_t* sums, const Bits* base, std::size_t count, double up, Bits* to) {
  constexpr bool beside_large = !has_whole && sizeof(Bits) < 8;
  const double normal = sizeof(Bits) == 8 ? __DBL_MIN__ : static_cast<double>(__FLT_MIN__), down = 1 / up;
  Seen<std::int64_t, std::uint64_t> seen;
  std::uint64_t small = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t sum = sums[i];
    if constexpr (based) {
      sum = seen.template add<false>(sum, wholes_of<beside_large>(value_of<Bits, 0>(base[i]), up, down, &seen.lost));
    }
    const double value = static_cast<double>(static_cast<Real>(sum)) * down;
    const double size = value < 0 ? -value : value;
    const Bits bits = __builtin_bit_cast(Bits, static_cast<Real>(value));
    to[i] = based && sums[i] == 0 ? base[i] : bits;
    small |= static_cast<std::uint64_t>(size < normal) & static_cast<std::uint64_t>(size != 0);
  }
  return small == 0 && seen.lost == 0 && seen.over >> 63 == 0 && (!beside_large || seen.bits >> 51 == 0);
}

/// A WholeSums of whole_terms.hpp.
template <class Bits, class Real>
inline bool round_sums(const std::int64_t* sums, const void* base, std::size_t count, double up, void* results) {
  const Bits* const start = static_cast<const Bits*>(base);
  Bits* const to = static_cast<Bits*>(results);
  return base != nullptr ? round_each<true, Bits, Real>(sums, start, count, up, to)
                         : round_each<false, Bits, Real>(sums, start, count, up, to);
}
/// Types of 16 bits have digits too few for their sums to be rounded so.
inline bool round_no_sums(const std::int64_t*, const void*, std::size_t, double, void*) { return false; }

constexpr WholeTermFunctions functions_of_terms = {
    {terms_of<std::uint16_t, 10>, terms_of<std::uint16_t, 7>, terms_of<std::uint32_t, 23>, terms_of<std::uint64_t, 52>},
    {add_rows<std::uint16_t, 10>, add_rows<std::uint16_t, 7>, add_rows<std::uint32_t, 23>, add_rows<std::uint64_t, 52>},
    {round_no_sums, round_no_sums, round_sums<std::uint32_t, float>, round_sums<std::uint64_t, double>}};
