// SPDX-License-Identifier: Apache-2.0
// The passes of kernels/run_products.cl, whose blocks threads share.
#include "host/run_products.hpp"

#include "base/rounding.hpp"
#include "host/parts.hpp"

#include <algorithm>
#include <complex>

namespace koine::host {
namespace {

constexpr std::size_t blocks_of_part = 64;

template <class T>
T times(T a, T b) {
  return a * b;
}
/// Each part as it stands here: a product of the standard library's looks for infinities.
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T>
struct Rows {
  const T* values;  // of the first row
  std::size_t step, inner;

  T at(std::size_t row, std::size_t i) const { return values[(row * inner + i) * step]; }
};

/// The products of a block's first and last run, which are rows of the next pass; null in the last pass.
template <class T>
struct Ends {
  T* values;
  std::int64_t* ids;
};

template <class T>
void multiply_block(const Rows<T>& rows, const std::int64_t* ids, std::size_t count, std::size_t groups, T* products,
                    const Ends<T>& ends) {
  for (std::size_t i = 0; i < rows.inner; ++i) {
    T product = rows.at(0, i);
    bool in_first = true;
    for (std::size_t row = 1; row <= count; ++row) {
      const bool last = row == count;
      const std::int64_t id = ids[row - 1];
      if (!last && ids[row] == id) {
        product = times(product, rows.at(row, i));
        continue;
      }
      if (ends.values != nullptr && (in_first || last)) {
        const std::size_t end = in_first ? 0 : 1;
        ends.values[end * rows.inner + i] = product;
        ends.ids[end] = id;
        if (in_first && last) {
          ends.values[rows.inner + i] = T(1);
          ends.ids[1] = id;
        }
      } else if (id >= 0 && static_cast<std::size_t>(id) < groups) {
        products[static_cast<std::size_t>(id) * rows.inner + i] = product;
      }
      in_first = false;
      if (!last) product = rows.at(row, i);
    }
  }
}

/// Rows of the next pass.
std::size_t rows_behind(std::size_t rows) {
  const std::size_t blocks = base::divide_up(rows, rows_of_block);
  return blocks > 1 ? 2 * blocks : 0;
}

template <class T>
void multiply(const DeviceTraits& traits, std::uint64_t work, const RunsOfRows& runs, const T* values, T* products,
              std::byte* room) {
  std::fill_n(products, runs.groups * runs.inner, T(1));
  std::size_t step = runs.same ? 0 : 1;
  const std::int64_t* ids = nullptr;  // of the first pass they are read
  for (std::size_t rows = runs.rows, behind = 0; rows > 0; rows = behind) {
    behind = rows_behind(rows);
    auto* const next = reinterpret_cast<T*>(room);
    auto* const next_ids = reinterpret_cast<std::int64_t*>(room + behind * runs.inner * sizeof(T));
    Parts parts(base::divide_up(rows, rows_of_block * blocks_of_part));
    share(traits, work, parts, [&] {
      std::int64_t of_block[rows_of_block];
      for (std::size_t part; parts.take(part);) {
        const std::size_t end = std::min(rows, (part + 1) * rows_of_block * blocks_of_part);
        for (std::size_t first = part * rows_of_block * blocks_of_part; first < end; first += rows_of_block) {
          const std::size_t count = std::min(rows_of_block, end - first), block = first / rows_of_block;
          const Ends<T> ends = behind > 0 ? Ends<T>{next + 2 * block * runs.inner, next_ids + 2 * block} : Ends<T>{};
          multiply_block({values + first * runs.inner * step, step, runs.inner},
                         ids != nullptr ? ids + first : runs.read(first, count, of_block), count, runs.groups, products,
                         ends);
        }
      }
    });
    values = next;
    ids = next_ids;
    step = 1;
    room += behind * (runs.inner * sizeof(T) + sizeof(std::int64_t));
    work = work * behind / rows;
  }
}

}  // namespace

std::size_t room_of_products(const RunsOfRows& runs) {
  std::size_t rows = 0;
  for (std::size_t behind = rows_behind(runs.rows); behind > 0; behind = rows_behind(behind)) rows += behind;
  return rows * (runs.inner * size_of(runs.type) + sizeof(std::int64_t));
}

void multiply_runs(const DeviceTraits& traits, std::uint64_t work, const RunsOfRows& runs, const std::byte* values,
                   std::byte* products, std::byte* room) {
  const auto of_type = [&]<class T>(T) {
    multiply(traits, work, runs, reinterpret_cast<const T*>(values), reinterpret_cast<T*>(products), room);
  };
  switch (runs.type) {
    case DType::float32: return of_type(float{});
    case DType::float64: return of_type(double{});
    case DType::complex64: return of_type(std::complex<float>{});
    case DType::complex128: return of_type(std::complex<double>{});
    default: return of_type(std::uint64_t{});
  }
}

}  // namespace koine::host
