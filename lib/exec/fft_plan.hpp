// SPDX-License-Identifier: Apache-2.0
// How a Fourier transform of a length goes through kernels/fft.cl, with the tables that it needs: kept for a device.
#pragma once

#include "koine/shape.hpp"
#include "runtime/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace koine::exec {

/// One launch's part of a transform: lines of n elements, of `before` * n * `after` in all.
struct FftStep {
  std::int64_t n, before, after, turned;
  std::uint64_t radices;                  // as the kernel takes them
  std::uint64_t roots, order, low, high;  // places in the tables
  std::uint32_t low_bits;
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

/// Elements of a line that fit into 32 KiB of local memory.
constexpr std::int64_t longest_line(bool wide) { return wide ? 2048 : 4096; }

/// The plan for n elements of float32 or, `wide`, float64. The last ones are kept.
std::shared_ptr<const FftPlan> fft_plan(std::int64_t n, bool wide);
/// Its tables in a device's memory, where the last ones are kept.
runtime::BufferRef fft_tables(runtime::Queue& queue, std::int64_t n, bool wide, const FftPlan& plan,
                              std::string_view function);

}  // namespace koine::exec
