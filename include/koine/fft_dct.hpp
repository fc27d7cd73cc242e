// SPDX-License-Identifier: Apache-2.0
// Discrete cosine and sine transforms.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace koine::fft {

// Of n elements x[j] along an axis, with Σ over all of them and Σ' without those that stand before it:
//
//   dct, X[k] =                                            dst, X[k] =
//   1: x[0] + (-1)^k·x[n-1] + 2·Σ' x[j]·cos(πjk/(n-1))     2·Σ x[j]·sin(π(j+1)(k+1)/(n+1))
//   2: 2·Σ x[j]·cos(π(2j+1)k/(2n))                         2·Σ x[j]·sin(π(2j+1)(k+1)/(2n))
//   3: x[0] + 2·Σ' x[j]·cos(πj(2k+1)/(2n))                 (-1)^k·x[n-1] + 2·Σ' x[j]·sin(π(j+1)(2k+1)/(2n))
//   4: 2·Σ x[j]·cos(π(2j+1)(2k+1)/(4n))                    2·Σ x[j]·sin(π(2j+1)(2k+1)/(4n))
//
// Types 2 and 3 are each other's inverses, 1 and 4 their own, but for a factor N: 2n, 2(n-1) of dct and 2(n+1) of dst
// of type 1. `.norm` says what is divided by N: the inverse ("backward"), the transform ("forward"), or each by √N
// ("ortho"), where further the matrix is made orthogonal: the elements that stand before Σ', and those of dct of type 1
// and of type 2 that belong to them, are multiplied with √2 before, or divided by √2 after.
//
// Types 2 and 3 are one real Fourier transform of n elements (Makhoul, 1980), 1 and 4 of one of about twice as many.
// Real types are taken; float16 and bfloat16 are computed in and give float32, integers and bool_ default_dtype(). The
// error is within 5·ε·log2(N) of the result's norm. DTypeError for complex x; ValueError for another type or norm, for
// an n below 1, or below 2 for dct of type 1; IndexError for an axis out of range.

struct DctOptions {
  detail::Named names_only = detail::named;
  std::int64_t type = 2;                         ///< 1, 2, 3 or 4
  std::optional<std::int64_t> n = std::nullopt;  ///< elements that are transformed, as of fft; by default all
  std::int64_t axis = -1;
  std::string_view norm = "backward";  ///< or "ortho", "forward"
};
/// The discrete cosine transform along one axis. Takes real types; gives float32 or float64.
KOINE_API Array dct(const Array& x, const DctOptions& options = {});
/// The inverse of the discrete cosine transform of that type. Takes real types; gives float32 or float64.
KOINE_API Array idct(const Array& x, const DctOptions& options = {});
/// The discrete sine transform along one axis. Takes real types; gives float32 or float64.
KOINE_API Array dst(const Array& x, const DctOptions& options = {});
/// The inverse of the discrete sine transform of that type. Takes real types; gives float32 or float64.
KOINE_API Array idst(const Array& x, const DctOptions& options = {});

}  // namespace koine::fft
