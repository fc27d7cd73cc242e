// SPDX-License-Identifier: Apache-2.0
// Sums of reals by ids on the host, which come to the same in any order: by kernels/common/exact_sum.clh, as in
// kernels/scatter_reduce.cl.
#pragma once

#include "host/by_ids.hpp"

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// Values of rows, or of those with the numbers in `order` unless it is null, or one value for all; the sums of the
/// groups are added to those of `base`, unless that is null.
template <class Bits>
struct SumsByIds {
  RowsByIds rows;
  bool same;
  const Bits *values, *base;
  std::byte* room;
  const std::uint32_t* order = nullptr;
};

/// Bytes of room for values of so many bytes, which begins at a multiple of 16.
std::size_t room_of_sums(const DeviceTraits& traits, const RowsByIds& rows, std::size_t size);

/// Of float32, by its bits, and of float64; threads share what is `work` elements by operations. Allocates nothing.
void sum_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint32_t>& sums,
                std::uint32_t* results);
void sum_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint64_t>& sums,
                std::uint64_t* results);
/// Of float16 and bfloat16, by their bits.
void sum_float16s_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint16_t>& sums,
                         std::uint16_t* results);
void sum_bfloat16s_by_ids(const DeviceTraits& traits, std::uint64_t work, const SumsByIds<std::uint16_t>& sums,
                          std::uint16_t* results);

}  // namespace koine::host
