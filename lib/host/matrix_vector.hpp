// SPDX-License-Identifier: Apache-2.0
// A matrix by a vector, where memory sets the pace.
#pragma once

#include "device/traits.hpp"
#include "koine/dtype.hpp"

#include <cstddef>
#include <cstdint>

namespace koine::host {

/// Either rows or columns of the matrix lie side by side, `leading` elements apart from one to the next. The type is a
/// real floating one; of 16 bits, sums are float32. What is of another type in memory is cast as it is read.
struct MatrixVector {
  DType type, matrix_type, vector_type;
  std::int64_t rows, depth, leading;
  bool by_columns;    // an element's neighbours in memory are those of its column
  std::int64_t step;  // from one element of the vector to the next

  std::uint64_t bytes_read() const {
    return static_cast<std::uint64_t>(depth) *
           (static_cast<std::uint64_t>(rows) * size_of(matrix_type) + size_of(vector_type));
  }
  std::uint64_t bytes_written() const { return static_cast<std::uint64_t>(rows) * size_of(type); }
  /// Bytes that multiply() works with: for the vector, and for sums before they are results.
  std::size_t room() const;
  bool vector_apart() const;
  bool sums_apart() const;
};

/// Writes the `rows` products. Sums of at most 1024 elements are added up one after another, whatever the number of
/// threads is. Takes no memory.
void multiply(const MatrixVector& problem, const DeviceTraits& traits, const std::byte* matrix, const std::byte* vector,
              std::byte* results, std::byte* room) noexcept;

}  // namespace koine::host
