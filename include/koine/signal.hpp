// SPDX-License-Identifier: Apache-2.0
// Sampled functions: convolution, correlation, interpolation.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>
#include <koine/shape.hpp>

#include <optional>
#include <string_view>

namespace koine {

// Of inputs with M and N elements, `.mode` names the elements of the result: all M + N - 1 where they overlap at all
// ("full"), the max(M, N) in the middle of those ("same"), or the max(M, N) - min(M, N) + 1 where one lies within the
// other ("valid").

struct ConvolveOptions {
  detail::Named names_only = detail::named;
  std::string_view mode = "full";  ///< or "same", "valid"
};
/// The discrete convolution of two arrays of one axis: element k is the sum of x1[i]·x2[k - i]. Takes every type; gives
/// the promoted type, for bool_ int64. float16 and bfloat16 accumulate in float32, integers wrap. Each element is the
/// sum of its products, or, for floating types, computed by Fourier transforms as in fftconvolve where that is faster:
/// where there are more than 10·n·log2(n) products, n being the length of the transforms and a complex product counting
/// as four. In reproducible scopes it is always the sum. ShapeError for inputs without just one axis, ValueError for
/// one without elements or another mode.
KOINE_API Array convolve(const Array& x1, const Array& x2, const ConvolveOptions& options = {});

struct CorrelateOptions {
  detail::Named names_only = detail::named;
  std::string_view mode = "valid";  ///< or "same", "full"
};
/// The cross-correlation of two arrays of one axis: element k is the sum of x1[k + i]·conj(x2[i]), from the first k at
/// which they overlap. Takes every type; gives the promoted type, for bool_ int64. Otherwise as convolve.
KOINE_API Array correlate(const Array& x1, const Array& x2, const CorrelateOptions& options = {});

struct FftconvolveOptions {
  detail::Named names_only = detail::named;
  std::string_view mode = "full";  ///< or "same", "valid"
  Axis axes = none;                ///< none: all
};
/// The convolution of two arrays along axes of both, by Fourier transforms, in (M + N)·log(M + N) operations.
/// "same" gives the elements of x1 in the middle, as scipy.signal.fftconvolve does. The other axes broadcast. Takes
/// every type; gives the promoted floating type, float16 and bfloat16 by way of float32; integers become
/// default_dtype(). The error is some ε·log2(M + N) of the product of the inputs' norms, however small an element is;
/// an infinity or NaN reaches all of its line. ShapeError for inputs with another number of axes, ValueError for no
/// elements along one of the axes or another mode, IndexError for an axis out of range.
KOINE_API Array fftconvolve(const Array& x1, const Array& x2, const FftconvolveOptions& options = {});

struct InterpOptions {
  detail::Named names_only = detail::named;
  std::optional<Operand> left = std::nullopt;   ///< the value below xp[0]; by default fp[0]
  std::optional<Operand> right = std::nullopt;  ///< the value above xp[-1]; by default fp[-1]
  std::optional<double> period = std::nullopt;  ///< of the function; left and right do not count then
};
/// The function that is linear between the points (xp, fp), at x. xp rises (with .period it may have any order, and all
/// positions are taken modulo the period); like fp it has one axis. Takes real x and xp, numeric fp; gives the promoted
/// floating type. Integers become float32, but for positions x and xp that are both integers. NaN in x stays NaN.
/// ShapeError where xp and fp do not have one axis of the same size, ValueError for no points or a period of zero.
KOINE_API Array interp(Operand x, const Array& xp, const Array& fp, const InterpOptions& options = {});

}  // namespace koine
