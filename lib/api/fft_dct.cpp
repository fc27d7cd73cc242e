// SPDX-License-Identifier: Apache-2.0
// Discrete cosine and sine transforms, as real Fourier transforms.
#include "api/build.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/fft.hpp>
#include <koine/fft_dct.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace koine::fft {
namespace {

// All of these work along the last axis.

std::int64_t size_of_lines(const Array& x) { return x.shape().back(); }

/// Elements [first, last).
Array part(const Array& x, std::int64_t first, std::int64_t last) { return x(ellipsis, slice(first, last)); }
Array turned(const Array& x) { return flip(x, -1); }
Array joined(const std::vector<Array>& parts) { return concat(parts, -1); }
Array zeros_beside(const Array& x, std::int64_t count) {
  Shape shape = x.shape();
  shape[shape.size() - 1] = count;
  return zeros(shape, {.dtype = x.dtype(), .device = x.device()});
}
/// x, cut off or continued with zeros.
Array sized(const Array& x, std::int64_t n) {
  const std::int64_t size = size_of_lines(x);
  return n <= size ? part(x, 0, n) : joined({x, zeros_beside(x, n - size)});
}

/// 0, 1, ... of x's elements.
Array positions(const Array& x, std::int64_t count) { return arange(count, {.dtype = int64, .device = x.device()}); }
/// Elements of odd numbers with the other sign.
Array alternating(const Array& x) { return where(equal(positions(x, size_of_lines(x)) % 2, 0), x, -x); }
/// The first element, or the first and the last one, times a factor.
Array with_ends(const Array& x, bool both, double factor) {
  const std::int64_t last = size_of_lines(x) - 1;
  const Array k = positions(x, last + 1);
  return where(both ? equal(k, 0) | equal(k, last) : equal(k, 0), x * factor, x);
}

/// cos and sin of πk / (2n), for k up to n / 2.
struct Turns {
  Turns(const Array& x, std::int64_t n) {
    const Array angles = astype(positions(x, n / 2 + 1), x.dtype()) * (std::numbers::pi / 2 / static_cast<double>(n));
    cosines = cos(angles);
    sines = sin(angles);
  }

  Array cosines, sines;
};

/// By a Fourier transform of the elements of even numbers, and behind them, backwards, of the others.
Array cosines_of_type_2(const Array& x) {
  const std::int64_t n = size_of_lines(x), half = n / 2;
  const Array even = x(ellipsis, slice(0, none, 2)), odd = x(ellipsis, slice(1, none, 2));
  const Array spectrum = rfft(joined({even, turned(odd)})), re = real(spectrum), im = imag(spectrum);
  const Turns turns(x, n);
  const Array first = (re * turns.cosines + im * turns.sines) * 2, last = (re * turns.sines - im * turns.cosines) * 2;
  return joined({first, turned(part(last, 1, n - half))});
}

/// The same backwards.
Array cosines_of_type_3(const Array& x) {
  const std::int64_t n = size_of_lines(x), half = n / 2;
  const Array first = part(x, 0, half + 1), last = joined({zeros_beside(x, 1), turned(part(x, n - half, n))});
  const Turns turns(x, n);
  const Array re = first * turns.cosines + last * turns.sines, im = first * turns.sines - last * turns.cosines;
  const Array line = irfft(re + im * std::complex<double>(0, 1), {.n = n, .norm = "forward"});
  const Array even = part(line, 0, n - half), odd = sized(turned(part(line, n - half, n)), n - half);
  Shape shape = x.shape();
  shape[shape.size() - 1] = 2 * (n - half);
  return part(stack({even, odd}, -1).reshape(shape), 0, n);
}

/// Of x, continued evenly around both of its ends.
Array cosines_of_type_1(const Array& x) { return real(rfft(joined({x, turned(part(x, 1, size_of_lines(x) - 1))}))); }
/// Of x, continued oddly around zeros beside it.
Array sines_of_type_1(const Array& x) {
  const Array zero = zeros_beside(x, 1);
  return -part(imag(rfft(joined({zero, x, zero, turned(-x)}))), 1, size_of_lines(x) + 1);
}

/// Without a norm, but `orthogonal` up to one factor.
Array cosines(const Array& x, std::int64_t type, bool orthogonal) {
  constexpr double root = std::numbers::sqrt2;
  const Array given = orthogonal && type % 2 == 1 ? with_ends(x, type == 1, root) : x;
  const Array result = type == 1   ? cosines_of_type_1(given)
                       : type == 2 ? cosines_of_type_2(given)
                       : type == 3 ? cosines_of_type_3(given)
                                   : cosines_of_type_2(sized(given, 2 * size_of_lines(x)))(ellipsis, slice(1, none, 2));
  return orthogonal && type <= 2 ? with_ends(result, type == 1, 1 / root) : result;
}

/// sin(π(k+1)(2j+1)/(2n)) is (-1)^j·cos(π(n-1-k)(2j+1)/(2n)), and so on.
Array sines(const Array& x, std::int64_t type, bool orthogonal) {
  if (type == 1) return sines_of_type_1(x);
  return type == 2 ? turned(cosines(alternating(x), 2, orthogonal)) : alternating(cosines(turned(x), type, orthogonal));
}

Array transform(const Array& given, const DctOptions& options, bool sine, bool inverse, const char* function) {
  const base::NamedCall call(function);
  const std::size_t norm = api::choice(options.norm, {"backward", "ortho", "forward"}, function, "norm");
  if (options.type < 1 || options.type > 4) {
    throw ValueError(api::prefix(function) + ".type is " + std::to_string(options.type) + "; it can be 1, 2, 3 or 4");
  }
  const std::size_t axis = graph::normal_axis(options.axis, given.shape(), function);
  const std::int64_t n = options.n.value_or(given.shape()[axis]), least = options.type == 1 && !sine ? 2 : 1;
  if (n < least) {
    throw ValueError(api::prefix(function) + "cannot transform " + std::to_string(n) + " elements along axis " +
                     std::to_string(axis) + " of shape " + to_string(given.shape()) + "; it takes " +
                     std::to_string(least) + " or more");
  }
  const Array wide = api::real_floating(given, function);
  const auto number = static_cast<std::int64_t>(axis);
  const Array x = sized(moveaxis(astype(wide, graph::accumulation_type(wide.dtype())), number, -1), n);
  const std::int64_t type = inverse && (options.type == 2 || options.type == 3) ? 5 - options.type : options.type;
  const bool orthogonal = norm == 1;
  const Array result = sine ? sines(x, type, orthogonal) : cosines(x, type, orthogonal);
  const auto whole = static_cast<double>(2 * (type == 1 ? sine ? n + 1 : n - 1 : n));
  const double scale = orthogonal ? 1 / std::sqrt(whole) : (norm == 0) == inverse ? 1 / whole : 1;
  return moveaxis(result * scale, -1, number);
}

}  // namespace

Array dct(const Array& x, const DctOptions& options) { return transform(x, options, false, false, "dct"); }
Array idct(const Array& x, const DctOptions& options) { return transform(x, options, false, true, "idct"); }
Array dst(const Array& x, const DctOptions& options) { return transform(x, options, true, false, "dst"); }
Array idst(const Array& x, const DctOptions& options) { return transform(x, options, true, true, "idst"); }

}  // namespace koine::fft
