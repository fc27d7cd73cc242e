// SPDX-License-Identifier: Apache-2.0
// Copies elements between layouts on the calling thread.
#pragma once

#include "graph/layout.hpp"

#include <cstddef>

namespace koine::host {

/// Copies the elements of `from`, of `size` bytes each (1, 2, 4, 8 or 16), to those of `to`, which has the same shape.
/// `source` and `target` are where the layouts' elements 0 lie; what is written is not read.
void copy(const graph::Layout& from, const std::byte* source, const graph::Layout& to, std::byte* target,
          std::size_t size);

}  // namespace koine::host
