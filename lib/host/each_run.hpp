// SPDX-License-Identifier: Apache-2.0
// Going over the elements of a layout run by run, or by blocks of runs.
#pragma once

#include "graph/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace koine::host {

/// Elements of a row that are worth a call for them alone.
inline constexpr std::int64_t shortest_row = 64;

/// Where the element of that number, in row-major order, lies.
inline std::int64_t offset_of(const graph::Layout& layout, std::int64_t number) {
  std::int64_t offset = layout.offset;
  for (std::size_t axis = layout.shape.size(); axis-- > 0; number /= layout.shape[axis]) {
    offset += number % layout.shape[axis] * layout.strides[axis];
  }
  return offset;
}

/// Whether the elements of each row lie side by side, and are worth a call.
inline bool lies_in_rows(const graph::Layout& layout) {
  return !layout.shape.empty() && layout.shape.back() >= shortest_row && layout.strides.back() == 1;
}

/// The elements that a layout begins again and again, where they lie side by side: a row that is beside each row of a
/// matrix. 0 if it does not.
inline std::int64_t period_of(const graph::Layout& layout) {
  std::size_t axis = layout.shape.size();
  std::int64_t period = 1;
  while (axis > 0 && (layout.shape[axis - 1] == 1 || layout.strides[axis - 1] == period))
    period *= layout.shape[--axis];
  for (std::size_t outer = 0; outer < axis; ++outer) {
    if (layout.shape[outer] > 1 && layout.strides[outer] != 0) return 0;
  }
  return axis > 0 && period > 1 ? period : 0;
}

/// Whether a row begins again and again that is worth a call, or so short that a call takes it several times.
inline bool is_beside_rows(const graph::Layout& layout) {
  constexpr std::int64_t short_row = 128;
  const std::int64_t period = period_of(layout);
  return period > 0 && (period <= short_row || lies_in_rows(layout));
}

/// Goes over the elements of whole arrays in row-major order: calls block(offset, stride, length, row_stride, rows) for
/// `rows` runs of `length` elements along the last axis, all counted in elements. Axes that lie in one line are one,
/// and those of one element none.
template <class Block>
void each_block(const graph::Layout& layout, std::int64_t first, std::size_t count, Block block) {
  Shape sizes, strides, at;  // the last axis comes first
  std::int64_t offset = layout.offset;
  for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
    const std::int64_t size = layout.shape[axis], stride = layout.strides[axis];
    if (size == 1) continue;
    if (!sizes.empty() && stride == sizes.back() * strides.back()) {
      sizes[sizes.size() - 1] *= size;
    } else {
      sizes.push_back(size);
      strides.push_back(stride);
    }
  }
  if (sizes.empty()) return block(offset, std::int64_t{0}, count, std::int64_t{0}, std::size_t{1});
  if (sizes.size() == 1) return block(offset + first * strides[0], strides[0], count, std::int64_t{0}, std::size_t{1});
  for (std::size_t axis = 0; axis < sizes.size(); first /= sizes[axis++]) {
    at.push_back(first % sizes[axis]);
    offset += at[axis] * strides[axis];
  }
  for (;;) {
    const std::size_t length = std::min(count, static_cast<std::size_t>(sizes[0] - at[0]));
    const bool whole = length == static_cast<std::size_t>(sizes[0]);
    const std::int64_t rows =
        whole ? std::min(static_cast<std::int64_t>(count) / sizes[0], sizes[1] - at[1]) : std::int64_t{1};
    block(offset, strides[0], length, strides[1], static_cast<std::size_t>(rows));
    count -= length * static_cast<std::size_t>(rows);
    if (count == 0) return;
    // To the beginning of the next run.
    offset += (rows - 1) * strides[1] - at[0] * strides[0];
    at[1] += rows - 1;
    at[0] = 0;
    for (std::size_t axis = 1;; ++axis) {
      offset += strides[axis];
      if (++at[axis] < sizes[axis]) break;
      offset -= at[axis] * strides[axis];
      at[axis] = 0;
    }
  }
}

/// Calls run(offset, stride, length) for each run by itself.
template <class Run>
void each_run(const graph::Layout& layout, std::int64_t first, std::size_t count, Run run) {
  each_block(
      layout, first, count,
      [&](std::int64_t offset, std::int64_t stride, std::size_t length, std::int64_t row_stride, std::size_t rows) {
        for (std::size_t row = 0; row < rows; ++row, offset += row_stride) run(offset, stride, length);
      });
}

/// The same of an array that may be read in pieces.
template <class Run>
void each_run(const graph::Layout& layout, std::span<const graph::Seam> seams, std::int64_t first, std::size_t count,
              Run run) {
  if (seams.empty()) return each_run(layout, first, count, run);
  const std::size_t axes = layout.shape.size();
  Shape at = layout.shape;
  for (std::size_t axis = axes; axis-- > 0; first /= layout.shape[axis]) at[axis] = first % layout.shape[axis];
  const std::size_t last = axes - 1;
  while (count > 0) {
    // A run ends with its axis, or where the next piece begins.
    std::int64_t offset = layout.offset, stride = layout.strides[last], end = layout.shape[last];
    for (std::size_t axis = 0; axis < axes; ++axis) offset += at[axis] * layout.strides[axis];
    for (const graph::Seam& seam : seams) {
      if (at[seam.axis] >= seam.at) {
        offset += seam.jump + at[seam.axis] * seam.turn;
        if (seam.axis == last) stride += seam.turn;
      } else if (seam.axis == last) {
        end = std::min(end, seam.at);
      }
    }
    const std::size_t length = std::min(count, static_cast<std::size_t>(end - at[last]));
    run(offset, stride, length);
    count -= length;
    at[last] += static_cast<std::int64_t>(length);
    for (std::size_t axis = last; axis > 0 && at[axis] == layout.shape[axis]; --axis) {
      at[axis] = 0;
      ++at[axis - 1];
    }
  }
}

}  // namespace koine::host
