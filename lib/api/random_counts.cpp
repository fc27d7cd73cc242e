// SPDX-License-Identifier: Apache-2.0
// random::Generator, counts: of a small mean by a table of the distribution function, else by rejection on the device.
#include "api/random.hpp"

#include <koine/creation.hpp>
#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/searching.hpp>
#include <koine/types.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace koine::random {
namespace {

/// Means from here on are drawn by rejection. Hörmann gives its constants from 10 on; a search in a table of some
/// hundreds is two to six times as fast on a CPU.
constexpr double least_rejected = 256, most_rejected = 0x1p40;

/// The distribution function at 0, 1, 2, ... in units of 2^-63, as far as it is below 1. `ratio(k)` is the probability
/// of k + 1 over that of k; no other function of the host's is in it, so every host gives the same.
template <class Ratio>
std::vector<std::int64_t> distribution(double mean, Ratio ratio) {
  std::vector<double> sums = {1};
  double weight = 1;
  for (double k = 0; weight > 0 && (k <= mean || weight > sums.back() * 0x1p-60); ++k) {
    weight *= ratio(k);
    sums.push_back(sums.back() + weight);
  }
  std::vector<std::int64_t> result;
  for (const double sum : sums) {
    const double part = sum / sums.back();
    if (part < 1) result.push_back(static_cast<std::int64_t>(std::ldexp(part, 63)));
  }
  return result;
}

/// How many of the table's entries numbers of 63 random bits reach.
Array inverted(const std::vector<std::int64_t>& table, const Shape& shape, DType type, const graph::Place& place,
               graph::RandomInfo info, std::uint64_t& counter) {
  info.kind = graph::RandomKind::integers;
  info.range = std::uint64_t{1} << 63;
  const Array keys = draw(shape, int64, place, info, counter);
  return astype(searchsorted(asarray(table, {.device = api::device_of(place)}), keys, {.side = "right"}), type);
}

}  // namespace

Array Generator::poisson(double lam, const Shape& shape, const CountOptions& options) {
  const base::NamedCall call("poisson");
  graph::check_sizes(shape, "poisson");
  require_integer(options.dtype, "poisson");
  if (!(lam >= 0 && lam <= most_rejected)) {
    throw ValueError(fmt::format("[poisson] lam is {}; it can be 0 to 2^40", lam));
  }
  const std::int64_t most = largest(options.dtype);
  if (lam + 10 * std::sqrt(lam) > static_cast<double>(most)) {
    throw ValueError(
        fmt::format("[poisson] {} holds counts up to {}, which is less than ten standard deviations above "
                    "lam, {}; a wider .dtype is needed",
                    name(options.dtype), most, lam));
  }
  const graph::Place place = api::place_of(options.device);
  graph::RandomInfo info{.kind = graph::RandomKind::poisson, .seed = seed_};
  if (lam < least_rejected) {
    const auto table = distribution(lam, [&](double k) { return lam / (k + 1); });
    return inverted(table, shape, options.dtype, place, info, counter_);
  }
  info.mean = lam;
  return draw(shape, options.dtype, place, info, counter_);
}

Array Generator::binomial(std::int64_t n, double p, const Shape& shape, const CountOptions& options) {
  const base::NamedCall call("binomial");
  graph::check_sizes(shape, "binomial");
  require_integer(options.dtype, "binomial");
  if (n < 0 || n > largest(options.dtype)) {
    throw ValueError(
        fmt::format("[binomial] n is {}; of {} it can be 0 to {}", n, name(options.dtype), largest(options.dtype)));
  }
  if (!(p >= 0 && p <= 1)) throw ValueError(fmt::format("[binomial] p is {}; it can be 0 to 1", p));
  // What happens less often is counted.
  const double rarer = p > 0.5 ? 1 - p : p, mean = static_cast<double>(n) * rarer;
  if (mean > most_rejected) {
    throw ValueError(fmt::format("[binomial] n is {} and p {}; n p or n (1 - p) must be at most 2^40", n, p));
  }
  const graph::Place place = api::place_of(options.device);
  graph::RandomInfo info{.kind = graph::RandomKind::binomial, .seed = seed_};
  Array counts;
  if (mean < least_rejected) {
    const double odds = rarer / (1 - rarer);
    const auto table = distribution(mean, [&](double k) { return (static_cast<double>(n) - k) / (k + 1) * odds; });
    counts = inverted(table, shape, options.dtype, place, info, counter_);
  } else {
    info.mean = mean;
    info.trials = n;
    counts = draw(shape, options.dtype, place, info, counter_);
  }
  return p > 0.5 ? n - counts : counts;
}

}  // namespace koine::random
