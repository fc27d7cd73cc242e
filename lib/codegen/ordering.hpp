// SPDX-License-Identifier: Apache-2.0
// Which loads a CPU copies in the order of a kernel's vectors, before the kernel reads them many times.
#pragma once

#include "codegen/body.hpp"

namespace koine::codegen {

/// Of a domain: starting the kernel that copies takes longer than gathering for fewer elements.
inline constexpr std::int64_t fewest_ordered = 1 << 16;

/// Whether each element of a load is read so often in a domain that a scalar load for each reading costs more than
/// copying it once. (In a loop it is as often, since a copy has the elements of all rounds.)
inline bool is_worth_ordering(const Load& load, const Shape& domain) {
  constexpr std::int64_t fewest_readings = 8;
  if (load.iota || load.take || !load.seams.empty()) return false;
  std::int64_t elements = 1;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (load.layout.strides[axis] != 0) elements *= domain[axis];
  }
  return elements <= domain.elements() / fewest_readings;
}

}  // namespace koine::codegen
