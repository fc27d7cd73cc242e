// SPDX-License-Identifier: Apache-2.0
// Blocks of a right matrix that a core's cache holds, by as many rows of a left one as pay for bringing them there.
#include "host/chained_products.hpp"

#include "base/dtypes.hpp"
#include "host/body.hpp"
#include "host/functions.hpp"
#include "host/instructions.hpp"
#include "host/parts.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace koine::host {
namespace {

constexpr std::int64_t block_rows = 16, block_depth = 128, block_columns = 512;

DType computed_in(DType type) { return base::is_half(type) ? DType::float32 : type; }
Products function_of(DType type) { return functions().rows_chained[static_cast<std::size_t>(computed_in(type))]; }

/// A zero has no sign, whatever was added up (KN_SETTLED of kernels/common/matmul_types.clh).
template <class T>
void settle(std::byte* sums, std::size_t count) {
  T* const values = reinterpret_cast<T*>(sums);
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] == 0) values[i] = 0;
  }
}

/// One thread's memory for blocks.
class Blocks {
 public:
  Blocks(const ChainedProduct& product, std::byte* to) : product_(product), to_(to) {
    const graph::Layout& layout = product.b.layout;
    const std::size_t axes = layout.strides.size();
    b_in_place_ =
        product.b.type == type_ && (product.n() == 1 || layout.strides[axes - 1] == 1) && layout.strides[axes - 2] >= 0;
    if (!b_in_place_) b_.resize(bytes(block_depth * block_columns));
  }

  /// Rows `first` to `first + rows` of matrix `number` of the batch.
  void multiply(std::int64_t number, std::int64_t first, std::int64_t rows) {
    const std::int64_t m = product_.m(), n = product_.n(), k = product_.k();
    for (std::int64_t column = 0; column < n; column += block_columns) {
      const std::int64_t columns = std::min(block_columns, n - column);
      std::memset(sums_.data(), 0, bytes(rows * columns));
      for (std::int64_t d = 0; d < k; d += block_depth) {
        const std::int64_t depth = std::min(block_depth, k - d);
        std::size_t leading = static_cast<std::size_t>(columns);
        const std::byte* const b = right_block((number * k + d) * n + column, depth, columns, leading);
        for (std::int64_t row = 0; row < rows; ++row) {
          load(product_.a, (number * m + first + row) * k + d, depth, a_.data());
          function_(sums_.data() + bytes(row * columns), b, leading, a_.data(), static_cast<std::size_t>(depth),
                    static_cast<std::size_t>(columns));
        }
      }
      for (std::int64_t row = 0; row < rows; ++row) {
        store(sums_.data() + bytes(row * columns), static_cast<std::size_t>(columns),
              to_ + static_cast<std::size_t>((number * m + first + row) * n + column) * stored_);
      }
    }
  }

 private:
  std::size_t bytes(std::int64_t count) const { return static_cast<std::size_t>(count) * size_; }

  /// A block of the right matrix from element `first` on, whose rows lie `leading` apart: where it is, or a copy.
  const std::byte* right_block(std::int64_t first, std::int64_t depth, std::int64_t columns, std::size_t& leading) {
    if (b_in_place_) {
      std::int64_t offset;
      gather(product_.b.layout, {}, nullptr, sizeof offset, first, 1, reinterpret_cast<std::byte*>(&offset));
      leading = static_cast<std::size_t>(product_.b.layout.strides[product_.b.layout.strides.size() - 2]);
      return product_.b.memory + offset * static_cast<std::int64_t>(size_);
    }
    for (std::int64_t d = 0; d < depth; ++d) {
      load(product_.b, first + d * product_.n(), columns, b_.data() + bytes(d * columns));
    }
    return b_.data();
  }

  /// Elements as they are multiplied.
  void load(const ChainedOperand& operand, std::int64_t first, std::int64_t count, std::byte* to) const {
    const auto some = static_cast<std::size_t>(count);
    const bool alike = operand.type == type_;
    std::array<std::byte, block_columns * widest_in_registers> apart;
    gather(operand.layout, {}, operand.memory, size_of(operand.type), first, some, alike ? to : apart.data());
    if (!alike) load_as(type_, to, operand.type, apart.data(), some);
  }

  void store(std::byte* sums, std::size_t count, std::byte* to) const {
    if (!is_integer(type_)) {
      const bool wide = base::row_of(type_).part == DType::float64;
      wide ? settle<double>(sums, count * size_ / sizeof(double)) : settle<float>(sums, count * size_ / sizeof(float));
    }
    if (size_ == stored_) {
      std::memcpy(to, sums, count * size_);
      return;
    }
    const void* const from[] = {sums, nullptr, nullptr};
    const auto number = static_cast<std::size_t>(product_.type);
    functions().casts[static_cast<std::size_t>(type_)][number](sums, from, count);
    functions().stores[number](to, from, count);
  }

  const ChainedProduct& product_;
  std::byte* const to_;
  const DType type_ = computed_in(product_.type);
  const std::size_t size_ = size_of(type_), stored_ = size_of(product_.type);
  const Products function_ = function_of(type_);
  bool b_in_place_;
  std::vector<std::byte> a_ = std::vector<std::byte>(bytes(block_depth)),
                         sums_ = std::vector<std::byte>(bytes(block_rows * block_columns)), b_;
};

}  // namespace

bool multiplies_chained(DType type) { return function_of(type) != nullptr; }

std::uint64_t chained_work(DType type, std::int64_t results, std::int64_t n, std::int64_t k) {
  // Vectors multiply some numbers at once, and a processor without fused multiply-adds calls a function for each.
  constexpr std::int64_t at_once = 8, for_a_row = 8;
  const bool plain = instructions() == Instructions::plain && !is_integer(type);
  const std::int64_t each = static_cast<std::int64_t>(size_in_registers(type)) / 4 * (is_complex(type) ? 2 : 1);
  const auto products = static_cast<std::uint64_t>(results / n) * static_cast<std::uint64_t>((n + for_a_row) * k);
  return products * static_cast<std::uint64_t>(std::max<std::int64_t>(each, 1)) * (plain ? 64 : 1) / at_once;
}

void multiply_chained(const ChainedProduct& product, const DeviceTraits& traits, std::uint64_t work, std::byte* to) {
  const std::int64_t m = product.m(), of_matrix = (m + block_rows - 1) / block_rows;
  const std::int64_t matrices = product.a.layout.shape.elements() / (m * product.k());
  Parts parts(static_cast<std::size_t>(matrices * of_matrix));
  share(traits, work, parts, [&] {
    Blocks blocks(product, to);
    for (std::size_t part; parts.take(part);) {
      const auto number = static_cast<std::int64_t>(part);
      const std::int64_t first = number % of_matrix * block_rows;
      blocks.multiply(number / of_matrix, first, std::min(block_rows, m - first));
    }
  });
}

}  // namespace koine::host
