// SPDX-License-Identifier: Apache-2.0
// Launching kernels/random.cl and kernels/rejection.cl.
#include "base/dtypes.hpp"
#include "exec/families.hpp"
#include "exec/kernel_parameters.hpp"
#include "exec/kernel_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace koine::exec {
namespace {

using graph::RandomInfo;
using graph::RandomKind;

struct RandomSpec {
  RandomKind kind;
  DType type;
  int blocks;  // of words that a vector holds
  bool exact_sqrt;

  template <class Visit>
  void visit(Visit& v) const {
    v.define("KN_KIND", kind);
    v.define("KN_ELEMENT", base::row_of(type).element);
    v.define("KN_BLOCKS", blocks);
    v.define("KN_EXACT_SQRT", exact_sqrt ? 1 : 0);
  }
};

// A work-item for each block, where there are more than a GPU works on at once.
constexpr std::uint64_t items_for_all = std::uint64_t{1} << 40;

runtime::KernelRef kernel_of(Programs& programs, const DeviceTraits& traits, const RandomInfo& info, DType dtype,
                             bool rejects) {
  constexpr std::string_view entries[] = {"random_uniform",     "random_normal",   "random_integers",
                                          "random_exponential", "rejection_gamma", "rejection_poisson",
                                          "rejection_binomial"};
  const bool lanes = !rejects && traits.cpu_loops();
  const RandomSpec spec{info.kind, dtype, lanes ? 8 : 1, traits.exact_divide};
  return programs.kernel_of_file(rejects ? "rejection" : "random", spec, entries[static_cast<std::size_t>(info.kind)]);
}

void launch_fixed(runtime::Queue& queue, const runtime::KernelRef& kernel, const RandomInfo& info, DType dtype,
                  std::uint64_t count, runtime::Buffer& out) {
  const bool cpu = queue.traits().cpu_loops();
  runtime::Launch launch(queue, kernel);
  launch.out(out);
  const auto law = [&](auto start, auto scale, auto last) {
    launch.value(parameters::kn_random<decltype(start)>{static_cast<std::int64_t>(count), info.seed, info.first_word,
                                                        start, scale, last});
  };
  if (info.kind == RandomKind::integers) {
    law(static_cast<std::uint64_t>(info.low), info.range, std::uint64_t{0});
  } else if (dtype == DType::float64) {
    law(info.start, info.scale, info.last);
  } else {
    law(static_cast<float>(info.start), static_cast<float>(info.scale), static_cast<float>(info.last));
  }
  const std::uint64_t words = info.words(dtype), each = 4 / words, skipped = info.first_word % 4 / words;
  const Tuning& tuning = queue.traits().tuning;
  // On a GPU a few work-items walk over all blocks: a fifth to a half faster than one block each on an H200. Where the
  // first number is not the first of its block, stores are unaligned and that is slower.
  run_over(launch, queue, *kernel, cpu ? count : (skipped + count + each - 1) / each, tuning.random_numbers_per_item,
           std::numeric_limits<std::uint64_t>::max(), skipped == 0 ? tuning.random_items_per_unit : items_for_all);
}

template <class T>
struct GammaLaw : parameters::kn_gamma<T> {
  explicit GammaLaw(const RandomInfo& info) : parameters::kn_gamma<T>() {
    const bool small = info.shape < 1;
    const double exact = (small ? info.shape + 1 : info.shape) - 1.0 / 3;
    this->d = static_cast<T>(exact);
    this->c = static_cast<T>(1 / std::sqrt(9 * exact));
    this->power = small ? static_cast<T>(std::min<double>(1 / info.shape, std::numeric_limits<T>::max())) : T(0);
    this->scale = static_cast<T>(info.scale);
  }
};

struct CountLaw : parameters::kn_counts {
  CountLaw(const RandomInfo& info, DType dtype) : parameters::kn_counts() {
    const int bits = static_cast<int>(8 * size_of(dtype)) - is_signed_integer(dtype);
    most = std::numeric_limits<std::int64_t>::max() >> (63 - std::min(bits, 63));
    centre = fixed(info.mean);
    mean = static_cast<float>(info.mean);
    inverse_mean = static_cast<float>(1 / info.mean);
    double slope, width, quick, height;
    if (info.kind == RandomKind::poisson) {
      width = 0.931 + 2.53 * std::sqrt(info.mean);
      slope = -0.059 + 0.02483 * width;
      quick = 0.9277 - 3.6224 / (width - 2);
      height = 1.1239 + 1.1328 / (width - 3.4);
      start = fixed(info.mean + 0.43);
    } else {
      trials = info.trials;
      most = std::min(most, trials);
      const auto n = static_cast<double>(trials);
      const double remaining = n - info.mean, p = info.mean / n, deviation = std::sqrt(info.mean * (remaining / n));
      width = 1.15 + 2.53 * deviation;
      slope = -0.0873 + 0.0248 * width + 0.01 * p;
      quick = 0.92 - 4.2 / width;
      height = (2.83 + 5.1 / width) * deviation;
      start = fixed(info.mean + 0.5);
      rest = static_cast<float>(remaining);
      inverse_rest = static_cast<float>(1 / remaining);
      // Probabilities are taken relative to that of the most likely count.
      const double mode = std::floor((n + 1) * p);
      shared = static_cast<float>(factorial(mode) + deviance(mode, info.mean) + factorial(n - mode) +
                                  deviance(n - mode, remaining));
    }
    a = static_cast<float>(slope);
    b = static_cast<float>(width);
    squeeze = static_cast<float>(quick);
    hat = static_cast<float>(height);
  }

 private:
  /// With 20 binary places.
  static std::int64_t fixed(double value) { return std::llround(std::ldexp(value, 20)); }
  /// ln k! - k ln k + k of 10 or more, by Stirling's series
  static double factorial(double k) {
    return 0.5 * std::log(6.283185307179586 * k) + (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * k * k)) / (k * k)) / k;
  }
  /// k ln(k / mean) + mean - k for k within 1 of the mean
  static double deviance(double k, double mean) {
    const double e = (k - mean) / mean;
    return mean * ((1 + e) * std::log1p(e) - e);
  }
};

void launch_rejection(runtime::Queue& queue, const runtime::KernelRef& kernel, const RandomInfo& info, DType dtype,
                      std::uint64_t count, runtime::Buffer& out) {
  runtime::Launch launch(queue, kernel);
  launch.out(out);
  const auto pass = [&](auto law) {
    law.count = count;
    law.seed = info.seed;
    law.first = info.first_word / info.words(dtype);
    launch.value(law);
  };
  if (info.kind != RandomKind::gamma) {
    pass(CountLaw(info, dtype));
  } else if (dtype == DType::float64) {
    pass(GammaLaw<double>(info));
  } else {
    pass(GammaLaw<float>(info));
  }
  run_over(launch, queue, *kernel, count, queue.traits().tuning.elements_per_item / 4);
}

}  // namespace

Work prepare_random(Programs& programs, runtime::Queue& queue, codegen::Step& step) {
  graph::Node& node = *step.node;
  const auto& info = node.get<graph::Op::random>();
  const auto count = static_cast<std::uint64_t>(node.shape.elements());
  const bool rejects = info.kind >= RandomKind::gamma;
  runtime::KernelRef kernel;
  if (count > 0) kernel = kernel_of(programs, queue.traits(), info, node.dtype, rejects);
  return [&queue, &node, &info, count, rejects, kernel] {
    auto out = queue.allocate(count * size_of(node.dtype), function_of(node));
    if (count > 0) (rejects ? launch_rejection : launch_fixed)(queue, kernel, info, node.dtype, count, *out);
    graph::fulfil(node, std::move(out), graph::row_major(node.shape));
  };
}

}  // namespace koine::exec
