// SPDX-License-Identifier: Apache-2.0
// Fourier transforms in vectors of 32 bytes.
#include "host/fft_core.hpp"

#include <utility>

namespace koine::host {
namespace {

#define KN_VECTOR_BYTES 32
#include "host/fft_text.hpp"

}  // namespace

const FftFunctions<float> fft_avx2_float = fft_functions<float>;
const FftFunctions<double> fft_avx2_double = fft_functions<double>;

}  // namespace koine::host
