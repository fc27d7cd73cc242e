// SPDX-License-Identifier: Apache-2.0
// kernels/common/exact_sum.clh as C++, for the type whose bits KN_KEY holds. To be included inside a namespace without
// a name, by one file for each such type, as the text has macros for one.
#include "host/opencl_c.hpp"

#define KN_TOP ((KN_KEY)((KN_KEY)1 << (KN_BITS - 1)))
inline uint clz(ulong x) { return x == 0 ? 64 : static_cast<uint>(__builtin_clzl(x)); }
#include <common/exact_sum.clh>

using Sums = SumsByIds<KN_KEY>;

/// Calls f(entry, value) for each value of some rows and its entry of the result.
template <class F>
void each_value(const Sums& sums, std::size_t first, std::size_t end, F f) {
  const KN_KEY* const values = sums.values;
  const std::size_t inner = sums.rows.inner;
  if (inner == 1 && !sums.same) {
    return each_row(sums.rows, first, end, [&](std::size_t row, std::size_t at) { f(at, values[row]); });
  }
  each_row(sums.rows, first, end, [&](std::size_t row, std::size_t at) {
    for (std::size_t i = 0; i < inner; ++i) f(at + i, values[sums.same ? 0 : row * inner + i]);
  });
}

/// The largest magnitude of some terms, and how far below the most of all the smallest is of those that are not 0, by
/// their bits.
struct Range {
  using Signed = std::make_signed_t<KN_KEY>;  // which more processors compare in vectors
  static constexpr Signed most = std::numeric_limits<Signed>::max();
  Signed largest = 0, below = 0;

  void widen(std::span<const KN_KEY> terms) {
    Signed magnitude = largest, depth = below;
    for (const KN_KEY bits : terms) {
      const Signed size = static_cast<Signed>(KN_SIZE(bits)), under = (most - size) & -static_cast<Signed>(size != 0);
      magnitude = size > magnitude ? size : magnitude;
      depth = under > depth ? under : depth;
    }
    largest = magnitude;
    below = depth;
  }
  uint exponent() const { return KN_EXPONENT(largest); }
  /// Of the exponents.
  uint distance() const { return below == 0 ? 0 : max(exponent(), 1u) - max(KN_EXPONENT(most - below), 1u); }
};

Range range_of(const DeviceTraits& traits, std::span<const KN_KEY> values, std::span<const KN_KEY> others) {
  constexpr std::size_t of_part = 1 << 15;
  Range all;
  all.widen(others);
  std::mutex mutex;
  Parts parts((values.size() + of_part - 1) / of_part);
  share(traits, values.size(), parts, [&] {
    Range mine;
    for (std::size_t part; parts.take(part);) {
      mine.widen(values.subspan(part * of_part, std::min(of_part, values.size() - part * of_part)));
    }
    const std::lock_guard lock(mutex);
    all.largest = std::max(all.largest, mine.largest);
    all.below = std::max(all.below, mine.below);
  });
  return all;
}

/// A total in two's complement, as kn_wide.
using Total = unsigned __int128;
Total total_of(long number) { return static_cast<Total>(static_cast<__int128>(number)); }
kn_wide wide_of(Total total) { return {static_cast<ulong>(total), static_cast<ulong>(total >> 64)}; }

/// 2^exponent, a normal number.
inline double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<ulong>(exponent + 1023) << 52); }

#if KN_BITS == 64
/// kn_term where no exponent is further than KN_SHIFT below the largest, by products with powers of two, which are
/// exact.
struct NearTerms {
  static constexpr uint least = 128;  // of `largest`, for which the powers are normal
  static constexpr int low_digits = 46;
  explicit NearTerms(uint exponent)
      : largest(exponent),
        up(power_of_two(1075 + KN_SHIFT - static_cast<int>(exponent))),
        high_up(up / (1UL << low_digits)),
        high_down(1 / high_up) {}
  Total operator()(std::size_t, KN_KEY bits) const {
    const double x = std::bit_cast<double>(bits);
    const long high = static_cast<long>(x * high_up);
    const long low = static_cast<long>((x - static_cast<double>(high) * high_down) * up);
    return (total_of(high) << low_digits) + total_of(low);
  }
  KN_KEY rounded(std::size_t, Total total) const { return kn_rounded(wide_of(total), largest); }
  uint largest;
  double up, high_up, high_down;
};
#endif

/// Of exponents that are far apart, or of what is not finite.
struct Terms {
  const uint* largest;
  KN_KEY rounded(std::size_t entry, Total total) const { return kn_rounded(wide_of(total), largest[entry]); }
  Total operator()(std::size_t entry, KN_KEY bits) const {
    const kn_wide term = kn_term(bits, largest[entry]);
    return static_cast<Total>(term.high) << 64 | term.low;
  }
};

/// Room for all tables of totals, then for the largest exponents and those of tables.
Total* totals_in(const Sums& sums) { return reinterpret_cast<Total*>(sums.room); }
uint* exponents_in(const DeviceTraits& traits, const Sums& sums) {
  return reinterpret_cast<uint*>(totals_in(sums) + most_tables(traits, sums.rows) * sums.rows.entries());
}

template <class TermOf>
void add_terms(const DeviceTraits& traits, std::uint64_t work, const Sums& sums, KN_KEY* results, const TermOf term) {
  const std::size_t entries = sums.rows.entries();
  Total* const tables = totals_in(sums);
  const std::size_t made =
      make_tables(traits, work, sums.rows, tables, [&](Total* table, std::size_t first, std::size_t end) {
        each_value(sums, first, end, [&](std::size_t at, KN_KEY bits) { table[at] += term(at, bits); });
      });
  each_part_of_entries(traits, entries, [&](std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
      Total total = 0;
      for (std::size_t table = 0; table < made; ++table) total += tables[table * entries + k];
      if (sums.base != nullptr && total == 0) {
        results[k] = sums.base[k];  // as it is, down to the sign of a zero
        continue;
      }
      if (sums.base != nullptr) total += term(k, sums.base[k]);
      results[k] = term.rounded(k, total);
    }
  });
}

#include "host/whole_sum_text.hpp"

void add_up(const DeviceTraits& traits, std::uint64_t work, const Sums& sums, KN_KEY* results) {
  const std::size_t entries = sums.rows.entries();
  const std::span<const KN_KEY> values(sums.values, sums.same ? 1 : sums.rows.rows * sums.rows.inner),
      others(sums.base, sums.base != nullptr ? entries : 0);
  if (const auto [unit, bits] = likely_unit(values, others); unit != 0) {
    // So long tables are worth halving: a core's second cache does not hold them. Rows are added in vectors instead.
    constexpr std::size_t long_table = 1 << 16;
    constexpr uint few_bits = 28;
    if (entries > long_table && sums.rows.inner < WholeTable<long>::fewest_in_vectors && bits <= few_bits &&
        !BlocksByIds<KN_KEY>(traits, sums.rows).suit() && add_whole<int>(traits, work, sums, results, unit))
      return;
    if (add_whole<long>(traits, work, sums, results, unit)) return;
  }
  const Range range = range_of(traits, values, others);
  const uint exponent = range.exponent();
  // No term loses a bit beside the largest of all, so no entry needs an exponent of its own.
  if (exponent != KN_LAST_EXPONENT && range.distance() <= KN_SHIFT) {
#if KN_BITS == 64
    if (exponent >= NearTerms::least) return add_terms(traits, work, sums, results, NearTerms(exponent));
#else
    if (add_whole<long>(traits, work, sums, results, max(exponent, 1u) - range.distance())) return;
#endif
  }
  uint *const largest = exponents_in(traits, sums), *const tables = largest + entries;
  const std::size_t made =
      make_tables(traits, work, sums.rows, tables, [&](uint* table, std::size_t first, std::size_t end) {
        each_value(sums, first, end,
                   [&](std::size_t at, KN_KEY bits) { table[at] = max(table[at], KN_EXPONENT(bits)); });
      });
  for (std::size_t k = 0; k < entries; ++k) {
    largest[k] = sums.base != nullptr ? KN_EXPONENT(sums.base[k]) : 0;
    for (std::size_t table = 0; table < made; ++table) largest[k] = max(largest[k], tables[table * entries + k]);
  }
  add_terms(traits, work, sums, results, Terms{largest});
}
