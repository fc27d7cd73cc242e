// SPDX-License-Identifier: Apache-2.0
// Interpolation and short convolutions; see signal.hpp.
#include "host/signal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace koine::host {
namespace {

// Searches that go on side by side, as each of their steps waits for a load.
constexpr std::size_t side_by_side = 8;

template <class T>
struct Point {
  T position, height;
};

/// Between two neighbours, which are the same one outside of all points.
template <class T>
T between(T at, const Point<T>& a, const Point<T>& b, bool same) {
  if (std::isnan(at)) return std::numeric_limits<T>::quiet_NaN();
  if (at == a.position || same) return a.height;
  const T gap = b.position - a.position, slope = (b.height - a.height) / gap;
  T value = slope * (at - a.position) + a.height;
  // From the other end where infinities meet on the way.
  if (std::isnan(value)) value = slope * (at - b.position) + b.height;
  // Where a distance between finite numbers is past the type's range, the ends are weighed instead.
  const bool apart =
      !(std::isfinite(gap) && std::isfinite(slope)) && std::isfinite(a.position) && std::isfinite(b.position);
  if (apart) {
    const T near = a.position * T(0.5), part = (at * T(0.5) - near) / (b.position * T(0.5) - near);
    value = a.height * (T(1) - part) + b.height * part;
  }
  return std::isnan(value) && a.height == b.height ? a.height : value;
}

}  // namespace

template <class T>
void interpolate(const T* points, const T* heights, std::size_t count, const T* at, std::size_t searches, T* to) {
  for (std::size_t first = 0; first < searches; first += side_by_side) {
    const std::size_t some = std::min(side_by_side, searches - first);
    // How many points are not above each: by kernels/search.cl's steps, so that points in no order give the same.
    std::size_t after[side_by_side] = {};
    for (std::size_t left = count; left > 0; left /= 2) {
      const std::size_t half_left = left - left / 2;
      for (std::size_t k = 0; k < some; ++k) {
        after[k] += points[after[k] + half_left - 1] <= at[first + k] ? half_left : 0;
      }
    }
    for (std::size_t k = 0; k < some; ++k) {
      const std::size_t low = after[k] > 0 ? after[k] - 1 : 0, high = std::min(after[k], count - 1);
      to[first + k] = between(at[first + k], Point<T>{points[low], heights[low]}, Point<T>{points[high], heights[high]},
                              low == high);
    }
  }
}

template <class T>
void slide(const T* x, std::size_t length, std::size_t before, const T* y, std::size_t size, T* to,
           std::size_t results) {
  std::fill_n(to, results, T(0));
  for (std::size_t i = 0; i < size; ++i) {
    // Results whose element of x is there; products with zeros around it count, as infinities of y make NaN of them.
    const std::size_t first = std::min(before > i ? before - i : 0, results),
                      last = std::clamp(length + before > i ? length + before - i : 0, first, results);
    const T outside = T(0) * y[i];
    for (std::size_t k = 0; k < first; ++k) to[k] += outside;
    for (std::size_t k = first; k < last; ++k) to[k] += x[k + i - before] * y[i];
    for (std::size_t k = last; k < results; ++k) to[k] += outside;
  }
}

template void interpolate(const float*, const float*, std::size_t, const float*, std::size_t, float*);
template void interpolate(const double*, const double*, std::size_t, const double*, std::size_t, double*);
template void slide(const float*, std::size_t, std::size_t, const float*, std::size_t, float*, std::size_t);
template void slide(const double*, std::size_t, std::size_t, const double*, std::size_t, double*, std::size_t);

}  // namespace koine::host
