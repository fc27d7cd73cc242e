// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace koine::fft {

// The transform of n elements x[j] along an axis is X[k] = Σ x[j]·exp(-2πijk/n), its inverse x[j] = Σ X[k]·exp(2πijk/n)
// / n. `.norm` says which of the two is divided by n: the inverse ("backward"), the transform ("forward"), or each by
// √n ("ortho").
//
// Any length is taken: products of 2, 3, 5, 7, 11 and 13 by mixed radices, others as a convolution (Bluestein, 1970),
// in n·log n operations either way. Real input and float16 and bfloat16 are promoted to complex numbers of their width,
// float32 at least; integers and bool_ take default_dtype(). The error is within 5·ε·log2(n) of the result's norm.
//
// `.n` (`.s` for each of several axes) is the number of elements that are transformed: the axis is cut off behind them,
// or continued with zeros. ValueError where that is below 1, or above 2^25 with a prime factor above 13, and for
// another
// `.norm`; IndexError for an axis out of range; ValueError for an axis that is named twice.

struct FftOptions {
  detail::Named names_only = detail::named;
  std::optional<std::int64_t> n = std::nullopt;  ///< by default all elements along the axis
  std::int64_t axis = -1;
  std::string_view norm = "backward";  ///< or "ortho", "forward"
};
/// The discrete Fourier transform along one axis. Takes every type; gives complex64 or complex128.
KOINE_API Array fft(const Array& x, const FftOptions& options = {});
/// The inverse transform along one axis. Takes every type; gives complex64 or complex128.
KOINE_API Array ifft(const Array& x, const FftOptions& options = {});
/// The transform of real numbers: the first n / 2 + 1 of its n elements, of which the others are the conjugates.
/// Takes real types; gives complex64 or complex128. DTypeError for complex x.
KOINE_API Array rfft(const Array& x, const FftOptions& options = {});
/// The inverse of rfft: n real numbers from n / 2 + 1 complex ones, of which the imaginary part of the first, and for
/// an even n that of the last, does not count. By default n = 2·(m - 1), of m elements along the axis. Takes every
/// type; gives float32 or float64.
KOINE_API Array irfft(const Array& x, const FftOptions& options = {});
/// The transform of numbers of which x holds the first n / 2 + 1, and whose others are the conjugates: n real numbers.
/// By default n = 2·(m - 1), of m elements along the axis. Takes every type; gives float32 or float64.
KOINE_API Array hfft(const Array& x, const FftOptions& options = {});
/// The inverse of hfft: the first n / 2 + 1 complex numbers of the inverse transform of real ones.
/// Takes real types; gives complex64 or complex128. DTypeError for complex x.
KOINE_API Array ihfft(const Array& x, const FftOptions& options = {});

struct FftnOptions {
  detail::Named names_only = detail::named;
  std::optional<Shape> s = std::nullopt;  ///< elements along each axis; -1 for all that are there
  Axis axes = none;                       ///< none: all, with `.s` as many last ones
  std::string_view norm = "backward";     ///< or "ortho", "forward"
};
/// The transform along several axes, one after the other. Takes every type; gives complex64 or complex128. ValueError
/// for sizes and axes that are not as many.
KOINE_API Array fftn(const Array& x, const FftnOptions& options = {});
/// The inverse transform along several axes. Takes every type; gives complex64 or complex128.
KOINE_API Array ifftn(const Array& x, const FftnOptions& options = {});
/// rfft along the last of the axes, then fft along the others. Takes real types; gives complex64 or complex128.
/// DTypeError for complex x.
KOINE_API Array rfftn(const Array& x, const FftnOptions& options = {});
/// The inverse of rfftn: ifft along all axes but the last, then irfft along that. Takes every type; gives float32 or
/// float64.
KOINE_API Array irfftn(const Array& x, const FftnOptions& options = {});

struct Fft2Options {
  detail::Named names_only = detail::named;
  std::optional<Shape> s = std::nullopt;  ///< elements along both axes; -1 for all that are there
  Axis axes = {-2, -1};
  std::string_view norm = "backward";  ///< or "ortho", "forward"
};
/// fftn along two axes. Takes every type; gives complex64 or complex128.
KOINE_API Array fft2(const Array& x, const Fft2Options& options = {});
/// ifftn along two axes. Takes every type; gives complex64 or complex128.
KOINE_API Array ifft2(const Array& x, const Fft2Options& options = {});
/// rfftn along two axes. Takes real types; gives complex64 or complex128. DTypeError for complex x.
KOINE_API Array rfft2(const Array& x, const Fft2Options& options = {});
/// irfftn along two axes. Takes every type; gives float32 or float64.
KOINE_API Array irfft2(const Array& x, const Fft2Options& options = {});

struct FftFrequencyOptions {
  detail::Named names_only = detail::named;
  double d = 1.0;  ///< the distance between samples
  std::optional<DType> dtype = std::nullopt;
  std::optional<Device> device = std::nullopt;
};
/// The frequency of each element of a transform of n: 0, 1, …, then the negative ones, …, -1, divided by n·d. Gives
/// `.dtype`, default_dtype() by default. ValueError for n below 1 and for a d of zero, DTypeError for a type that is
/// not real floating.
KOINE_API Array fftfreq(std::int64_t n, const FftFrequencyOptions& options = {});
/// That of the n / 2 + 1 elements of rfft: 0, 1, …, n / 2, divided by n·d. Gives `.dtype`, default_dtype() by default.
/// Otherwise as fftfreq.
KOINE_API Array rfftfreq(std::int64_t n, const FftFrequencyOptions& options = {});

struct FftshiftOptions {
  detail::Named names_only = detail::named;
  Axis axes = none;  ///< none: all
};
/// x with the element of frequency 0 in the middle of each axis: rolled by half of its size. Takes every type; gives
/// it.
KOINE_API Array fftshift(const Array& x, const FftshiftOptions& options = {});
/// The inverse of fftshift. Takes every type; gives it.
KOINE_API Array ifftshift(const Array& x, const FftshiftOptions& options = {});

}  // namespace koine::fft
