// SPDX-License-Identifier: Apache-2.0
// How a Fourier transform of a length goes through kernels/fft.cl or fft_cpu.cl, with the tables that it needs: kept
// for a device.
#pragma once

#include "koine/shape.hpp"
#include "runtime/queue.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace koine::exec {

/// One launch's part of a transform: lines of n elements, of `before` * n * `after` in all.
struct FftStep {
  std::int64_t n, before, after, turned;
  std::vector<int> radices;
  std::uint64_t roots, order;  // positions in the tables
};

struct FftPlan {
  std::vector<FftStep> steps;
  std::int64_t length;  ///< of the transforms that are made: n, or that of a convolution
  bool convolved;       ///< by Bluestein's algorithm
  std::uint64_t chirp = 0, filter = 0;
  std::vector<std::byte> tables;
};

/// How lines along an axis of an array in row-major order lie: so many one after another, and so many side by side.
struct LinesOfAxis {
  LinesOfAxis(const Shape& shape, std::size_t axis) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i != axis) (i < axis ? outer : inner) *= static_cast<std::uint64_t>(shape[i]);
    }
  }

  std::uint64_t outer = 1, inner = 1;
};

/// What a plan depends on: the elements of a transform, whether they are float64, and whether lines lie side by side,
/// so that several of them are to fit into local memory.
struct FftShape {
  std::int64_t n;
  bool wide, side_by_side;

  auto operator<=>(const FftShape&) const = default;
};

/// Elements of a line that a step takes where lines lie one after another. As complex128 they go through 32 KiB of
/// local memory in halves.
constexpr std::int64_t longest_line = 4096;

/// Elements that fit into 32 KiB of local memory.
constexpr std::int64_t elements_of_group(bool wide) { return wide ? 2048 : 4096; }

/// The last plans are kept.
std::shared_ptr<const FftPlan> fft_plan(const FftShape& shape);
/// Its tables in a device's memory, where the last ones are kept.
runtime::BufferRef fft_tables(runtime::Queue& queue, const FftShape& shape, const FftPlan& plan,
                              std::string_view function);

}  // namespace koine::exec
