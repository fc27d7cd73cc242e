// SPDX-License-Identifier: Apache-2.0
// Elements set side by side, moved round along axes, put beside others, and taken from their neighbours.
#include "tiling.hpp"

#include <algorithm>

#include "create.hpp"
#include "families.hpp"
#include "print.hpp"
#include "resolution.hpp"

namespace koine::fuzz {
namespace {

using namespace tilings;
constexpr std::string_view modes[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

class Tiling : Resolution {
 public:
  using Resolution::Resolution;

  std::vector<Call> calls() {
    const Call::Source source = x(step_.a);
    const Shape shape = face(source).shape;
    call_.which = step_.p[0] % functions;
    switch (call_.which) {
      case repeats_all:
      case repeats_each: repeat(source, shape); break;
      case tiles: tile(source, shape); break;
      case rolls: roll(source, shape); break;
      case pads: pad(source, shape); break;
      default: differ(source, shape);
    }
    return std::move(calls_);
  }

 private:
  /// An axis, or that of the flattened array.
  void maybe_axis(const Shape& shape) {
    if (!shape.empty() && step_.p[1] % 4 != 0) choose_axis(step_.p[1] / 4, shape, step_.p[2] & 4);
  }
  std::int64_t size_along(const Shape& shape) const {
    return call_.every_axis ? shape.elements() : shape[step_.p[1] / 4 % shape.size()];
  }

  void repeat(Call::Source source, const Shape& shape) {
    constexpr std::int64_t most = 3;
    maybe_axis(shape);
    if (shape.elements() * most > most_elements) return;
    call_.low = step_.p[3] % (most + 1);
    if (call_.which == repeats_all) return put({source});
    constexpr DType types[] = {int64, int32, uint8, uint64};
    const Shape counts = {step_.p[3] % 8 == 0 ? 1 : size_along(shape)};
    put({source, drawn(1, step_.b, 0, step_.p[3] & 64 ? 2 : most + 1, {types[step_.p[4] % 4], counts})});
  }

  void tile(Call::Source source, const Shape& shape) {
    const std::size_t axes = std::min<std::size_t>(step_.p[1] % 4, 5);
    std::int64_t count = shape.elements();
    for (std::size_t i = 0; i < axes; ++i) {
      const std::int64_t times = i == 0 && step_.p[3] & 64 ? 0 : 1 + step_.p[2 + i] % 3;
      if (count * times > most_elements) break;
      call_.shape.push_back(times);
      count *= times;
    }
    put({source});
  }

  void roll(Call::Source source, const Shape& shape) {
    maybe_axis(shape);
    const auto shift = [&](std::uint8_t byte) { return byte % 4 == 3 ? 1000 - 13 * byte : byte / 4 % 9 - 4; };
    call_.shape.push_back(shift(step_.p[3]));
    if (!call_.every_axis && step_.p[2] & 8) {  // another, which may be the same
      call_.axes.push_back(step_.p[5] % static_cast<std::int64_t>(shape.size()));
      call_.shape.push_back(shift(step_.p[4]));
    }
    put({source});
  }

  void pad(Call::Source source, const Shape& shape) {
    const DType type = face(source).type;
    call_.low = step_.p[1] % static_cast<std::int64_t>(std::size(modes));
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= std::max<std::int64_t>(size, 1);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::int64_t size = shape[axis];
      for (const int shift : {0, 4}) {
        std::int64_t width = step_.p[2 + axis % 3] >> shift & 7;
        if (shape[axis] == 0 && call_.low > 0) width = 0;
        if (count / std::max<std::int64_t>(size, 1) * (size + width) > most_elements) width = 0;
        count = count / std::max<std::int64_t>(size, 1) * std::max<std::int64_t>(size + width, 1);
        size += width;
        call_.shape.push_back(width);
      }
    }
    if (shape.empty()) return;
    if (call_.low > 0) return put({source});
    put({source, fitting(new_scalar(step_.c, step_.p[5]), type)});
  }

  void differ(Call::Source source, const Shape& shape) {
    if (shape.empty()) return;
    choose_axis(step_.p[1], shape, step_.p[2] & 4);
    const DType type = face(source).type;
    call_.low = step_.p[3] % (is_bool(type) || is_integer(type) ? 4 : 2);
    put({source});
  }
};

PadWidths widths(const Shape& shape) {
  std::vector<PadWidths::Pair> pairs;
  for (std::size_t i = 0; i < shape.size(); i += 2) pairs.emplace_back(shape[i], shape[i + 1]);
  return pairs;
}

Array result(const Call& call, const std::vector<Operand>& sources) {
  const Array& x = sources[0].array();
  switch (call.which) {
    case repeats_all: return repeat(x, call.low, {.axis = call.axis()});
    case repeats_each: return repeat(x, sources[1].array(), {.axis = call.axis()});
    case tiles: return tile(x, call.shape);
    case rolls: return roll(x, call.shape, {.axis = call.axis()});
    case pads: {
      PadOptions options{.mode = modes[call.low]};
      if (call.low == 0) options.constant_values = sources[1];
      return pad(x, widths(call.shape), options);
    }
    default: return diff(x, {.axis = call.axes[0], .n = call.low});
  }
}

std::size_t normal(std::int64_t axis, const Shape& shape) {
  return static_cast<std::size_t>(axis < 0 ? axis + std::ssize(shape) : axis);
}
std::int64_t modulo(std::int64_t i, std::int64_t size) { return (i % size + size) % size; }

/// The elements of x that `position_of` names by their positions.
template <class F>
Plain moved(const Plain& x, const Shape& shape, F position_of) {
  return gathered(x, shape, [&](const Shape& at) {
    const Shape from = position_of(at);
    std::int64_t number = 0;
    for (std::size_t i = 0; i < from.size(); ++i) number = number * x.shape[i] + from[i];
    return number;
  });
}

Plain repeated(const Call& call, Plain x, const Plain* each) {
  if (call.every_axis) x.shape = {x.shape.elements()};
  const std::size_t axis = call.every_axis ? 0 : normal(call.axes[0], x.shape);
  std::vector<std::int64_t> from;  // along the axis
  for (std::int64_t i = 0; i < x.shape[axis]; ++i) {
    const std::size_t which = each && each->count() > 1 ? static_cast<std::size_t>(i) : 0;
    const std::int64_t times = each ? converted(*each, int64).at<std::int64_t>(which) : call.low;
    from.insert(from.end(), static_cast<std::size_t>(times), i);
  }
  Shape shape = x.shape;
  shape[axis] = std::ssize(from);
  return moved(x, shape, [&](Shape at) { return at[axis] = from[static_cast<std::size_t>(at[axis])], at; });
}

Plain tiled(const Call& call, Plain x) {
  Shape times = call.shape;
  while (times.size() < x.shape.size()) times.insert(0, 1);
  while (x.shape.size() < times.size()) x.shape.insert(0, 1);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] *= times[i];
  return moved(x, shape, [&](Shape at) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] %= x.shape[i];
    return at;
  });
}

Plain rolled(const Call& call, const Plain& x) {
  Plain line = x;
  if (call.every_axis) line.shape = {x.shape.elements()};
  Plain result = moved(line, line.shape, [&](Shape at) {
    for (std::size_t i = 0; i < call.shape.size(); ++i) {
      const std::size_t axis = call.every_axis ? 0 : normal(call.axes[i], line.shape);
      at[axis] = modulo(at[axis] - call.shape[i], line.shape[axis]);
    }
    return at;
  });
  result.shape = x.shape;
  return result;
}

/// The position of an axis that stands at `i`, which may lie before or behind it.
std::int64_t continued(std::int64_t i, std::int64_t size, std::string_view mode) {
  if (mode == "edge") return std::clamp<std::int64_t>(i, 0, size - 1);
  if (mode == "wrap") return modulo(i, size);
  const std::int64_t past = mode == "symmetric" ? 0 : 1, period = std::max<std::int64_t>(2 * (size - past), 1);
  const std::int64_t at = modulo(i, period);
  return at < size ? at : period - at - (1 - past);
}

Plain padded(const Call& call, const Plain& x, const Plain* constant) {
  Plain from = x;
  Shape shape = x.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += call.shape[2 * i] + call.shape[2 * i + 1];
  // The constant stands behind the elements.
  if (constant) {
    from = Plain(x.type, {static_cast<std::int64_t>(x.count()) + 1});
    std::copy(x.bytes.begin(), x.bytes.end(), from.bytes.begin());
    from.copy_element(x.count(), converted(*constant, x.type), 0);
  }
  return gathered(from, shape, [&](const Shape& at) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::int64_t p = at[i] - call.shape[2 * i];
      if (constant && (p < 0 || p >= x.shape[i])) return static_cast<std::int64_t>(x.count());
      if (!constant) p = continued(p, x.shape[i], modes[call.low]);
      number = number * x.shape[i] + p;
    }
    return number;
  });
}

Verdict check_difference(const Call& call, Plain x, const Plain& got) {
  const std::size_t axis = normal(call.axes[0], x.shape);
  const bool floating = !is_bool(x.type) && !is_integer(x.type);
  for (std::int64_t i = 0; i < call.low && x.shape[axis] > 0; ++i) {
    Shape shape = x.shape;
    --shape[axis];
    const Plain low = moved(x, shape, [](const Shape& at) { return at; });
    const Plain high = moved(x, shape, [&](Shape at) { return ++at[axis], at; });
    if (floating) {  // once: the result is rounded
      if (const std::string wrong = unlike(got, x.type, shape); !wrong.empty()) return {wrong};
      return check_row(row_of("subtract"), x.type, got, high, &low);
    }
    x = low;
    with_type(x.type, [&]<class T>(Tag<T>) {
      if constexpr (std::is_integral_v<T>) {
        for (std::size_t k = 0; k < x.count(); ++k) {
          const auto a = static_cast<std::uint64_t>(high.at<T>(k)), b = static_cast<std::uint64_t>(low.at<T>(k));
          x.put(k, static_cast<T>(is_bool(x.type) ? a ^ b : a - b));
        }
      }
    });
  }
  return exactly(got, x);
}

Verdict check(const Call& call, const std::vector<Plain>& sources, const Plain& got) {
  const Plain &x = sources[0], *second = sources.size() > 1 ? &sources[1] : nullptr;
  switch (call.which) {
    case repeats_all:
    case repeats_each: return exactly(got, repeated(call, x, second));
    case tiles: return exactly(got, tiled(call, x));
    case rolls: return exactly(got, rolled(call, x));
    case pads: return exactly(got, padded(call, x, second));
    default: return check_difference(call, x, got);
  }
}

std::string text(const Call& call, const std::vector<std::string>& sources) {
  const std::string &x = sources[0], axis = ", {.axis = " + axis_text(call) + "})", times = std::to_string(call.low);
  switch (call.which) {
    case repeats_all: return "kn::repeat(" + x + ", " + times + axis;
    case repeats_each: return "kn::repeat(" + x + ", " + sources[1] + axis;
    case tiles: return "kn::tile(" + x + ", kn::Shape" + listed(call.shape) + ")";
    case rolls: return "kn::roll(" + x + ", kn::Shape" + listed(call.shape) + axis;
    case pads: {
      std::string pairs;
      for (std::size_t i = 0; i < call.shape.size(); i += 2)
        pairs += (i ? ", {" : "{") + std::to_string(call.shape[i]) + ", " + std::to_string(call.shape[i + 1]) + "}";
      return "kn::pad(" + x + ", {" + pairs + "}, {.mode = \"" + std::string(modes[call.low]) + "\"" +
             (call.low == 0 ? ", .constant_values = " + sources[1] : "") + "})";
    }
    default: return "kn::diff(" + x + ", {.axis = " + axis_text(call) + ", .n = " + times + "})";
  }
}

}  // namespace

const Family tiling = {resolved<Tiling>, result, check, text};

}  // namespace koine::fuzz
