// SPDX-License-Identifier: Apache-2.0
// What is known of each element type, from the rows of dtypes.def.
#pragma once

#include <koine/dtype.hpp>

#include <iterator>
#include <string_view>

namespace koine::base {

struct DTypeRow {
  std::string_view name, word;         ///< word: in kernels' names
  std::string_view npy;                ///< of a type that .npy files do not have, nothing
  std::string_view memory, registers;  ///< OpenCL types
  std::string_view limits;             ///< of integers: before _MIN and _MAX in OpenCL C
  int element;                         ///< its number in the kernels
  int digits, max_exponent;            ///< 0 but for floating types
  DType part;                          ///< of complex numbers the type of their parts, of others the type itself
};

inline constexpr DTypeRow dtype_rows[] = {
#define KN_DTYPE(constant, name, type, word, npy, memory, registers, limits, element, digits, max_exponent, part) \
  {name, word, npy, memory, registers, limits, element, digits, max_exponent, DType::part},
#include "base/dtypes.def"
#undef KN_DTYPE
};
static_assert(std::size(dtype_rows) == dtype_count);

/// Of two bytes; kernels compute with it in float32.
constexpr bool is_half(DType type) { return type == DType::float16 || type == DType::bfloat16; }

constexpr const DTypeRow& row_of(DType type) { return dtype_rows[static_cast<std::size_t>(type)]; }

}  // namespace koine::base
