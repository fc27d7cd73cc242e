// SPDX-License-Identifier: Apache-2.0
// Random numbers on the host, with the bits of kernels/random.cl and kernels/rejection.cl: both are made of the same
// texts.
#pragma once

#include "graph/attributes.hpp"
#include "koine/dtype.hpp"

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// What a number takes, in operations of element-wise code.
std::uint64_t draw_cost(const graph::RandomInfo& info);
/// Whether it makes them in vectors, as fast as a kernel.
bool draws_in_vectors(const graph::RandomInfo& info);

/// Numbers `first` to `first + count` of what `info` says, as they are in registers; integers are the lowest bytes of
/// words of 64 bits, whatever their type is.
void draw(const graph::RandomInfo& info, DType type, std::uint64_t first, std::size_t count, std::byte* to);

/// The same as elements in memory.
void draw_elements(const graph::RandomInfo& info, DType type, std::uint64_t first, std::size_t count, std::byte* to);

// Counts by rejection, of positions from `first` on.
void draw_poissons(const graph::RandomInfo& info, DType type, std::uint64_t first, std::size_t count,
                   std::uint64_t* to);
void draw_binomials(const graph::RandomInfo& info, DType type, std::uint64_t first, std::size_t count,
                    std::uint64_t* to);

}  // namespace koine::host
