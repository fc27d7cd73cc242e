// SPDX-License-Identifier: Apache-2.0
// What lies in a buffer of Python's protocol: types of elements by their letters, and their order of bytes.
#pragma once

#include <Python.h>

#include <koine/dtype.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace koine::python {

/// The letters of a type; null of bfloat16, which has none.
const char* format_of(DType type);

struct Elements {
  std::optional<DType> type;  ///< none of elements that Koine has not
  bool swapped = false;       ///< in the other order of bytes than this machine's
};
Elements elements_of(const Py_buffer& view);

/// The bytes of each number of `width` turned round.
void swap_bytes(std::span<std::byte> bytes, std::size_t width);

}  // namespace koine::python
