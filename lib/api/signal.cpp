// SPDX-License-Identifier: Apache-2.0
// Convolution and correlation as one reduction over overlapping windows, or by Fourier transforms; interpolation as a
// search and takes.
#include "api/choices.hpp"
#include "api/integers.hpp"
#include "api/sorting.hpp"
#include "exec/at_once.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/fft.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/signal.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace koine {
namespace {

enum class Overlap { full, same, valid };

Overlap overlap(std::string_view mode, std::string_view function) {
  return static_cast<Overlap>(api::choice(mode, {"full", "same", "valid"}, function, "mode"));
}

/// Element [i, j] is x[i + j], for j below `size`: a view.
Array windows(const Array& x, std::int64_t size) {
  graph::ViewMap map;
  map.start = {0};
  map.source = {0, 0};
  map.step = {1, 1};
  return api::view(x.node(), {x.size() - size + 1, size}, map);
}

/// Along an axis of a full convolution of M and N elements, the results that are kept.
struct Kept {
  std::int64_t first, count;

  /// How many elements a cyclic convolution has into whose kept ones nothing wraps around: rounded up to an even
  /// number of four binary digits and zeros behind them, whose factors all have passes of their own.
  std::int64_t cyclic(std::int64_t m, std::int64_t n) const {
    const auto least = static_cast<std::uint64_t>(std::max({m, n, first + count, m + n - 1 - first}));
    const int zeros = std::max(1, static_cast<int>(std::bit_width(least)) - 4);
    return static_cast<std::int64_t>((((least - 1) >> zeros) + 1) << zeros);
  }
};

/// The convolution along the axes, of arrays of one floating type.
Array by_transforms(const Array& x, const Array& y, const std::vector<std::size_t>& axes,
                    const std::vector<Kept>& kept) {
  Shape sizes, along;
  std::vector<Index> part(x.ndim(), all);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    sizes.push_back(kept[i].cyclic(x.shape()[axes[i]], y.shape()[axes[i]]));
    along.push_back(static_cast<std::int64_t>(axes[i]));
    part[axes[i]] = slice(kept[i].first, kept[i].first + kept[i].count);
  }
  const fft::FftnOptions options{.s = sizes, .axes = along};
  const Array whole = is_complex(x.dtype()) ? fft::ifftn(fft::fftn(x, options) * fft::fftn(y, options), options)
                                            : fft::irfftn(fft::rfftn(x, options) * fft::rfftn(y, options), options);
  return astype(whole.get(part), x.dtype());
}

/// Whether transforms take less time than sums do, of `count` results of `size` products each. As measured with real
/// numbers of 2^7 to 2^20 elements on a CPU: a product of complex ones counts as four.
bool transforms_pay(std::int64_t count, std::int64_t size, std::int64_t length, bool complex) {
  constexpr double products = 10;  // in the time that transforms take for one element and each of log2(length) passes
  const auto passes = static_cast<double>(std::bit_width(static_cast<std::uint64_t>(length)));
  const double sums = (complex ? 4.0 : 1.0) * static_cast<double>(count) * static_cast<double>(size);
  return sums > products * passes * static_cast<double>(length);
}

/// Element k is the sum of x[k + i]·y[i], of a `y` that is not the longer one, from the first k that `mode` names.
Array slid(const Array& x, const Array& y, Overlap mode, std::string_view function) {
  const std::int64_t size = y.size();
  const std::int64_t before = mode == Overlap::full ? size - 1 : mode == Overlap::same ? size / 2 : 0;
  const std::int64_t after = mode == Overlap::full ? size - 1 : mode == Overlap::same ? size - 1 - size / 2 : 0;
  graph::check_sizes({x.size() + size, size}, function);  // as many products, at the most
  const DType wide = graph::accumulation_type(x.dtype());
  const std::int64_t results = x.size() - size + 1 + before + after;
  if (!is_integer(wide) && !api::choices().reproducible) {
    const Kept kept{size - 1 - before, results};
    if (transforms_pay(kept.count, size, kept.cyclic(x.size(), size), is_complex(wide))) {
      return by_transforms(x, flip(y), {0}, {kept});
    }
  }
  const graph::Place place = api::chosen_place(x.node()->place);
  if (graph::NodeRef made = exec::slid_at_once(*x.node(), *y.node(), before, results, place)) {
    return Array(std::move(made));
  }
  const Array around = before + after > 0 ? pad(x, {before, after}) : x;
  return astype(sum(astype(windows(around, size), wide) * astype(y, wide), {.axis = 1, .dtype = wide}), x.dtype());
}

/// Both with the common type.
std::pair<Array, Array> checked(const Array& x1, const Array& x2, std::string_view function) {
  const DType type = api::product_type(function, {x1, x2});
  if (x1.ndim() != 1 || x2.ndim() != 1) {
    throw ShapeError(api::prefix(function) + "shapes " + to_string(x1.shape()) + " and " + to_string(x2.shape()) +
                     " must have one axis each");
  }
  if (x1.size() == 0 || x2.size() == 0) {
    throw ValueError(api::prefix(function) + "got " + std::to_string(x1.size()) + " and " + std::to_string(x2.size()) +
                     " elements; each must have one at least");
  }
  return {astype(x1, type), astype(x2, type)};
}

}  // namespace

Array convolve(const Array& x1, const Array& x2, const ConvolveOptions& options) {
  const base::NamedCall call("convolve");
  const Overlap mode = overlap(options.mode, "convolve");
  const auto [a, b] = checked(x1, x2, "convolve");
  return a.size() >= b.size() ? slid(a, flip(b), mode, "convolve") : slid(b, flip(a), mode, "convolve");
}

Array correlate(const Array& x1, const Array& x2, const CorrelateOptions& options) {
  const base::NamedCall call("correlate");
  const Overlap mode = overlap(options.mode, "correlate");
  const auto [a, b] = checked(x1, x2, "correlate");
  const Array other = is_complex(b.dtype()) ? conj(b) : b;
  return a.size() >= b.size() ? slid(a, other, mode, "correlate") : flip(slid(other, a, mode, "correlate"));
}

Array fftconvolve(const Array& x1, const Array& x2, const FftconvolveOptions& options) {
  const base::NamedCall call("fftconvolve");
  const Overlap mode = overlap(options.mode, "fftconvolve");
  const DType type = api::floating_type(api::common_type("fftconvolve", std::vector{x1, x2}));
  if (x1.ndim() != x2.ndim()) {
    throw ShapeError("[fftconvolve] shapes " + to_string(x1.shape()) + " and " + to_string(x2.shape()) +
                     " must have as many axes");
  }
  const std::vector<std::size_t> axes = graph::normal_axes(options.axes, x1.shape(), "fftconvolve");
  Shape others = x1.shape(), others_of_x2 = x2.shape();
  std::vector<Kept> kept;
  for (const std::size_t axis : axes) {
    const std::int64_t m = x1.shape()[axis], n = x2.shape()[axis], less = std::min(m, n);
    if (less == 0) {
      throw ValueError("[fftconvolve] got shapes " + to_string(x1.shape()) + " and " + to_string(x2.shape()) +
                       "; each must have one element at least along axis " + std::to_string(axis));
    }
    kept.push_back(mode == Overlap::full   ? Kept{0, m + n - 1}
                   : mode == Overlap::same ? Kept{(n - 1) / 2, m}
                                           : Kept{less - 1, std::max(m, n) - less + 1});
    others[axis] = others_of_x2[axis] = 1;
  }
  graph::broadcast_shapes(others, others_of_x2, "fftconvolve");
  const Array a = astype(x1, type), b = astype(x2, type);
  return axes.empty() ? a * b : by_transforms(a, b, axes, kept);
}

Array interp(Operand given, const Array& xp, const Array& fp, const InterpOptions& options) {
  const base::NamedCall call("interp");
  const Operand x = std::move(given), known(xp), values(fp);
  const graph::Place place = api::common_place("interp", {&x, &known, &values});
  for (const Operand* operand : {&x, &known}) {
    if (operand->is_scalar() ? is_complex(graph::default_type(operand->scalar(), default_dtype()))
                             : is_complex(operand->array().dtype())) {
      throw DTypeError("[interp] the positions x and xp must be real; only fp may be complex");
    }
  }
  if (xp.ndim() != 1 || fp.shape() != xp.shape()) {
    throw ShapeError("[interp] xp has shape " + to_string(xp.shape()) + " and fp has shape " + to_string(fp.shape()) +
                     "; each must have one axis, of the same size");
  }
  if (xp.size() == 0) throw ValueError("[interp] got no points; it needs at least one");
  // In the type that sums are accumulated in. Positions are real, or integers, whose distances are exact.
  const DType type = api::floating_type(api::common_type("interp", {&x, &known, &values}));
  const DType wide = graph::accumulation_type(type), real = graph::real_part(wide);
  const DType met = api::common_type("interp", {&x, &known});
  const DType positions = is_integer(met) && !options.period ? met : real;
  Array at(api::to_node(x, positions, place)), points = astype(xp, positions), heights = astype(fp, wide);
  if (options.period) {
    const double period = std::abs(*options.period);
    if (!(period > 0) || std::isinf(period)) {
      throw ValueError("[interp] .period is " + std::to_string(*options.period) + "; it must be finite and not zero");
    }
    at = remainder(at, period);
    const auto [sorted, order] = api::ordered(remainder(points, period));
    heights = take(heights, order);
    points = concat({sorted(slice(-1, none)) - period, sorted, sorted(slice(none, 1)) + period});
    heights = concat({heights(slice(-1, none)), heights, heights(slice(none, 1))});
  }
  const std::int64_t last = points.size() - 1;
  at.eval();
  points.eval();
  heights.eval();
  // What lies before the first point and behind the last, where it is given.
  const auto ended = [&](Array value) {
    if (options.period) return value;
    if (options.left) value = where(less(at, points(0)), *options.left, value);
    if (options.right) value = where(greater(at, points(last)), *options.right, value);
    return value;
  };
  if (graph::NodeRef made = exec::interpolated_at_once(*at.node(), *points.node(), *heights.node(), place)) {
    return astype(ended(Array(std::move(made))), type);
  }
  const Array after = searchsorted(points, at, {.side = "right"});
  const Array low = clip(after - 1, 0, last), high = minimum(after, last);
  const Array x0 = take(points, low), x1 = take(points, high), y0 = take(heights, low), y1 = take(heights, high);
  const Array gap = api::difference(x1, x0, real), covered = api::difference(at, x0, real), rise = y1 - y0;
  const Array slope = rise / astype(gap, wide);
  // From the other end where infinities meet on the way.
  Array value = slope * astype(covered, wide) + y0;
  value = where(isnan(value), slope * astype(api::difference(at, x1, real), wide) + y1, value);
  // Where a distance between finite numbers is past the type's range, the ends are weighed instead.
  const Array near = astype(x0, real), far = astype(x1, real), half = near * 0.5;
  const Array part = (astype(at, real) * 0.5 - half) / (far * 0.5 - half);
  const Array apart = logical_not(isfinite(gap) & isfinite(slope)) & isfinite(near) & isfinite(far);
  value = where(apart, y0 * (1 - part) + y1 * part, value);
  value = where(logical_and(isnan(value), equal(y0, y1)), y0, value);
  value = where(logical_or(equal(at, x0), equal(low, high)), y0, value);
  return astype(where(isnan(at), std::numeric_limits<double>::quiet_NaN(), ended(value)), type);
}

}  // namespace koine
