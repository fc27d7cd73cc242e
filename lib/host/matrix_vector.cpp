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

/// A part of the matrix as it is multiplied, of lines that lie `leading` elements apart.
struct Part {
  const std::byte* elements;
  std::size_t leading;
};

/// What a part of the matrix becomes in registers, in a core's first cache: no more than this of lines at once.
class Casts {
 public:
  static constexpr std::size_t together = 4, elements = together * block;

  Casts(const MatrixVector& p, const std::byte* matrix) : p_(p), matrix_(matrix) {}
  bool needed() const { return p_.matrix_type != type_of_sums(p_.type); }
  /// The part of `lines` by `width` elements, from an element of the matrix on.
  Part part(std::int64_t first, std::size_t lines, std::size_t width) {
    const std::size_t stored = size_of(p_.matrix_type), leading = number(p_.leading);
    const std::size_t size = size_of(type_of_sums(p_.type));
    const std::byte* const from = matrix_ + number(first) * stored;
    if (!needed()) return {from, leading};
    // A part of each line in turn: processors fetch ahead along several lines at once, and a single one is too slow.
    constexpr std::size_t some = 256;
    for (std::size_t at = 0; at < width; at += some) {
      for (std::size_t line = 0; line < lines; ++line) {
        load_as(p_.type, room_ + (line * width + at) * size, p_.matrix_type, from + (line * leading + at) * stored,
                std::min(some, width - at));
      }
    }
    return {room_, width};
  }

 private:
  const MatrixVector& p_;
  const std::byte* const matrix_;
  alignas(64) std::byte room_[elements * sizeof(double)];
};

/// Rows lie side by side: each is a sum of products.
void multiply_rows(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix, const std::byte* vector,
                   std::byte* results, std::byte* room) {
  const DType type = type_of_sums(p.type);
  const std::size_t size = size_of(p.type), of_sum = size_of(type);
  const auto of_part = std::max<std::int64_t>(4, (1 << 15) / p.depth / 4 * 4);
  Parts parts(number(divide_up(p.rows, of_part)));
  share(traits, number(p.rows * p.depth), parts, [&] {
    Casts casts(p, matrix);
    for (std::size_t part; parts.take(part);) {
      const std::int64_t first = static_cast<std::int64_t>(part) * of_part, rows = std::min(of_part, p.rows - first);
      std::byte* const to = results + number(first) * size;
      std::byte* const sums = base::is_half(p.type) ? room + number(first) * of_sum : to;
      std::memset(sums, 0, number(rows) * of_sum);
      for (std::int64_t at = 0; at < p.depth; at += block) {
        const std::int64_t depth = std::min(block, p.depth - at);
        const auto several = static_cast<std::int64_t>(Casts::elements) / depth / 4 * 4;
        const std::int64_t together = casts.needed() ? several : rows;
        for (std::int64_t row = 0; row < rows; row += together) {
          const std::size_t some = number(std::min(together, rows - row));
          const Part at_hand = casts.part((first + row) * p.leading + at, some, number(depth));
          functions().dots[number(type)](sums + number(row) * of_sum, at_hand.elements, at_hand.leading,
                                         vector + number(at) * of_sum, some, number(depth));
        }
      }
      store(p.type, to, sums, number(rows));
    }
  });
}

/// Columns lie side by side, as rows of what is added up: blocks of them, and then the blocks' sums.
void multiply_columns(const MatrixVector& p, const DeviceTraits& traits, const std::byte* matrix,
                      const std::byte* vector, std::byte* results, std::byte* room) {
  const DType type = type_of_sums(p.type);
  const std::size_t of_sum = size_of(type);
  const std::int64_t blocks = divide_up(p.depth, block);
  const auto width = std::clamp<std::int64_t>(p.rows * blocks / 16 / 64 * 64, 256, 1 << 13);
  const std::int64_t across = divide_up(p.rows, width);
  std::byte* const sums = p.sums_apart() ? room : results;
  Parts parts(number(blocks * across));
  share(traits, number(p.rows * p.depth), parts, [&] {
    Casts casts(p, matrix);
    for (std::size_t part; parts.take(part);) {
      const std::int64_t row = static_cast<std::int64_t>(part) / across * block,
                         first = static_cast<std::int64_t>(part) % across * width,
                         count = std::min(width, p.rows - first);
      std::byte* const to = sums + number(row / block * p.rows + first) * of_sum;
      std::memset(to, 0, number(count) * of_sum);
      // A sum's terms come one after another, however many lines of them are at hand.
      constexpr std::int64_t few_lines = 8, some_columns = static_cast<std::int64_t>(Casts::elements) / few_lines;
      const std::int64_t depth = std::min(block, p.depth - row), lines = casts.needed() ? few_lines : depth,
                         columns = casts.needed() ? some_columns : count;
      for (std::int64_t line = 0; line < depth; line += lines) {
        for (std::int64_t column = 0; column < count; column += columns) {
          const std::size_t wide = number(std::min(columns, count - column)),
                            deep = number(std::min(lines, depth - line));
          const Part at_hand = casts.part((row + line) * p.leading + first + column, deep, wide);
          functions().rows_added[number(type)](to + number(column) * of_sum, at_hand.elements, at_hand.leading,
                                               vector + number(row + line) * of_sum, deep, wide);
        }
      }
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
  if (p.step == 1) {
    load_as(p.type, room, p.vector_type, vector, number(p.depth));
    return room;
  }
  const std::size_t stored = size_of(p.vector_type), of_sum = size_of(type_of_sums(p.type));
  std::byte some[number(block) * sizeof(double)];
  for (std::int64_t first = 0; first < p.depth; first += block) {
    const std::int64_t count = std::min(block, p.depth - first);
    for (std::int64_t k = 0; k < count; ++k) {
      std::memcpy(some + number(k) * stored, vector + (first + k) * p.step * static_cast<std::int64_t>(stored), stored);
    }
    load_as(p.type, room + number(first) * of_sum, p.vector_type, some, number(count));
  }
  return room;
}

}  // namespace

bool MatrixVector::vector_apart() const { return step != 1 || vector_type != type_of_sums(type); }

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
