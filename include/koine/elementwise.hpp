// SPDX-License-Identifier: Apache-2.0
// The element-wise functions and the operators. Made by tools/make_elementwise.cpp from lib/graph/ops.def; edit those.
#pragma once

#include <koine/array.hpp>
#include <koine/options.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

namespace koine {

// What all of these share. Operands are arrays, subscripts of arrays or C++ scalars. Shapes broadcast: sizes are equal
// or 1, counted from the last axis; ShapeError if not. The types of two arrays are promoted to their common type; a
// scalar is weak: it takes the array's type where its kind fits, and an integer that does not fit that type is a
// ValueError. Comparisons need no common type: integers of any two types, and an array of integers with any whole
// number, compare by their values. Types that a function does not take are a DTypeError, arrays on two devices a
// DeviceError. float16 and bfloat16 are computed in float and rounded after each function. Nothing is computed before a
// value is observed.

/// The absolute value; of a complex number its modulus.
/// Takes every type but bool_; gives the same type, of complex types the type of their parts.
KOINE_API Array abs(Operand x);
/// The inverse cosine, in radians from 0 to π.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array acos(Operand x);
/// The inverse hyperbolic cosine.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array acosh(Operand x);
/// The sum of each pair of elements; integers wrap, and of bool_ it is OR.
/// Takes every type; gives the same type.
KOINE_API Array add(Operand x1, Operand x2);
/// The inverse sine, in radians from -π/2 to π/2.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array asin(Operand x);
/// The inverse hyperbolic sine.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array asinh(Operand x);
/// The inverse tangent, in radians from -π/2 to π/2.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array atan(Operand x);
/// The angle, in radians from -π to π, of the point with ordinate x1 and abscissa x2.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array atan2(Operand x1, Operand x2);
/// The inverse hyperbolic tangent.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array atanh(Operand x);
/// The AND of the bits.
/// Takes integers and bool_; gives the same type.
KOINE_API Array bitwise_and(Operand x1, Operand x2);
/// x1 shifted left by x2 bits; 0 once x2 reaches the width.
/// Takes integers; gives the same type.
KOINE_API Array bitwise_left_shift(Operand x1, Operand x2);
/// Every bit flipped; NOT for bool_.
/// Takes integers and bool_; gives the same type.
KOINE_API Array bitwise_invert(Operand x);
/// The OR of the bits.
/// Takes integers and bool_; gives the same type.
KOINE_API Array bitwise_or(Operand x1, Operand x2);
/// x1 shifted right by x2 bits, keeping the sign.
/// Takes integers; gives the same type.
KOINE_API Array bitwise_right_shift(Operand x1, Operand x2);
/// The exclusive OR of the bits.
/// Takes integers and bool_; gives the same type.
KOINE_API Array bitwise_xor(Operand x1, Operand x2);
/// The cube root.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array cbrt(Operand x);
/// The smallest integer not below the element.
/// Takes integers and real floating types; gives the same type.
KOINE_API Array ceil(Operand x);
/// The complex conjugate.
/// Takes every type but bool_; gives the same type.
KOINE_API Array conj(Operand x);
/// The magnitude of x1 with the sign of x2.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array copysign(Operand x1, Operand x2);
/// The cosine of an angle in radians.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array cos(Operand x);
/// The hyperbolic cosine.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array cosh(Operand x);
/// An angle in degrees given in radians.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array deg2rad(Operand x);
/// The quotient; integers are divided as float32.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array divide(Operand x1, Operand x2);
/// Whether the elements of each pair are equal.
/// Takes every type; gives bool_.
KOINE_API Array equal(Operand x1, Operand x2);
/// The error function, 2/√π times the integral of exp(-t²) from 0 to x.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array erf(Operand x);
/// 1 - erf(x), exact where that is small too.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array erfc(Operand x);
/// e to the power of each element.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array exp(Operand x);
/// 2 to the power of each element.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array exp2(Operand x);
/// exp(x) - 1, exact for small x too.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array expm1(Operand x);
/// The largest integer not above the element.
/// Takes integers and real floating types; gives the same type.
KOINE_API Array floor(Operand x);
/// The quotient rounded toward minus infinity; an integer divided by 0 gives 0.
/// Takes integers and real floating types; gives the same type.
KOINE_API Array floor_divide(Operand x1, Operand x2);
/// Whether x1 is above x2.
/// Takes every type but complex ones; gives bool_.
KOINE_API Array greater(Operand x1, Operand x2);
/// Whether x1 is not below x2.
/// Takes every type but complex ones; gives bool_.
KOINE_API Array greater_equal(Operand x1, Operand x2);
/// sqrt(x1² + x2²) without overflow on the way.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array hypot(Operand x1, Operand x2);
/// The imaginary part; 0 for real types.
/// Takes every type but bool_; gives the same type, of complex types the type of their parts.
KOINE_API Array imag(Operand x);
/// Whether the element is neither infinite nor NaN.
/// Takes every type; gives bool_.
KOINE_API Array isfinite(Operand x);
/// Whether the element is infinite.
/// Takes every type; gives bool_.
KOINE_API Array isinf(Operand x);
/// Whether the element is NaN.
/// Takes every type; gives bool_.
KOINE_API Array isnan(Operand x);
/// Whether x1 is below x2.
/// Takes every type but complex ones; gives bool_.
KOINE_API Array less(Operand x1, Operand x2);
/// Whether x1 is not above x2.
/// Takes every type but complex ones; gives bool_.
KOINE_API Array less_equal(Operand x1, Operand x2);
/// The natural logarithm of the absolute value of the gamma function; infinity at 0, -1, -2, ...
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array lgamma(Operand x);
/// The natural logarithm.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array log(Operand x);
/// log(1 + x), exact for small x too.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array log1p(Operand x);
/// The logarithm to base 2.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array log2(Operand x);
/// The logarithm to base 10.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array log10(Operand x);
/// log(exp(x1) + exp(x2)) without overflow on the way.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array logaddexp(Operand x1, Operand x2);
/// Whether both elements are true, i.e. not zero.
/// Takes every type; gives bool_.
KOINE_API Array logical_and(Operand x1, Operand x2);
/// Whether the element is zero.
/// Takes every type; gives bool_.
KOINE_API Array logical_not(Operand x);
/// Whether either element is true, i.e. not zero.
/// Takes every type; gives bool_.
KOINE_API Array logical_or(Operand x1, Operand x2);
/// Whether just one element is true, i.e. not zero.
/// Takes every type; gives bool_.
KOINE_API Array logical_xor(Operand x1, Operand x2);
/// The larger element; NaN if either is.
/// Takes every type but complex ones; gives the same type.
KOINE_API Array maximum(Operand x1, Operand x2);
/// The smaller element; NaN if either is.
/// Takes every type but complex ones; gives the same type.
KOINE_API Array minimum(Operand x1, Operand x2);
/// The product of each pair of elements; integers wrap, and of bool_ it is AND.
/// Takes every type; gives the same type.
KOINE_API Array multiply(Operand x1, Operand x2);
/// The element negated; unsigned integers wrap.
/// Takes every type but bool_; gives the same type.
KOINE_API Array negative(Operand x);
/// The next value of the type after x1 toward x2.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array nextafter(Operand x1, Operand x2);
/// Whether the elements of each pair differ.
/// Takes every type; gives bool_.
KOINE_API Array not_equal(Operand x1, Operand x2);
/// The element itself.
/// Takes every type but bool_; gives the same type.
KOINE_API Array positive(Operand x);
/// x1 to the power x2; an integer to a negative power is 1/x1 rounded toward zero (0 for 0).
/// Takes every type but bool_; gives the same type.
KOINE_API Array pow(Operand x1, Operand x2);
/// An angle in radians given in degrees.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array rad2deg(Operand x);
/// The real part.
/// Takes every type but bool_; gives the same type, of complex types the type of their parts.
KOINE_API Array real(Operand x);
/// 1 / x.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array reciprocal(Operand x);
/// What floor_divide leaves, with the sign of x2; of an integer divided by 0 it is 0.
/// Takes integers and real floating types; gives the same type.
KOINE_API Array remainder(Operand x1, Operand x2);
/// The nearest integer, halves to even.
/// Takes every type but bool_; gives the same type.
KOINE_API Array round(Operand x);
/// 1 / sqrt(x).
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array rsqrt(Operand x);
/// 1 / (1 + exp(-x)), the logistic function, without overflow on the way.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array sigmoid(Operand x);
/// -1, 0 or 1 by the sign, NaN for NaN; of a complex number x / abs(x), and 0 of 0.
/// Takes every type but bool_; gives the same type.
KOINE_API Array sign(Operand x);
/// Whether the sign bit is set, as it is for -0.0.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives bool_.
KOINE_API Array signbit(Operand x);
/// The sine of an angle in radians.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array sin(Operand x);
/// sin(πx) / (πx), and 1 at 0.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array sinc(Operand x);
/// The hyperbolic sine.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array sinh(Operand x);
/// x · x; integers wrap.
/// Takes every type but bool_; gives the same type.
KOINE_API Array square(Operand x);
/// The square root.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array sqrt(Operand x);
/// x1 less x2; integers wrap.
/// Takes every type but bool_; gives the same type.
KOINE_API Array subtract(Operand x1, Operand x2);
/// The tangent of an angle in radians.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array tan(Operand x);
/// The hyperbolic tangent.
/// Takes every type, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array tanh(Operand x);
/// The gamma function; NaN at -1, -2, ..., an infinity of its sign at a zero, and where it is too small a zero of its
/// sign.
/// Takes every type but complex ones, integers and bool_ as default_dtype(); gives the same type.
KOINE_API Array tgamma(Operand x);
/// The element rounded toward zero.
/// Takes integers and real floating types; gives the same type.
KOINE_API Array trunc(Operand x);

/// A bound of clip: an array, a scalar, or `none`.
class ClipBound {
 public:
  ClipBound(None) {}  // NOLINT: implicit by design
  template <std::convertible_to<Operand> T>
  ClipBound(T&& bound) : operand_(std::in_place, std::forward<T>(bound)) {}  // NOLINT

  const std::optional<Operand>& operand() const noexcept { return operand_; }

 private:
  std::optional<Operand> operand_;
};

/// Each element moved into the range from `min` to `max`, either of which may be `none`: minimum(maximum(x, min), max).
/// NaN where the element or a bound is NaN. An integer past the range of x's type bounds nothing on that side, or gives
/// the range's end. Takes every type but complex ones; gives the common type of x and the bounds.
KOINE_API Array clip(Operand x, const ClipBound& min = none, const ClipBound& max = none);

/// Options of nan_to_num: what NaN and the infinities become; by default 0 and the largest and smallest finite values
/// of x's type.
struct NanToNumOptions {
  detail::Named names_only = detail::named;
  double nan = 0;
  std::optional<double> posinf = std::nullopt;
  std::optional<double> neginf = std::nullopt;
};
/// NaN and infinities replaced by numbers. Takes every type but complex ones (take real and imag), which is a
/// DTypeError; gives x's type, to which the numbers are rounded; integers and bool_ stay as they are.
KOINE_API Array nan_to_num(Operand x, const NanToNumOptions& options = {});

namespace detail {
template <class T>
concept ArrayLike = std::same_as<std::remove_cvref_t<T>, Array> || std::same_as<std::remove_cvref_t<T>, Subscript>;

// Operators match exactly, and only where one side is ours: two scalars keep the operators they have, and the built-in
// && and || never compete through the explicit conversion to bool.
template <class T>
concept OperandLike = std::convertible_to<T, Operand>;
template <class A, class B>
concept EitherArrayLike = ArrayLike<A> || ArrayLike<B>;
template <class B, class A>
concept OperandBeside = OperandLike<A> && OperandLike<B> && EitherArrayLike<A, B>;
}  // namespace detail

/// negative(x)
template <detail::ArrayLike A>
Array operator-(A&& x) {
  return negative(std::forward<A>(x));
}
/// positive(x)
template <detail::ArrayLike A>
Array operator+(A&& x) {
  return positive(std::forward<A>(x));
}
/// bitwise_invert(x)
template <detail::ArrayLike A>
Array operator~(A&& x) {
  return bitwise_invert(std::forward<A>(x));
}
/// logical_not(x)
template <detail::ArrayLike A>
Array operator!(A&& x) {
  return logical_not(std::forward<A>(x));
}
/// add(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator+(A&& x1, B&& x2) {
  return add(std::forward<A>(x1), std::forward<B>(x2));
}
/// subtract(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator-(A&& x1, B&& x2) {
  return subtract(std::forward<A>(x1), std::forward<B>(x2));
}
/// multiply(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator*(A&& x1, B&& x2) {
  return multiply(std::forward<A>(x1), std::forward<B>(x2));
}
/// divide(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator/(A&& x1, B&& x2) {
  return divide(std::forward<A>(x1), std::forward<B>(x2));
}
/// remainder(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator%(A&& x1, B&& x2) {
  return remainder(std::forward<A>(x1), std::forward<B>(x2));
}
/// bitwise_and(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator&(A&& x1, B&& x2) {
  return bitwise_and(std::forward<A>(x1), std::forward<B>(x2));
}
/// bitwise_or(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator|(A&& x1, B&& x2) {
  return bitwise_or(std::forward<A>(x1), std::forward<B>(x2));
}
/// bitwise_xor(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator^(A&& x1, B&& x2) {
  return bitwise_xor(std::forward<A>(x1), std::forward<B>(x2));
}
/// bitwise_left_shift(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator<<(A&& x1, B&& x2) {
  return bitwise_left_shift(std::forward<A>(x1), std::forward<B>(x2));
}
/// bitwise_right_shift(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator>>(A&& x1, B&& x2) {
  return bitwise_right_shift(std::forward<A>(x1), std::forward<B>(x2));
}
/// logical_and(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator&&(A&& x1, B&& x2) {
  return logical_and(std::forward<A>(x1), std::forward<B>(x2));
}
/// logical_or(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator||(A&& x1, B&& x2) {
  return logical_or(std::forward<A>(x1), std::forward<B>(x2));
}
/// equal(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator==(A&& x1, B&& x2) {
  return equal(std::forward<A>(x1), std::forward<B>(x2));
}
/// not_equal(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator!=(A&& x1, B&& x2) {
  return not_equal(std::forward<A>(x1), std::forward<B>(x2));
}
/// less(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator<(A&& x1, B&& x2) {
  return less(std::forward<A>(x1), std::forward<B>(x2));
}
/// less_equal(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator<=(A&& x1, B&& x2) {
  return less_equal(std::forward<A>(x1), std::forward<B>(x2));
}
/// greater(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator>(A&& x1, B&& x2) {
  return greater(std::forward<A>(x1), std::forward<B>(x2));
}
/// greater_equal(x1, x2)
template <class A, detail::OperandBeside<A> B>
Array operator>=(A&& x1, B&& x2) {
  return greater_equal(std::forward<A>(x1), std::forward<B>(x2));
}

/// In place: x1 keeps its type and shape. x2 must broadcast to its shape (ShapeError). What the operator gives is
/// converted to its type, which must be of the same kind or a later one, of bool_, unsigned, signed, real floating and
/// complex types (DTypeError). Only x1 changes, never another array that shares its memory.
KOINE_API Array& operator+=(Array& x1, const Operand& x2);
KOINE_API Array& operator-=(Array& x1, const Operand& x2);
KOINE_API Array& operator*=(Array& x1, const Operand& x2);
KOINE_API Array& operator/=(Array& x1, const Operand& x2);
KOINE_API Array& operator%=(Array& x1, const Operand& x2);
KOINE_API Array& operator&=(Array& x1, const Operand& x2);
KOINE_API Array& operator|=(Array& x1, const Operand& x2);
KOINE_API Array& operator^=(Array& x1, const Operand& x2);
KOINE_API Array& operator<<=(Array& x1, const Operand& x2);
KOINE_API Array& operator>>=(Array& x1, const Operand& x2);

}  // namespace koine
