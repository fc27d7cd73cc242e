// SPDX-License-Identifier: Apache-2.0
// Sampled functions on the host, with the operations of what api/signal.cpp makes of nodes, in their order: for small
// arrays, of which making the nodes would take most of the time.
#pragma once

#include <cstddef>

namespace koine::host {

/// The piecewise linear function through (points[i], heights[i]), `count` of them, at `searches` positions. T is float
/// or double.
template <class T>
void interpolate(const T* points, const T* heights, std::size_t count, const T* at, std::size_t searches, T* to);

/// Writes the `results` elements k of the sums over i of x[k + i - before] times y[i], of `size` elements of y, where x
/// is 0 outside of its `length` elements.
template <class T>
void slide(const T* x, std::size_t length, std::size_t before, const T* y, std::size_t size, T* to,
           std::size_t results);

}  // namespace koine::host
