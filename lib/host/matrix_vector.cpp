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
constexpr std::size_t number(auto value) { return static_cast<std::size_t>(value); }

DType type_of_sums(DType type) { return base::is_half(type) ? DType::float32 : type; }

/// A function of Functions for so many lines of so many neighbours. Those of 16 bits are widened in parts that the
/// nearest cache holds: of rows for `along`, which adds up a line's products, and otherwise of columns.
void add_products(const MatrixVector& p, bool along, std::byte* sums, const std::byte* matrix, const std::byte* vector,
                  std::size_t lines, std::size_t neighbours) {
  const DType type = type_of_sums(p.type);
  const auto leading = number(p.leading);
  const Products add = along ? functions().dots[number(type)] : functions().rows_added[number(type)];
  if (!base::is_half(p.type)) return add(sums, matrix, leading, vector, lines, neighbours);
  constexpr std::size_t most = 4 * number(block);
  const std::size_t across = along ? number(block) : number(block) / 2, down = most / across, size = size_of(type);
  float part[most];
  for (std::size_t line = 0; line < lines; line += down) {
    const std::size_t some = std::min(down, lines - line);
    for (std::size_t at = 0; at < neighbours; at += across) {
      const std::size_t count = std::min(across, neighbours - at);
      for (std::size_t k = 0; k < some; ++k) {
        const void* const from[] = {matrix + ((line + k) * leading + at) * size_of(p.type), nullptr, nullptr};
        functions().loads[number(p.type)](part + k * count, from, count);
      }
      add(sums + (along ? line : at) * size, reinterpret_cast<const std::byte*>(part), count,
          vector + (along ? at : line) * size, some, count);
    }
  }
}

/// Sums as results.
void store(DType type, std::byte* results, std::byte* sums, std::size_t count) {
  if (!base::is_half(type)) {
    if (results != sums) std::memcpy(results, sums, count * size_of(type));
    return;
  }
  const void* const from[] = {sums, nullptr, nullptr};
  functions().casts[number(DType::float32)][number(type)](sums, from, count);
  functions().stores[number(type)](results, from, count);
}

/// Rows lie side by side: each is a sum of products.
void multiply_rows(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix, const std::byte* vector,
                   std::byte* results, std::byte* room) {
  const std::size_t size = size_of(p.type), of_sum = size_of(type_of_sums(p.type));
  const auto of_part = std::max<std::int64_t>(4, (1 << 15) / p.depth / 4 * 4);
  Parts parts(number(divide_up(p.rows, of_part)));
  share(traits, number(p.rows * p.depth), parts, [&] {
    for (std::size_t part; parts.take(part);) {
      const std::int64_t first = static_cast<std::int64_t>(part) * of_part, rows = std::min(of_part, p.rows - first);
      std::byte* const to = results + number(first) * size;
      std::byte* const sums = base::is_half(p.type) ? room + number(first) * of_sum : to;
      std::memset(sums, 0, number(rows) * of_sum);
      for (std::int64_t at = 0; at < p.depth; at += block) {
        add_products(p, true, sums, matrix + number(first * p.leading + at) * size, vector + number(at) * of_sum,
                     number(rows), number(std::min(block, p.depth - at)));
      }
      store(p.type, to, sums, number(rows));
    }
  });
}

/// Columns lie side by side, as rows of what is added up: blocks of them, and then the blocks' sums.
void multiply_columns(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix,
                      const std::byte* vector, std::byte* results, std::byte* room) {
  const DType type = type_of_sums(p.type);
  const std::size_t size = size_of(p.type), of_sum = size_of(type);
  const std::int64_t blocks = divide_up(p.depth, block);
  const auto width = std::clamp<std::int64_t>(p.rows * blocks / 16 / 64 * 64, 256, 1 << 13);
  const std::int64_t across = divide_up(p.rows, width);
  std::byte* const sums = p.sums_apart() ? room : results;
  Parts parts(number(blocks * across));
  share(traits, number(p.rows * p.depth), parts, [&] {
    for (std::size_t part; parts.take(part);) {
      const std::int64_t row = static_cast<std::int64_t>(part) / across * block,
                         first = static_cast<std::int64_t>(part) % across * width,
                         count = std::min(width, p.rows - first);
      std::byte* const to = sums + number(row / block * p.rows + first) * of_sum;
      std::memset(to, 0, number(count) * of_sum);
      add_products(p, false, to, matrix + number(row * p.leading + first) * size, vector + number(row) * of_sum,
                   number(std::min(block, p.depth - row)), number(count));
    }
  });
  for (std::int64_t k = 1; k < blocks; ++k) {
    const void* const from[] = {sums, sums + number(k * p.rows) * of_sum, nullptr};
    functions().combined[number(graph::ReduceKind::sum)][number(type)](sums, from, number(p.rows));
  }
  store(p.type, results, sums, number(p.rows));
}

/// The vector as it is added up, its elements side by side: where it lies, or in `room`.
const std::byte* gathered(const MatrixVector& p, const std::byte* vector, std::byte* room) {
  if (!p.vector_apart()) return vector;
  const std::size_t size = size_of(p.type), of_sum = size_of(type_of_sums(p.type));
  std::byte some[number(block) * sizeof(double)];
  for (std::int64_t first = 0; first < p.depth; first += block) {
    const std::int64_t count = std::min(block, p.depth - first);
    for (std::int64_t k = 0; k < count; ++k) {
      std::memcpy(some + number(k) * size, vector + (first + k) * p.step * static_cast<std::int64_t>(size), size);
    }
    const void* const from[] = {some, nullptr, nullptr};
    functions().loads[number(p.type)](room + number(first) * of_sum, from, number(count));
  }
  return room;
}

}  // namespace

bool MatrixVector::vector_apart() const { return step != 1 || base::is_half(type); }

bool MatrixVector::sums_apart() const { return base::is_half(type) || (by_columns && depth > block); }

std::size_t MatrixVector::room() const {
  const std::int64_t blocks = by_columns ? divide_up(depth, block) : 1;
  return number((vector_apart() ? depth : 0) + (sums_apart() ? blocks * rows : 0)) * size_of(type_of_sums(type));
}

void multiply(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix, const std::byte* vector,
              std::byte* results, std::byte* room) noexcept {
  vector = gathered(p, vector, room);
  if (p.vector_apart()) room += number(p.depth) * size_of(type_of_sums(p.type));
  p.by_columns ? multiply_columns(p, traits, matrix, vector, results, room)
               : multiply_rows(p, traits, matrix, vector, results, room);
}

}  // namespace koine::host
