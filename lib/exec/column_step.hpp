// SPDX-License-Identifier: Apache-2.0
// How far apart the columns of a large matrix lie.
#pragma once

#include <cstdint>

namespace koine::exec {

/// Elements from a column of `rows` elements to the next one: whole lines of caches, and no power of two, which would
/// bring neighbours in a row to the same place in a cache.
template <class T>
constexpr std::int64_t column_step(std::int64_t rows) {
  constexpr std::int64_t line = 64 / sizeof(T);
  return ((rows + line - 1) / line | 1) * line;
}

}  // namespace koine::exec
