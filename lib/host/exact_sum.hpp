// SPDX-License-Identifier: Apache-2.0
// Sums of reals by ids on the host, which come to the same in any order: by kernels/common/exact_sum.clh, as in
// kernels/scatter_reduce.cl.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace koine::host {

/// Rows of `inner` values, or one value for all, and the number of each row's group, below zero for none; the sums of
/// the groups are added to those of `base`, unless it is null.
template <class Bits>
struct SumsByIds {
  std::span<const std::int64_t> ids;
  std::size_t groups, inner;
  bool same;
  const Bits *values, *base;
};

/// Of float32, by its bits, and of float64.
void sum_by_ids(const SumsByIds<std::uint32_t>& sums, std::uint32_t* results);
void sum_by_ids(const SumsByIds<std::uint64_t>& sums, std::uint64_t* results);

}  // namespace koine::host
