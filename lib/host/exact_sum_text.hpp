// SPDX-License-Identifier: Apache-2.0
// kernels/common/exact_sum.clh as C++, for the type whose bits KN_KEY holds. To be included inside a namespace without
// a name, by one file for each such type, as the text has macros for one.
#include "host/opencl_c.hpp"

#define KN_TOP ((KN_KEY)((KN_KEY)1 << (KN_BITS - 1)))
inline uint clz(ulong x) { return x == 0 ? 64 : static_cast<uint>(__builtin_clzl(x)); }
#include <common/exact_sum.clh>

/// Calls f(entry, value) for each value and its entry of the result.
template <class F>
void each_value(const SumsByIds<KN_KEY>& sums, F f) {
  for (std::size_t row = 0; row < sums.ids.size(); ++row) {
    if (sums.ids[row] < 0) continue;
    for (std::size_t i = 0; i < sums.inner; ++i) {
      f(static_cast<std::size_t>(sums.ids[row]) * sums.inner + i, sums.values[sums.same ? 0 : row * sums.inner + i]);
    }
  }
}

void add_up(const SumsByIds<KN_KEY>& sums, KN_KEY* results) {
  const std::size_t entries = sums.groups * sums.inner;
  std::vector<uint> largest(entries);
  std::vector<kn_wide> totals(entries);
  for (std::size_t k = 0; sums.base != nullptr && k < entries; ++k) largest[k] = KN_EXPONENT(sums.base[k]);
  each_value(sums, [&](std::size_t at, KN_KEY bits) { largest[at] = max(largest[at], KN_EXPONENT(bits)); });
  each_value(sums,
             [&](std::size_t at, KN_KEY bits) { totals[at] = kn_wide_sum(totals[at], kn_term(bits, largest[at])); });
  for (std::size_t k = 0; k < entries; ++k) {
    kn_wide total = totals[k];
    if (sums.base != nullptr && total.low == 0 && total.high == 0) {
      results[k] = sums.base[k];  // as it is, down to the sign of a zero
      continue;
    }
    if (sums.base != nullptr) total = kn_wide_sum(total, kn_term(sums.base[k], largest[k]));
    results[k] = kn_rounded(total, largest[k]);
  }
}
