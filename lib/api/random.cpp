// SPDX-License-Identifier: Apache-2.0
// random::Generator: checks the arguments and says which words of the stream a draw takes.
#include "api/build.hpp"

#include <koine/error.hpp>
#include <koine/random.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

namespace koine::random {
namespace {

void require_floating(DType type, std::string_view function) {
  if (is_real_floating(type)) return;
  throw DTypeError(fmt::format("[{}] draws float16, bfloat16, float32 or float64, not {}", function, name(type)));
}

/// `value` as the nearest element of the type. Past the largest it is infinite: C++ leaves that conversion undefined.
double rounded(double value, DType type) {
  if (type == DType::float64) return value;
  if (std::abs(value) > std::numeric_limits<float>::max()) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  const auto single = static_cast<float>(value);
  return type == DType::float16 ? float16_t(single) : type == DType::bfloat16 ? bfloat16_t(single) : single;
}

/// The largest element below `value`, which is an element of the type.
double predecessor(double value, DType type) {
  if (type == DType::float64) return std::nextafter(value, -std::numeric_limits<double>::infinity());
  const auto single = static_cast<float>(value);
  if (type == DType::float32) return std::nextafter(single, -std::numeric_limits<float>::infinity());
  const auto step = [](auto element) -> double {
    const std::uint16_t bits = element.bits();
    if ((bits & 0x7fff) == 0) return decltype(element)::from_bits(0x8001);
    return decltype(element)::from_bits(static_cast<std::uint16_t>(bits & 0x8000 ? bits + 1 : bits - 1));
  };
  return type == DType::float16 ? step(float16_t(single)) : step(bfloat16_t(single));
}

/// A pending draw of `shape`; moves `counter` past the words it takes.
Array draw(const Shape& shape, DType type, const graph::Place& place, graph::RandomInfo info, std::uint64_t& counter) {
  const std::uint64_t words = info.kind == graph::RandomKind::integers || type == DType::float64 ? 2 : 1;
  info.first_word = (counter + words - 1) / words * words;
  const std::uint64_t next = info.first_word + static_cast<std::uint64_t>(shape.elements()) * words;
  Array result = api::pending(
      graph::make_node(graph::Op::random, type, shape, place, {}, std::make_shared<const graph::RandomInfo>(info)));
  counter = next;
  return result;
}

}  // namespace

Array Generator::uniform(const Shape& shape, const UniformOptions& options) {
  graph::check_sizes(shape, "uniform");
  require_floating(options.dtype, "uniform");
  const double low = rounded(options.low, options.dtype), high = rounded(options.high, options.dtype);
  const double span = rounded(high - low, options.dtype == DType::float64 ? DType::float64 : DType::float32);
  if (!(options.low < options.high) || !std::isfinite(span)) {
    throw ValueError(
        fmt::format("[uniform] low is {} and high is {}; low must be below high, and both and their "
                    "difference finite in {}",
                    options.low, options.high, name(options.dtype)));
  }
  if (!(low < high)) {
    throw ValueError(fmt::format("[uniform] low, {}, and high, {}, are the same {}", options.low, options.high,
                                 name(options.dtype)));
  }
  const graph::Place place = api::place_of(options.device);
  api::require_type(place, options.dtype, "uniform");
  graph::RandomInfo info{.kind = graph::RandomKind::uniform, .seed = seed_};
  info.start = low;
  info.scale = span;
  info.last = predecessor(high, options.dtype);
  return draw(shape, options.dtype, place, info, counter_);
}

Array Generator::normal(const Shape& shape, const NormalOptions& options) {
  graph::check_sizes(shape, "normal");
  require_floating(options.dtype, "normal");
  const DType computed = options.dtype == DType::float64 ? DType::float64 : DType::float32;
  const double loc = rounded(options.loc, computed), scale = rounded(options.scale, computed);
  if (!std::isfinite(loc) || !std::isfinite(scale) || scale < 0) {
    throw ValueError(fmt::format("[normal] loc is {} and scale is {}; both must be finite and scale not negative",
                                 options.loc, options.scale));
  }
  const graph::Place place = api::place_of(options.device);
  api::require_type(place, options.dtype, "normal");
  graph::RandomInfo info{.kind = graph::RandomKind::normal, .seed = seed_};
  info.start = loc;
  info.scale = scale;
  return draw(shape, options.dtype, place, info, counter_);
}

Array Generator::integers(std::int64_t low, std::int64_t high, const Shape& shape, const IntegersOptions& options) {
  graph::check_sizes(shape, "integers");
  if (!is_integer(options.dtype)) {
    throw DTypeError(fmt::format("[integers] draws int8 to int64 and uint8 to uint64, not {}", name(options.dtype)));
  }
  if (low >= high) {
    throw ValueError(fmt::format("[integers] low is {} and high is {}; low must be below high", low, high));
  }
  const int bits = static_cast<int>(8 * size_of(options.dtype));
  const bool is_signed = is_signed_integer(options.dtype);
  const std::int64_t least = is_signed ? std::numeric_limits<std::int64_t>::min() >> (64 - bits) : 0;
  const std::int64_t most = bits == 64 ? std::numeric_limits<std::int64_t>::max()
                                       : static_cast<std::int64_t>((std::uint64_t{1} << (bits - is_signed)) - 1);
  if (low < least || high - 1 > most) {
    throw ValueError(fmt::format("[integers] {} holds {} to {}; low is {} and high, which is not drawn, is {}",
                                 name(options.dtype), least, most, low, high));
  }
  graph::RandomInfo info{.kind = graph::RandomKind::integers, .seed = seed_};
  info.low = low;
  info.range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  return draw(shape, options.dtype, api::place_of(options.device), info, counter_);
}

}  // namespace koine::random
