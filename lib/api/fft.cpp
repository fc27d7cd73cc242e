// SPDX-License-Identifier: Apache-2.0
// Fourier transforms: a node for each axis.
#include "api/build.hpp"
#include "api/choices.hpp"
#include "api/integers.hpp"
#include "base/fourier.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/fft.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace koine::fft {
namespace {

using graph::FftKind;

/// What a function computes along an axis.
struct Transform {
  const char* name;
  FftKind kind;
  bool inverse;
};

enum class Norm { backward, ortho, forward };

Norm norm_of(std::string_view norm, const char* function) {
  return static_cast<Norm>(api::choice(norm, {"backward", "ortho", "forward"}, function, "norm"));
}

double scale_of(Norm norm, bool inverse, std::int64_t n) {
  const auto size = static_cast<double>(n);
  if (norm == Norm::ortho) return 1 / std::sqrt(size);
  return (norm == Norm::backward) == inverse ? 1 / size : 1;
}

/// x in the type that transforms take: complex, but real where a half is the result.
Array prepared(const Array& x, FftKind kind, const char* function) {
  const bool real = kind == FftKind::real_to_half;
  if (real && is_complex(x.dtype())) {
    throw DTypeError(api::prefix(function) + "takes real numbers; x is of type " + std::string(name(x.dtype())));
  }
  DType type = x.dtype();
  if (!is_complex(type)) {
    type = is_real_floating(type) ? graph::accumulation_type(type) : default_dtype();
    type = graph::accumulation_type(type);
    if (!real) type = graph::complex_of(type);
  }
  return astype(x, type);
}

/// One axis of x, which is as transforms take it; all of its elements without `n`. `given`: the shape of the caller's
/// array, for messages.
Array along(const Array& x, const Shape& given, const Transform& transform, std::size_t axis,
            std::optional<std::int64_t> n, Norm norm) {
  const std::int64_t size = x.shape()[axis];
  const bool to_real = transform.kind == FftKind::half_to_real;
  const std::int64_t length = n ? *n : to_real ? 2 * (size - 1) : size;
  if (length < 1) {
    throw ValueError(api::prefix(transform.name) + "cannot transform " + std::to_string(length) +
                     " elements along axis " + std::to_string(axis) + " of shape " + to_string(given) +
                     "; it takes 1 or more");
  }
  // The tables of a convolution are computed in long double, on the host: 3 GiB of them here.
  constexpr std::int64_t longest_convolved = 1 << 25;
  if (length > longest_convolved && !base::is_smooth(length)) {
    throw ValueError(api::prefix(transform.name) + "cannot transform " + std::to_string(length) + " elements: above " +
                     std::to_string(longest_convolved) + " it takes products of 2, 3, 5, 7, 11 and 13 alone");
  }
  Shape shape = x.shape();
  shape[axis] = transform.kind == FftKind::real_to_half ? length / 2 + 1 : length;
  DType type = x.dtype();
  if (to_real) type = graph::real_part(type);
  if (transform.kind == FftKind::real_to_half) type = graph::complex_of(type);
  graph::check_sizes(shape, transform.name);
  return api::pending(
      graph::Op::fft, type, std::move(shape), {api::in_order(x.node())},
      graph::make_attributes<graph::Op::fft>({axis, length, transform.kind, transform.inverse,
                                              scale_of(norm, transform.inverse, length), transform.name}));
}

Array one(const Array& x, const Transform& transform, const FftOptions& options) {
  const base::NamedCall call(transform.name);
  const Norm norm = norm_of(options.norm, transform.name);
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), transform.name);
  return along(prepared(x, transform.kind, transform.name), x.shape(), transform, axis, options.n, norm);
}

/// The axes in the order in which they are named, with the sizes that are given.
struct Sizes {
  std::vector<std::size_t> axes;
  std::vector<std::optional<std::int64_t>> sizes;
};

Sizes sizes_of(const Array& x, const FftnOptions& options, const char* function) {
  Sizes result;
  const auto& s = options.s;
  const auto count = static_cast<std::int64_t>(x.ndim());
  Shape named = options.axes.axes();
  if (!options.axes.given()) {
    const std::int64_t last = s ? static_cast<std::int64_t>(s->size()) : count;
    for (std::int64_t axis = -last; axis < 0; ++axis) named.push_back(axis);
  }
  if (s && s->size() != named.size()) {
    throw ValueError(api::prefix(function) + ".s has " + std::to_string(s->size()) + " sizes for " +
                     std::to_string(named.size()) + " axes; it must have one for each");
  }
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::size_t axis = graph::normal_axis(named[i], x.shape(), function);
    if (std::find(result.axes.begin(), result.axes.end(), axis) != result.axes.end()) {
      throw ValueError(api::prefix(function) + ".axes names axis " + std::to_string(axis) +
                       " twice; each can be there once");
    }
    result.axes.push_back(axis);
    const bool all = !s || (*s)[i] == -1;
    result.sizes.push_back(all ? std::nullopt : std::optional<std::int64_t>((*s)[i]));
  }
  return result;
}

/// `last` is what the last axis takes: first where it gives a half, and at the end where it takes one.
Array several(const Array& x, const Transform& last, const FftnOptions& options) {
  const base::NamedCall call(last.name);
  const Norm norm = norm_of(options.norm, last.name);
  const Sizes given = sizes_of(x, options, last.name);
  if (given.axes.empty()) {
    if (last.kind != FftKind::complex) {
      throw ValueError(api::prefix(last.name) + "got no axes; it takes one or more");
    }
    return prepared(x, last.kind, last.name);
  }
  const Transform others{last.name, FftKind::complex, last.inverse};
  const std::size_t end = given.axes.size() - 1;
  Array result = prepared(x, last.kind, last.name);
  if (last.kind != FftKind::half_to_real)
    result = along(result, x.shape(), last, given.axes[end], given.sizes[end], norm);
  for (std::size_t i = end; i-- > 0;) result = along(result, x.shape(), others, given.axes[i], given.sizes[i], norm);
  if (last.kind == FftKind::half_to_real)
    result = along(result, x.shape(), last, given.axes[end], given.sizes[end], norm);
  return result;
}

Array two(const Array& x, const Transform& transform, const Fft2Options& options) {
  return several(x, transform, {.s = options.s, .axes = options.axes, .norm = options.norm});
}

/// 0, 1, ... of as many elements as a transform of n has, `turned` to negative ones from there on, divided by n·d.
Array frequencies(std::int64_t n, std::int64_t count, std::int64_t turned, const FftFrequencyOptions& options,
                  const char* function) {
  const base::NamedCall call(function);
  if (n < 1) throw ValueError(api::prefix(function) + "n is " + std::to_string(n) + "; it must be 1 or more");
  if (options.d == 0) throw ValueError(api::prefix(function) + ".d is 0; samples must lie apart");
  const DType type = options.dtype.value_or(default_dtype());
  if (!is_real_floating(type)) {
    throw DTypeError(api::prefix(function) + ".dtype is " + std::string(name(type)) +
                     "; frequencies have a real floating type");
  }
  const Array k = arange(count, {.dtype = int64, .device = options.device});
  const DType wide = graph::accumulation_type(type);
  const Array counted = astype(turned < count ? where(k < turned, k, k - n) : k, wide);
  return astype(counted / (static_cast<double>(n) * options.d), type);
}

Array shifted(const Array& x, const FftshiftOptions& options, bool back, const char* function) {
  const base::NamedCall call(function);
  const std::vector<std::size_t> axes = graph::normal_axes(options.axes, x.shape(), function);
  if (axes.empty()) return x;
  Shape shifts, moved;
  for (const std::size_t axis : axes) {
    const std::int64_t half = x.shape()[axis] / 2;
    shifts.push_back(back ? -half : half);
    moved.push_back(static_cast<std::int64_t>(axis));
  }
  return roll(x, shifts, {.axis = moved});
}

}  // namespace

Array fft(const Array& x, const FftOptions& options) { return one(x, {"fft", FftKind::complex, false}, options); }
Array ifft(const Array& x, const FftOptions& options) { return one(x, {"ifft", FftKind::complex, true}, options); }
Array rfft(const Array& x, const FftOptions& options) {
  return one(x, {"rfft", FftKind::real_to_half, false}, options);
}
Array irfft(const Array& x, const FftOptions& options) {
  return one(x, {"irfft", FftKind::half_to_real, true}, options);
}
Array hfft(const Array& x, const FftOptions& options) {
  return one(x, {"hfft", FftKind::half_to_real, false}, options);
}
Array ihfft(const Array& x, const FftOptions& options) {
  return one(x, {"ihfft", FftKind::real_to_half, true}, options);
}

Array fftn(const Array& x, const FftnOptions& options) {
  return several(x, {"fftn", FftKind::complex, false}, options);
}
Array ifftn(const Array& x, const FftnOptions& options) {
  return several(x, {"ifftn", FftKind::complex, true}, options);
}
Array rfftn(const Array& x, const FftnOptions& options) {
  return several(x, {"rfftn", FftKind::real_to_half, false}, options);
}
Array irfftn(const Array& x, const FftnOptions& options) {
  return several(x, {"irfftn", FftKind::half_to_real, true}, options);
}

Array fft2(const Array& x, const Fft2Options& options) { return two(x, {"fft2", FftKind::complex, false}, options); }
Array ifft2(const Array& x, const Fft2Options& options) { return two(x, {"ifft2", FftKind::complex, true}, options); }
Array rfft2(const Array& x, const Fft2Options& options) {
  return two(x, {"rfft2", FftKind::real_to_half, false}, options);
}
Array irfft2(const Array& x, const Fft2Options& options) {
  return two(x, {"irfft2", FftKind::half_to_real, true}, options);
}

Array fftfreq(std::int64_t n, const FftFrequencyOptions& options) {
  return frequencies(n, n, n - n / 2, options, "fftfreq");
}
Array rfftfreq(std::int64_t n, const FftFrequencyOptions& options) {
  return frequencies(n, n / 2 + 1, n / 2 + 1, options, "rfftfreq");
}

Array fftshift(const Array& x, const FftshiftOptions& options) { return shifted(x, options, false, "fftshift"); }
Array ifftshift(const Array& x, const FftshiftOptions& options) { return shifted(x, options, true, "ifftshift"); }

}  // namespace koine::fft
