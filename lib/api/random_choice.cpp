// SPDX-License-Identifier: Apache-2.0
// random::Generator, orders and choices: sorts and searches of random keys.
#include "api/random.hpp"
#include "api/sorting.hpp"
#include "exec/host_sorter.hpp"
#include "runtime/context.hpp"

#include <koine/elementwise.hpp>
#include <koine/error.hpp>
#include <koine/indexing.hpp>
#include <koine/manipulation.hpp>
#include <koine/searching.hpp>
#include <koine/sorting.hpp>
#include <koine/statistics.hpp>
#include <koine/types.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace koine::random {
namespace {

/// What a number stands for, or an axis has.
void require_size(std::int64_t n, std::string_view function) {
  if (n < 0) throw ValueError(fmt::format("[{}] n is {}; it cannot be negative", function, n));
}

/// Checked probabilities of n elements, and their running sums in units of 2^-62: integers, whose sums are the same on
/// every device.
struct Probabilities {
  Array each, sums;
  std::int64_t total;

  Probabilities(const Array& p, std::int64_t n, std::int64_t chosen, bool replace) {
    if (!is_real_floating(p.dtype())) {
      throw DTypeError(
          fmt::format("[choice] p has type {}; it must be float16, bfloat16, float32 or float64", name(p.dtype())));
    }
    if (p.shape() != Shape{n}) {
      throw ShapeError(
          fmt::format("[choice] p has shape {}; there are {} elements to choose from", to_string(p.shape()), n));
    }
    const double epsilon = finfo(p.dtype()).eps;
    each = p.dtype() == DType::float64 || p.device().has_fp64() ? astype(p, float64) : astype(p, float32);
    const Array sum_of_all = sum(each), least = min(each), positive = count_nonzero(each);
    sums = cumulative_sum(astype(each * 0x1p62, int64));
    const Array last = sums(-1);
    eval(sum_of_all, least, positive, sums, last);
    if (!(least.item<double>() >= 0)) {
      throw ValueError(
          fmt::format("[choice] p has an element {}; probabilities are not negative", least.item<double>()));
    }
    const double all = sum_of_all.item<double>();
    if (!(std::abs(all - 1) <= std::sqrt(epsilon))) {
      throw ValueError(fmt::format("[choice] the sum of p is {}; it must be 1", all));
    }
    if (!replace && chosen > positive.item<std::int64_t>()) {
      throw ValueError(
          fmt::format("[choice] {} elements cannot be chosen without replacement: {} have a probability "
                      "other than 0",
                      chosen, positive.item<std::int64_t>()));
    }
    total = last.item<std::int64_t>();
  }
};

}  // namespace

Array Generator::permutation(std::int64_t n, const PermutationOptions& options) {
  const base::NamedCall call("permutation");
  require_size(n, "permutation");
  // All but one of the patterns of 64 bits.
  constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                         high = std::numeric_limits<std::int64_t>::max();
  const Array keys = integers(low, high, {n}, {.device = options.device});
  // Shorter ones are sorted in one kernel, and hosts do by themselves what follows.
  constexpr std::int64_t fewest = 1 << 14;
  const graph::Place& place = keys.node()->place;
  const bool by_host =
      exec::HostSorter::available() && place.traits->host_commands && place.context->works_in_host_memory();
  if (n < fewest || by_host) return argsort(keys);
  // Half of the digits put nearly all in order, since few keys agree in their upper halves; those follow.
  const api::Ordered sorted = api::ordered(astype(bitwise_right_shift(keys, 32), int32));
  return api::pending(
      graph::Op::order_ties, int64, keys.shape(),
      {api::in_order(sorted.values.node()), api::in_order(sorted.positions.node()), api::in_order(keys.node())});
}

Array Generator::permutation(const Array& x, const PermutationOptions& options) {
  const base::NamedCall call("permutation");
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), "permutation");
  return take(x, permutation(x.shape()[axis], {.device = x.device()}), {.axis = options.axis});
}

void Generator::shuffle(Array& x, const PermutationOptions& options) {
  const base::NamedCall call("shuffle");
  graph::normal_axis(options.axis, x.shape(), "shuffle");
  x = permutation(x, options);
}

Array Generator::choice(std::int64_t n, const Shape& shape, const ChoiceOptions& options) {
  const base::NamedCall call("choice");
  graph::check_sizes(shape, "choice");
  require_size(n, "choice");
  const std::int64_t chosen = shape.elements();
  if (n == 0 && chosen > 0) throw ValueError("[choice] there is nothing to choose from");
  if (!options.replace && chosen > n) {
    throw ValueError(fmt::format("[choice] {} elements cannot be chosen from {} without replacement", chosen, n));
  }
  const Device device = options.device ? *options.device : options.p ? options.p->device() : default_device();
  if (!options.p || n == 0) {
    if (options.replace) return integers(0, std::max<std::int64_t>(n, 1), shape, {.device = device});
    return reshape(permutation(n, {.device = device})(slice(0, chosen)), shape);
  }
  if (!(options.p->device() == device)) {
    throw DeviceError(fmt::format("[choice] p is on {}, and the device is {}; move it with to_device",
                                  options.p->device().selector(), device.selector()));
  }
  const Probabilities p(*options.p, n, chosen, options.replace);
  if (options.replace) {
    return searchsorted(p.sums, integers(0, p.total, shape, {.device = device}), {.side = "right"});
  }
  // As if each element waited for its turn, for 1 / p on average.
  const Array turns = exponential({n}, {.dtype = p.each.dtype(), .device = device}) / p.each;
  return reshape(argsort(turns)(slice(0, chosen)), shape);
}

Array Generator::choice(const Array& x, const Shape& shape, const ChoiceOptions& options) {
  const base::NamedCall call("choice");
  const std::size_t axis = graph::normal_axis(options.axis, x.shape(), "choice");
  ChoiceOptions there = options;
  there.device = x.device();
  return take(x, choice(x.shape()[axis], shape, there), {.axis = options.axis});
}

}  // namespace koine::random
