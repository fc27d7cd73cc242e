// SPDX-License-Identifier: Apache-2.0
// Shapes and values of new arrays, and scalars, by a few bytes.
#pragma once

#include "program.hpp"

namespace koine::fuzz {

/// A shape by four bytes: the number of axes, then their sizes. At most 8192 elements, but for one long axis.
Shape new_shape(const std::uint8_t* bytes);
/// A scalar of a kind, by two bytes.
Weak new_scalar(std::uint8_t kind, std::uint8_t value);
/// Values of a style: small integers; those with signs; ends of the range, infinities and NaN; numbers of any size.
Plain new_values(DType type, const Shape& shape, Style style, std::uint64_t seed);

}  // namespace koine::fuzz
