// SPDX-License-Identifier: Apache-2.0
// Sharing a matrix by a vector among threads.
#include "host/matrix_vector.hpp"

#include "base/rounding.hpp"
#include "host/functions.hpp"
#include "host/parts.hpp"

#include <algorithm>
#include <cstring>

namespace koine::host {
namespace {

// Elements of one running sum, or terms of a sum of such. It decides bits.
constexpr std::int64_t block = 1024;

using base::divide_up;
std::size_t number(auto value) { return static_cast<std::size_t>(value); }

/// Rows lie side by side: each is a sum of products.
void multiply_rows(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix, const std::byte* vector,
                   std::byte* results) {
  const std::size_t size = size_of(p.type);
  const auto of_part = std::max<std::int64_t>(4, (1 << 15) / p.depth / 4 * 4);
  Parts parts(number(divide_up(p.rows, of_part)));
  share(traits, number(p.rows * p.depth), parts, [&] {
    for (std::size_t part; parts.take(part);) {
      const std::int64_t first = static_cast<std::int64_t>(part) * of_part, rows = std::min(of_part, p.rows - first);
      std::byte* const sums = results + number(first) * size;
      std::memset(sums, 0, number(rows) * size);
      for (std::int64_t at = 0; at < p.depth; at += block) {
        functions().dots[number(p.type)](sums, matrix + number(first * p.leading + at) * size, number(p.leading),
                                         vector + number(at) * size, number(rows),
                                         number(std::min(block, p.depth - at)));
      }
    }
  });
}

/// Columns lie side by side, as rows of what is added up: blocks of them, and then the blocks' sums.
void multiply_columns(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix,
                      const std::byte* vector, std::byte* results, std::byte* sums) {
  const std::size_t size = size_of(p.type);
  const std::int64_t blocks = divide_up(p.depth, block);
  const auto width = std::clamp<std::int64_t>(p.rows * blocks / 16 / 64 * 64, 256, 1 << 13);
  const std::int64_t across = divide_up(p.rows, width);
  if (blocks == 1) sums = results;
  Parts parts(number(blocks * across));
  share(traits, number(p.rows * p.depth), parts, [&] {
    for (std::size_t part; parts.take(part);) {
      const std::int64_t row = static_cast<std::int64_t>(part) / across * block,
                         first = static_cast<std::int64_t>(part) % across * width,
                         count = std::min(width, p.rows - first);
      std::byte* const to = sums + number(row / block * p.rows + first) * size;
      std::memset(to, 0, number(count) * size);
      functions().rows_added[number(p.type)](to, matrix + number(row * p.leading + first) * size, number(p.leading),
                                             vector + number(row) * size, number(std::min(block, p.depth - row)),
                                             number(count));
    }
  });
  if (blocks == 1) return;
  std::memcpy(results, sums, number(p.rows) * size);
  for (std::int64_t k = 1; k < blocks; ++k) {
    const void* const from[] = {results, sums + number(k * p.rows) * size, nullptr};
    functions().combined[number(graph::ReduceKind::sum)][number(p.type)](results, from, number(p.rows));
  }
}

}  // namespace

std::size_t MatrixVector::room() const {
  const std::int64_t blocks = by_columns ? divide_up(depth, block) : 1;
  return number((step == 1 ? 0 : depth) + (blocks > 1 ? blocks * rows : 0)) * size_of(type);
}

void multiply(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix, const std::byte* vector,
              std::byte* results, std::byte* room) noexcept {
  const std::size_t size = size_of(p.type);
  if (p.step != 1) {
    for (std::int64_t k = 0; k < p.depth; ++k) {
      std::memcpy(room + number(k) * size, vector + k * p.step * static_cast<std::int64_t>(size), size);
    }
    vector = room;
    room += number(p.depth) * size;
  }
  p.by_columns ? multiply_columns(p, traits, matrix, vector, results, room)
               : multiply_rows(p, traits, matrix, vector, results);
}

}  // namespace koine::host
