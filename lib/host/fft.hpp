// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on the host.
#pragma once

#include "device/traits.hpp"
#include "host/fft_core.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace koine::host {

/// Transforms of n elements along an axis of an array in row-major order.
struct Fourier {
  bool wide;  ///< float64
  FftSide in_side, out_side;
  std::int64_t n, outer, inner;    ///< lines one after another, and side by side
  std::int64_t in_size, out_size;  ///< elements along the axis
  bool inverse;
  double scale;
};

/// What is prepared for such transforms, whose tables are kept for the next of this length.
struct FourierWork {
  std::size_t room;  ///< bytes of memory that `run` needs, at a multiple of 64
  /// Shares the work among threads. Allocates nothing.
  std::function<void(const std::byte* in, std::byte* out, std::byte* room)> run;
};
FourierWork prepare_fourier(const DeviceTraits& traits, const Fourier& job);

}  // namespace koine::host
