// SPDX-License-Identifier: Apache-2.0
// random::Generator, continuous laws and integers: checks the arguments and says which words of the stream a draw
// takes.
#include "api/random.hpp"

#include <koine/error.hpp>
#include <koine/random.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
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

/// Of exponential and gamma: their scale in the type that numbers are computed in.
double scale_of(double scale, DType type, std::string_view function) {
  const double result = rounded(scale, type == DType::float64 ? DType::float64 : DType::float32);
  if (std::isfinite(result) && result >= 0) return result;
  throw ValueError(fmt::format("[{}] scale is {}; it must be finite and not negative", function, scale));
}

}  // namespace

Array draw(const Shape& shape, DType type, const graph::Place& place, graph::RandomInfo info, std::uint64_t& counter) {
  const std::uint64_t words = info.words(type);
  info.first_word = (counter + words - 1) / words * words;
  const std::uint64_t next = info.first_word + static_cast<std::uint64_t>(shape.elements()) * words;
  Array result = api::pending(
      graph::make_node(graph::Op::random, type, shape, place, {}, graph::make_attributes<graph::Op::random>(info)));
  counter = next;
  return result;
}

std::int64_t largest(DType type) {
  const int bits = static_cast<int>(8 * size_of(type)) - is_signed_integer(type);
  return bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
}

void require_integer(DType type, std::string_view function) {
  if (is_integer(type)) return;
  throw DTypeError(fmt::format("[{}] draws int8 to int64 and uint8 to uint64, not {}", function, name(type)));
}

Generator::Generator() : seed_(0), counter_(0) {
  std::random_device source;
  seed_ = std::uint64_t{source()} << 32 | source();
}

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

Array Generator::exponential(const Shape& shape, const ExponentialOptions& options) {
  graph::check_sizes(shape, "exponential");
  require_floating(options.dtype, "exponential");
  graph::RandomInfo info{.kind = graph::RandomKind::exponential, .seed = seed_};
  info.scale = scale_of(options.scale, options.dtype, "exponential");
  const graph::Place place = api::place_of(options.device);
  api::require_type(place, options.dtype, "exponential");
  return draw(shape, options.dtype, place, info, counter_);
}

Array Generator::gamma(double k, const Shape& shape, const GammaOptions& options) {
  graph::check_sizes(shape, "gamma");
  require_floating(options.dtype, "gamma");
  graph::RandomInfo info{.kind = graph::RandomKind::gamma, .seed = seed_};
  info.shape = rounded(k, options.dtype == DType::float64 ? DType::float64 : DType::float32);
  if (!std::isfinite(info.shape) || k < 0) {
    throw ValueError(fmt::format("[gamma] k is {}; it must be finite and not negative", k));
  }
  info.scale = scale_of(options.scale, options.dtype, "gamma");
  const graph::Place place = api::place_of(options.device);
  api::require_type(place, options.dtype, "gamma");
  return draw(shape, options.dtype, place, info, counter_);
}

Array Generator::integers(std::int64_t low, std::int64_t high, const Shape& shape, const IntegersOptions& options) {
  graph::check_sizes(shape, "integers");
  require_integer(options.dtype, "integers");
  if (low >= high) {
    throw ValueError(fmt::format("[integers] low is {} and high is {}; low must be below high", low, high));
  }
  const std::int64_t most = largest(options.dtype), least = is_signed_integer(options.dtype) ? -most - 1 : 0;
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
