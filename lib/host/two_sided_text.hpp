// SPDX-License-Identifier: Apache-2.0
// The functions of host/two_sided_core.hpp for vectors of KN_VECTOR_BYTES. To be included inside a namespace without a
// name, after host/two_sided_core.hpp and <utility>.

#include "host/lanes_text.hpp"

/// Columns that are read at once, so that what belongs to their rows is read and written less often.
constexpr int columns_at_once = 4;

/// The sum of all lanes, by halves.
template <class T>
inline T total(V<T> x) {
  T sums[Lanes<T>::count];
  store<T>(sums, x);
  KN_UNROLL for (int step = Lanes<T>::count / 2; step > 0; step /= 2) {
    KN_UNROLL for (int i = 0; i < step; ++i) sums[i] += sums[i + step];
  }
  return sums[0];
}

template <class T>
inline V<T> numbers_from(std::int64_t first) {
  V<T> result;
  for (int lane = 0; lane < Lanes<T>::count; ++lane) result[lane] = static_cast<T>(first + lane);
  return result;
}

template <int count, class T>
inline void symmetric_columns(const T* a, std::int64_t leading, std::int64_t first, const T* x, T* y) {
  constexpr int lanes = Lanes<T>::count;
  const T* const columns = a + first * leading;
  V<T> sums[count] = {};
  T by[count];
  for (int c = 0; c < count; ++c) by[c] = x[first + c];
  std::int64_t i = 0;
  for (; i + lanes <= first; i += lanes) {
    const V<T> factor = load(x + i);
    V<T> result = load(y + i);
    KN_UNROLL for (int c = 0; c < count; ++c) {
      const V<T> element = load(columns + c * leading + i);
      result += element * by[c];
      sums[c] += element * factor;
    }
    store<T>(y + i, result);
  }
  // Down to the diagonal.
  for (; i < first + count - 1; i += lanes) {
    const V<T> factor = load(x + i), rows = numbers_from<T>(i);
    V<T> result = load(y + i);
    KN_UNROLL for (int c = 0; c < count; ++c) {
      const V<T> element = rows < static_cast<T>(first + c) ? load(columns + c * leading + i) : V<T>{};
      result += element * by[c];
      sums[c] += element * factor;
    }
    store<T>(y + i, result);
  }
  for (int c = 0; c < count; ++c) y[first + c] += total<T>(sums[c]) + columns[c * leading + first + c] * by[c];
}

template <class T>
void symmetric(const T* a, std::int64_t leading, std::int64_t first, std::int64_t last, const T* x, T* y) {
  for (; first + columns_at_once <= last; first += columns_at_once) {
    symmetric_columns<columns_at_once>(a, leading, first, x, y);
  }
  for (; first < last; ++first) symmetric_columns<1>(a, leading, first, x, y);
}

template <int count, class T>
inline void both_sides_of_columns(const T* a, std::int64_t leading, std::int64_t rows, std::int64_t row, const T* u,
                                  T scale, T* y, T* r, T* z) {
  constexpr int lanes = Lanes<T>::count;
  V<T> sums[count] = {};
  for (std::int64_t i = 0; i < rows; i += lanes) {
    const V<T> factor = load(u + i);
    KN_UNROLL for (int c = 0; c < count; ++c) sums[c] += load(a + c * leading + i) * factor;
  }
  for (int c = 0; c < count; ++c) {
    y[c] = scale * (total<T>(sums[c]) - y[c]);
    r[c] = a[c * leading + row] - r[c] - y[c];
  }
  T by[count];
  for (int c = 0; c < count; ++c) by[c] = r[c];
  for (std::int64_t i = 0; i < rows; i += lanes) {
    V<T> result = load(z + i);
    KN_UNROLL for (int c = 0; c < count; ++c) result += load(a + c * leading + i) * by[c];
    store<T>(z + i, result);
  }
}

template <class T>
void both_sides(const T* a, std::int64_t leading, std::int64_t rows, std::int64_t columns, std::int64_t row, const T* u,
                T scale, T* y, T* r, T* z) {
  std::int64_t j = 0;
  for (; j + columns_at_once <= columns; j += columns_at_once) {
    both_sides_of_columns<columns_at_once>(a + j * leading, leading, rows, row, u, scale, y + j, r + j, z);
  }
  for (; j < columns; ++j) both_sides_of_columns<1>(a + j * leading, leading, rows, row, u, scale, y + j, r + j, z);
}

template <class T>
constexpr TwoSidedFunctions<T> two_sided_functions = {Lanes<T>::count, symmetric<T>, both_sides<T>};
